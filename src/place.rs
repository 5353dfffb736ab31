//! Where host solves run.

use crate::error::{Error, Result};
use crate::plan::named;

/// Where solves of vectors in host memory run: the plans' `solve` and its like, and the one-call forms. Recorded solves always run on the
/// device, and so do solves with [`Factored`](crate::tridiagonal::Factored) matrices.
///
/// Answers of the places differ by rounding. Both places return the same errors, with an exception: the CPU also solves where intermediate
/// numbers overflow on the device. The CPU checks every solve ([`Check`](crate::Check) is about the device's).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Place {
    /// The faster place, as far as it is known before the solve. The device, if an option asks for it: a named algorithm, a policy,
    /// refinements, or a formula. Otherwise the CPU
    ///
    /// - if the adapter is the CPU ([`Capabilities::software`](crate::Capabilities::software)),
    /// - for tridiagonal systems with fewer rows in all than the crossover, which `trisolve tune place` measures and
    ///   [`tuning`](crate::tuning) keeps: one for single systems, and one for batches of many, which cost the CPU half as much per row (until
    ///   they are measured, 2^18 and 2^21 rows),
    /// - for triangular systems, recurrences and filters of any size: checking the device's answer takes the CPU as long as solving.
    #[default]
    Fastest,
    /// The device.
    Device,
    /// The CPU, on all its cores. [`Error::Options`] with options that only a device follows.
    Cpu,
}

named! {
    Place, "place";
    Fastest = "fastest",
    Device = "device",
    Cpu = "cpu",
}

impl Place {
    /// Whether host solves run on the CPU. `device_only`: an option that only the device follows, if there is one; `is_faster`: whether the
    /// CPU is faster.
    ///
    /// # Errors
    /// [`Error::Options`] for [`Place::Cpu`] with such an option.
    pub(crate) fn is_cpu(self, device_only: Option<String>, is_faster: impl FnOnce() -> bool) -> Result<bool> {
        match (self, device_only) {
            (Self::Device, _) | (Self::Fastest, Some(_)) => Ok(false),
            (Self::Fastest, None) => Ok(is_faster()),
            (Self::Cpu, None) => Ok(true),
            (Self::Cpu, Some(option)) => Err(Error::Options(format!(
                "Place::Cpu with {option}, which only a device follows: leave it out, or take Place::Device"
            ))),
        }
    }
}
