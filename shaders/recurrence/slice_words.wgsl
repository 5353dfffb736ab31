import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::affine::{Affine, Wide};
import roles::map::identity;
import roles::real::real;
import roles::words::{EMPTY, WORDS, number_of, word_of};

// What slices tell each other in one launch: first their map, then the value behind them. A word
// carries its own flag, so that no order between words is needed.
//
// `words` has two halves, for even and odd launches. A launch writes to one, and makes the places in the
// other empty again, which nobody reads any more.
@group(0) @binding(7) var<storage, read_write> words: array<atomic<u32>>;

// Slices are taken in the order in which workgroups ask, so that all before one have been taken by
// workgroups that run, or have run. An even and an odd launch count on; the last of the odd one
// begins anew.
@group(0) @binding(8) var<storage, read_write> taken: array<atomic<u32>, 1>;

// Two numbers and two exponents of the map, and the value.
const MAP_WORDS: u32 = 2u * WORDS + 2u;
const SLICE_WORDS: u32 = MAP_WORDS + WORDS;

// No exponent comes to all ones.
const EXPONENT_BIAS: i32 = 1082130432;

// Word k of a slice: neighbouring slices side by side.
fn word_at(turn: u32, slot: u32, k: u32) -> u32 {
    return (turn * SLICE_WORDS + k) * params.problems * params.slices + slot;
}

fn tell_map(turn: u32, slot: u32, t: u32, map: Affine) {
    for (var k = t; k < MAP_WORDS; k += WORKGROUP) {
        var word = u32(map.s.e + EXPONENT_BIAS);
        if (k < 2u * WORDS) {
            word = word_of(select(map.t.x, map.s.x, k < WORDS), k % WORDS);
        } else if (k > 2u * WORDS) {
            word = u32(map.t.e + EXPONENT_BIAS);
        }
        atomicStore(&words[word_at(turn, slot, k)], word);
    }
}

fn tell_value(turn: u32, slot: u32, t: u32, value: real) {
    for (var k = t; k < WORDS; k += WORKGROUP) {
        atomicStore(&words[word_at(turn, slot, MAP_WORDS + k)], word_of(value, k));
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
    map: Affine,
    value: real,
}

fn nothing_told() -> Told {
    return Told(NOTHING, identity(), 0.0);
}

fn told_number(turn: u32, slot: u32, k: u32) -> vec2<u32> {
    var both = vec2<u32>(0u, 0u);
    for (var part = 0u; part < WORDS; part++) { // unroll
        both[part] = atomicLoad(&words[word_at(turn, slot, k + part)]);
    }
    return both;
}

// All words are asked for at once: each takes its time to come.
fn told(turn: u32, slot: u32) -> Told {
    let value = told_number(turn, slot, MAP_WORDS);
    let factor = told_number(turn, slot, 0u);
    let summand = told_number(turn, slot, WORDS);
    let factor_e = atomicLoad(&words[word_at(turn, slot, 2u * WORDS)]);
    let summand_e = atomicLoad(&words[word_at(turn, slot, 2u * WORDS + 1u)]);
    // Without branches: lanes go on together.
    let has_value = all(value != vec2<u32>(EMPTY));
    let lacks = any(factor == vec2<u32>(EMPTY)) || any(summand == vec2<u32>(EMPTY)) || factor_e == EMPTY
        || summand_e == EMPTY;
    let s = Wide(number_of(factor), i32(factor_e) - EXPONENT_BIAS);
    let t = Wide(number_of(summand), i32(summand_e) - EXPONENT_BIAS);
    return Told(select(select(MAP, NOTHING, lacks), VALUE, has_value), Affine(s, t), number_of(value));
}
