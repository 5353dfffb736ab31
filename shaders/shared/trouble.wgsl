import roles::problem::{numbered, params};

// Least problem * n + row of a non-finite input, of a non-finite result, and of a diagonal entry that is 0; least
// problem * n of those that rows were exchanged of, and of those that are not dominant though that was promised; least
// problem of those some rows of which were singular on their own.
@group(0) @binding(5) var<storage, read_write> trouble: array<atomic<u32>, 6>;

fn report_input(problem: u32, row: u32) {
    atomicMin(&trouble[0], numbered(problem) * params.n + row);
}

fn report_result(problem: u32, row: u32) {
    atomicMin(&trouble[1], numbered(problem) * params.n + row);
}

fn report_diagonal(problem: u32, row: u32) {
    atomicMin(&trouble[2], numbered(problem) * params.n + row);
}

fn report_pivoting(problem: u32) {
    atomicMin(&trouble[3], numbered(problem) * params.n);
}

fn report_not_dominant(problem: u32) {
    atomicMin(&trouble[4], numbered(problem) * params.n);
}

fn report_singular_partition(problem: u32) {
    atomicMin(&trouble[5], numbered(problem));
}
