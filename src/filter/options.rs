//! What a caller may choose.

use crate::plan::named;
pub use crate::recurrence::Direction;

/// The algorithms; bytes are f32's for a row (f64: twice).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// [`Algorithm::ThreeLaunch`].
    #[default]
    Auto,
    /// Slices reduced to the state that each leaves of none, the states before them one after the other, slices
    /// filtered: 12 bytes in three launches, 8 in one where a sequence is one slice. The same bits run after run.
    ThreeLaunch,
}

named! {
    Algorithm, "algorithm";
    Auto = "auto",
    ThreeLaunch = "three-launch",
}

/// How to filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// From the first row on, or from the last one back.
    pub direction: Direction,
}

impl Options {
    /// These options with another algorithm.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// These options with another direction.
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }
}
