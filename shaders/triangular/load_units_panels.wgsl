// role: triangle
import super::sizes::WIDTH;
import roles::real::{real, unit};

// 16 bytes at once: columns begin at multiples of that. What one binding cannot hold comes in two.
@group(0) @binding(1) var<storage, read> matrix: array<unit>; // input
@group(0) @binding(2) var<storage, read> matrix_behind: array<unit>; // input

fn load(index: u32) -> unit {
    return matrix[index / WIDTH];
}

fn load_behind(index: u32) -> unit {
    return matrix_behind[index / WIDTH];
}

fn load_from(index: u32, second: bool) -> unit {
    if (second) {
        return load_behind(index);
    }
    return load(index);
}

fn entry_of(value: unit, u: u32) -> real {
    return value[u];
}
