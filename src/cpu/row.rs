//! An equation whose neighbours may be any distance away, and one step of reduction.

use crate::real::Scalar;

/// a x_prev + b x_i + c x_next = d, whichever unknowns x_prev and x_next are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equation<S> {
    /// Coefficient of the unknown before.
    pub a: S,
    /// Coefficient of the equation's own unknown.
    pub b: S,
    /// Coefficient of the unknown after.
    pub c: S,
    /// The right-hand side.
    pub d: S,
}

/// An equation with the unknowns that it couples, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coupled<S> {
    /// The unknown before, if any.
    pub prev: Option<usize>,
    /// The equation's own unknown.
    pub row: usize,
    /// The unknown after, if any.
    pub next: Option<usize>,
    /// The coefficients.
    pub equation: Equation<S>,
}

impl<S: Scalar> Equation<S> {
    /// With its neighbours eliminated: 12 operations, 6 less for each that is missing, whose unknown
    /// then stays.
    pub(super) fn reduced(self, lo: Option<Self>, hi: Option<Self>) -> Self {
        let mut row = self;
        if let Some(lo) = lo {
            let k = divided(self.a, lo.b);
            row.a = -(lo.a * k);
            row.b = row.b - lo.c * k;
            row.d = row.d - lo.d * k;
        }
        if let Some(hi) = hi {
            let k = divided(self.c, hi.b);
            row.c = -(hi.c * k);
            row.b = row.b - hi.a * k;
            row.d = row.d - hi.d * k;
        }
        row
    }

    /// Its unknown, for neighbours known or missing: 5 operations, 2 less for each that is missing.
    pub(super) fn solved(self, prev: Option<S>, next: Option<S>) -> S {
        let mut right = self.d;
        if let Some(prev) = prev {
            right = right - self.a * prev;
        }
        if let Some(next) = next {
            right = right - self.c * next;
        }
        divided(right, self.b)
    }
}

/// A quotient by a pivot; NaN for one that has overflowed, which would divide to zero and pass unseen.
pub(super) fn divided<S: Scalar>(value: S, pivot: S) -> S {
    if pivot.is_finite() { value / pivot } else { pivot * S::ZERO }
}

/// The rows of a system, zeros at the corners.
pub(super) fn equations<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Vec<Equation<S>> {
    let n = diag.len();
    (0..n)
        .map(|i| Equation {
            a: if i > 0 { lower[i] } else { S::ZERO },
            b: diag[i],
            c: if i + 1 < n { upper[i] } else { S::ZERO },
            d: rhs[i],
        })
        .collect()
}
