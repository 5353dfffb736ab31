// role: kernel
import package::shared::place::{place, share_of};
import package::shared::problem::in_order;
import package::shared::sizes::ROWS;
import super::pivoting::{WEAK, ends_of, inner_unknowns, solved_inner};
import super::pivoting_fall::{fall, own_base};
import super::pivoting_top::find_top;
import super::pivoting_tree::rise;
import super::sizes::INNER;
import roles::pivoting_leaf::load_leaf;
import roles::pivoting_put::put_leaf;
import roles::real::real;
import roles::ring::{seat, with_last_in_place};
import roles::singular::settled_leaf;
import roles::verdict::concerns;
import roles::weakest::note_singular;

// A workgroup takes a slice of each of its problems, eliminates it as before, learns the unknowns at its ends and beside
// it (or solves the two rows that are left, where the slice is the system) and substitutes: at 16 bytes per row read and 4
// written (f32).
fn run(index: u32, t: u32) {
    let share = share_of(in_order(index), t);
    let leaf = load_leaf(share.problem, share.chunk);
    own_base = share.base;
    let ends = ends_of(leaf.rows);
    let own = seat(t, share.slice);
    let part = rise(t, own, settled_leaf(t, share.problem, share.chunk, ends.pair));
    find_top(t, share);
    let known = fall(t, own, part);
    var inner: array<real, INNER>;
    if (ends.weakest_pivot < select(WEAK, WEAK / 4.0, ROWS <= 8u)) {
        // Seldom (of random rows with WEAK itself one partition in 20, with half of it one in 200): read them once more.
        let solved = solved_inner(load_leaf(share.problem, share.chunk).rows, known);
        inner = solved.inner;
        if (solved.doubtful | (ends.weakest_pivot < 0.0)) {
            note_singular(place(t).local_problem);
        }
    } else {
        inner = inner_unknowns(ends, known);
    }
    var values: array<real, ROWS>;
    values[0] = known.y;
    for (var i = 0u; i < INNER; i++) { // unroll
        values[i + 1u] = inner[i];
    }
    values[ROWS - 1u] = known.z;
    values = with_last_in_place(share.chunk, values);
    put_leaf(leaf.sound, share.problem, share.chunk, values, share.owned && concerns(t, share, false));
}
