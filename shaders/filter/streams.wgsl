import package::shared::problem::params;

// The slice that a workgroup takes. Workgroups that begin together take slices of different sequences, or of different
// segments of a sequence, so that the slice before a workgroup's own has been told of long ago, and nobody waits.
struct Turn {
    problem: u32,
    slice: u32,
    // Whether the slice before belongs to another segment, which comes to it last.
    first: bool,
}

fn turn_of(w: u32) -> Turn {
    let streams = params.problems * params.segments;
    if (streams == 1u) {
        return Turn(0u, w, w == 0u);
    }
    let place = w / streams;
    let stream = w - place * streams;
    // Divisions take their time.
    if (params.segments == 1u) {
        return Turn(stream, place, place == 0u);
    }
    var problem = 0u;
    var segment = stream;
    if (params.problems > 1u) {
        segment = stream / params.problems;
        problem = stream - segment * params.problems;
    }
    return Turn(problem, segment * params.segment_slices + place, place == 0u);
}
