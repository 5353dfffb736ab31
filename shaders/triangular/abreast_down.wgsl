// role: tile_entries
import super::abreast::{FOURS_OF_RUN, FourByFour, four_entries, four_place, reduced, turn_row};
import super::problem::Problem;
import super::sizes::FOUR;

// Entries of tiles where columns lie along memory: four rows of a column are one load.

// The entries of four rows in the columns 4 u to 4 u + 3 of the block of a turn.
fn entries_of_tile(problem: Problem, group: u32, turn: u32, u: u32) -> FourByFour {
    var found: FourByFour;
    for (var e = 0u; e < FOUR; e++) { // unroll
        let rows = four_place(group / 4u, group % 4u * 4u);
        found.a[e] = four_entries(problem.system, rows, turn_row(turn, 4u * u + e));
    }
    return found;
}

// Loads the first four columns of the thread's tile of a run. For solved rows it loads entries that nobody uses: a branch would delay the loads.
fn first_entries(problem: Problem, run: u32, turn: u32, t: u32) -> FourByFour {
    let group = t % FOURS_OF_RUN;
    return entries_of_tile(problem, max(run * FOURS_OF_RUN + group, turn * 4u + group % 4u), turn, 0u);
}

// Each thread loads its own.
fn share_entries(entries: FourByFour, t: u32) {}

fn share_later_entries(entries: FourByFour, t: u32) {}

// The tile less the products with all unknowns of a block. Where: the group of rows, the turn, and the unknowns in workgroup memory.
fn subtracted(problem: Problem, given: FourByFour, first: FourByFour, where_: vec3<u32>, first_column: u32) -> FourByFour {
    var tile = given;
    var entries = first;
    // Not unrolled: software drivers would take minutes to compile it.
    for (var u = 0u; u < 4u; u++) {
        let next = entries_of_tile(problem, where_.x, where_.y, min(u + 1u, 3u));
        tile = reduced(tile, entries, where_.z, u, first_column);
        entries = next;
    }
    return tile;
}
