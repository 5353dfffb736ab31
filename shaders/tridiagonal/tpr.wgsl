// role: kernel
import package::shared::block::Block;
import package::shared::place::share_of;
import package::shared::sizes::{HALF, ROWS};
import super::tpr_slice::reduce_rows;
import super::tpr_unknowns::unknowns;
import roles::own_rows::own_rows;
import roles::real::real;
import roles::tpr_put::put_rows;
import roles::tpr_threads::{reduce_threads, substitute_threads};

// Tree partitioning reduction of systems that are one slice each: reads 16 bytes per row, writes 4 (f32).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let start = share.chunk * ROWS;
    let own = own_rows(share.problem, start);
    var reduced = reduce_rows(t, own);
    reduced.last[HALF - 1u] = reduce_threads(t, Block(reduced.first[0], reduced.last[HALF - 1u])).last;
    // Nothing lies beside a system: its last unknown is its reduced row's right-hand side.
    let outer = vec2<real>(0.0, reduced.last[HALF - 1u].z);
    let ends = substitute_threads(t, reduced.last[HALF - 1u], outer);
    let x = unknowns(own, reduced.last, ends.x, ends.y);
    put_rows(share.problem, start, own, x, share.owned);
}
