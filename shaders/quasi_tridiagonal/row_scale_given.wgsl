// role: row_scale
import roles::real::real;

// Rows multiplied by powers of two, as those of the matrix have been.
@group(0) @binding(9) var<storage, read> row_scales: array<real>;

fn scaled_entry(row: u32, entry: real) -> real {
    return entry * row_scales[row];
}
