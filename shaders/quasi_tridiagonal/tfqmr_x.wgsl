// d += eta times the update direction. Of the last step of a cycle too.
@group(0) @binding(4) var<storage, read_write> d: array<real4>;
@group(0) @binding(5) var<storage, read> update: array<real4>;

fn work(q: u32) {
    d[q] += numbers[ETA] * update[q];
}
