import super::constants::forgotten_slices;
import super::powers::advanced;
import super::sizes::ORDER;
import super::state::{State, no_state};
import super::told_states::STATE;

// What a workgroup knows of the state before its slice while it looks back.

const SLICES_AT = 0u; // set by Rust
const SLICES_AT_ONCE = 0u; // set by Rust

// How often a thread looks for a slice before its workgroup gives up waiting.
const LOOKS: u32 = 64u;

// The state that slices next..slice leave of no state, or of all that there was.
struct Search {
    z: State,
    next: u32,
    missing: bool,
    done: bool,
}
var<workgroup> search: Search;

// What is left of `z` behind so many slices: powers of one slice, then of SLICES_AT_ONCE.
fn behind_slices(z: State, slices: u32) -> State {
    var left = z;
    if (slices > 0u) {
        left = advanced(SLICES_AT + slices % SLICES_AT_ONCE, left, no_state());
    }
    if (slices >= SLICES_AT_ONCE) {
        left = advanced(SLICES_AT + SLICES_AT_ONCE - 1u + slices / SLICES_AT_ONCE, left, no_state());
    }
    return left;
}

// Takes in what slice search.next - 1 has told, or what its rows come to. By one thread.
fn take_in(slice: u32, kind: u32, z: State) {
    search.next -= 1u;
    let distance = slice - 1u - search.next;
    let left = behind_slices(z, distance);
    for (var i = 0u; i < ORDER; i++) { // unroll
        search.z[i] += left[i];
    }
    search.done = kind == STATE || search.next == 0u || distance + 1u >= forgotten_slices();
}
