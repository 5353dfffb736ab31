// role: kernel
import package::shared::status::{report_diagonal, report_input};
import super::canonical::canonical_entry;
import super::extreme::is_extreme;
import super::problem::{UNIT_DIAGONAL, params, problem_of, row_number, row_place};
import super::sizes::{BLOCK, THREADS};
import roles::real::{is_finite, real};

// Copies the diagonal blocks of a block row of some systems, column by column, and the right-hand sides that give their inverse and its product
// with the block before the diagonal: the identity, and that block. A thread per row.
@group(0) @binding(6) var<storage, read_write> right_sides: array<real>;
@group(0) @binding(7) var<storage, read_write> diagonal_blocks: array<real>;
// Of each row, the sum of the absolute values in its diagonal block.
@group(0) @binding(8) var<storage, read_write> row_sums: array<real>;
// 1 if the inverse of a block may not be used.
@group(0) @binding(9) var<storage, read_write> unusable: array<atomic<u32>, 1>;

fn check_diagonal(system: u32, row: u32) {
    if (UNIT_DIAGONAL || row >= params.n) {
        return;
    }
    let value = canonical_entry(system, row, row);
    let number = row_number(problem_of(system * params.groups), 0u);
    if (!is_finite(value)) {
        report_input(number, row_place(row));
    } else if (value == 0.0) {
        report_diagonal(number, row_place(row));
    } else if (is_extreme(value)) {
        atomicStore(&unusable[0], 1u);
    }
}

fn run(w: u32, t: u32) {
    let at = w * THREADS + t;
    let own = at / BLOCK;
    if (own >= params.systems_each) {
        return;
    }
    let i = at % BLOCK;
    let system = params.first_system + own;
    let first = params.launch * BLOCK;
    check_diagonal(system, first + i);
    var sum = real(0.0);
    for (var j = 0u; j < BLOCK; j++) {
        var entry = real(0.0);
        var before = real(0.0);
        if (j <= i) {
            entry = canonical_entry(system, first + i, first + j);
        }
        if (params.launch > 0u) {
            before = canonical_entry(system, first + i, first - BLOCK + j);
        }
        sum += abs(entry);
        diagonal_blocks[(own * BLOCK + j) * BLOCK + i] = entry;
        right_sides[(own * 2u * BLOCK + j) * BLOCK + i] = select(real(0.0), real(1.0), i == j);
        right_sides[((own * 2u + 1u) * BLOCK + j) * BLOCK + i] = before;
    }
    row_sums[at] = sum;
}
