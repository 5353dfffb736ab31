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
    let stream = w % streams;
    let place = w / streams;
    let slice = (stream / params.problems) * params.segment_slices + place;
    return Turn(stream % params.problems, slice, place == 0u);
}
