//! Which host solves of a plan check their answers.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Which host solves of a plan check their answers. A check estimates the forward error. If it is too large, tridiagonal
/// [`Auto`](crate::tridiagonal::Algorithm::Auto) and [`Pivoting`](crate::tridiagonal::Algorithm::Pivoting), and the other families, return the CPU's answer; other
/// tridiagonal algorithms return [`Error::Inaccurate`]. Solves on the CPU are always checked.
///
/// A solve that is not checked detects only what the device notices during the solve: the events of the status words, as after a recorded
/// solve. Its report has `None` in place of the accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Check {
    /// Checks each solve.
    #[default]
    Every,
    /// Checks the first solve of a plan, then every k-th, and each one whose status words report a failure. For many similar systems, whose
    /// accuracy the sample shows. Plans refuse 0.
    Sampled(u64),
    /// Checks no solve on the device.
    Off,
}

impl Check {
    /// # Errors
    /// [`Error::Options`] for samples of no solve.
    pub(crate) fn validate(self) -> Result<()> {
        match self {
            Self::Sampled(0) => Err(Error::Options(
                "Check::Sampled(0) would check no solve: take Check::Off, or a number from 1 on".into(),
            )),
            _ => Ok(()),
        }
    }
}

/// The turns of a plan's host solves.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    solves: AtomicU64,
}

impl Turns {
    /// Whether the next solve is checked.
    pub fn next_is_checked(&self, check: Check) -> bool {
        match check {
            Check::Every => true,
            Check::Sampled(k) => self.solves.fetch_add(1, Ordering::Relaxed).is_multiple_of(k),
            Check::Off => false,
        }
    }

    /// Whether the answer of the next solve is judged: because it is checked, or because there is a failure.
    ///
    /// # Errors
    /// The failure, with [`Check::Off`].
    pub fn next_is_judged(&self, check: Check, failure: Option<Error>) -> Result<bool> {
        if self.next_is_checked(check) {
            return Ok(true);
        }
        match (failure, check) {
            (Some(failure), Check::Off) => Err(failure),
            (failure, _) => Ok(failure.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_begin_with_a_check() {
        for (check, expected) in [
            (Check::Every, [true; 5]),
            (Check::Sampled(1), [true; 5]),
            (Check::Sampled(2), [true, false, true, false, true]),
            (Check::Sampled(3), [true, false, false, true, false]),
            (Check::Off, [false; 5]),
        ] {
            let turns = Turns::default();
            assert_eq!([(); 5].map(|()| turns.next_is_checked(check)), expected, "{check:?}");
        }
        assert!(Check::Sampled(0).validate().is_err() && Check::Sampled(1).validate().is_ok());
    }
}
