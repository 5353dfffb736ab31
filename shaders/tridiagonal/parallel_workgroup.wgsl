// role: parallel
import super::parallel_memory::reduce_in_memory;
import roles::problem::params;

// Parallel cyclic reduction of rows stride-1, 2 stride-1, ... through workgroup memory.
fn solve_every(t: u32, base: u32, stride: u32) {
    reduce_in_memory(t, base, stride, params.n / stride);
}
