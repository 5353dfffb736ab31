import package::shared::block::{NONE_BEHIND, combine};
import package::shared::place::{CHUNKS, place};
import package::shared::sizes::{HALF, ROWS};
import super::sizes::ROW_STEPS;
import roles::real::real4;
import roles::tpr_threads::beside;

// Tree partitioning reduction of a slice, a chunk of ROWS rows per thread (Diéguez, Amor, Doallo 2019).
//
// Two sub-systems of cyclic reduction at once: `first` holds a thread's even rows, reduced towards
// the slice's first row, `last` its odd ones, reduced towards its last. In each step a row takes in
// its two neighbours of the same sub-system; where one lies outside the slice, the coupling stays.
// Only the first step mixes the two, and there the row before the slice's last leaves that out (see
// `cpu::TreePartitioning` for why).
struct Reduced {
    first: array<real4, HALF>,
    last: array<real4, HALF>,
}

// The relations beside a thread's own.
struct Sides {
    prev: real4,
    next: real4,
}

fn reduce_rows(t: u32, own: array<real4, ROWS>) -> Reduced {
    let slice_end = place(t).chunk + 1u == CHUNKS;
    var reduced: Reduced;
    let beside_rows = beside(t, own[ROWS - 1u], own[0]);
    for (var i = 0u; i < HALF; i++) { // unroll
        const even = 2u * i;
        const odd = even + 1u;
        let before = select(own[(even + ROWS - 1u) % ROWS], beside_rows.prev, i == 0u);
        let behind = select(own[(odd + 1u) % ROWS], beside_rows.next, i == HALF - 1u);
        reduced.first[i] = combine(before, own[even], select(own[odd], NONE_BEHIND, slice_end && i == HALF - 1u));
        reduced.last[i] = combine(own[even], own[odd], behind);
    }
    for (var step = 0u; step < ROW_STEPS; step++) { // unroll
        const u = 1u << step;
        let sides = beside(t, reduced.first[HALF - u], reduced.last[u - 1u]);
        for (var i = 0u; i < HALF; i++) { // unroll
            if (i % (2u * u) == 0u) {
                let before = select(reduced.first[(i + HALF - u) % HALF], sides.prev, i == 0u);
                reduced.first[i] = combine(before, reduced.first[i], reduced.first[(i + u) % HALF]);
            }
            if (i % (2u * u) == 2u * u - 1u) {
                let behind = select(reduced.last[(i + u) % HALF], sides.next, i == HALF - 1u);
                reduced.last[i] = combine(reduced.last[(i + HALF - u) % HALF], reduced.last[i], behind);
            }
        }
    }
    return reduced;
}
