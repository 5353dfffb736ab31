// role: load, store, report
import package::shared::sizes::{QUADS, ROWS};
import package::tridiagonal::rows::{LoadedRows, mend_ends, set_quad};
import package::tridiagonal::sizes::LOADED_QUADS;
import super::params::params;
import roles::real::{real, real4};

@group(0) @binding(3) var<storage, read> tri: array<real4>;
@group(0) @binding(4) var<storage, read> right: array<real4>;
@group(0) @binding(6) var<storage, read> x: array<real4>;
@group(0) @binding(8) var<storage, read_write> x_next: array<real4>;

// The new unknowns beside the thread's rows.
var<private> beside: vec2<real>;
var<private> residual_squared: real;
var<private> step_squared: real;
var<private> x_squared: real;

fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    for (var i = 0u; i < LOADED_QUADS; i++) { // unroll
        let q = min(start / 4u + i, params.quads - 1u);
        set_quad(&rows, i, tri[q], tri[params.quads + q], tri[2u * params.quads + q], right[q]);
    }
    mend_ends(&rows, start);
    return rows;
}

// The old unknown of a row, if there is one.
fn x_of(row: u32) -> real {
    return select(real(0.0), x[min(row / 4u, params.quads - 1u)][row % 4u], row < 4u * params.quads);
}

fn store_rows(problem: u32, start: u32, values: array<real, ROWS>, owned: bool) {
    if (!owned || start >= 4u * params.quads) {
        return;
    }
    // The step of the row before, and of the row behind. Where there is none, T has an entry of 0.
    var before = select(beside.x - x_of(max(start, 1u) - 1u), real(0.0), start == 0u);
    let last = select(beside.y - x_of(start + ROWS), real(0.0), start + ROWS >= 4u * params.quads);
    var steps: array<real4, QUADS>;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let q = min(start / 4u + i, params.quads - 1u);
        let next = real4(values[4u * i], values[4u * i + 1u], values[4u * i + 2u], values[4u * i + 3u]);
        steps[i] = next - x[q];
        if (start / 4u + i < params.quads) {
            x_next[q] = next;
            step_squared += dot(steps[i], steps[i]);
            x_squared += dot(next, next);
        }
    }
    for (var i = 0u; i < QUADS; i++) { // unroll
        let q = start / 4u + i;
        if (q < params.quads) {
            var behind = last;
            if (i + 1u < QUADS) {
                behind = steps[min(i + 1u, QUADS - 1u)].x;
            }
            let own = steps[i];
            let r = tri[params.quads + q] * own + tri[q] * real4(before, own.xyz)
                + tri[2u * params.quads + q] * real4(own.yzw, behind);
            residual_squared += dot(r, r);
            before = own.w;
        }
    }
}

fn report_chunk(problem: u32, start: u32) {
    // What is not finite shows in the norms.
}
