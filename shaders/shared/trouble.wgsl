// Least problem * n + row of a non-finite input, and of a non-finite result.
@group(0) @binding(5) var<storage, read_write> trouble: array<atomic<u32>, 2>;

fn report_input(problem: u32, row: u32) {
    atomicMin(&trouble[0], problem * params.n + row);
}

fn report_result(problem: u32, row: u32) {
    atomicMin(&trouble[1], problem * params.n + row);
}
