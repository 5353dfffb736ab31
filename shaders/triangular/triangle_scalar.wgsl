// role: triangle
import roles::real::real;

// Columns begin anywhere.
@group(0) @binding(1) var<storage, read> matrix: array<real>; // input

fn load(index: u32) -> real {
    return matrix[index];
}

// There is no second binding.
fn load_behind(index: u32) -> real {
    return load(index);
}

fn load_from(index: u32, second: bool) -> real {
    return load(index);
}

fn entry_of(value: real, u: u32) -> real {
    return value;
}
