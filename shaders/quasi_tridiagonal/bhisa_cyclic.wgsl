// role: kernel
import package::tridiagonal::cyclic::reduce_and_solve;
import super::block_rows::{residual_squared, step_squared, x_squared};
import super::gate::wanted;
import super::sizes::SUMS;
import super::sums::add_up;
import roles::real::real;

// The block form of the iteration by cyclic reduction: x_next = x + T_j^-1 (f - A x) in every block j.
fn run(w: u32, t: u32) {
    if (!wanted()) {
        return;
    }
    reduce_and_solve(w, t);
    add_up(w, t, array<real, SUMS>(residual_squared, step_squared, x_squared));
}
