// role: scan
import super::place::{CHUNKS, place, thread_at};
import super::workgroup::WORKGROUP;
import roles::summary::{Summary, joined, no_rows};

// What the chunks of a slice come to, joined over doubling distances. A family says what a Summary is, its
// no_rows(), and joined(first, second, chunks), where `second` is of so many chunks right behind `first`.
var<workgroup> summaries: array<Summary, WORKGROUP>;

// What the chunks before a thread's own come to, and all of the slice.
struct Scan {
    before: Summary,
    whole: Summary,
}

fn scanned(t: u32, own: Summary) -> Scan {
    let here = place(t);
    var summary = own;
    for (var distance = 1u; distance < CHUNKS; distance *= 2u) {
        summaries[t] = summary;
        workgroupBarrier();
        if (here.chunk >= distance) {
            summary = joined(summaries[thread_at(here.chunk - distance, here.local_problem)], summary, distance);
        }
        workgroupBarrier();
    }
    summaries[t] = summary;
    workgroupBarrier();
    var found = Scan(no_rows(), summaries[thread_at(CHUNKS - 1u, here.local_problem)]);
    if (here.chunk > 0u) {
        found.before = summaries[thread_at(here.chunk - 1u, here.local_problem)];
    }
    // Before anything else is written there.
    workgroupBarrier();
    return found;
}
