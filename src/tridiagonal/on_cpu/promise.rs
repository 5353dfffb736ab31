//! The promise that rows are dominant, tested as on the device (`shaders/tridiagonal/chunk.wgsl`).

use crate::cpu::excess_of;
use crate::plan::Shape;
use crate::real::Real;
use crate::tridiagonal::options::Diagonal;
use crate::tridiagonal::system::System;

/// Whether the rows of a system are dominant to within four units of roundoff; of a periodic system, those of the tridiagonal matrix of the
/// correction.
pub fn is_kept<T: Real>(shape: &Shape, system: &System<'_, T>, at: usize) -> bool {
    let last = shape.n - 1;
    let is_excess = system.kind == Diagonal::Excess;
    let (alpha, first, _) = system.row(shape, at, 0);
    (0..shape.n).all(|row| {
        let (mut a, mut own, mut c) = system.row(shape, at, row);
        // `opened` of `shaders/tridiagonal/structure.wgsl`.
        let size = match alpha.abs() {
            size if size != T::ZERO => size,
            _ if first != T::ZERO => first.abs(),
            _ => T::ONE,
        };
        let gamma = if first < T::ZERO && !is_excess { size } else { -size };
        if system.periodic && row == 0 {
            own = own - gamma + if is_excess { a.abs() } else { T::ZERO };
            a = T::ZERO;
        }
        if system.periodic && row == last {
            own = own - alpha / gamma * c + if is_excess { c.abs() } else { T::ZERO };
            c = T::ZERO;
        }
        let (b, e) = match is_excess {
            true => (a.abs() + c.abs() + own, own),
            false => (own, excess_of(a, own, c)),
        };
        e + T::from_f64(4.0 * T::UNIT_ROUNDOFF) * b.abs() >= T::ZERO
    })
}
