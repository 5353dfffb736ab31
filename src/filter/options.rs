//! The caller's options.

use crate::check::Check;
use crate::error::Result;
use crate::place::Place;
use crate::plan::named;
pub use crate::recurrence::Direction;

/// The algorithms; bytes per row are for f32 (f64: twice).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// [`Algorithm::OnePass`] for layouts that it supports, if a sequence has several slices or fills most of one, or if it takes sequences as one;
    /// [`Algorithm::Overlapped`] for interleaved sequences of more than 64 rows, if the filters forget within 512 rows, there are at least 16384 slices
    /// as long as the overlap, and at least 32 neighbours are interleaved: then the tail of a response ends in zeros, and outputs after an input or
    /// output that is not finite are unspecified. Else [`Algorithm::ThreeLaunch`].
    #[default]
    Auto,
    /// One launch. Each slice publishes its final state for initial state 0, looks back over the states of earlier slices, and adds the response
    /// to its initial state (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). 8 bytes. The last bits
    /// depend on timing. After an input or output that is not finite, outputs are unspecified; the status has its row.
    ///
    /// With subgroups and one filter for all, sequences without gaps are taken as one if their number of rows is below 8, or below 65536 and no
    /// multiple of 4. Rejected if systems lie closer than rows.
    OnePass,
    /// Reduces each slice to its final state for initial state 0, computes the slices' initial states sequentially, and filters the slices:
    /// 12 bytes in three launches, 8 in one if a sequence is one slice. Bitwise reproducible.
    ThreeLaunch,
    /// One launch for interleaved sequences of filters that forget. A thread filters one slice of a sequence, row after row. It starts at an
    /// earlier row from state 0, so that by the slice the influence of a state is below the square of the unit roundoff (f32: 2^-48) of the
    /// state: below rounding relative to the largest output, but late parts of a response are 0. Butterworth, order 4, cut-off at a quarter of
    /// half the sampling rate, f32: 144 rows. 8 bytes, and at most 4 for the overlap. Bitwise reproducible.
    ///
    /// If y replaces x, the three launches run. After an input or output that is not finite, outputs are unspecified; the status has its row.
    /// Rejected for filters that remember more than 4096 rows, and if rows lie closer than sequences.
    Overlapped,
}

named! {
    Algorithm, "algorithm";
    Auto = "auto",
    OnePass = "one-pass",
    ThreeLaunch = "three-launch",
    Overlapped = "overlapped",
}

/// How to filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// From the first row forward, or from the last row backward.
    pub direction: Direction,
    /// Bitwise reproducible on one device: [`Algorithm::Auto`] then avoids algorithms that depend on timing, and [`Algorithm::OnePass`] is
    /// rejected.
    pub deterministic: bool,
    /// Which host solves check their answers: [`FilterPlan::solve_from`](super::FilterPlan::solve_from) states the costs and the guarantees.
    pub check: Check,
    /// Where host solves run. [`Place::Fastest`] takes the device for a named algorithm, and [`Place::Cpu`] is refused with one.
    pub place: Place,
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

    /// These options with another choice of the host solves that check their answers.
    pub fn check(self, check: Check) -> Self {
        Self { check, ..self }
    }

    /// These options with another place of host solves.
    pub fn place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// These options, bitwise reproducible.
    pub fn deterministic(self) -> Self {
        Self { deterministic: true, ..self }
    }

    /// Whether host solves run on the CPU.
    ///
    /// # Errors
    /// [`Error::Options`](crate::Error::Options) as [`Place`].
    pub(super) fn is_on_cpu(&self) -> Result<bool> {
        let named = self.algorithm != Algorithm::Auto;
        self.place.is_cpu(named.then(|| format!("the algorithm {}", self.algorithm)), || true)
    }
}
