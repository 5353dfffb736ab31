// Everything in one launch (f32: 8 bytes a row read, 4 written): decoupled look-back (Merrill and
// Garland 2016) over affine maps. A workgroup reduces its slice, tells its map, looks back over the
// slices before until it meets a known value, tells the value behind its own slice, and solves its rows,
// which stayed in registers.
//
// Nobody promises that a workgroup goes on once it has begun. One that has waited long enough for a
// slice reduces that itself ("decoupled fallback"). Where w lies over an input, rows may be overwritten
// while they are read so; but then the slice's map has been told before, which the barriers below keep
// in order, and is taken instead.

// How often a thread looks for a slice before its workgroup gives up waiting.
const LOOKS: u32 = 64u;
// A slice that tells nobody anything, for tests: others have to do without. Over its own input it tells its map at
// last, since none may write before.
override WITHHELD: u32 = 0xffffffffu;
var<workgroup> ticket: u32;

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
    if (forgets(map)) {
        back.value = narrow(map.t);
        back.done = true;
    }
}
