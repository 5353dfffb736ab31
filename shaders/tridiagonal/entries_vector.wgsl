// role: entries
import super::equations::{diag, lower, rhs, upper};
import roles::real::real;

// Numbers of the caller's vectors, by their place, where rows lie side by side.
fn lower_entry(at: u32) -> real {
    return lower[at / 4u][at % 4u];
}

fn diag_entry(at: u32) -> real {
    return diag[at / 4u][at % 4u];
}

fn upper_entry(at: u32) -> real {
    return upper[at / 4u][at % 4u];
}

fn rhs_entry(at: u32) -> real {
    return rhs[at / 4u][at % 4u];
}
