// role: entries
import super::equations::{diag, lower, rhs, upper};
import roles::real::real;

// Numbers of the caller's vectors, by their place.
fn lower_entry(at: u32) -> real {
    return lower[at];
}

fn diag_entry(at: u32) -> real {
    return diag[at];
}

fn upper_entry(at: u32) -> real {
    return upper[at];
}

fn rhs_entry(at: u32) -> real {
    return rhs[at];
}
