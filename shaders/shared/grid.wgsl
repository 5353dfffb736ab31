// Workgroups are laid over two grid dimensions, since one holds only 65535 of them.
fn workgroup_index(id: vec3<u32>, count: vec3<u32>) -> u32 {
    return id.y * count.x + id.x;
}
