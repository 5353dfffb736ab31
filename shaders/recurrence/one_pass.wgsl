// role: kernel
import package::shared::place::{Share, share_of};
import package::shared::problem::params;
import package::shared::sizes::INPUTS_WRITABLE;
import super::back::{Back, back, forget_or_go_on};
import super::slice_words::{MAP, VALUE, make_empty, next_ticket, tell_map, tell_value, told};
import roles::held::{Held, HeldSlice, begin_held, held_slice_of, is_settled, load_held, map_of_slice, solve_held, whole_of_held};
import roles::initial::initial_of;
import roles::map::{Value, constant_of, identity, is_constant, then, value_behind, value_of};
import roles::window::look_back;

// Everything in one launch, which reads each coefficient once (f32, affine: 8 bytes per row read, 4 written): decoupled
// look-back (Merrill and Garland 2016) over maps. A workgroup reduces its slice, tells its map, looks back over the
// slices before until it meets a known value, tells the value behind its own slice, and solves its rows,
// which stayed in registers.
//
// Nobody promises that a workgroup goes on once it has begun. One that has waited long enough for a
// slice reduces that itself ("decoupled fallback"). Where w lies over an input, rows may be overwritten
// while they are read so; but then the slice's map has been told before, which the barriers below keep
// in order, and is taken instead.

// For tests: this slice, or all, publish nothing, so that others fall back. In place they publish their maps once the value
// before them is known, since no slice may write before that.
override WITHHELD: u32 = 0xffffffffu;
const ALL_WITHHELD: u32 = 0xfffffffeu;

fn publishes(slice: u32) -> bool {
    return slice != WITHHELD && WITHHELD != ALL_WITHHELD;
}
var<workgroup> ticket: u32;

// The value before a slice.
fn value_before(turn: u32, share: Share, t: u32) -> Value {
    let first = share.problem * params.slices;
    var known = workgroupUniformLoad(&back);
    // A round takes in a slice at least, or finds that one is missing, which the next round takes in.
    for (var round = 0u; round <= 2u * params.slices && !known.done; round++) {
        if (known.next == 0u) {
            // All slices before have told their maps only.
            return value_behind(known.map, value_of(initial_of(share.problem)));
        }
        if (known.missing) {
            let missing = known.next - 1u;
            var map = map_of_slice(share.problem, missing, t);
            // After the rows have been read.
            storageBarrier();
            let now = told(turn, first + missing);
            // All threads have to know the same: the first one's.
            if (t == 0u) {
                if (now.kind == VALUE) {
                    back.value = value_behind(known.map, now.value);
                    back.done = true;
                } else {
                    if (now.kind == MAP) {
                        map = now.map;
                    }
                    forget_or_go_on(then(map, known.map), missing);
                }
            }
        } else {
            look_back(turn, first, t, known.next);
        }
        known = workgroupUniformLoad(&back);
    }
    return known.value;
}

// Rows whose values are known need not wait for the value before the slice, which may be known as well.
fn solve_early(turn: u32, slot: u32, share: Share, t: u32, held: Held, slice: HeldSlice) {
    let whole = whole_of_held(slice);
    let tells = publishes(share.slice) && !is_constant(whole);
    let known = workgroupUniformLoad(&back.done);
    let settled = known || is_settled(slice, t);
    var before = back.value;
    if (known && tells) {
        tell_value(turn, slot, t, value_behind(whole, before));
    }
    // In a loop, since code costs time: first those that are settled, then the rest.
    for (var late = 0u; late < 2u + params.zero; late++) {
        if (late == 1u && !known) {
            before = value_before(turn, share, t);
            if (tells) {
                tell_value(turn, slot, t, value_behind(whole, before));
            }
        }
        if (settled == (late == 0u)) {
            solve_held(share, t, held, slice, before);
        }
    }
}

fn run(w: u32, t: u32) {
    if (t == 0u) {
        ticket = next_ticket();
    }
    begin_held(t);
    let number = workgroupUniformLoad(&ticket);
    let turn = number / params.workgroups;
    let share = share_of(number % params.workgroups, t);
    let slot = share.problem * params.slices + share.slice;
    let held = load_held(share, t);
    if (t == 0u) {
        back = Back(identity(), share.slice, false, value_of(initial_of(share.problem)), share.slice == 0u);
    }
    let slice = held_slice_of(share, t, held);
    let whole = whole_of_held(slice);
    let tells = publishes(share.slice);
    // Nothing of the value before is left behind most slices.
    let forgetful = is_constant(whole);
    if (tells && forgetful) {
        tell_value(turn, slot, t, constant_of(whole));
    } else if (tells) {
        tell_map(turn, slot, t, whole);
    }
    // Not in the loop of the others: with a barrier in that, NVIDIA (driver 580) stored NaN in some sequences.
    if (INPUTS_WRITABLE) {
        let before = value_before(turn, share, t);
        if (tells && !forgetful) {
            tell_value(turn, slot, t, value_behind(whole, before));
        }
        if (!tells) {
            tell_map(turn, slot, t, whole);
        }
        // The map is told before w is written anywhere.
        storageBarrier();
        solve_held(share, t, held, slice, before);
    } else {
        solve_early(turn, slot, share, t, held, slice);
    }
    make_empty(1u - turn, slot, t);
}
