//! What a caller may choose.

use super::policy::Policy;
use super::system::System;
use crate::error::{Error, Result};
use crate::plan::{Shape, named};

/// The algorithms. All give the same answer of a diagonally dominant system, up to rounding; costs are a right-hand side's.
///
/// In all but [`Algorithm::Pivoting`], which exchanges rows, rows are normalised and carry their dominance, so that a
/// diagonally dominant system loses no digit to cancellation. Bytes are f32's (f64: twice), on chip and otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// Decided on the device, in one submit, for each system: where rows are dominant (to within four units of roundoff),
    /// [`Algorithm::Partition`]; for all others [`Algorithm::Pivoting`]. Of long dominant systems each slice is first solved alone, with
    /// a halo of its neighbours' rows, at 20 bytes per row: as long as what reaches it through the halo, for which the carried
    /// complements are a bound, is below a quarter of a unit of roundoff; else the system goes on to the partition. What has
    /// nothing left to do costs a microsecond or so a dispatch. A diagonal given as its excess never goes on to
    /// pivoting; x in place of rhs, and systems that lie closer than rows, are not solved in slices alone.
    /// What it came to is in [`Status::pivoted`](super::Status::pivoted).
    #[default]
    Auto,
    /// Gaussian elimination (Thomas 1949), a thread a system: 2n steps one after the other,
    /// 8n operations in the classic form ([`cpu::thomas`](crate::cpu::thomas)). Reads 32 bytes
    /// a row and writes 4; 20 in all for n <= 16. For many interleaved systems.
    Thomas,
    /// Cyclic reduction (Hockney 1965), a workgroup per system: 2 log2 n steps, 17n operations in
    /// the classic form ([`cpu::cyclic_reduction`](crate::cpu::cyclic_reduction)). 20 bytes per
    /// row on chip; larger systems step through device memory, about 92 bytes per row in 2 log2 n
    /// dispatches, and 20n bytes of scratch.
    Cr,
    /// Parallel cyclic reduction (Hockney and Jesshope 1981), a workgroup per system: log2 n
    /// steps, 12 n log2 n operations in the classic form
    /// ([`cpu::parallel_cyclic_reduction`](crate::cpu::parallel_cyclic_reduction)). 20 bytes per
    /// row on chip; larger systems move 32 bytes per row in each of log2 n dispatches, and need
    /// 32n bytes of scratch.
    Pcr,
    /// Cyclic reduction down to what a subgroup or workgroup holds with one row per thread, parallel
    /// cyclic reduction there (Zhang, Cohen, Owens 2010). Bytes as for CR.
    CrPcr,
    /// Blocks of rows reduced to two relations each, merged as a tree of workgroups: 20 bytes per
    /// row in one dispatch where a system fits a workgroup or its slices run at once (the policy's
    /// `together`); otherwise 36 in two passes and about 1% for the levels above. About 60 operations per row, one of them a division.
    Partition,
    /// Recursive partitions with scaled partial pivoting (Klein and Strzodka 2021), for any nonsingular matrix: the inner
    /// unknowns of each partition eliminated from above and from below, which leaves two rows, and again in the
    /// substitution; see [`cpu::pivoting_partition`](crate::cpu::pivoting_partition). 20 bytes per row in one dispatch where a
    /// system fits a workgroup; otherwise 36 in two passes, and about 1% for the levels above and the scratch. Does not carry
    /// the dominance, so that matrices like (-1 2 -1) lose as many digits as their condition has. For matrices of small integers
    /// see [`Stability`].
    Pivoting,
    /// Tree partitioning reduction (Diéguez, Amor, Doallo 2019): slices reduced on their own by two
    /// sub-systems of cyclic reduction at once, an overall reduction of the slices' last rows, and
    /// slices solved on their own; see [`tpr`](super::tpr), 29n operations. 20 bytes per row in one dispatch
    /// where a system is one slice; otherwise 48 in three stages, and 6 bytes per row of scratch.
    Tpr,
    /// Wang and Mou's divide and conquer (1991): every row with its block's first and last row as a
    /// triad, blocks doubled in log2 n steps; see [`wang_mou`](super::wang_mou),
    /// 9 n log2 n operations. 20 bytes per row in one dispatch on chip; otherwise every row's own
    /// relation is kept between two passes, 44 bytes per row and 12 of scratch.
    WangMou,
    /// Thomas's algorithm as three scans (Stone 1973; the next step that Wakatani 2013 announces): the pivots as a
    /// [Moebius recurrence](crate::recurrence::moebius), and two [linear ones](crate::recurrence); see
    /// [`scan`](super::scan). 48 bytes per row in three dispatches where a system fits a workgroup; otherwise 84 in nine; 4
    /// bytes per row of scratch. For comparison.
    Scan,
}

named! {
    Algorithm, "algorithm";
    Auto = "auto",
    Thomas = "thomas",
    Cr = "cr",
    Pcr = "pcr",
    CrPcr = "cr-pcr",
    Partition = "partition",
    Pivoting = "pivoting",
    Tpr = "tpr",
    WangMou = "wang-mou",
    Scan = "scan",
}

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
