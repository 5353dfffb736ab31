// role: tile_entries
import super::abreast::{FOURS_OF_RUN, FourByFour, four_entries, four_inside, four_place, reduced, turn_row};
import super::problem::Problem;
import super::sizes::{FOUR, THREADS};
import roles::real::real4;

// Entries of tiles where rows lie along memory. Threads that lie side by side load the 16 entries of a row, and put them into workgroup memory column by
// column: four rows of a column are then one entry.

// FoursByFours of entries that a thread loads.
const SHARES = 0u; // set by Rust

struct FoursByFours {
    a: array<FourByFour, SHARES>,
}

// Two more than fours of rows, so that neighbouring threads access different banks.
const PITCH: u32 = FOURS_OF_RUN + 2u;
const PANEL = 0u; // set by Rust
var<workgroup> panel: array<real4, PANEL>;

// Loads the thread's share of a run's entries in the columns of a turn's block. For solved rows it loads entries that nobody uses: a branch would delay the loads.
fn first_entries(problem: Problem, run: u32, turn: u32, t: u32) -> FoursByFours {
    var found: FoursByFours;
    for (var share = 0u; share < SHARES; share++) { // unroll
        let four = share * THREADS + t;
        let own = min(four / 4u, FOURS_OF_RUN - 1u);
        let group = max(run * FOURS_OF_RUN + own, turn * 4u + own % 4u);
        let along = four_place(turn, four % 4u * 4u);
        // What lies behind the last column may be no number.
        let inside = four_inside(along);
        for (var e = 0u; e < FOUR; e++) { // unroll
            let entries = four_entries(problem.system, along, turn_row(group / 4u, group % 4u * 4u + e));
            let row = select(real4(), entries, inside);
            for (var j = 0u; j < FOUR; j++) { // unroll
                found.a[share].a[j][e] = row[j];
            }
        }
    }
    return found;
}

fn share_entries(entries: FoursByFours, t: u32) {
    for (var share = 0u; share < SHARES; share++) { // unroll
        let four = share * THREADS + t;
        if (four < 4u * FOURS_OF_RUN) {
            for (var j = 0u; j < FOUR; j++) { // unroll
                panel[(4u * j + four % 4u) * PITCH + four / 4u] = entries.a[share].a[j];
            }
        }
    }
}

// Waits until all threads have read the entries of an earlier run, then replaces them.
fn share_later_entries(entries: FoursByFours, t: u32) {
    workgroupBarrier();
    share_entries(entries, t);
    workgroupBarrier();
}

// The tile less the products with all unknowns of a block. Where: the group of rows, the turn, and the unknowns in workgroup memory.
fn subtracted(problem: Problem, given: FourByFour, first: FoursByFours, where_: vec3<u32>, first_column: u32) -> FourByFour {
    var tile = given;
    let group = where_.x % FOURS_OF_RUN;
    // Not unrolled: software drivers would take minutes to compile it.
    for (var u = 0u; u < 4u; u++) {
        var entries: FourByFour;
        for (var j = 0u; j < FOUR; j++) { // unroll
            entries.a[j] = panel[(4u * j + u) * PITCH + group];
        }
        tile = reduced(tile, entries, where_.z, u, first_column);
    }
    return tile;
}
