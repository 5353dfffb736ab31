// role: scan_start
import package::shared::place::{CHUNKS, PROBLEMS, place, thread_at};
import package::shared::workgroup::WORKGROUP;
import super::affine::Affine;
import roles::map::{identity, then};

// What the chunks of a slice come to, of which a scan may find that its maps left the range.
struct Scanned {
    // What the chunks before this one make of the value before the slice.
    before: Affine,
    // What all of them make of it.
    whole: Affine,
}

var<workgroup> left_range: atomic<u32>;

// Notes where a summand left the range of reals: not before begin_scan.
fn note_range(stays: bool) {
    if (!stays) {
        atomicStore(&left_range, 1u);
    }
}

// Whether that was noted of any thread; uniform.
fn has_left_range() -> bool {
    return workgroupUniformLoad(&left_range) == 1u;
}

// Both for all threads, after a scan.
fn any_left_range(stays: bool) -> bool {
    note_range(stays);
    return has_left_range();
}

// By one thread, and a barrier before the first note.
fn clear_range() {
    atomicStore(&left_range, 0u);
}

fn begin_scan(t: u32) {
    if (t == 0u) {
        clear_range();
    }
    workgroupBarrier();
}

var<workgroup> far_maps: array<Affine, WORKGROUP>;
var<workgroup> far_wholes: array<Affine, PROBLEMS>;

// The slow way, right for all: one thread a problem composes.
fn far_scanned(t: u32, own: Affine) -> Scanned {
    far_maps[t] = own;
    workgroupBarrier();
    let here = place(t);
    if (here.chunk == 0u) {
        var map = identity();
        for (var other = 0u; other < CHUNKS; other++) {
            let at = thread_at(other, here.local_problem);
            let next = far_maps[at];
            far_maps[at] = map;
            map = then(map, next);
        }
        far_wholes[here.local_problem] = map;
    }
    workgroupBarrier();
    let found = Scanned(far_maps[t], far_wholes[here.local_problem]);
    // Before anything else is written there.
    workgroupBarrier();
    return found;
}
