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

// Four of the map, and the value.
const VALUES: u32 = 5u;
const MAP_WORDS: u32 = 4u * WORDS;

// Word k of a slice: neighbouring slices side by side.
fn word_at(turn: u32, slot: u32, k: u32) -> u32 {
    return (turn * VALUES * WORDS + k) * params.problems * params.slices + slot;
}

fn tell_map(turn: u32, slot: u32, t: u32, map: Affine) {
    let values = packed(map);
    for (var k = t; k < MAP_WORDS; k += WORKGROUP) {
        atomicStore(&words[word_at(turn, slot, k)], word_of(values[k / WORDS], k % WORDS));
    }
}

fn tell_value(turn: u32, slot: u32, t: u32, value: real) {
    for (var k = t; k < WORDS; k += WORKGROUP) {
        atomicStore(&words[word_at(turn, slot, MAP_WORDS + k)], word_of(value, k));
    }
}

fn make_empty(turn: u32, slot: u32, t: u32) {
    for (var k = t; k < VALUES * WORDS; k += WORKGROUP) {
        atomicStore(&words[word_at(turn, slot, k)], EMPTY);
    }
}

const NOTHING: u32 = 0u;
const MAP: u32 = 1u;
const VALUE: u32 = 2u;

struct Told {
    kind: u32,
    // A map, or a value in x.
    what: real4,
}

fn told_word(turn: u32, slot: u32, k: u32) -> vec2<u32> {
    var both = vec2<u32>(0u, 0u);
    for (var part = 0u; part < WORDS; part++) {
        both[part] = atomicLoad(&words[word_at(turn, slot, k * WORDS + part)]);
    }
    return both;
}

fn told(turn: u32, slot: u32) -> Told {
    let value = told_word(turn, slot, 4u);
    if (all(value != vec2<u32>(EMPTY))) {
        return Told(VALUE, real4(number_of(value), 0.0, 0.0, 0.0));
    }
    var what: real4;
    for (var k = 0u; k < 4u; k++) {
        let word = told_word(turn, slot, k);
        if (any(word == vec2<u32>(EMPTY))) {
            return Told(NOTHING, real4());
        }
        what[k] = number_of(word);
    }
    return Told(MAP, what);
}
