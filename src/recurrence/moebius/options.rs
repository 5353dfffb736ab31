//! The caller's options.

use crate::check::Check;
use crate::error::Result;
use crate::place::Place;
use crate::recurrence::{Algorithm, Direction};

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// [`Algorithm::Auto`] is [`Algorithm::ThreeLaunch`]. [`Algorithm::OnePass`] must be named, and needs rows that lie closer than the
    /// sequences. The other algorithms are rejected.
    pub algorithm: Algorithm,
    /// Direction: in reverse, w\[i\] follows from w\[i+1\].
    pub direction: Direction,
    /// Bitwise reproducible on one device: [`Algorithm::OnePass`] is then rejected.
    pub deterministic: bool,
    /// Which host solves check their answers: [`MoebiusPlan::solve`](super::MoebiusPlan::solve) states the costs and the guarantees.
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

    /// These options, bitwise reproducible.
    pub fn deterministic(self) -> Self {
        Self { deterministic: true, ..self }
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
        let named = (self.algorithm != Algorithm::Auto).then(|| format!("the algorithm {}", self.algorithm));
        self.place.is_cpu(named, || true)
    }
}
