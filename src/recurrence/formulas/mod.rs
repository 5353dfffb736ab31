//! Coefficients that are computed where they are needed, by formulas of the caller's.

mod compiled;
mod fused;
mod safety;
mod words;

pub(crate) use fused::Fused;

use crate::error::Result;
use crate::real::Real;

/// WGSL for s, for t or for both, with the vectors that it reads: the coefficients are then computed within the
/// solve, and never lie in memory.
///
/// A formula is one WGSL expression, or, where the word `return` is in it, the body of a function. It knows
///
/// | name | is |
/// | --- | --- |
/// | `i` | the row within its sequence, from 0, in the order in which rows lie (u32) |
/// | `n` | rows of a sequence (u32) |
/// | `sequence`, `sequences` | which sequence, of how many (u32) |
/// | `real` | the type computed in: f32, or f64 in a plan of f64 |
/// | `gain(k)` | entry k (u32) of a [vector](Formulas::vector) that is called `gain`; past its end, the last |
///
/// and what WGSL brings along. It has to come to one `real`: `real(i)` makes one of a number, and so do literals
/// (`0.5`, `real(0.5)`) where they stand next to one; of `let half = 0.5;` WGSL makes an f32, so say `let half =
/// real(0.5);` if it should do in f64 as well. It may have variables, branches and loops, but no functions of its own.
/// In f64 GPUs have no `exp`, `log`, `pow` and no trigonometric functions.
///
/// Each algorithm fuses formulas into its kernels. [One pass](super::Algorithm::OnePass) computes each coefficient once,
/// [three launches](super::Algorithm::ThreeLaunch) twice, but once where a sequence is one slice. A few
/// more may be computed again on rare ways, and by threads without a row of their own. Where what comes out is not
/// finite, that is an input which is not (`Status::non_finite_input`).
///
/// # What it cannot do
///
/// A formula reads nothing but its vectors, and those not past their ends. It cannot see, or run into, names of the kernels around
/// it. Kernels of formulas that index arrays of their own by what is no constant, divide integers by such, or loop otherwise than
/// `for (var k = a; k < b; k++)` (or `k > b; k--`), are compiled with naga's checks of these. No check ends a loop that goes on for
/// years: devices are lost to those. Mesa's llvmpipe silently ends loops after 65535 rounds of a thread in all: on software drivers
/// the rounds are counted, and a solve in which a thread takes more than 60000 is an error
/// ([`Error::Unsupported`](crate::Error::Unsupported)).
///
/// ```
/// use trisolve::{Error, recurrence::Formulas};
///
/// let formulas = Formulas::new().s("exp(-0.5 * real(i)) * gain(i % 12u)").vector("gain");
/// formulas.check::<f32>()?;
/// let error = Formulas::new().t("let x = real(i);\nreturn x * y;").check::<f32>().unwrap_err();
/// assert!(matches!(error, Error::Formula { coefficient: "t", line: 2, column: 12, .. }), "{error}");
/// # Ok::<(), trisolve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Formulas {
    s: Option<String>,
    t: Option<String>,
    vectors: Vec<String>,
}

impl Formulas {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With s from a formula.
    pub fn s(self, wgsl: impl Into<String>) -> Self {
        Self { s: Some(wgsl.into()), ..self }
    }

    /// With t from a formula.
    pub fn t(self, wgsl: impl Into<String>) -> Self {
        Self { t: Some(wgsl.into()), ..self }
    }

    /// Formulas with s = 0 and the formula of s (`at` = 0) or t (`at` = 1) in the place of t. s is the formula "0.0", so no buffer
    /// is bound.
    pub(crate) fn only(&self, at: usize) -> Self {
        let formula = if at == 0 { &self.s } else { &self.t };
        Self { s: Some("0.0".into()), t: formula.clone(), vectors: self.vectors.clone() }
    }

    /// With a vector that both formulas may read. Of any length and laid out as they like; it is given to each solve
    /// or bind ([`Coefficient::Computed`](super::Coefficient::Computed)). A name is a letter, then letters,
    /// digits and `_`.
    pub fn vector(mut self, name: impl Into<String>) -> Self {
        self.vectors.push(name.into());
        self
    }

    /// Reads and checks the formulas as a plan of T would; needs no device.
    ///
    /// # Errors
    /// [`Error::Formula`](crate::Error::Formula) with the place; [`Error::Options`](crate::Error::Options) for vectors
    /// whose name is none, is WGSL's or is there twice, and for vectors without any formula.
    pub fn check<T: Real>(&self) -> Result<()> {
        Fused::new(self, T::PRECISION).map(drop)
    }
}
