// role: triangle
import roles::real::real;

// Columns begin anywhere. What one binding cannot hold comes in two.
@group(0) @binding(1) var<storage, read> matrix: array<real>; // input
@group(0) @binding(2) var<storage, read> matrix_behind: array<real>; // input

fn load(index: u32) -> real {
    return matrix[index];
}

fn load_behind(index: u32) -> real {
    return matrix_behind[index];
}

fn load_from(index: u32, second: bool) -> real {
    if (second) {
        return load_behind(index);
    }
    return load(index);
}

fn entry_of(value: real, u: u32) -> real {
    return value;
}
