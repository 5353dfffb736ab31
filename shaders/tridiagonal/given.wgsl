// role: lower, diag, upper, rhs
import package::shared::problem::right_place;
import super::equations::{diag, lower, rhs, upper};
import super::structure::{CORRECTING, EACH, STRUCTURE, SYMMETRIC, System, place_by};
import roles::entries::{diag_entry, lower_entry, rhs_entry, upper_entry};
import roles::real::{real, real4};

// Coefficients from the caller's vectors: one per row, one for all rows, or three (first, inner, last).
override LOWER_FORM: u32 = EACH;
override DIAG_FORM: u32 = EACH;
override UPPER_FORM: u32 = EACH;

// What is read row by row.
override LOWER_READ: bool = LOWER_FORM == EACH && STRUCTURE != SYMMETRIC;
override DIAG_READ: bool = DIAG_FORM == EACH;
override UPPER_READ: bool = UPPER_FORM == EACH;
override RHS_READ: bool = !CORRECTING;

fn lower_at(system: System, row: u32) -> real {
    return lower_entry(place_by(LOWER_FORM, system, row));
}

fn diag_at(system: System, row: u32) -> real {
    return diag_entry(place_by(DIAG_FORM, system, row));
}

fn upper_at(system: System, row: u32) -> real {
    return upper_entry(place_by(UPPER_FORM, system, row));
}

// Of the right-hand side that begins at `right`.
fn right_side_at(problem: u32, right: u32, row: u32) -> real {
    return rhs_entry(right_place(right, row));
}

// The i-th four numbers of a binding.
fn lower_quad(i: u32) -> real4 {
    return lower[i];
}

fn diag_quad(i: u32) -> real4 {
    return diag[i];
}

fn upper_quad(i: u32) -> real4 {
    return upper[i];
}

fn rhs_quad(i: u32) -> real4 {
    return rhs[i];
}
