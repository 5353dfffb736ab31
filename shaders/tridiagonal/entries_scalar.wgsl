// role: entries
import package::shared::problem::{diag_offset, lower_offset, rhs_offset, upper_offset};
import super::equations::{diag, lower, rhs, upper};
import roles::real::real;

// Numbers of the caller's vectors, by their place.
fn lower_entry(at: u32) -> real {
    return lower[at + lower_offset()];
}

fn diag_entry(at: u32) -> real {
    return diag[at + diag_offset()];
}

fn upper_entry(at: u32) -> real {
    return upper[at + upper_offset()];
}

fn rhs_entry(at: u32) -> real {
    return rhs[at + rhs_offset()];
}
