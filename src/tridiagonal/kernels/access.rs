//! How a bind reaches the caller's vectors, and whose rows a kernel works on.

use crate::plan::RowAccess;
use crate::tridiagonal::options::{Diagonal, MatrixForm};

/// How a bind reaches the caller's vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Access {
    /// How rows are loaded and stored.
    pub rows: RowAccess,
    /// Inputs share a buffer with x.
    pub writable_inputs: bool,
    /// What the vectors hold.
    pub matrix: MatrixForm,
    /// The right-hand side is that of the correction of a periodic system.
    pub correcting: bool,
}

impl Access {
    /// The overrides, without those at their default.
    pub fn overrides(self) -> Vec<(&'static str, u32)> {
        let MatrixForm { diagonal, structure, periodic } = self.matrix;
        let mut overrides = vec![("EXCESS", (diagonal == Diagonal::Excess).into())];
        let more =
            [("STRUCTURE", structure as u32), ("PERIODIC", periodic.into()), ("CORRECTING", self.correcting.into())];
        overrides.extend(more.into_iter().filter(|(_, value)| *value != 0));
        overrides
    }
}

/// Whose rows a kernel reads, and whose unknowns it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// From and to the caller's vectors.
    Caller,
    /// From and to scratch.
    Scratch,
    /// From the ends of slices, joined to their overall system; to scratch.
    Joined,
}
