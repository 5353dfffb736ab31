import super::problem::{is_reduced, order, params};
import super::sizes::{ALL_SUMS, BLOCK, COLUMNS};
import roles::orientation::{put_partial, whole_sum};
import roles::real::real;

const ALL_XS = 0u; // set by Rust
const LEFT = 0u; // set by Rust
const WORK = 0u; // set by Rust

// What a workgroup sums up of a block row, and the right-hand side that is left of it.
struct Sums {
    a: array<real, ALL_SUMS>,
}

// Of each right-hand side XS solved rows, as they lie.
var<workgroup> xs: array<real, ALL_XS>;
// Partial sums, and what is exchanged while a block is inverted.
var<workgroup> work: array<real, WORK>;
// Right-hand sides of the block, in the order in which its rows are solved.
var<workgroup> left: array<real, LEFT>;

@group(0) @binding(3) var<storage, read> rhs: array<real>; // input
@group(0) @binding(6) var<storage, read_write> x: array<real>;

// What is left of the right-hand sides b of a block row when the sums are subtracted. Rows behind the last come to 0.
fn subtract(t: u32, place: u32, b: Right, sums: Sums) {
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        put_partial(t, sums, c);
        workgroupBarrier();
        if (t < BLOCK) {
            let row = place * BLOCK + t;
            let sum = select(real(0.0), whole_sum(t), is_reduced(row));
            left[c * BLOCK + order(t)] = select(real(0.0), b.a[c] - sum, row < params.n);
        }
        workgroupBarrier();
    }
}

// Right-hand sides of a row, for the first BLOCK threads.
struct Right {
    a: array<real, COLUMNS>,
}
