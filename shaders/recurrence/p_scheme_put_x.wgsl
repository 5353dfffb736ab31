// role: p_scheme_put
import package::shared::problem::{matrix_base, params};
import super::p_scheme_chunks::{Chunk, row_in};
import roles::real::real;

// Values to where the caller wants them.
@group(0) @binding(6) var<storage, read_write> x: array<real>;

fn put(chunk: Chunk, i: u32, value: real) {
    x[matrix_base(chunk.problem) + row_in(chunk, i) * params.element_stride] = value;
}
