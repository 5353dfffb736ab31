//! Coefficients and right-hand sides that the kernels compute by the caller's formulas.

use super::kernels::parts::{COMPUTED, GIVEN};
use super::options::{Form, Forms, Options, Structure};
use crate::error::{Error, Result};
use crate::formulas::{Dialect, Fused, Source, SourceKind};
use crate::precision::Precision;
use crate::real::Real;
use crate::shader::Permutation;

/// The inputs of a system, by number.
pub(super) const INPUTS: [&str; 4] = ["lower", "diag", "upper", "rhs"];
/// The number of the right-hand side.
pub(super) const RHS: usize = 3;

static DIALECT: Dialect = Dialect {
    computable: &INPUTS,
    inputs: INPUTS.len(),
    parameters: |input| match input {
        RHS => &["i", "system", "n", "systems", "column"],
        _ => &["i", "system", "n", "systems"],
    },
};

/// WGSL for `lower`, `diag` (or the excess), `upper` and `rhs`, or for some of them, with the vectors that it reads. The solve computes them
/// and never stores them in memory: what is computed moves no bytes.
///
/// A formula is one WGSL expression or, if it contains the word `return`, the body of a function. It can use
///
/// | name | is |
/// | --- | --- |
/// | `i` | the row within its system, from 0 (u32) |
/// | `n` | rows of a system (u32) |
/// | `system`, `systems` | which system, of how many (u32) |
/// | `column` | in a formula of `rhs`: which right-hand side of the system, from 0 (u32) |
/// | `real` | the type computed in: f32, or f64 in a plan of f64 |
/// | `depth(k)` | entry k (u32) of a [vector](Formulas::vector) that is called `depth`; past its end, the last |
/// | `image(x, y, c)` | channel c of a texel of a [texture](Formulas::texture) that is called `image` |
///
/// and WGSL's own functions. All that [formulas of recurrences](crate::recurrence::Formulas) may do, and may not, holds here too, with one
/// exception: on software drivers, formulas with loops are refused, since these drivers silently end long loops.
///
/// The diagonal is the [excess](super::Diagonal::Excess) where the options say so. A [transposed](super::Structure::Transposed) or
/// [symmetric](super::Structure::Symmetric) matrix has formulas of what its vectors would hold. Corners that do not count may be any
/// numbers.
///
/// Each pass over the rows evaluates each formula about once per row and right-hand side, and a few times more for rows at the ends of slices;
/// that of `upper` twice in a symmetric matrix. A solve takes one to three passes.
///
/// ```
/// use trisolve::{Error, tridiagonal::Formulas};
///
/// // Diffusion between cells of different conductance, an implicit step long.
/// let formulas = Formulas::new()
///     .lower("-0.5 * (conductance(i) + conductance(max(i, 1u) - 1u))")
///     .upper("-0.5 * (conductance(i) + conductance(i + 1u))")
///     .vector("conductance");
/// formulas.check::<f32>()?;
/// let error = Formulas::new().diag("real(column)").check::<f32>().unwrap_err();
/// assert!(matches!(error, Error::Formula { coefficient: "diag", line: 1, column: 6, .. }), "{error}");
/// # Ok::<(), trisolve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Formulas {
    texts: [Option<String>; 4],
    sources: Vec<Source>,
}

impl Formulas {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn with(mut self, input: usize, wgsl: String) -> Self {
        self.texts[input] = Some(wgsl);
        self
    }

    /// With the entries left of the diagonal from a formula.
    pub fn lower(self, wgsl: impl Into<String>) -> Self {
        self.with(0, wgsl.into())
    }

    /// With the diagonal, or its excess, from a formula.
    pub fn diag(self, wgsl: impl Into<String>) -> Self {
        self.with(1, wgsl.into())
    }

    /// With the entries right of the diagonal from a formula.
    pub fn upper(self, wgsl: impl Into<String>) -> Self {
        self.with(2, wgsl.into())
    }

    /// With the right-hand side from a formula.
    pub fn rhs(self, wgsl: impl Into<String>) -> Self {
        self.with(RHS, wgsl.into())
    }

    /// With a vector that all formulas may read, of any length and layout; each bind gets it
    /// ([`TridiagonalPlan::bind_named`](super::TridiagonalPlan::bind_named)). A name is a letter, then letters, digits and `_`.
    pub fn vector(mut self, name: impl Into<String>) -> Self {
        self.sources.push(Source { name: name.into(), kind: SourceKind::Vector });
        self
    }

    /// With a texture of two dimensions that all formulas may read: `name(x, y, c)` is channel c (0 to 3) of its texel in column x and row y
    /// of the view's first level; past an edge, of the nearest texel. With [`Shape::pixels`](super::Shape::pixels) along rows, pixel (x, y) is row
    /// `i = x` of system y, and `column` is its channel: its right-hand side is `image(i, system, column)`. Along columns it is
    /// `image(system, i, column)`.
    pub fn texture(mut self, name: impl Into<String>) -> Self {
        self.sources.push(Source { name: name.into(), kind: SourceKind::Texture });
        self
    }

    /// Reads and checks the formulas as a plan of T would; needs no device.
    ///
    /// # Errors
    /// [`Error::Formula`] with the place; [`Error::Options`] for a vector whose name is illegal, WGSL's own, a duplicate or that of an
    /// input (`lower`, `diag`, `upper`, `rhs`), and for vectors and textures without any formula. Names of textures obey the same rules.
    pub fn check<T: Real>(&self) -> Result<()> {
        self.fused(T::PRECISION).map(drop)
    }

    /// Read and checked.
    pub(crate) fn fused(&self, precision: Precision) -> Result<Fused> {
        let mut names = self.sources.iter().map(|source| &source.name);
        if let Some(taken) = names.find(|name| INPUTS.contains(&name.as_str())) {
            return Err(Error::Options(format!(
                "nothing that formulas read can be called {taken:?}: `bind_named` uses this name for an input of the system"
            )));
        }
        Fused::new(&DIALECT, &self.texts.each_ref().map(Option::as_ref), &self.sources, precision)
    }

    /// Those of a matrix of this structure. Kernels contain the reads of `lower` where `upper` stands for it: then no vector may be left.
    pub(super) fn of(&self, structure: Structure) -> Self {
        let [lower, diag, upper, rhs] = self.texts.clone();
        let lower = if structure == Structure::Symmetric && upper.is_some() { Some("0.0".into()) } else { lower };
        Self { texts: [lower, diag, upper, rhs], sources: self.sources.clone() }
    }

    /// The options with these coefficients computed.
    ///
    /// # Errors
    /// [`Error::Options`] if the options have another form of a computed coefficient, or do not read it.
    pub(super) fn options(&self, options: Options) -> Result<Options> {
        let Forms { lower, diag, upper } = options.forms;
        if options.structure == Structure::Symmetric && self.texts[0].is_some() {
            let message = "`lower` needs no formula: a symmetric matrix reads `upper` for it".into();
            return Err(Error::Options(message));
        }
        let form = |at: usize, given: Form| match (&self.texts[at], given) {
            (None, given) => Ok(given),
            (Some(_), Form::Each | Form::Computed) => Ok(Form::Computed),
            (Some(_), given) => Err(Error::Options(format!(
                "{} has a formula, and Form::{given:?}: only one of them can be",
                INPUTS[at]
            ))),
        };
        let forms = Forms { lower: form(0, lower)?, diag: form(1, diag)?, upper: form(2, upper)? };
        Ok(Options { forms, ..options })
    }
}

/// No formulas.
pub(super) fn none() -> Fused {
    Fused::none(&DIALECT)
}

/// A kernel with formulas, if it reads rows of the caller's.
pub(crate) fn permutation(fused: &Fused, plain: Permutation) -> Permutation {
    let computed: Vec<_> =
        (0..INPUTS.len()).filter(|&input| fused.computes(input)).map(|input| COMPUTED[input]).collect();
    if computed.is_empty() || !plain.parts.contains(&GIVEN) {
        return plain;
    }
    let parts = [&plain.parts[..], &computed].concat();
    Permutation { parts, caller: Some(fused.code(plain.writable_inputs)), ..plain }
}
