import package::shared::block::{eliminate, join};
import package::shared::place::{place, thread_at};
import package::shared::problem::{params, rhs_base};
import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import super::equation::equation;
import super::structure::{CORRECTING, System, correcting_at, given_row, system_at};
import roles::real::{ROUNDOFF, is_finite, real, real4};
import roles::report::report_chunk;
import roles::rhs::right_side_at;
import roles::store::store_at;

// A twisted factorisation: two threads eliminate a span of rows from its two ends, and meet in the middle. Compared with one
// thread: half the chain of dependent rows, and twice the threads. What the way back needs stays in registers: Vulkan on an H200
// gives all workgroups of a multiprocessor 48 KiB of workgroup memory together. A block is ROWS rows here.

// Blocks over which coupling has to decay below rounding.
const WINDOW = 0u; // set by Rust
// Blocks that a thread keeps: one more.
const KEPT = 0u; // set by Rust

var<workgroup> meeting: array<real4, WORKGROUP>;

// A thread's part of a span, in blocks of ROWS rows.
struct Side {
    problem: u32,
    system: System,
    // Where the right-hand side begins.
    right: u32,
    // The outermost row; past the last one if the span's last block is not full.
    outer: u32,
    // Whether the thread goes up, from the last row of the span.
    upwards: bool,
    blocks: u32,
}

// Of the span from block `first` to before block `end`.
fn side_of(t: u32, problem: u32, first: u32, middle: u32, end: u32) -> Side {
    let upwards = (place(t).chunk & 1u) != 0u;
    return Side(
        problem,
        system_at(problem),
        rhs_base(problem),
        select(first * ROWS, end * ROWS - 1u, upwards),
        upwards,
        select(middle - first, end - middle, upwards),
    );
}

fn blocks_of_problem() -> u32 {
    return (params.n + ROWS - 1u) / ROWS;
}

// The k-th row that a thread meets.
fn row_met(side: Side, k: u32) -> u32 {
    return select(side.outer + k, side.outer - k, side.upwards);
}

// The first row of a block as the rows lie.
fn first_row_of(side: Side, block: u32) -> u32 {
    return select(side.outer + block * ROWS, side.outer + 1u - (block + 1u) * ROWS, side.upwards);
}

// Rows of the caller's vectors, as loaded; beyond a side's end any.
alias LoadedBlock = array<real4, ROWS>;

fn fetch_row(side: Side, k: u32) -> real4 {
    let row = min(row_met(side, k), params.n - 1u);
    let it = given_row(side.system, row);
    if (CORRECTING) {
        return real4(it, correcting_at(side.system, row));
    }
    return real4(it, right_side_at(side.problem, side.right, row));
}

fn fetch_block(side: Side) -> LoadedBlock {
    var rows: LoadedBlock;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows[i] = fetch_row(side, i);
    }
    return rows;
}

// Drops the corners, and makes rows past the end say x = 0.
fn mended_row(row: u32, it: real4) -> real4 {
    if (row >= params.n) {
        return real4(0.0, 1.0, 0.0, 0.0);
    }
    return real4(select(it.x, real(0.0), row == 0u), it.y, select(it.z, real(0.0), row + 1u == params.n), it.w);
}

struct Progress {
    // The last row met, in terms of the row before the span and of the next one.
    last: real4,
    // The least excess of the rows, where roundings of the diagonal are forgiven (chunk.wgsl).
    excess: real,
    // The next block.
    ahead: LoadedBlock,
}

fn begun(side: Side, outside: real4) -> Progress {
    return Progress(outside, 1.0, fetch_block(side));
}

// A block as the way back needs it: each row in terms of the next one, q and r; and its first row in terms of the one behind
// it.
struct KeptBlock {
    q: array<real, ROWS>,
    r: array<real, ROWS>,
    through: vec2<real>,
}

// Eliminates a side's next block, and loads the block behind it row by row meanwhile, so that loads overlap arithmetic. There is
// no branch around a load, since a compiler would then issue the loads together; so a thread also loads behind its last block.
fn eliminate_block(progress: ptr<function, Progress>, side: Side, block: u32) -> KeptBlock {
    let start = first_row_of(side, block);
    if (start == 0u || start + ROWS >= params.n) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            (*progress).ahead[i] = mended_row(row_met(side, block * ROWS + i), (*progress).ahead[i]);
        }
    }
    var kept: KeptBlock;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let it = (*progress).ahead[i];
        (*progress).ahead[i] = fetch_row(side, (block + 1u) * ROWS + i);
        let row = equation(select(it.x, it.z, side.upwards), it.y, select(it.z, it.x, side.upwards), it.w);
        (*progress).excess = min((*progress).excess, row.e + 4.0 * ROUNDOFF * abs(row.b));
        (*progress).last = eliminate((*progress).last, row);
        kept.q[i] = (*progress).last.y;
        kept.r[i] = (*progress).last.z;
    }
    kept.through = vec2<real>(1.0, 0.0);
    for (var i = ROWS; i > 0u; i--) { // unroll
        kept.through = vec2<real>(kept.q[i - 1u] * kept.through.x, kept.q[i - 1u] * kept.through.y + kept.r[i - 1u]);
    }
    return kept;
}

// Not dominant, or not readable: whatever is not finite in the matrix makes the complement so, and it stays so.
fn is_doubted(progress: Progress) -> bool {
    return progress.excess < 0.0 || !is_finite(progress.last.w);
}

const NONE = 0xffffffffu;

// Says what spoilt the blocks from the first spoilt one on. A thread that goes up meets the first of them last.
fn report_spoilt(side: Side, first: u32) {
    for (var block = first; block < side.blocks; block++) {
        report_chunk(side.problem, first_row_of(side, block));
    }
}

// The last unknown that the other thread has eliminated. There is a barrier in it: all threads of a workgroup call it.
fn met(t: u32, last: real4) -> real {
    let own = real4(0.0, last.yzw);
    meeting[t] = own;
    workgroupBarrier();
    let here = place(t);
    let other = meeting[thread_at(here.chunk ^ 1u, here.local_problem)];
    return join(own, real4(other.y, 0.0, other.zw)).first.z;
}

// Solves a block, given the unknown behind its last row; returns that of its first row. All reads of a block come before its
// writes, so x may lie over rhs.
fn solve_block(kept: KeptBlock, side: Side, block: u32, behind: real, stored: bool) -> real {
    var next = behind;
    var found: array<real, ROWS>;
    for (var i = ROWS; i > 0u; i--) { // unroll
        next = kept.q[i - 1u] * next + kept.r[i - 1u];
        found[i - 1u] = next;
    }
    if (stored) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            let row = row_met(side, block * ROWS + i);
            if (row < params.n) {
                store_at(side.right, row, found[i]);
            }
        }
    }
    return next;
}
