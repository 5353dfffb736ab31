// role: picture
@group(0) @binding(2) var picture: texture_storage_2d<r32float, write>;
