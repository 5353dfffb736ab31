// role: scan
import super::place::{LOG_CHUNKS, LOG_RUN, RUN};
import super::problem::params;
import super::workgroup::WORKGROUP;
import roles::shuffle::{from_before, from_lane};
import roles::summary::{Summary, joined, no_rows};

// What the chunks of a slice come to, joined over doubling distances by shuffles: within runs of lanes, then
// of the runs, of which there are no more than a run has lanes. Rolled loops: code is fetched once. A family says
// what a Summary is, its no_rows(), joined(first, second, chunks), where `second` is of so many chunks right behind
// `first`, and how lanes pass one on, from_before and from_lane.
override LOG_SPAN: u32 = min(LOG_CHUNKS, LOG_RUN);
override SPAN: u32 = 1u << LOG_SPAN;
override LOG_RUNS: u32 = LOG_CHUNKS - LOG_SPAN;
override RUNS: u32 = 1u << LOG_RUNS;
override ALL_RUNS: u32 = max(WORKGROUP >> LOG_RUN, 1u);
var<workgroup> run_summaries: array<Summary, ALL_RUNS>;

// What the chunks before a thread's own come to, and all of the slice.
struct Scan {
    before: Summary,
    whole: Summary,
}

fn scanned(t: u32, own: Summary) -> Scan {
    let at = t % SPAN;
    var summary = own;
    for (var level = 0u; level < LOG_SPAN + params.zero; level++) {
        let before = from_before(summary, 1u << level);
        if (at >= 1u << level) {
            summary = joined(before, summary, 1u << level);
        }
    }
    var before = from_before(summary, 1u);
    if (at == 0u) {
        before = no_rows();
    }
    if (RUNS == 1u) {
        // The lane of its subgroup, which may be of several runs, at which the thread's run begins.
        let start = t - t % RUN - subgroupMin(t);
        return Scan(before, from_lane(summary, start + t % RUN - at + SPAN - 1u));
    }
    let run = t / RUN;
    if (at + 1u == SPAN) {
        run_summaries[run] = summary;
    }
    workgroupBarrier();
    if (t < RUN) {
        var runs = run_summaries[min(t, ALL_RUNS - 1u)];
        for (var level = 0u; level < LOG_RUNS + params.zero; level++) {
            let earlier = from_before(runs, 1u << level);
            if (t % RUNS >= 1u << level) {
                runs = joined(earlier, runs, SPAN << level);
            }
        }
        if (t < ALL_RUNS) {
            run_summaries[t] = runs;
        }
    }
    workgroupBarrier();
    if (run % RUNS > 0u) {
        before = joined(run_summaries[run - 1u], before, at);
    }
    return Scan(before, run_summaries[run - run % RUNS + RUNS - 1u]);
}
