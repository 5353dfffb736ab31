// role: kernel
import package::shared::workgroup::WORKGROUP;
import super::gate::wanted;
import super::params::params;
import roles::real::real;

// Gauss-Seidel: the rows of one colour, none of which is in another's row. `index` has where each slice of 32 of a
// colour's rows begins, in rows of 32 entries, then which rows those are, then the columns; a row's first entry is its
// diagonal.
@group(0) @binding(4) var<storage, read> index: array<u32>;
@group(0) @binding(5) var<storage, read> off: array<real>;
@group(0) @binding(6) var<storage, read_write> x: array<real>;
@group(0) @binding(7) var<storage, read> f: array<real>;

fn run(w: u32, t: u32) {
    let local = w * WORKGROUP + t;
    if (!wanted() || local >= params.count) {
        return;
    }
    let place = params.first + local;
    let row = index[params.slices + place];
    let slice = place / 32u;
    let begin = index[slice] * 32u + place % 32u;
    let end = index[slice + 1u] * 32u;
    var sum = f[row];
    for (var at = begin + 32u; at < end; at += 32u) {
        sum -= off[at] * x[index[4u * params.columns_at + at]];
    }
    x[row] = sum / off[begin];
}
