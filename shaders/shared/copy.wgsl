import super::grid::workgroup_index;
import super::workgroup::WORKGROUP;
import roles::real::real4;

// The yardstick of the benchmarks: a plain copy, one real4 a thread.
@group(0) @binding(0) var<storage, read> source: array<real4>;
@group(0) @binding(1) var<storage, read_write> target_: array<real4>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let i = workgroup_index(id, grid) * WORKGROUP + t;
    if (i < arrayLength(&source)) {
        target_[i] = source[i];
    }
}
