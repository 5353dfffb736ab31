// role: problem
import super::sizes::{BLOCK, COLUMNS, THREADS};

// What every triangular kernel knows of the systems it works on, seen as lower triangular ones that are
// solved forward: an upper one from its last row to its first, a transposed one by the entries' places.
//
// Entries lie `along` each other in memory, and lda apart `over` it. BLOCK rows are a block row.
// Blocks have two numbers: the place where they lie, and the turn in which they are solved.
struct TriangularParams {
    n: u32,
    lda: u32,
    // Block rows.
    blocks: u32,
    // Groups of right-hand sides in all, and of a system.
    problems: u32,
    groups: u32,
    columns: u32,
    matrix_stride: u32,
    // From a row to the next of a right-hand side, modulo 2^32, and where row 0 lies.
    increment: u32,
    first: u32,
    column_stride: u32,
    vector_stride: u32,
    workgroups: u32,
    // The first block over memory that the second binding of the matrix holds, and where its first entry lies there.
    panel: u32,
    panel_first: u32,
    // Of launches one after the other: which (of a factored solve: its block row), and block rows solved in each.
    launch: u32,
    rows_each: u32,
    patience: u32,
    // The first block row whose diagonal block is inverted.
    invert_from: u32,
    // Always 0, but opaque to the compiler; used by `rounded`.
    zero: u32,
    // Columns over memory that are stored; the others are those of the identity.
    stored: u32,
    // While matrices are factored: the first system of a launch, and how many it has.
    first_system: u32,
    systems_each: u32,
}

@group(0) @binding(0) var<uniform> params: TriangularParams;

// Whether lanes lie along the columns of a row, or the rows of a column.
override ACROSS: bool = false;
// Solved from the last row to the first.
override REVERSED: bool = false;
override UNIT_DIAGONAL: bool = false;
// Fewer columns over memory are stored than there are rows. They are columns of the matrix to solve with, or its rows if it is REVERSED.
override TRAPEZOID: bool = false;

// Lanes side by side along memory, four entries each, and groups of these lanes over it.
const QUADS: u32 = BLOCK / 4u;
const GROUPS: u32 = THREADS / QUADS;

// The place of a block by its turn, and the other way round.
fn block_place(turn: u32) -> u32 {
    return select(turn, params.blocks - 1u - turn, REVERSED);
}

// The same for the rows of a block.
fn order(i: u32) -> u32 {
    return select(i, BLOCK - 1u - i, REVERSED);
}

// Where a row lies, by its number in the order in which rows are solved.
fn row_place(row: u32) -> u32 {
    return select(row, params.n - 1u - row, REVERSED);
}

// Whether a block row has a row of the matrix beside those of the identity.
fn has_stored_rows(place: u32) -> bool {
    return !TRAPEZOID || !REVERSED || place * BLOCK < params.stored;
}

// Whether a diagonal block has entries of the matrix.
fn has_stored_diagonal(place: u32) -> bool {
    return !TRAPEZOID || place * BLOCK < params.stored;
}

// One past the turn of the last block that a block row multiplies.
fn products_end(turn: u32) -> u32 {
    if (!TRAPEZOID) {
        return turn;
    }
    if (REVERSED) {
        return select(0u, turn, has_stored_rows(block_place(turn)));
    }
    return min(turn, (params.stored + BLOCK - 1u) / BLOCK);
}

// Whether later rows have a multiple of this one subtracted: its column is stored.
fn is_subtracted(row: u32) -> bool {
    return !TRAPEZOID || REVERSED || row < params.stored;
}

// Whether this row has multiples of earlier ones subtracted: it is stored.
fn is_reduced(row: u32) -> bool {
    return !TRAPEZOID || !REVERSED || row < params.stored;
}

// Of a group of right-hand sides: its system, its first column, and how many it has.
struct Problem {
    system: u32,
    column: u32,
    count: u32,
}

fn problem_of(number: u32) -> Problem {
    let system = number / params.groups;
    let column = (number % params.groups) * COLUMNS;
    return Problem(system, column, min(COLUMNS, params.columns - column));
}

// Where a row of a right-hand side lies. Columns that are not there are read as the last one is.
fn vector_index(problem: Problem, c: u32, row: u32) -> u32 {
    let column = problem.column + min(c, problem.count - 1u);
    return problem.system * params.vector_stride + column * params.column_stride + params.first + row * params.increment;
}

// As errors count rows.
fn row_number(problem: Problem, c: u32) -> u32 {
    return problem.system * params.columns + problem.column + min(c, problem.count - 1u);
}

// `row_number` numbers them already.
fn numbered(number: u32) -> u32 {
    return number;
}
