//! Coefficients that the kernels compute by the caller's formulas.

use super::kernels;
use super::programs::Program;
use super::system::{Computed, Constants};
use crate::error::{Error, Result};
use crate::formulas::{Dialect, Fused, Source, SourceKind};
use crate::plan::Slot;
use crate::precision::Precision;
use crate::real::Real;
use crate::shader::Permutation;

static DIALECT: Dialect =
    Dialect { computable: &["s", "t"], inputs: 3, parameters: |_| &["i", "sequence", "n", "sequences"] };

/// WGSL for s, for t or for both, with the vectors that it reads. The solve computes the coefficients and never stores them in memory.
///
/// A formula is one WGSL expression or, if it contains the word `return`, the body of a function. It can use
///
/// | name | is |
/// | --- | --- |
/// | `i` | the row within its sequence, from 0, in the order in which rows lie (u32) |
/// | `n` | rows of a sequence (u32) |
/// | `sequence`, `sequences` | which sequence, of how many (u32) |
/// | `real` | the type computed in: f32, or f64 in a plan of f64 |
/// | `gain(k)` | entry k (u32) of a [vector](Formulas::vector) that is called `gain`; past its end, the last |
///
/// and WGSL's own functions. Its result must be one `real`: `real(i)` converts a number; literals convert (`0.5`, `real(0.5)`) if they
/// stand next to a `real`. `let half = 0.5;` is an f32 in WGSL, so write `let half = real(0.5);` if the formula should also work in f64. A
/// formula may have variables, branches and loops, but no functions of its own. In f64, GPUs have no `exp`, `log`, `pow` and no
/// trigonometric functions.
///
/// Each algorithm fuses formulas into its kernels. [One pass](super::Algorithm::OnePass) computes each coefficient once, [three
/// launches](super::Algorithm::ThreeLaunch) twice, or once if a sequence is one slice. Rare code paths, and threads without a row, compute
/// a few more. A result that is not finite counts as an input that is not finite (`Status::non_finite_input`).
///
/// # What it cannot do
///
/// A formula reads only its vectors, and never past their ends. It cannot use or conflict with names of the kernels. naga's checks are
/// compiled into kernels with formulas that index their own arrays by a variable, divide integers by a variable, or loop in other forms
/// than `for (var k = a; k < b; k++)` (or `k > b; k--`). No check ends a loop that runs for years: such loops lose the device. Mesa's
/// llvmpipe silently ends loops once the lanes of a subgroup have taken 65535 rounds in total. On software drivers each thread therefore counts its
/// rounds over all its rows. If it takes too many, a host solve returns [`Error::Unsupported`](crate::Error::Unsupported); a recorded solve sets
/// [`Status::non_finite_input`](super::Status::non_finite_input). A thread has 22 000 rounds if all threads take
/// the same rounds at the same time: in loops outside of branches, such as `for (var k = 0u; k < 64u; k++)`, with numbers or `n` for their
/// ends, and without `break`, `continue` and `return`. Other loops share 44 000 rounds among the lanes of a subgroup (5500 each of 8 lanes).
/// Formulas with loops of both kinds have half of each. Each loop also costs one round per row, and one per round of each loop around it.
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

    /// Formulas with s = 0, and with the formula of s (`at` = 0) or t (`at` = 1) as t. s is the formula "0.0", so no buffer is bound.
    pub(crate) fn only(&self, at: usize) -> Self {
        let formula = if at == 0 { &self.s } else { &self.t };
        Self { s: Some("0.0".into()), t: formula.clone(), vectors: self.vectors.clone() }
    }

    /// With a vector that both formulas may read, of any length and layout; each solve or bind gets it
    /// ([`Coefficient::Computed`](super::Coefficient::Computed)). A name is a letter, then letters, digits and `_`.
    pub fn vector(mut self, name: impl Into<String>) -> Self {
        self.vectors.push(name.into());
        self
    }

    /// Reads and checks the formulas as a plan of T would; needs no device.
    ///
    /// # Errors
    /// [`Error::Formula`](crate::Error::Formula) with the place; [`Error::Options`](crate::Error::Options) for a vector whose name is
    /// illegal, WGSL's own or a duplicate, and for vectors without any formula.
    pub fn check<T: Real>(&self) -> Result<()> {
        self.fused(T::PRECISION).map(drop)
    }

    /// Read and checked.
    pub(crate) fn fused(&self, precision: Precision) -> Result<Fused> {
        let vector = |name: &String| Source { name: name.clone(), kind: SourceKind::Vector };
        let vectors: Vec<_> = self.vectors.iter().map(vector).collect();
        Fused::new(&DIALECT, &[self.s.as_ref(), self.t.as_ref()], &vectors, precision)
    }
}

/// The constants without the computed coefficients, which are no vectors either.
pub(crate) fn without_vectors(fused: &Fused, given: Constants) -> Constants {
    Constants { s: given.s || fused.computes(0), t: given.t || fused.computes(1), ..given }
}

/// The computed coefficients, for messages.
pub(crate) fn computed_names(fused: &Fused) -> &'static str {
    match [fused.computes(0), fused.computes(1)] {
        [true, true] => "s or t",
        [true, false] => "s",
        _ => "t",
    }
}

/// A kernel with formulas, if it reads vectors.
pub(crate) fn permutation(fused: &Fused, plain: Permutation) -> Permutation {
    let mut parts = plain.parts.clone();
    let mut calls = false;
    let replaced = [
        ([kernels::S_SCALAR, kernels::S_VECTOR, kernels::S_UNITS], kernels::S_COMPUTED),
        ([kernels::T_SCALAR, kernels::T_VECTOR, kernels::T_UNITS], kernels::T_COMPUTED),
    ];
    for (_, (given, computed)) in replaced.into_iter().enumerate().filter(|(at, _)| fused.computes(*at)) {
        for part in parts.iter_mut().filter(|part| given.contains(*part)) {
            *part = computed;
            calls = true;
        }
    }
    if !calls {
        return plain;
    }
    for part in parts.iter_mut().filter(|part| [kernels::ROWS_SCALAR, kernels::ROWS_VECTOR].contains(*part)) {
        *part = kernels::ROWS_COMPUTED;
    }
    Permutation { parts, caller: Some(fused.code(plain.writable_inputs)), ..plain }
}

/// The dispatches with formulas in place of vectors.
pub(crate) fn program(fused: &Fused, plain: Program) -> Program {
    let has_rows = |slot: &Slot| matches!(slot, Slot::Inputs | Slot::Input(0 | 1));
    let reads = plain.steps.iter().filter(|step| step.slots.iter().any(has_rows)).count();
    let mut program = fused.program(plain);
    program.values_per_row -= (fused.computed().count() * reads) as f64;
    program
}

/// The value given for each vector, in order; `given` has the vectors of each input that the caller marks as computed.
///
/// # Errors
/// [`Error::Options`] if the plan computes other inputs, or with other vectors.
pub(crate) fn matched<V: Copy>(fused: &Fused, given: Computed<'_, V>) -> Result<Vec<V>> {
    for (at, (input, vectors)) in given.iter().enumerate() {
        let refused = match (vectors.is_some(), fused.computes(at)) {
            (true, false) if at >= DIALECT.computable.len() => {
                format!("{input} cannot be computed: give a constant, or one for each sequence")
            }
            (true, false) => format!(
                "{input} is to be computed, but the plan has no formula of it: make it with RecurrencePlan::with_formulas"
            ),
            (false, true) => format!("the plan computes {input}: give it as Computed"),
            _ => continue,
        };
        return Err(Error::Options(refused));
    }
    let all: Vec<_> = given.iter().filter_map(|given| given.1).flatten().copied().collect();
    fused.matched(&all, "once, with s or with t, serves both")
}
