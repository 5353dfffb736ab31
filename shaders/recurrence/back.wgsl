import roles::map::{SliceMap, Value, constant_of, is_constant};

// What a workgroup knows while it looks back.

// How often a thread looks for a slice before its workgroup gives up waiting.
const LOOKS: u32 = 64u;

// What the look-back knows: the map from a value before slice `next` + 1 to this slice, or that value.
struct Back {
    map: SliceMap,
    next: u32,
    missing: bool,
    value: Value,
    done: bool,
}
var<workgroup> back: Back;

// Takes note of a map from the value before slice `next` + 1; of no use is that where the map forgets it.
fn forget_or_go_on(map: SliceMap, next: u32) {
    back.map = map;
    back.next = next;
    back.missing = false;
    if (is_constant(map)) {
        back.value = constant_of(map);
        back.done = true;
    }
}
