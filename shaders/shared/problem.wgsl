// role: problem

// What every kernel of tridiagonal systems, recurrences and filters knows of its problems.
// A problem is one right-hand side of one system.
struct Params {
    n: u32,
    problems: u32,
    columns: u32,
    // Bit 0: neighbouring threads take neighbouring problems, not neighbouring rows. Bit 1: the
    // slices have neighbours. Bit 2: there is more than one right-hand side a system. Bit 3:
    // more than one group. Bit 4: more than one group of right-hand sides.
    flags: u32,
    element_stride: u32,
    system_stride: u32,
    group: u32,
    group_stride: u32,
    // The same of rhs and x; equal to those of the matrix unless OWN_RIGHT.
    right_element_stride: u32,
    right_system_stride: u32,
    right_group: u32,
    right_group_stride: u32,
    column_stride: u32,
    // Entries before each vector in its binding, which begins at a multiple of the device's alignment.
    lower_offset: u32,
    diag_offset: u32,
    upper_offset: u32,
    rhs_offset: u32,
    x_offset: u32,
    // Slices per problem; partition: the number of children a problem has on the level below.
    slices: u32,
    children: u32,
    workgroups: u32,
    // Cyclic reduction: steps before the parallel part, or the distance of a step.
    steps: u32,
    // Rows of the level that a step through device memory writes.
    rows_out: u32,
    // LOG_CHUNKS once more: a loop bounded by it stays rolled, so that its code is fetched once.
    log_chunks: u32,
    // Always 0, but opaque to the compiler; used by `rounded`.
    zero: u32,
    // Twisted factorisation: blocks of a slice.
    blocks: u32,
    // Filters in one pass: segments per sequence, and slices per segment. Concurrent workgroups take slices of different segments.
    segments: u32,
    segment_slices: u32,
    // Problems without gaps that are taken as one (head.wgsl): rows of each, and their number.
    packed_rows: u32,
    packed_problems: u32,
    // Overlapped slices: rows of each, and rows before it from which a thread begins.
    slice_rows: u32,
    overlap_rows: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

// rhs and x have a layout of their own. If not, they have the matrix's strides.
override OWN_RIGHT: bool = false;
// Some vector does not begin where its binding does.
override OFFSETS: bool = false;

fn lower_offset() -> u32 {
    return select(0u, params.lower_offset, OFFSETS);
}

fn diag_offset() -> u32 {
    return select(0u, params.diag_offset, OFFSETS);
}

fn upper_offset() -> u32 {
    return select(0u, params.upper_offset, OFFSETS);
}

fn rhs_offset() -> u32 {
    return select(0u, params.rhs_offset, OFFSETS);
}

fn x_offset() -> u32 {
    return select(0u, params.x_offset, OFFSETS);
}

fn systems_first() -> bool {
    return (params.flags & 1u) != 0u;
}

fn has_neighbours() -> bool {
    return (params.flags & 2u) != 0u;
}

// Workgroups of a second pass go backwards: what the first read last may still be in the cache.
fn in_order(index: u32) -> u32 {
    return select(index, params.workgroups - 1u - index, has_neighbours());
}

// The flags spare most shapes the divisions.
fn system_of(problem: u32) -> u32 {
    if ((params.flags & 4u) != 0u) {
        return problem / params.columns;
    }
    return problem;
}

fn system_count() -> u32 {
    if ((params.flags & 4u) != 0u) {
        return params.problems / params.columns;
    }
    return params.problems;
}

fn matrix_base(problem: u32) -> u32 {
    let system = system_of(problem);
    if ((params.flags & 8u) != 0u) {
        return (system / params.group) * params.group_stride + (system % params.group) * params.system_stride;
    }
    return system * params.system_stride;
}

// A problem's number among all right-hand sides: where the systems are the problems, that of its first.
fn numbered(problem: u32) -> u32 {
    return select(problem * params.columns, problem, (params.flags & 4u) != 0u);
}

// Where the first rows of a system's right-hand sides begin.
fn first_right_base(problem: u32) -> u32 {
    if (!OWN_RIGHT) {
        return matrix_base(problem);
    }
    let system = system_of(problem);
    if ((params.flags & 16u) != 0u) {
        return (system / params.right_group) * params.right_group_stride +
            (system % params.right_group) * params.right_system_stride;
    }
    return system * params.right_system_stride;
}

fn rhs_base(problem: u32) -> u32 {
    let base = first_right_base(problem);
    if ((params.flags & 4u) != 0u) {
        return base + (problem % params.columns) * params.column_stride;
    }
    return base;
}

// Where a problem's unknowns begin in the binding of x.
fn x_base(problem: u32) -> u32 {
    return rhs_base(problem) + x_offset();
}

// Of rhs and x, given where a right-hand side begins.
fn right_place(base: u32, row: u32) -> u32 {
    return base + row * select(params.element_stride, params.right_element_stride, OWN_RIGHT);
}
