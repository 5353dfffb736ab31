import package::shared::order::{REVERSE, place_of, start_of};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import roles::real::real;
import roles::signal::load_signal;

// The rows of a chunk, one after the other.

// ROWS rows of the signal in the filter's order, 0 past the end; few threads have such rows.
fn load_signal_chunk(problem: u32, chunk: u32) -> array<real, ROWS> {
    let start = start_of(chunk);
    let lying = load_signal(problem, start);
    var rows: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows[i] = select(lying[i], lying[ROWS - 1u - i], REVERSE);
    }
    if (start + ROWS > params.n) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            if (start + place_of(i) >= params.n) {
                rows[i] = 0.0;
            }
        }
    }
    return rows;
}
