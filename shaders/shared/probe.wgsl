import super::workgroup::WORKGROUP;

// Counts threads whose lane is not their index in the workgroup modulo the subgroup's size:
// shuffles take neighbours in the one for neighbours in the other.
override EXPECTED_LANES: u32 = 32u;

@group(0) @binding(0) var<storage, read_write> misplaced: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    if (lane != t % size || size % EXPECTED_LANES != 0u) {
        atomicAdd(&misplaced, 1u);
    }
}
