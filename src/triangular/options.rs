//! What a caller may choose.

use super::policy::Policy;
use crate::plan::named;

/// The algorithms. All give the same answer up to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// What was tuned, else [`Algorithm::Single`] for batches of small systems, and for others [`Algorithm::Chained`] where
    /// the device can, else [`Algorithm::LaunchSynced`].
    #[default]
    Auto,
    /// All of a system in one workgroup: for systems of a few hundred rows, and batches of such. Takes no more rows than
    /// a workgroup of the device has threads and memory for.
    Single,
    /// One launch for block rows after block rows: about n / 256 dependent launches. Asks nothing of the device but
    /// that launches keep their order.
    LaunchSynced,
    /// One launch in all: a workgroup per block row, which waits for the rows solved before. A wait has a bound,
    /// behind which a workgroup solves itself what it waits for. In f64 it needs 64-bit integers.
    Chained,
}

named! {
    Algorithm, "algorithm";
    Auto = "auto",
    Single = "single",
    LaunchSynced = "launch-synced",
    Chained = "chained",
}

/// Which triangle of the stored matrix holds its entries; the other one is never read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Uplo {
    /// Entries below the diagonal.
    #[default]
    Lower,
    /// Entries above it.
    Upper,
}

/// What is solved with the stored matrix A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trans {
    /// A x = b.
    #[default]
    No,
    /// A^T x = b.
    Transpose,
}

/// What the diagonal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Diag {
    /// What is stored.
    #[default]
    NonUnit,
    /// Ones, whatever is stored: it is never read.
    Unit,
}

/// Which entries of the matrix lie side by side.
///
/// Row by row a matrix lies as its transpose does column by column: [`Order::RowMajor`] with [`Uplo::Lower`] and
/// [`Trans::No`] is what column-major libraries call the upper triangle, transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Those of a column, as BLAS and LAPACK have it.
    #[default]
    ColumnMajor,
    /// Those of a row, as C has it.
    RowMajor,
}

/// What to solve, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// Which triangle.
    pub uplo: Uplo,
    /// The matrix or its transpose.
    pub trans: Trans,
    /// Which diagonal.
    pub diag: Diag,
    /// How the matrix lies.
    pub order: Order,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Instead of the default policy of the algorithm, which should be named.
    pub policy: Option<Policy>,
    /// Not what was tuned ([`tuning`](crate::tuning)), but the default algorithm and policies.
    pub untuned: bool,
}

impl Options {
    /// These options with another triangle.
    pub fn uplo(self, uplo: Uplo) -> Self {
        Self { uplo, ..self }
    }

    /// These options with the matrix or its transpose.
    pub fn trans(self, trans: Trans) -> Self {
        Self { trans, ..self }
    }

    /// These options with another diagonal.
    pub fn diag(self, diag: Diag) -> Self {
        Self { diag, ..self }
    }

    /// These options with another order of entries.
    pub fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// These options with another algorithm.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// These options with a policy of one's own.
    pub fn policy(self, policy: impl Into<Policy>) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }

    /// These options without what was tuned.
    pub fn untuned(self) -> Self {
        Self { untuned: true, ..self }
    }

    /// Whether the matrix that is solved with is an upper one, solved from its last row.
    pub(crate) fn reversed(&self) -> bool {
        (self.uplo == Uplo::Upper) != (self.trans == Trans::Transpose)
    }

    /// Whether the entries of a row of that matrix lie side by side.
    pub(crate) fn across(&self) -> bool {
        (self.order == Order::RowMajor) != (self.trans == Trans::Transpose)
    }
}
