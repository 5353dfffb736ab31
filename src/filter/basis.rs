//! The basis for composing states.
//!
//! If poles lie close together near the unit circle, powers of the matrix A that advances a state have large entries that cancel. Roundings of these
//! powers, and of the states that they multiply, then exceed the filter's own noise, and in f32 may even grow from chunk to chunk. Take the
//! norm whose square is z' W z, where W is the sum of (A^m)' A^m over all m (which solves Stein's equation, W = I + A' W A). In this norm
//! no power of A is larger than 1. With W = R' R, it is the Euclidean norm of the states w = R z. So rows are filtered as they are given, and
//! chunks' states are composed as w. Low-noise realisations use the same sums (Mullis and Roberts, "Synthesis of minimum roundoff noise
//! fixed point digital filters", 1976).

use super::matrix::Matrix;
use crate::arithmetic::{exponent, times_power};

/// Up to this size of all powers, states are composed without a change of basis: integers stay integers.
const SMALL: f64 = 32.0;

/// Rows over which W is summed: 2^this. For poles on the unit circle the sum has no limit.
const DOUBLINGS: u32 = 14;

/// Most changes of the basis.
const ROUNDS: usize = 6;

/// A basis, and the matrix in it that advances a state by one row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Basis {
    /// From the filter's states.
    pub into: Matrix,
    /// To them.
    pub back: Matrix,
    pub one: Matrix,
}

impl Basis {
    /// For the matrix that advances a state of so many numbers by one row.
    pub fn new(advancing: &Matrix, order: usize) -> Self {
        let identity = Matrix::identity(order);
        // What grows is measured beside its growth.
        let growth = growth(advancing);
        let mut basis = Self { into: identity, back: identity, one: *advancing };
        // If entries are too large for f64 to distinguish W from a singular matrix, a first basis makes them smaller.
        for _ in 0..ROUNDS {
            let (largest, sum) = powers(&basis.one.scaled(1.0 / growth.max(1.0)), order);
            if largest <= SMALL {
                break;
            }
            let dusts = (-14..=0).map(|digits| 10f64.powi(digits) * sum.size());
            let mut roots = dusts.filter_map(|dust| sum.plus(&identity.scaled(dust)).root());
            let Some((root, inverse)) = roots.next() else { break };
            let (into, back) = (root.times(&basis.into), basis.back.times(&inverse));
            basis = Self { into, back, one: into.times(advancing).times(&back) };
        }
        basis.normalised()
    }

    /// The same with the largest entry of `into` from 1 to 2. W grows in each round, with the square of the powers. Not
    /// scaled, states could leave the range of f32 in the basis.
    fn normalised(self) -> Self {
        let power = exponent(self.into.size()).unwrap_or(0);
        Self {
            into: self.into.scaled(times_power(1.0, -power)),
            back: self.back.scaled(times_power(1.0, power)),
            ..self
        }
    }
}

/// The size of the largest power, and W.
fn powers(one: &Matrix, order: usize) -> (f64, Matrix) {
    let identity = Matrix::identity(order);
    let (mut sum, mut power, mut largest) = (identity, *one, 1f64);
    for _ in 0..DOUBLINGS {
        sum = sum.plus(&power.transposed().times(&sum).times(&power));
        power = power.times(&power);
        largest = largest.max(power.size());
    }
    // Between the powers of 2.
    let mut next = identity;
    for _ in 0..1 << 8 {
        next = next.times(one);
        largest = largest.max(next.size());
    }
    (largest, sum)
}

/// The growth per row of powers that f64 computes: |A^m|^(1/m) for a large m. Rounding moves eigenvalues that lie close together; see
/// [`radius`](super::matrix::radius).
fn growth(one: &Matrix) -> f64 {
    const DOUBLINGS: u32 = 40;
    let (mut power, mut log) = (*one, 0.0);
    for _ in 0..DOUBLINGS {
        let size = power.size();
        if size == 0.0 {
            return 0.0;
        }
        let unit = power.scaled(1.0 / size);
        log = 2.0 * (log + size.ln());
        power = unit.times(&unit);
    }
    ((log + power.size().max(f64::MIN_POSITIVE).ln()) / f64::from(DOUBLINGS).exp2()).exp()
}

#[cfg(test)]
mod tests {
    use super::super::{Cascade, Coefficients};
    use super::*;

    #[test]
    fn the_largest_entry_of_the_basis_is_near_1() {
        for distance in [1e-4, 1e-3, 1e-2, 0.3] {
            // Four equal poles near 1.
            let pole: f64 = 1.0 - distance;
            let a = [1.0, -4.0 * pole, 6.0 * pole.powi(2), -4.0 * pole.powi(3), pole.powi(4)];
            let filter = Cascade::from(&Coefficients::new(&[1.0], &a).expect("a filter"));
            let basis = Basis::new(&Matrix::advancing(&filter).0, filter.order());
            let size = basis.into.size();
            assert!((1.0..2.0).contains(&size), "{distance}: {size:e}");
        }
    }
}
