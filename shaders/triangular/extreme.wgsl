import roles::real::{NORMAL, real};

// Whether devices may divide by this number inexactly: it is near the ends of the range.
fn is_extreme(diagonal: real) -> bool {
    return !(abs(diagonal) * NORMAL < 0.1 && abs(diagonal) > 10.0 * NORMAL);
}
