// Values to the rearranged array.
fn put(chunk: Chunk, i: u32, value: real) {
    values[chunk_count() + stored_at(chunk, i)] = value;
}
