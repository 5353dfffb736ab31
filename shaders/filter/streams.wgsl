import package::shared::problem::params;

// The slice of a workgroup. Concurrent workgroups take slices of different sequences or segments, so that the previous
// slice has usually told its state already.
struct Assignment {
    problem: u32,
    slice: u32,
    // First slice of a segment: the previous slice is the last one of another segment. Its workgroup runs late, so do not wait.
    starts_segment: bool,
}

fn assignment_of(w: u32) -> Assignment {
    let streams = params.problems * params.segments;
    if (streams == 1u) {
        return Assignment(0u, w, w == 0u);
    }
    let place = w / streams;
    let stream = w - place * streams;
    // Avoid divisions, which are slow.
    if (params.segments == 1u) {
        return Assignment(stream, place, place == 0u);
    }
    var problem = 0u;
    var segment = stream;
    if (params.problems > 1u) {
        segment = stream / params.problems;
        problem = stream - segment * params.problems;
    }
    return Assignment(problem, segment * params.segment_slices + place, place == 0u);
}
