//! What a caller may choose.

use super::algorithms::{Algorithm, Policy};
use super::system::System;
use crate::error::{Error, Result};
use crate::plan::Shape;

/// What the diagonal's vector holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Diagonal {
    /// The diagonal itself.
    #[default]
    Value,
    /// The excess |diag| - |lower| - |upper| of a row (with the corners as zeros), the diagonal
    /// being positive. Where physics gives it (mass over time step, loss, a boundary's
    /// conductance) it holds what rounding the diagonal's sum would lose.
    Excess,
}

/// What the vectors of a matrix hold.
///
/// Of a [periodic](Options::periodic) matrix the corners are entries as well: `lower` of the first row stands in its last
/// column, `upper` of the last in its first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Structure {
    /// The rows: `lower[i]`, `diag[i]` and `upper[i]` are row i's.
    #[default]
    General,
    /// The rows of the transpose of the matrix that is solved: `upper[i-1]`, `diag[i]` and `lower[i+1]` are row i's. Not
    /// with a diagonal given as its excess.
    Transposed,
    /// `upper` is `lower` as well: `upper[i-1]`, `diag[i]` and `upper[i]` are row i's, and `lower` is not read, which spares
    /// a fifth of what a solve moves. (No algorithm takes advantage of a positive definite one: dominant or not, rows are
    /// exchanged or not as for others.)
    Symmetric,
    /// Three entries in each vector, of one matrix for all systems whatever their layout: those of the first row, of every
    /// row between, and of the last (a Toeplitz matrix with free first and last rows). A single row is the first. Spares
    /// three fifths of what a solve moves.
    Constant,
}

/// What the vectors of a matrix mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MatrixForm {
    pub diagonal: Diagonal,
    pub structure: Structure,
    pub periodic: bool,
}

impl MatrixForm {
    /// # Errors
    /// [`Error::Options`] for what does not go together.
    pub fn check(&self, shape: &Shape) -> Result<()> {
        if self.diagonal == Diagonal::Excess && self.structure == Structure::Transposed {
            return Err(Error::Options(
                "an excess is that of the rows that are solved, which in Structure::Transposed are the columns of those given: \
                 give the diagonal's values, or exchange lower and upper yourself"
                    .into(),
            ));
        }
        if self.periodic && shape.n < 2 {
            return Err(Error::Options(
                "a periodic system has at least 2 rows: of a single one both corners are its diagonal".into(),
            ));
        }
        Ok(())
    }
}

impl std::fmt::Display for MatrixForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { diagonal, structure, periodic } = self;
        let periodic = if *periodic { ", periodic" } else { "" };
        write!(f, "Diagonal::{diagonal:?}, Structure::{structure:?}{periodic}")
    }
}

/// What [`Algorithm::Pivoting`] and [`Algorithm::Auto`] favour, and [`Algorithm::Tpr`] where no policy says it.
///
/// Rows that pivoting takes together, eight for instance, may be singular on their own though the whole is not, as of small
/// integers often. Then x is lost, which recorded solves say ([`Error::SingularPartition`](crate::Error::SingularPartition));
/// solves from the host are done again, stable.
///
/// Of TPR, the larger its slices, the more rows are reduced by rows of their own neighbourhood, and the
/// fewer are left to the overall reduction (section 5.2 of the paper). Rows here carry their
/// dominance, so that for a diagonally dominant matrix both are as accurate; for others it may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Stability {
    /// What is fastest.
    #[default]
    Fastest,
    /// Of pivoting, rows that are singular on their own are changed by half of their digits, which leaves x half of its
    /// own; refinement restores the others ([`Options::refinements`]).
    ///
    /// Of TPR, large slices: 2048 rows, as in the paper (where systems lie closer than rows, shared out among
    /// 8 systems).
    Stable,
}

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// What the diagonal's vector holds.
    pub diagonal: Diagonal,
    /// What the vectors hold.
    pub structure: Structure,
    /// The matrix is periodic (cyclic): `lower` of the first row couples it to the last unknown, `upper` of the last row to
    /// the first. At least two rows.
    ///
    /// [`Algorithm::Pivoting`] closes the ring itself, at no more bytes than of a tridiagonal matrix, and [`Algorithm::Auto`]
    /// pivots, whether rows are dominant or not, but for an excess, a promise of dominance, and dominant matrices that are
    /// [factored](super::TridiagonalPlan::factor). Those, and all other algorithms, solve a tridiagonal matrix and a correction of
    /// rank one (Sherman and Morrison): twice the matrices' bytes, and as much scratch as a vector of the matrix. The
    /// correction takes the digits that the condition says. Where rows are not dominant, the tridiagonal matrix that the ring
    /// opens to may be singular, or far worse conditioned, though the ring is not (a cyclic shift, for one): then a solve from
    /// the host is an error, and a recorded one reports what is not finite.
    pub periodic: bool,
    /// A promise, for [`Algorithm::Auto`]: no row's off-diagonals outweigh its diagonal (by more than four units of roundoff).
    /// Then nothing is kept ready that exchanges rows, which makes short solves shorter. Where it is false, the solve is an
    /// error, [`Error::NotDominant`]. Of a periodic matrix it is said of the tridiagonal one that it opens to, which is
    /// dominant where the ring is.
    pub dominant: bool,
    /// Steps of iterative refinement behind each solve, recorded with it: the residual, in f64 where the device has it, and a
    /// solve for that; 16 at the most. Not in place of the right-hand side, which is needed.
    ///
    /// Of dominant matrices with a large condition, only the unrefined answer of an algorithm that carries the dominance is accurate to a
    /// few units of roundoff: the residual loses what the condition says, in its own precision.
    pub refinements: u32,
    /// What pivoting, auto and TPR favour; nothing to the others.
    pub stability: Stability,
    /// Instead of the tuned or default policy of the algorithm: of another one it is refused.
    pub policy: Option<Policy>,
    /// The default policy whatever was tuned: the same dispatches, and so the same bits,
    /// on every device of one kind.
    pub untuned: bool,
}

impl Options {
    /// These options with another algorithm.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// These options with a policy of one's own.
    pub fn policy(self, policy: impl Into<Policy>) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }

    /// These options without regard to what was tuned.
    pub fn untuned(self) -> Self {
        Self { untuned: true, ..self }
    }

    /// These options with another preference of pivoting, auto and TPR.
    pub fn stability(self, stability: Stability) -> Self {
        Self { stability, ..self }
    }

    /// These options with another meaning of the diagonal's vector.
    pub fn diagonal(self, diagonal: Diagonal) -> Self {
        Self { diagonal, ..self }
    }

    /// These options with another meaning of the matrix's vectors.
    pub fn structure(self, structure: Structure) -> Self {
        Self { structure, ..self }
    }

    /// These options for periodic matrices.
    #[doc(alias = "cyclic")]
    pub fn periodic(self) -> Self {
        Self { periodic: true, ..self }
    }

    /// These options with the promise that matrices are diagonally dominant.
    pub fn dominant(self) -> Self {
        Self { dominant: true, ..self }
    }

    /// These options with so many steps of iterative refinement.
    pub fn refinements(self, refinements: u32) -> Self {
        Self { refinements, ..self }
    }

    /// These options for matrices such as this system's.
    pub fn matching<T>(self, system: &System<'_, T>) -> Self {
        Self { diagonal: system.kind, structure: system.structure, periodic: system.periodic, ..self }
    }

    pub(crate) fn matrix(&self) -> MatrixForm {
        MatrixForm { diagonal: self.diagonal, structure: self.structure, periodic: self.periodic }
    }
}
