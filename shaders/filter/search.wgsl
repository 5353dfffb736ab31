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

// `z`: the contribution of slices next..slice to the state before the slice; complete if `done`.
struct Search {
    z: State,
    next: u32,
    missing: bool,
    done: bool,
}
var<workgroup> search: Search;

// A power of the matrix of a slice times `z`, by two tables: powers 0 to SLICES_AT_ONCE - 1 of one slice, and powers of
// SLICES_AT_ONCE slices.
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

// Adds the state of slice search.next - 1. By one thread.
fn take_in(slice: u32, kind: u32, z: State) {
    search.next -= 1u;
    let distance = slice - 1u - search.next;
    let left = behind_slices(z, distance);
    for (var i = 0u; i < ORDER; i++) { // unroll
        search.z[i] += left[i];
    }
    search.done = kind == STATE || search.next == 0u || distance + 1u >= forgotten_slices();
}
