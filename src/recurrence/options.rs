//! What a caller may choose.

use super::policy::Policy;
use crate::plan::named;

/// The algorithms; bytes are f32's for a row (f64: twice).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// [`Algorithm::OnePass`] where sequences are longer than a slice and lie row by row, else
    /// [`Algorithm::ThreeLaunch`].
    #[default]
    Auto,
    /// One launch: each slice tells the next ones what it makes of the value before it, and looks back
    /// until it meets a known value (Merrill and Garland, "Single-pass Parallel Prefix Scan with
    /// Decoupled Look-back", 2016). 12 bytes. How many slices' maps are composed before a value is met
    /// depends on timing, and so do the last bits. Where systems lie closer than rows it is refused.
    OnePass,
    /// Slices reduced to a map each, the maps applied one after the other, slices solved: 20 bytes in
    /// three launches, 12 in one where a sequence is one slice. The same bits run after run.
    ThreeLaunch,
    /// P-scheme/G (Wakatani 2013), see [`p_scheme`](super::p_scheme): chunks of a thread each, computed as if the
    /// value before them were 0, then corrected: 52 bytes in five launches with rearranged arrays, 28 in three
    /// without. The same bits run after run.
    PScheme,
}

named! {
    Algorithm, "algorithm";
    Auto = "auto",
    OnePass = "one-pass",
    ThreeLaunch = "three-launch",
    PScheme = "p-scheme",
}

/// Which neighbour a value depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// w\[i\] = s\[i\] w\[i-1\] + t\[i\].
    #[default]
    Forward,
    /// w\[i\] = s\[i\] w\[i+1\] + t\[i\].
    Reverse,
}

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Where it begins.
    pub direction: Direction,
    /// The same bits run after run on one device: [`Algorithm::Auto`] then leaves out what depends on
    /// timing, and [`Algorithm::OnePass`] is refused.
    pub deterministic: bool,
    /// Instead of the default policy of the algorithm, which has to be named: of another one it is refused.
    pub policy: Option<Policy>,
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

    /// These options with another direction.
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }

    /// These options with the same bits run after run.
    pub fn deterministic(self) -> Self {
        Self { deterministic: true, ..self }
    }
}
