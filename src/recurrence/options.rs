//! The caller's options.

use super::policy::Policy;
use crate::check::Check;
use crate::error::Result;
use crate::place::Place;
use crate::plan::named;

/// The algorithms of linear recurrences; bytes per row are for f32 (f64: twice).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// [`Algorithm::OnePass`] if rows lie closer than sequences and a sequence is longer than a slice. For shorter sequences: if there are subgroups, no
    /// gaps and no formulas, and the number of rows is below 8 or no multiple of 4; with gaps or formulas, if unaligned rows fill most of a slice.
    /// [`Algorithm::Overlapped`] for interleaved sequences of more than 64 rows without formulas, from about 2^23 rows in all on (below 256 rows per
    /// sequence, from 32768 sequences on), if at least 32 neighbours are interleaved. Otherwise [`Algorithm::ThreeLaunch`].
    #[default]
    Auto,
    /// One launch: each slice publishes its map for later slices, and looks back until it finds a known value (Merrill and Garland,
    /// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). 12 bytes. Timing determines the number of composed maps per
    /// look-back, and so the last bits. Sequences without gaps between them are taken as one. Rejected if systems lie closer than rows.
    OnePass,
    /// Reduces each slice to a map, applies the maps sequentially, and solves the slices: 20 bytes in three launches, 12 in one if a
    /// sequence is one slice. Bitwise reproducible.
    ThreeLaunch,
    /// P-scheme/G (Wakatani 2013), see [`p_scheme`](super::p_scheme): each thread computes a chunk with 0 as the value before it, then
    /// corrects it. 52 bytes in five launches with rearranged arrays, 28 in three without. Bitwise reproducible.
    PScheme,
    /// One launch for interleaved sequences that forget: a thread computes one slice of a sequence from the value that at most 256 rows before
    /// the slice lead to. 12 bytes, and 8 per row of the overlap. If a slice has no such rows, or a value is above 2^40, the three launches follow
    /// on the device. Bitwise reproducible. Only the three launches run if w replaces a coefficient, and for a constant s with
    /// |s| above 0.77 (f64: 0.68), as in cumulative sums. Rejected if rows lie closer than sequences, and for formulas.
    Overlapped,
}

named! {
    Algorithm, "algorithm";
    Auto = "auto",
    OnePass = "one-pass",
    ThreeLaunch = "three-launch",
    PScheme = "p-scheme",
    Overlapped = "overlapped",
}

/// The neighbour that a value depends on.
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
    /// The direction of the recurrence.
    pub direction: Direction,
    /// Bitwise reproducible on one device: [`Algorithm::Auto`] then avoids algorithms that depend on timing, and [`Algorithm::OnePass`] is
    /// rejected.
    pub deterministic: bool,
    /// Replaces the default policy of the algorithm, which must be named; a policy of another algorithm is rejected.
    pub policy: Option<Policy>,
    /// Which host solves check their answers: [`RecurrencePlan::solve`](super::RecurrencePlan::solve) states the costs and the guarantees.
    pub check: Check,
    /// Where host solves run. [`Place::Fastest`] takes the device for a named algorithm, a policy or formulas, and [`Place::Cpu`] is
    /// refused with them.
    pub place: Place,
}

impl Options {
    /// These options with another algorithm.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// These options with the caller's policy.
    pub fn policy(self, policy: impl Into<Policy>) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }

    /// These options with another direction.
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }

    /// These options with another choice of the host solves that check their answers.
    pub fn check(self, check: Check) -> Self {
        Self { check, ..self }
    }

    /// These options with another place of host solves.
    pub fn place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// Whether host solves run on the CPU. `is_computed`: a coefficient has a formula.
    ///
    /// # Errors
    /// [`Error::Options`](crate::Error::Options) as [`Place`].
    pub(super) fn is_on_cpu(&self, is_computed: bool) -> Result<bool> {
        let device_only = match (self.algorithm, self.policy) {
            (Algorithm::Auto, None) if !is_computed => None,
            (Algorithm::Auto, None) => Some("a formula".into()),
            (Algorithm::Auto, Some(_)) => Some("a policy".into()),
            (named, _) => Some(format!("the algorithm {named}")),
        };
        self.place.is_cpu(device_only, || true)
    }

    /// These options, bitwise reproducible.
    pub fn deterministic(self) -> Self {
        Self { deterministic: true, ..self }
    }
}
