// role: initial
import roles::real::real;

// Sequences that begin with 0.
fn initial_of(problem: u32) -> real {
    return 0.0;
}
