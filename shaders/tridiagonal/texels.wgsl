import package::shared::grid::workgroup_index;
import package::shared::workgroup::WORKGROUP;
import roles::picture::picture;
import roles::real::real;

// Writes unknowns that lie as [height, width, CHANNELS] into a texture of this size. One thread per texel.
override CHANNELS: u32 = 4u;

@group(0) @binding(1) var<storage, read> unknowns: array<real>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let size = textureDimensions(picture);
    let at = workgroup_index(id, grid) * WORKGROUP + t;
    if (at >= size.x * size.y) {
        return;
    }
    var texel = vec4<f32>(0.0, 0.0, 0.0, 1.0);
    for (var channel = 0u; channel < CHANNELS; channel++) {
        texel[channel] = f32(unknowns[at * CHANNELS + channel]);
    }
    textureStore(picture, vec2<u32>(at % size.x, at / size.x), texel);
}
