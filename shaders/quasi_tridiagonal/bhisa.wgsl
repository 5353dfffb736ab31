// role: kernel
import package::shared::place::share_of;
import super::block_rows::{residual_squared, step_squared, x_squared};
import super::gate::wanted;
import super::sizes::SUMS;
import super::sums::add_up;
import roles::leaf::reduce_leaf;
import roles::leaf_solve::solve_leaf;
import roles::leaf_tree::{ascend_leaf, descend_leaf};
import roles::real::real;

// The block form of the iteration, a thread a chunk of rows: x_next = x + T_j^-1 (f - A x) in every block j. With three
// entries beside the tridiagonal 84 bytes per row in f64, 48 in f32: each number of the matrix once.
fn run(w: u32, t: u32) {
    if (!wanted()) {
        return;
    }
    let share = share_of(w, t);
    let leaf = reduce_leaf(share.problem, share.chunk);
    ascend_leaf(t, leaf);
    let beside_leaf = descend_leaf(t, vec2<real>(0.0, 0.0));
    solve_leaf(leaf, share.problem, share.chunk, beside_leaf, share.owned);
    let counts = select(real(0.0), real(1.0), share.owned);
    add_up(w, t, array<real, SUMS>(counts * residual_squared, counts * step_squared, counts * x_squared));
}
