// role: problem

// What the kernels know of the matrix and of the step that they are.
struct QuasiParams {
    // Rows, blocks, slices of a block and threads of a slice, as the kernels of a tridiagonal block ask for them.
    n: u32,
    problems: u32,
    slices: u32,
    log_chunks: u32,
    steps: u32,
    // Always 0, but opaque to the compiler; used by `rounded`.
    zero: u32,
    workgroups: u32,
    // Of the whole matrix.
    rows: u32,
    // Rows, filled up, by four.
    quads: u32,
    // Where the columns begin in `index`, in fours.
    columns_at: u32,
    // Sums of each kind that a decision adds up.
    partials: u32,
    // Of the step: where it begins, and of how many.
    first: u32,
    count: u32,
    // Iterations at the most; and how many may pass without progress.
    most: u32,
    patience: u32,
    // Of the relative residual or step, and the least that is asked of one cycle.
    tolerance: f32,
    floor: f32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(0) @binding(0) var<uniform> params: QuasiParams;
