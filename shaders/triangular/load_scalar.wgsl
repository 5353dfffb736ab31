// Columns begin anywhere.
@group(0) @binding(1) var<storage, INPUT_ACCESS> matrix: array<real>;

fn load(index: u32, second: bool) -> real {
    return matrix[index];
}

fn entry_of(value: real, u: u32) -> real {
    return value;
}
