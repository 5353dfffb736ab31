// 16 bytes at once: columns begin at multiples of that. What one binding cannot hold comes in two.
@group(0) @binding(1) var<storage, INPUT_ACCESS> matrix: array<unit>;
@group(0) @binding(2) var<storage, INPUT_ACCESS> matrix_behind: array<unit>;

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
