// role: kernel
import package::shared::sizes::INPUTS_WRITABLE;
import package::shared::status::report_result;
import super::block_row::{Right, Sums, left, rhs, subtract, x, xs};
import super::diagonal::{load_diagonal, solved, substitute};
import super::eight::extreme;
import super::inverse::{Inverse, apply_inverse, invert, is_well_conditioned, sum_of_parts};
import super::piece::{Piece, load_piece};
import super::problem::{
    block_place, has_stored_diagonal, is_subtracted, order, params, problem_of, products_end, row_number, vector_index,
};
import super::sizes::{AHEAD, BLOCK, COLUMNS, PIECE, THREADS, XS};
import super::solved_words::{empty_unknowns, taken, tell, told_unknowns, unknowns_word_at};
import roles::orientation::multiply;
import roles::precache::{keep, kept};
import roles::real::{is_finite, real};
import roles::trace::{trace_end, trace_products, trace_start, trace_wait};
import roles::words::number_of;

// Everything in one launch (J. D. Hogg, "A fast dense triangular solve in CUDA", 2013, section 3): each
// workgroup takes a block row, multiplies its blocks by the solved rows before as those come, solves the diagonal
// block and tells the rows.
//
// Nobody promises that a workgroup goes on once it has begun. One that has waited long enough for a block row
// solves that itself, and then its own anew.

// A block row that its workgroup does not solve, for tests.
override WITHHELD: u32 = 0xffffffffu;
// Where the next block is kept while its workgroup waits: 0 nowhere, 1 in workgroup memory, 2 in registers.
override PRECACHE: u32 = 2u;

const NONE: u32 = 0xffffffffu;
var<workgroup> ticket: u32;
var<workgroup> missing: u32;
var<workgroup> late: atomic<u32>;
// Looks that a thread has left for all that it waits for: Mesa's llvmpipe ends all loops of a thread after 65535 rounds.
var<private> patience: u32;

// Blocks that are waited for at once, so far from the diagonal.
const HALF_XS: u32 = AHEAD * BLOCK;
const FAR: u32 = 16u;

// What a piece has in registers before what comes behind this is begun.
fn loaded_bits(piece: Piece) -> u32 {
    var bits = 0u;
    for (var k = 0u; k < PIECE; k++) { // unroll
        bits |= bitcast<u32>(f32(piece.a[k]));
    }
    return bits & params.zero;
}

// Waits for `count` blocks from turn `first` on, which then lie in `xs`.
fn wait_for(t: u32, parity: u32, number: u32, first: u32, count: u32, half: u32) {
    // Where something is missing already, the rest will be asked for again.
    let most = select(patience, 0u, atomicLoad(&late) != NONE);
    for (var c = 0u; c < COLUMNS; c++) {
        for (var i = t; i < count * BLOCK; i += THREADS) {
            let turn = first + i / BLOCK;
            let at = unknowns_word_at(parity, number, c, block_place(turn), i % BLOCK);
            var found = told_unknowns(at);
            var looks = 0u;
            for (; looks < most && !found.there; looks++) {
                found = told_unknowns(at);
            }
            patience -= min(looks, patience);
            trace_wait(t, c == 0u && i % BLOCK == 0u, looks);
            if (!found.there) {
                atomicMin(&late, turn);
            }
            let place = block_place(turn) * BLOCK + i % BLOCK;
            xs[c * XS + half + i] = select(real(0.0), number_of(found.words), is_subtracted(place));
        }
    }
    workgroupBarrier();
}

// Solves a block row. The block row that it waited for in vain, if any.
fn solve_row(t: u32, parity: u32, number: u32, row: u32) -> u32 {
    let place = block_place(row);
    let problem = problem_of(number);
    if (t == 0u) {
        atomicStore(&late, NONE);
    }
    let i = place * BLOCK + t;
    var b: Right;
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        if (t < BLOCK && i < params.n) {
            b.a[c] = rhs[vector_index(problem, c, i)];
        }
    }
    trace_start(t, number, row);
    var inverse: Inverse;
    var inverted = false;
    if (has_stored_diagonal(place)) {
        load_diagonal(t, problem, place);
        inverted = row >= params.invert_from && workgroupUniformLoad(&extreme) == 0u;
        if (inverted) {
            inverse = invert(t);
            inverted = is_well_conditioned(t, inverse);
        }
    } else {
        workgroupBarrier();
    }
    var sums: Sums;
    var half = 0u;
    var next = 0u;
    let end = products_end(row);
    // Far from the diagonal there is time to wait for several blocks at once: fewer ask at the same time, and more of
    // the matrix is under way.
    while (end - next >= FAR) {
        var pieces: array<Piece, AHEAD>;
        for (var k = 0u; k < AHEAD; k++) { // unroll
            pieces[k] = load_piece(t, problem.system, place, block_place(next + k));
        }
        wait_for(t, parity, number, next, AHEAD, half);
        for (var k = 0u; k < AHEAD; k++) { // unroll
            sums = multiply(t, pieces[k], half + k * BLOCK, sums);
        }
        next += AHEAD;
        half = HALF_XS - half;
    }
    while (next < end) {
        var piece: Piece;
        if (PRECACHE > 0u) {
            piece = load_piece(t, problem.system, place, block_place(next));
        }
        if (PRECACHE == 1u) {
            keep(t, piece);
        }
        if (PRECACHE == 2u) {
            patience += loaded_bits(piece);
        }
        wait_for(t, parity, number, next, 1u, half);
        if (PRECACHE == 0u) {
            piece = load_piece(t, problem.system, place, block_place(next));
        }
        if (PRECACHE == 1u) {
            piece = kept(t);
        }
        sums = multiply(t, piece, half, sums);
        next += 1u;
        half = HALF_XS - half;
    }
    trace_products(t);
    subtract(t, place, b, sums);
    for (var c = 0u; c < COLUMNS; c++) {
        if (inverted) {
            apply_inverse(t, c, inverse);
        } else if (has_stored_diagonal(place)) {
            substitute(t, c);
        }
        var value = real(0.0);
        var counts = false;
        if (t < BLOCK && atomicLoad(&late) == NONE) {
            if (inverted) {
                value = sum_of_parts(order(t));
            } else if (has_stored_diagonal(place)) {
                value = solved[order(t)];
            } else {
                value = left[c * BLOCK + order(t)];
            }
            counts = tell(unknowns_word_at(parity, number, c, place, t), value);
        }
        if (INPUTS_WRITABLE) {
            // All rows of the block are published before any of them is overwritten, so a workgroup that reads an
            // overwritten row finds the whole block published, and discards what it computes from it.
            storageBarrier();
        }
        if (counts && i < params.n && c < problem.count) {
            x[vector_index(problem, c, i)] = value;
            if (!is_finite(value)) {
                report_result(row_number(problem, c), i);
            }
        }
        workgroupBarrier();
    }
    if (t == 0u) {
        let lacked = atomicLoad(&late);
        missing = lacked;
        trace_end(lacked == NONE);
    }
    return workgroupUniformLoad(&missing);
}

// The grid may hold more workgroups than are needed, which ask for nothing.
fn run(w: u32, t: u32) {
    if (t == 0u) {
        ticket = atomicAdd(&taken[0], 1u);
    }
    let turn = workgroupUniformLoad(&ticket);
    let parity = turn / params.workgroups;
    if (t == 0u && turn + 1u == 2u * params.workgroups) {
        // Everyone has asked.
        atomicStore(&taken[0], 0u);
    }
    let number = turn % params.workgroups % params.problems;
    let own = turn % params.workgroups / params.problems;
    for (var c = 0u; c < COLUMNS; c++) {
        if (t < BLOCK) {
            empty_unknowns(unknowns_word_at(1u - parity, number, c, block_place(own), t));
        }
    }
    if (own == WITHHELD) {
        return;
    }
    var row = own;
    patience = params.patience;
    // Each block row before may be missing once.
    for (var round = 0u; round <= 2u * own; round++) {
        let lacks = solve_row(t, parity, number, row);
        if (lacks == NONE && row == own) {
            break;
        }
        row = select(lacks, own, lacks == NONE);
    }
}
