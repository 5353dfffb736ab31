// role: triangle
import super::sizes::WIDTH;
import roles::real::{real, unit};

// 16 bytes at once: columns begin at multiples of that.
@group(0) @binding(1) var<storage, read> matrix: array<unit>; // input

fn load(index: u32) -> unit {
    return matrix[index / WIDTH];
}

// There is no second binding.
fn load_behind(index: u32) -> unit {
    return load(index);
}

fn load_from(index: u32, second: bool) -> unit {
    return load(index);
}

fn entry_of(value: unit, u: u32) -> real {
    return value[u];
}
