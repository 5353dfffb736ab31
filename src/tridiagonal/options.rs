//! What a caller may choose.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The algorithms. All give the same answer up to rounding; costs are a right-hand side's.
///
/// Rows are normalised and carry their dominance, so that in every one of them a diagonally
/// dominant system loses no digit to cancellation; none exchanges rows. Bytes are f32's (f64:
/// twice), on chip and otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Algorithm {
    /// By shape. Today always [`Algorithm::Partition`], which is never far from the best.
    #[default]
    Auto,
    /// Gaussian elimination (Thomas 1949), a thread a system: 2n steps one after the other,
    /// 8n operations in the classic form ([`cpu::thomas`](crate::cpu::thomas)). Reads 32 bytes
    /// a row and writes 4; 20 in all for n <= 16. For many interleaved systems.
    Thomas,
    /// Cyclic reduction (Hockney 1965), a workgroup a system: 2 log2 n steps, 17n operations in
    /// the classic form ([`cpu::cyclic_reduction`](crate::cpu::cyclic_reduction)). 20 bytes a
    /// row on chip; larger systems step through device memory, about 72 bytes a row in 2 log2 n
    /// dispatches, and 20n bytes of scratch.
    Cr,
    /// Parallel cyclic reduction (Hockney and Jesshope 1981), a workgroup a system: log2 n
    /// steps, 12 n log2 n operations in the classic form
    /// ([`cpu::parallel_cyclic_reduction`](crate::cpu::parallel_cyclic_reduction)). 20 bytes a
    /// row on chip; larger systems move 32 bytes a row in each of log2 n dispatches, and need
    /// 32n bytes of scratch.
    Pcr,
    /// Cyclic reduction down to what a subgroup or workgroup holds a row a thread of, parallel
    /// cyclic reduction there (Zhang, Cohen, Owens 2010). Bytes as for CR.
    CrPcr,
    /// Blocks of rows reduced to two relations each, merged as a tree of workgroups: 20 bytes a
    /// row in one dispatch where a system fits a workgroup; otherwise 36 in two passes and
    /// about 1% for the levels above. About 60 operations a row, one of them a division.
    Partition,
}

impl Algorithm {
    /// All, in the order of the docs.
    pub const ALL: [Self; 6] = [Self::Auto, Self::Thomas, Self::Cr, Self::Pcr, Self::CrPcr, Self::Partition];

    /// The name that [`FromStr`] reads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Thomas => "thomas",
            Self::Cr => "cr",
            Self::Pcr => "pcr",
            Self::CrPcr => "cr-pcr",
            Self::Partition => "partition",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|a| a.name() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|a| a.name()).collect();
            Error::Options(format!("unknown algorithm {text:?}; there are {}", names.join(", ")))
        })
    }
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

/// How [`Algorithm::Partition`] divides its work. The answer does not depend on it but for
/// rounding; the speed does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartitionPolicy {
    /// Threads a workgroup: a power of two from 32 to 1024, as far as the device goes. Larger
    /// ones are taken where a system then fits one.
    pub workgroup: u32,
    /// Rows a thread: 4, 8, 12, 16 or 32.
    pub rows: u32,
    /// Most neighbouring systems a workgroup takes where those lie closer than rows: a power of
    /// two up to a quarter of the workgroup.
    pub lanes: u32,
    /// Merge with shuffles where there are subgroups and rows lie closer than systems. More
    /// work than through workgroup memory, but a shorter way.
    pub shuffles: bool,
    /// In the second pass every slice merges the blocks of all slices for itself, where they
    /// are few, instead of a dispatch between the passes that does it once.
    pub gather: bool,
}

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// What the diagonal's vector holds.
    pub diagonal: Diagonal,
    /// Overrides the policy of [`Algorithm::Partition`].
    pub partition: Option<PartitionPolicy>,
}

impl Options {
    /// These options with another algorithm.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// These options with a policy of one's own for [`Algorithm::Partition`].
    pub fn partition(self, policy: PartitionPolicy) -> Self {
        Self { partition: Some(policy), ..self }
    }

    /// These options with another meaning of the diagonal's vector.
    pub fn diagonal(self, diagonal: Diagonal) -> Self {
        Self { diagonal, ..self }
    }
}
