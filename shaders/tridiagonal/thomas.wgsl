import package::shared::problem::params;
import roles::real::{real, real4};

// Gaussian elimination, a thread a problem. The state of the elimination is kept only every
// ROWS rows; on the way back a block is eliminated again from there, in registers: reads 32
// bytes per row, writes 4 (f32), like the classic sweep that stores c' and d', at a tenth of its
// scratch. A dispatch goes through blocks steps..rows_out of each problem, so that no thread
// runs for long: software Vulkan ends a loop after 65535 rounds, and displays wait.
// Three values (q, r, complement) behind each block; neighbouring threads side by side. On
// the way back, r behind block b-1 becomes the first unknown of block b, once that is known.
@group(0) @binding(7) var<storage, read_write> states: array<real>;

fn state_at(block: u32, part: u32, problem: u32) -> u32 {
    return (block * 3u + part) * params.problems + problem;
}

// The elimination's state before a block; nothing lies above row 0.
fn state_before(block: u32, problem: u32) -> real4 {
    if (block == 0u) {
        return real4(0.0, 0.0, 0.0, 1.0);
    }
    return real4(
        0.0,
        states[state_at(block - 1u, 0u, problem)],
        states[state_at(block - 1u, 1u, problem)],
        states[state_at(block - 1u, 2u, problem)],
    );
}
