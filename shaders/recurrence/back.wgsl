import super::affine::{Affine, forgets, narrow};
import roles::real::real;

// What a workgroup knows while it looks back.

// How often a thread looks for a slice before its workgroup gives up waiting.
const LOOKS: u32 = 64u;

// What the look-back knows: the map from a value before slice `next` + 1 to this slice, or that value.
struct Back {
    map: Affine,
    next: u32,
    missing: bool,
    value: real,
    done: bool,
}
var<workgroup> back: Back;

// Takes note of a map from the value before slice `next` + 1; of no use is that where the map forgets it.
fn forget_or_go_on(map: Affine, next: u32) {
    back.map = map;
    back.next = next;
    back.missing = false;
    if (forgets(map.s)) {
        back.value = narrow(map.t);
        back.done = true;
    }
}
