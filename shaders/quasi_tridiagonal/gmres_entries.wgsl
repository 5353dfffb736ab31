// Entries first.. of the column that is being made, as many as there are vectors.
override VECTORS: u32 = 4u;

fn decide(sums: array<real, SUMS>) {
    let j = control[COLUMNS];
    for (var i = 0u; i < VECTORS; i++) {
        numbers[entry_at(params.first + i, j)] = sums[i];
    }
}
