// u v, v v and u u.
@group(0) @binding(4) var<storage, read> u: array<real4>;
@group(0) @binding(5) var<storage, read> v: array<real4>;

fn work(q: u32) -> array<real, SUMS> {
    return array<real, SUMS>(dot(u[q], v[q]), dot(v[q], v[q]), dot(u[q], u[q]));
}
