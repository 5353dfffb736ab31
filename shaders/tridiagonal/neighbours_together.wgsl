import package::shared::block::Block;
import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import roles::real::real;
import roles::words::{EMPTY, WORDS, number_of, word_of};

const BLOCK_VALUES = 0u; // set by Rust

// The blocks of a system's slices as they pass between the workgroups of one dispatch. A word
// carries its own flag, so that no order between words is needed.
//
// `words` has two halves, for even and odd solves. The workgroups of a solve publish in one, and make
// their places in the other empty again, which nobody reads any more.
@group(0) @binding(7) var<storage, read_write> words: array<atomic<u32>>;

// How many workgroups of an even and an odd solve have all blocks. One that has not cannot have been
// counted: whatever it reads here, it knows which solve it belongs to.
struct Counter {
    through: atomic<u32>,
}
@group(0) @binding(8) var<storage, read_write> counter: Counter;

const BLOCK_WORDS: u32 = BLOCK_VALUES * WORDS;

// Word k of a slice's block: neighbouring slices side by side.
fn neighbour_word_at(turn: u32, slot: u32, k: u32) -> u32 {
    return (turn * BLOCK_WORDS + k) * params.problems * params.slices + slot;
}

fn neighbour_value_of(block: Block, k: u32) -> real {
    return select(block.first[k % 4u], block.last[k % 4u], k >= 4u);
}

// Every thread knows the block, and some write a word of it each: all of an own block, of another's
// what is not there yet.
fn publish(turn: u32, slot: u32, t: u32, block: Block, own: bool) {
    for (var k = t; k < BLOCK_WORDS; k += WORKGROUP) {
        let at = neighbour_word_at(turn, slot, k);
        if (own || atomicLoad(&words[at]) == EMPTY) {
            atomicStore(&words[at], word_of(neighbour_value_of(block, k / WORDS), k % WORDS));
        }
    }
}

struct Look {
    block: Block,
    found: bool,
}

// An atomic load asks the memory itself on all backends; should a device's answer from a cache all the
// same, an addition of nothing ends the waiting.
fn look(turn: u32, slot: u32, insist: bool) -> Look {
    var block: Block;
    var found = true;
    for (var k = 0u; k < BLOCK_VALUES; k++) { // unroll
        var both = vec2<u32>(0u, 0u);
        for (var part = 0u; part < WORDS; part++) { // unroll
            let at = neighbour_word_at(turn, slot, k * WORDS + part);
            if (insist) {
                both[part] = atomicAdd(&words[at], 0u);
            } else {
                both[part] = atomicLoad(&words[at]);
            }
            found = found && both[part] != EMPTY;
        }
        if (k < 4u) {
            block.first[k % 4u] = number_of(both);
        } else {
            block.last[k % 4u] = number_of(both);
        }
    }
    return Look(block, found);
}

// 0 in even solves, 1 in odd ones.
fn this_turn() -> u32 {
    return select(0u, 1u, atomicLoad(&counter.through) >= params.workgroups);
}

// The workgroup has all blocks. Returns its number among those that do, in thread 0.
fn pass_through(turn: u32, slot: u32, t: u32) -> u32 {
    for (var k = t; k < BLOCK_WORDS; k += WORKGROUP) {
        atomicStore(&words[neighbour_word_at(1u - turn, slot, k)], EMPTY);
    }
    if (t == 0u) {
        return atomicAdd(&counter.through, 1u);
    }
    return 0u;
}

// Whoever was the last of an odd solve begins with an even one again.
fn finish(through: u32) {
    if (through == 2u * params.workgroups - 1u) {
        atomicStore(&counter.through, 0u);
    }
}
