import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::sizes::{MAP_WORDS, VALUE_WORDS};
import roles::map::{SliceMap, Value, identity, value_of};
import roles::told::{map_of_words, map_word, value_of_words, value_word};
import roles::words::EMPTY;

// What slices tell each other in one launch: first their map, then the value behind them. A word
// carries its own flag, so that no order between words is needed.
//
// `words` has two halves, for even and odd launches. A launch writes to one, and makes the places in the
// other empty again, which nobody reads any more. The last word is the number of tickets less one.
@group(0) @binding(7) var<storage, read_write> words: array<atomic<u32>>;

const SLICE_WORDS: u32 = MAP_WORDS + VALUE_WORDS;

// Slices are taken in the order in which workgroups ask, so that all before one have been taken by
// workgroups that run, or have run. An even and an odd launch count on; the last of the odd one
// begins anew. Call it from one thread.
fn next_ticket() -> u32 {
    let at = 2u * SLICE_WORDS * params.problems * params.slices;
    let ticket = atomicAdd(&words[at], 1u) + 1u;
    if (ticket + 1u == 2u * params.workgroups) {
        // Everyone has asked.
        atomicStore(&words[at], EMPTY);
    }
    return ticket;
}

// Word k of a slice: neighbouring slices side by side.
fn word_at(turn: u32, slot: u32, k: u32) -> u32 {
    return (turn * SLICE_WORDS + k) * params.problems * params.slices + slot;
}

fn tell_map(turn: u32, slot: u32, t: u32, map: SliceMap) {
    for (var k = t; k < MAP_WORDS; k += WORKGROUP) {
        atomicStore(&words[word_at(turn, slot, k)], map_word(map, k));
    }
}

fn tell_value(turn: u32, slot: u32, t: u32, value: Value) {
    for (var k = t; k < VALUE_WORDS; k += WORKGROUP) {
        atomicStore(&words[word_at(turn, slot, MAP_WORDS + k)], value_word(value, k));
    }
}

fn make_empty(turn: u32, slot: u32, t: u32) {
    for (var k = t; k < SLICE_WORDS; k += WORKGROUP) {
        atomicStore(&words[word_at(turn, slot, k)], EMPTY);
    }
}

const NOTHING: u32 = 0u;
const MAP: u32 = 1u;
const VALUE: u32 = 2u;

struct Told {
    kind: u32,
    map: SliceMap,
    value: Value,
}

fn nothing_told() -> Told {
    return Told(NOTHING, identity(), value_of(0.0));
}

// All words are asked for at once: each takes its time to come.
fn told(turn: u32, slot: u32) -> Told {
    var of_map: array<u32, MAP_WORDS>;
    var of_value: array<u32, VALUE_WORDS>;
    for (var k = 0u; k < VALUE_WORDS; k++) { // unroll
        of_value[k] = atomicLoad(&words[word_at(turn, slot, MAP_WORDS + k)]);
    }
    for (var k = 0u; k < MAP_WORDS; k++) { // unroll
        of_map[k] = atomicLoad(&words[word_at(turn, slot, k)]);
    }
    // Without branches: lanes go on together.
    var lacks_map = false;
    var lacks_value = false;
    for (var k = 0u; k < MAP_WORDS; k++) { // unroll
        lacks_map = lacks_map || of_map[k] == EMPTY;
    }
    for (var k = 0u; k < VALUE_WORDS; k++) { // unroll
        lacks_value = lacks_value || of_value[k] == EMPTY;
    }
    let kind = select(select(MAP, NOTHING, lacks_map), VALUE, !lacks_value);
    return Told(kind, map_of_words(of_map), value_of_words(of_value));
}
