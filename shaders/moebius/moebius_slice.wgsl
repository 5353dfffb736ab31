// role: scan_start, slice_scan
import super::map::Moebius;
import roles::map::{Value, value_behind};
import roles::scan::{Scan, scanned};

// What the chunks of a slice come to.
alias Slice = Scan;

// Nothing to begin with.
fn begin_scan(t: u32) {
}

// Of a slice whose maps in part are composed already.
fn slice_of_maps(t: u32, own: Moebius) -> Slice {
    return scanned(t, own);
}

fn whole_of(slice: Slice) -> Moebius {
    return slice.whole;
}

// The value before a thread's chunk, from the one before the slice.
fn value_before_chunk(slice: Slice, before: Value) -> Value {
    return value_behind(slice.before, before);
}
