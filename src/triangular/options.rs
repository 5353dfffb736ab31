//! The caller's options.

use super::policy::Policy;
use crate::check::Check;
use crate::error::Result;
use crate::place::Place;
use crate::plan::named;

/// The algorithms. All give the same answer up to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// [`Algorithm::Abreast`] for at least 8 right-hand sides if a system has at most 64 rows, or at most 512 in a batch of at least 16. Else the tuned choice; else [`Algorithm::Single`] for batches of small systems, and for others [`Algorithm::Chained`] if the device
    /// supports it, else [`Algorithm::LaunchSynced`].
    #[default]
    Auto,
    /// One workgroup per system: for systems of a few hundred rows, and batches of them. The rows are limited by the threads and memory of
    /// a workgroup.
    Single,
    /// One workgroup per system and up to 64 of its right-hand sides. At most 512 rows: a thread holds two tiles of four rows and four right-hand sides
    /// in registers. Where rows lie along memory, 512 rows need 19 KB (f32) or 38 KB (f64) of workgroup memory.
    Abreast,
    /// Launches one after the other: one inverts all diagonal blocks, then two per few block rows (about n / 128 in all) solve them and
    /// subtract them from the later ones. The device only has to keep launches in order.
    LaunchSynced,
    /// One launch in all: a workgroup per block row, which waits for the rows solved before. Each wait has a bound; after it the workgroup
    /// itself solves the rows that it waits for. In f64 it needs 64-bit integers.
    Chained,
}

named! {
    Algorithm, "algorithm";
    Auto = "auto",
    Single = "single",
    Abreast = "abreast",
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

/// The system solved with the stored matrix A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trans {
    /// A x = b.
    #[default]
    No,
    /// A^T x = b.
    Transpose,
}

/// The diagonal of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Diag {
    /// The stored diagonal.
    #[default]
    NonUnit,
    /// Ones; the stored diagonal is never read.
    Unit,
}

/// The entries of the matrix that are adjacent in memory.
///
/// A row-major matrix has the memory layout of its column-major transpose: [`Order::RowMajor`] with [`Uplo::Lower`] and [`Trans::No`] is
/// what column-major libraries call the upper triangle, transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Entries of a column, as in BLAS and LAPACK.
    #[default]
    ColumnMajor,
    /// Entries of a row, as in C.
    RowMajor,
}

/// What to solve, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// The stored triangle.
    pub uplo: Uplo,
    /// The matrix or its transpose.
    pub trans: Trans,
    /// Stored or unit diagonal.
    pub diag: Diag,
    /// The memory layout of the matrix.
    pub order: Order,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Replaces the default policy of the algorithm, which should be named.
    pub policy: Option<Policy>,
    /// Ignore tuned choices ([`tuning`](crate::tuning)); use the default algorithm and policies.
    pub untuned: bool,
    /// Which host solves check their answers: [`TriangularPlan::solve`](super::TriangularPlan::solve) states the costs and the guarantees.
    pub check: Check,
    /// Where host solves run. [`Place::Fastest`] takes the device for a named algorithm or a policy, and [`Place::Cpu`] is refused with them.
    pub place: Place,
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

    /// These options with the caller's policy.
    pub fn policy(self, policy: impl Into<Policy>) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }

    /// These options without tuned choices.
    pub fn untuned(self) -> Self {
        Self { untuned: true, ..self }
    }

    /// These options with another choice of the host solves that check their answers.
    pub fn check(self, check: Check) -> Self {
        Self { check, ..self }
    }

    /// These options with another place of host solves.
    pub fn place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// Whether host solves run on the CPU.
    ///
    /// # Errors
    /// [`Error::Options`](crate::Error::Options) as [`Place`].
    pub(super) fn is_on_cpu(&self) -> Result<bool> {
        let device_only = match (self.algorithm, self.policy) {
            (Algorithm::Auto, None) => None,
            (Algorithm::Auto, Some(_)) => Some("a policy".into()),
            (named, _) => Some(format!("the algorithm {named}")),
        };
        self.place.is_cpu(device_only, || true)
    }

    /// Whether the matrix to solve with is an upper one, solved from its last row.
    pub(crate) fn reversed(&self) -> bool {
        (self.uplo == Uplo::Upper) != (self.trans == Trans::Transpose)
    }

    /// Whether the entries of a row of this matrix are adjacent in memory.
    pub(crate) fn across(&self) -> bool {
        (self.order == Order::RowMajor) != (self.trans == Trans::Transpose)
    }
}
