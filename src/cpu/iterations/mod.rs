//! Iterative methods on CPU cores: the methods that Li, Yang and Li (2016) compare, in the forms with the fewest multiplications.

mod gmres;
mod krylov;
mod splitting;
mod workers;

pub(super) use splitting::without_terms;
use splitting::{Halves, Split};
pub use workers::Workers;

use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::real::{Real, Scalar};

/// A [`Scalar`] with a square root, for iterative methods. Open, so that a counting scalar can go through them.
pub trait Rooted: Scalar + Send + Sync {
    /// The square root.
    fn root(self) -> Self;
    /// The nearest f64.
    fn nearest(self) -> f64;
}

impl<T: Real> Rooted for T {
    fn root(self) -> Self {
        T::from_f64(self.to_f64().sqrt())
    }
    fn nearest(self) -> f64 {
        self.to_f64()
    }
}

/// An iterative method for A x = b, without a preconditioner. T is the tridiagonal part of A, S is the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Iteration {
    /// T x' = b - S x by Thomas's algorithm, with T factored once (Li, Yang and Li 2016, algorithms 1 and 2). On one thread.
    Hisa,
    /// The same with the diagonal blocks of T, which threads solve on their own (algorithm 3).
    Bhisa {
        /// Rows per block, at least 1.
        block: usize,
    },
    /// D x' = b - (A - D) x with the diagonal D.
    Jacobi,
    /// Each row in turn takes the newest values. With several threads, each thread does so with its own rows; of other rows it takes the
    /// values of the sweep before.
    GaussSeidel,
    /// GMRES of Saad and Schultz (1986).
    Gmres {
        /// Iterations until it restarts, at least 1.
        restart: usize,
    },
    /// BiCG of Fletcher (1976).
    Bicg,
    /// BiCGSTAB of van der Vorst (1992).
    Bicgstab,
    /// TFQMR of Freund (1993).
    Tfqmr,
    /// BiCRSTAB of Abe, Sogabe, Fujino and Zhang (2007): BiCGSTAB whose shadow residual is multiplied by A^T.
    Bicrstab,
}

impl Iteration {
    /// Multiplications and divisions per iteration, with the convergence test, for a matrix of `rows` rows and `entries` stored entries.
    /// Exact up to a constant; for [`Iteration::Gmres`] the mean over a cycle.
    pub fn multiplications(self, rows: usize, entries: usize) -> f64 {
        let (n, entries) = (rows as f64, entries as f64);
        match self {
            // One per entry of A: of T, one is by the reciprocal pivot. n for the norm.
            Self::Hisa | Self::Bhisa { .. } | Self::Jacobi | Self::GaussSeidel => entries + n,
            // Column j: A v, j products and j updates, the norm and the division by it; at the end of m columns, m updates of x, the residual
            // and its norm.
            Self::Gmres { restart } => {
                let m = restart as f64;
                entries + (m + 1.0) * n + 2.0 * n + (entries + (m + 1.0) * n) / m
            }
            Self::Bicg => 2.0 * entries + 8.0 * n,
            Self::Bicgstab | Self::Bicrstab => 2.0 * entries + 11.0 * n,
            Self::Tfqmr => 2.0 * entries + 14.0 * n,
        }
    }
}

/// The result of an iteration.
#[derive(Debug, Clone)]
pub struct Iterated<S> {
    /// The last iterate.
    pub x: Vec<S>,
    /// ||b - A x|| / ||b|| at the start and after each iteration; ||b - A x|| if b = 0. Krylov methods compute the last one from x where the
    /// residual that they carry met the tolerance. Their other entries are what they carry: BiCG, BiCGSTAB and BiCRSTAB the norm of the
    /// recurrence's residual, GMRES the norm that its rotations give, TFQMR an upper bound.
    pub history: Vec<f64>,
    /// How it ended.
    pub outcome: Outcome,
}

impl<S> Iterated<S> {
    /// Iterations until the end.
    pub fn iterations(&self) -> usize {
        self.history.len() - 1
    }
}

/// When a solve ends: the relative residual is at most `tolerance`, exceeds 10^6 or is not a number, or `most` iterations are done. Krylov methods
/// also end if rounding keeps the residual above the tolerance.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// The relative residual to reach.
    pub tolerance: f64,
    /// Most iterations.
    pub most: usize,
}

/// The residuals so far, and the end that they bring.
struct Watch {
    end: End,
    norm: f64,
    history: Vec<f64>,
}

impl Watch {
    fn new<S: Rooted>(end: End, workers: &Workers, rhs: &[S]) -> Self {
        let norm = dot(workers, rhs, rhs).nearest().sqrt();
        Self { end, norm: if norm > 0.0 { norm } else { 1.0 }, history: vec![] }
    }

    /// Notes ||r||^2; the outcome, if this is the end.
    fn note<S: Rooted>(&mut self, square: S) -> Option<Outcome> {
        self.note_norm(square.nearest().sqrt())
    }

    fn note_norm(&mut self, norm: f64) -> Option<Outcome> {
        let residual = norm / self.norm;
        self.history.push(residual);
        Some(match residual {
            _ if residual.is_nan() => Outcome::NotFinite,
            _ if residual <= self.end.tolerance => Outcome::Converged,
            _ if residual > 1e6 => Outcome::Diverged,
            _ if self.history.len() > self.end.most => Outcome::Exhausted,
            _ => return None,
        })
    }

    fn ended<S>(self, x: Vec<S>, outcome: Outcome) -> Iterated<S> {
        Iterated { x, history: self.history, outcome }
    }
}

/// A matrix prepared for an iterative method on CPU cores: split, factored or transposed, as the method needs it.
///
/// It borrows the matrix and keeps up to one more copy of its entries; a solve allocates the vectors of the method.
pub struct PreparedIteration<'a, S> {
    matrix: &'a Csr<S>,
    parts: Parts<S>,
    workers: &'a Workers,
}

/// What a method needs of the matrix.
enum Parts<S> {
    Split(Split<S>),
    Diagonal(Vec<S>),
    Halves(Halves<S>),
    Gmres(usize),
    Bicg { transposed: Csr<S> },
    Bicgstab { shaded: Option<Csr<S>> },
    Tfqmr,
}

impl<'a, S: Rooted> PreparedIteration<'a, S> {
    /// Splits, factors or transposes the matrix.
    ///
    /// # Errors
    /// [`Error::ZeroOnDiagonal`] for a zero or missing diagonal entry, in methods that divide by it; [`Error::Breakdown`] for a zero or
    /// overflowing pivot of T;
    /// [`Error::Options`] for blocks or restarts of 0, and [`Iteration::Hisa`] on several threads; [`Error::Shape`] without rows.
    pub fn new(matrix: &'a Csr<S>, iteration: Iteration, workers: &'a Workers) -> Result<Self> {
        if matrix.rows() == 0 {
            return Err(Error::Shape("a matrix without rows; there must be at least 1".into()));
        }
        let parts = match iteration {
            Iteration::Hisa if workers.threads() > 1 => {
                return Err(Error::Options("hisa solves T by one thread; take bhisa for several".into()));
            }
            Iteration::Hisa => Parts::Split(Split::new(matrix, matrix.rows())?),
            Iteration::Bhisa { block: 0 } | Iteration::Gmres { restart: 0 } => {
                return Err(Error::Options("blocks of 0 rows, or restarts after 0 iterations; take at least 1".into()));
            }
            Iteration::Bhisa { block } => Parts::Split(Split::new(matrix, block)?),
            Iteration::Jacobi => Parts::Diagonal(splitting::inverse_diagonal(matrix, "jacobi")?),
            Iteration::GaussSeidel => Parts::Halves(Halves::new(matrix, workers)?),
            Iteration::Gmres { restart } => Parts::Gmres(restart),
            Iteration::Bicg => Parts::Bicg { transposed: matrix.transposed() },
            Iteration::Bicgstab => Parts::Bicgstab { shaded: None },
            Iteration::Bicrstab => Parts::Bicgstab { shaded: Some(matrix.transposed()) },
            Iteration::Tfqmr => Parts::Tfqmr,
        };
        Ok(Self { matrix, parts, workers })
    }

    /// Solves A x = `rhs` from x = 0. A method that does not converge is no error: see [`Iterated::outcome`].
    ///
    /// A Krylov method ends by b - A x, which is computed where the residual that the method carries meets the tolerance. If ||b - A x||
    /// exceeds the tolerance, the method restarts with b - A x as the right-hand side. It ends as [`Outcome::Stagnated`], with the best x, if a
    /// restart does not halve ||b - A x||.
    ///
    /// # Errors
    /// [`Error::Length`] if `rhs` has not one entry per row.
    pub fn solve(&self, rhs: &[S], end: End) -> Result<Iterated<S>> {
        let Self { matrix, parts, workers } = self;
        matrix.check_vector("rhs", rhs.len())?;
        let watch = Watch::new(end, workers, rhs);
        Ok(match parts {
            Parts::Split(split) => split.iterate(workers, rhs, watch),
            Parts::Diagonal(inverse) => splitting::jacobi(matrix, inverse, workers, rhs, watch),
            Parts::Halves(halves) => halves.iterate(workers, rhs, watch),
            Parts::Gmres(restart) => {
                self.verified(rhs, watch, |r, watch| gmres::gmres(matrix, *restart, workers, r, watch))
            }
            Parts::Bicg { transposed } => {
                self.verified(rhs, watch, |r, watch| krylov::bicg(matrix, transposed, workers, r, watch))
            }
            Parts::Bicgstab { shaded } => {
                self.verified(rhs, watch, |r, watch| krylov::bicgstab(matrix, shaded.as_ref(), workers, r, watch))
            }
            Parts::Tfqmr => self.verified(rhs, watch, |r, watch| krylov::tfqmr(matrix, workers, r, watch)),
        })
    }

    /// Runs `method`, which solves A x = r from 0, until b - A x itself meets the tolerance: the residual that the method carries has
    /// rounding errors of its own.
    fn verified(
        &self,
        rhs: &[S],
        mut watch: Watch,
        method: impl Fn(&[S], &mut Watch) -> (Vec<S>, Outcome),
    ) -> Iterated<S> {
        let Self { matrix, workers, .. } = self;
        let residual_of = |x: &[S]| {
            let mut r = rhs.to_vec();
            let square = workers.update(&mut r, |row, r| {
                *r = *r - of_row(matrix, row, x);
                *r * *r
            });
            (r, square.nearest().sqrt())
        };
        let (mut x, mut outcome) = method(rhs, &mut watch);
        // From here on x is the best so far, and `norm` its residual's.
        let mut norm = f64::INFINITY;
        let mut candidate = None;
        while outcome == Outcome::Converged {
            let next = candidate.take().unwrap_or_else(|| x.clone());
            let (r, next_norm) = residual_of(&next);
            let halved = next_norm <= norm / 2.0;
            if next_norm < norm {
                (x, norm) = (next, next_norm);
            }
            // In place of the residual that the method carried.
            watch.history.pop();
            match watch.note_norm(norm) {
                Some(end) => return watch.ended(x, end),
                None if !halved => return watch.ended(x, Outcome::Stagnated),
                None => {}
            }
            // The method notes it again as the residual that it starts from.
            watch.history.pop();
            let correction;
            (correction, outcome) = method(&r, &mut watch);
            let mut sum = x.clone();
            workers.update(&mut sum, |row, sum| {
                *sum = *sum + correction[row];
                S::ZERO
            });
            candidate = Some(sum);
        }
        // A restart that ends otherwise leaves the better of both.
        if let Some(next) = candidate {
            let (_, next_norm) = residual_of(&next);
            if next_norm < norm {
                (x, norm) = (next, next_norm);
            }
            watch.history.pop();
            watch.history.push(norm / watch.norm);
            if outcome != Outcome::Exhausted {
                outcome = Outcome::Stagnated;
            }
        }
        watch.ended(x, outcome)
    }
}

/// The product of a row with x.
fn of_row<S: Scalar>(matrix: &Csr<S>, row: usize, x: &[S]) -> S {
    let mut entries = matrix.row(row);
    let Some((column, value)) = entries.next() else { return S::ZERO };
    entries.fold(value * x[column], |sum, (column, value)| sum + value * x[column])
}

/// a b.
fn dot<S: Rooted>(workers: &Workers, a: &[S], b: &[S]) -> S {
    workers.sum(a.len(), |rows| rows.fold(S::ZERO, |sum, row| sum + a[row] * b[row]))
}

/// out = A x; returns `sum(row, (A x)[row])` over the rows.
fn multiply<S: Rooted>(
    matrix: &Csr<S>,
    workers: &Workers,
    x: &[S],
    out: &mut [S],
    sum: impl Fn(usize, S) -> S + Sync,
) -> S {
    workers.update(out, |row, out| {
        *out = of_row(matrix, row, x);
        sum(row, *out)
    })
}
