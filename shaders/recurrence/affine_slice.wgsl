// role: slice_scan
import super::affine::{Affine, narrow};
import super::far_slice::{Scanned, any_left_range, far_scanned};
import super::near::{Near, far, near_value_behind};
import roles::map::value_behind;
import roles::real::{is_finite, real};
import roles::scan::{Scan, scanned};

// A slice whose threads hold a chunk each.

// Both ways: near, and far where a summand left the range of reals.
struct Slice {
    near: Scan,
    far: Scanned,
    is_far: bool,
}

fn stays_near(found: Scan) -> bool {
    return is_finite(found.before.t) && is_finite(found.whole.t);
}

// Of a slice whose maps in part are composed already.
fn slice_of_maps(t: u32, own: Affine) -> Slice {
    var slice: Slice;
    slice.near = scanned(t, Near(own.s, narrow(own.t)));
    let is_far = any_left_range(stays_near(slice.near));
    slice.is_far = is_far;
    if (is_far) {
        slice.far = far_scanned(t, own);
    }
    return slice;
}

fn whole_of(slice: Slice) -> Affine {
    if (slice.is_far) {
        return slice.far.whole;
    }
    return far(slice.near.whole);
}

// The value before a thread's chunk, from the one before the slice.
fn value_before_chunk(slice: Slice, before: real) -> real {
    if (slice.is_far) {
        return value_behind(slice.far.before, before);
    }
    return near_value_behind(slice.near.before, before);
}
