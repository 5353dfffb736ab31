// role: ring
import package::shared::place::{Place, place};
import package::shared::sizes::ROWS;
import super::pivoting::Pair;
import roles::real::{real, real4};

// Systems that begin and end: behind their last row come such as say x = 0.
fn touches_an_end(at: u32) -> bool {
    return false;
}

fn ring_row(row: u32, given: real4) -> real4 {
    return given;
}

fn ring_row_at(place: u32) -> u32 {
    return place;
}

fn with_last_at_end(at: u32, rows: array<real4, ROWS>) -> array<real4, ROWS> {
    return rows;
}

fn with_last_in_place(at: u32, values: array<real, ROWS>) -> array<real, ROWS> {
    return values;
}

fn seat(t: u32, slice: u32) -> Place {
    return place(t);
}

// The two rows that are left of a system.
fn whole(pair: Pair) -> Pair {
    return pair;
}

// Their unknowns between those beside them.
fn around(unknowns: vec2<real>) -> real4 {
    return real4(0.0, unknowns, 0.0);
}
