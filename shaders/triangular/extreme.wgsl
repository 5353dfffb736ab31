import roles::real::{NORMAL, real};

// Devices divide by what is in the middle of the range only.
fn is_extreme(diagonal: real) -> bool {
    return !(abs(diagonal) * NORMAL < 0.1 && abs(diagonal) > 10.0 * NORMAL);
}
