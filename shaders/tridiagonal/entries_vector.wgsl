// role: entries
import package::shared::problem::{diag_offset, lower_offset, rhs_offset, upper_offset};
import super::equations::{diag, lower, rhs, upper};
import roles::real::real;

// Numbers of the caller's vectors, by their place, where rows lie side by side.
fn lower_entry(at: u32) -> real {
    let place = at + lower_offset();
    return lower[place / 4u][place % 4u];
}

fn diag_entry(at: u32) -> real {
    let place = at + diag_offset();
    return diag[place / 4u][place % 4u];
}

fn upper_entry(at: u32) -> real {
    let place = at + upper_offset();
    return upper[place / 4u][place % 4u];
}

fn rhs_entry(at: u32) -> real {
    let place = at + rhs_offset();
    return rhs[place / 4u][place % 4u];
}
