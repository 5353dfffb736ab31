//! Access of a bind to the caller's vectors, and the levels whose rows a kernel processes.

use crate::plan::RowAccess;
use crate::tridiagonal::options::{Diagonal, MatrixForm};

/// Access of a bind to the caller's vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Access {
    /// Loads and stores of rows.
    pub rows: RowAccess,
    /// rhs and x have a layout of their own.
    pub own_right: bool,
    /// Vectors do not begin where their bindings do.
    pub offsets: bool,
    /// Inputs share a buffer with x.
    pub writable_inputs: bool,
    /// Meaning of the matrix's vectors.
    pub matrix: MatrixForm,
    /// The right-hand side is the one of a periodic system's correction.
    pub correcting: bool,
}

impl Access {
    /// The overrides that differ from their defaults.
    pub fn overrides(self) -> Vec<(&'static str, u32)> {
        let MatrixForm { diagonal, structure, forms, periodic } = self.matrix;
        let mut overrides = vec![("EXCESS", (diagonal == Diagonal::Excess).into())];
        let more = [
            ("STRUCTURE", structure as u32),
            ("LOWER_FORM", forms.lower as u32),
            ("DIAG_FORM", forms.diag as u32),
            ("UPPER_FORM", forms.upper as u32),
            ("PERIODIC", periodic.into()),
            ("CORRECTING", self.correcting.into()),
            ("OWN_RIGHT", self.own_right.into()),
            ("OFFSETS", self.offsets.into()),
        ];
        overrides.extend(more.into_iter().filter(|(_, value)| *value != 0));
        overrides
    }
}

/// The level whose rows a kernel reads and whose unknowns it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// From and to the caller's vectors.
    Caller,
    /// From and to scratch.
    Scratch,
    /// From the ends of slices, joined to their overall system; to scratch.
    Joined,
}
