// role: report
import roles::real::{real, real4};

// Rows of a block, with the residual of the iterate as their right-hand side, so that the block's solution is the step.
// A block is a system of its own: entries that lead out of it count in the residual only.
@group(0) @binding(7) var<storage, read> f: array<real4>;
@group(0) @binding(8) var<storage, read_write> x_next: array<real4>;

var<private> residual_squared: real;
var<private> step_squared: real;
var<private> x_squared: real;

fn report_chunk(problem: u32, start: u32) {
    // What is not finite shows in the norms.
}
