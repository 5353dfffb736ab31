import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::sizes::ORDER;
import super::state::{State, no_state};
import roles::words::{EMPTY, WORDS, number_of, word_of};

// What slices tell each other in one launch: their final state for state 0, then their final state. A word carries its own
// flag, so that no order between words is needed.
//
// `words` has two sides, for even and odd launches. A launch writes one side and clears the other.
@group(0) @binding(7) var<storage, read_write> words: array<atomic<u32>>;

// Number of workgroups that have begun, counted over an even and an odd launch.
@group(0) @binding(8) var<storage, read_write> begun: array<atomic<u32>, 1>;

const STATE_WORDS: u32 = ORDER * WORDS;
const SLICE_WORDS: u32 = 2u * STATE_WORDS;

const NOTHING: u32 = 0u;
const SUM: u32 = 1u;
const STATE: u32 = 2u;

var<workgroup> side: u32;

// Which side of the words this launch writes; by one thread, for all behind the next barrier.
fn begin_launch() {
    let number = atomicAdd(&begun[0], 1u);
    side = number / params.workgroups;
    if (number + 1u == 2u * params.workgroups) {
        // Everyone has begun.
        atomicStore(&begun[0], 0u);
    }
}

// Word k of a slice: neighbouring slices side by side.
fn state_word_at(side_: u32, slot: u32, k: u32) -> u32 {
    return (side_ * SLICE_WORDS + k) * params.problems * params.slices + slot;
}

// By one thread.
fn tell_state(slot: u32, kind: u32, z: State) {
    let first = select(0u, STATE_WORDS, kind == STATE);
    for (var i = 0u; i < ORDER; i++) { // unroll
        for (var part = 0u; part < WORDS; part++) { // unroll
            atomicStore(&words[state_word_at(side, slot, first + i * WORDS + part)], word_of(z[i], part));
        }
    }
}

// Clears this slice's words on the other side, which no workgroup of this launch reads.
fn empty_states(slot: u32, t: u32) {
    for (var k = t; k < SLICE_WORDS; k += WORKGROUP) {
        atomicStore(&words[state_word_at(1u - side, slot, k)], EMPTY);
    }
}

struct ToldState {
    kind: u32,
    z: State,
}

fn no_state_told() -> ToldState {
    return ToldState(NOTHING, no_state());
}

// All words are asked for at once: each takes its time to come.
fn told_state(slot: u32) -> ToldState {
    var sum: array<vec2<u32>, ORDER>;
    var state: array<vec2<u32>, ORDER>;
    for (var i = 0u; i < ORDER; i++) { // unroll
        for (var part = 0u; part < WORDS; part++) { // unroll
            state[i][part] = atomicLoad(&words[state_word_at(side, slot, STATE_WORDS + i * WORDS + part)]);
            sum[i][part] = atomicLoad(&words[state_word_at(side, slot, i * WORDS + part)]);
        }
    }
    var lacks_sum = false;
    var lacks_state = false;
    for (var i = 0u; i < ORDER; i++) { // unroll
        lacks_sum = lacks_sum || any(sum[i] == vec2<u32>(EMPTY));
        lacks_state = lacks_state || any(state[i] == vec2<u32>(EMPTY));
    }
    var found = ToldState(select(select(SUM, NOTHING, lacks_sum), STATE, !lacks_state), no_state());
    for (var i = 0u; i < ORDER; i++) { // unroll
        found.z[i] = number_of(select(state[i], sum[i], lacks_state));
    }
    return found;
}
