//! The caller's options.

use super::algorithms::{Algorithm, Policy};
use super::on_cpu;
use super::system::{System, kind_of};
use crate::check::Check;
use crate::error::{Error, Result};
use crate::gpu::{Gpu, LazyGpu};
use crate::place::Place;
use crate::plan::Shape;
use crate::precision::Precision;
use crate::real::Real;
use crate::tuning::{Crossover, Tables, least_crossover};

/// Contents of the diagonal's vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Diagonal {
    /// The diagonal itself.
    #[default]
    Value,
    /// The excess |diag| - |lower| - |upper| of each row (corners count as zeros); the diagonal is positive. If physics gives the excess
    /// (mass over time step, loss, a boundary's conductance), it holds digits that rounding the diagonal's sum would lose.
    Excess,
}

/// Contents of a matrix's vectors.
///
/// In a [periodic](Options::periodic) matrix the corners are entries too: `lower` of the first row stands in its last column, `upper` of
/// the last row in its first column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Structure {
    /// `lower[i]`, `diag[i]` and `upper[i]` are row i.
    #[default]
    General,
    /// The vectors hold the transpose of the matrix to solve: `upper[i-1]`, `diag[i]` and `lower[i+1]` are row i of the matrix to solve.
    /// Cannot be combined with a diagonal given as its excess.
    Transposed,
    /// `upper` also stands for `lower`: `upper[i-1]`, `diag[i]` and `upper[i]` are row i. `lower` is not read, so a solve moves a fifth
    /// fewer bytes. (No algorithm uses positive definiteness: rows are exchanged as in other matrices.)
    Symmetric,
}

/// The entries of a vector of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// One per row, laid out as the plan's [`Shape`] says.
    #[default]
    Each,
    /// One number, for all rows of all systems.
    Constant,
    /// Three numbers, for all systems: of the first row, of all inner rows, and of the last row. A system of one row uses the first.
    Ends,
    /// No vector: a [formula](super::Formulas) computes the entries. [`TridiagonalPlan::with_formulas`](super::TridiagonalPlan::with_formulas) sets
    /// this form.
    Computed,
}

impl Form {
    /// Entries of a vector for a shape, or None past `usize`.
    pub(crate) fn len(self, shape: &Shape) -> Option<usize> {
        match self {
            Self::Each => shape.matrix_len(),
            Self::Constant => Some(1),
            Self::Ends => Some(3),
            Self::Computed => Some(0),
        }
    }

    /// The place of the entry of a row.
    pub(crate) fn place(self, shape: &Shape, system: usize, row: usize) -> usize {
        match self {
            Self::Each => shape.matrix_index(system, row),
            Self::Constant | Self::Computed => 0,
            Self::Ends => kind_of(row, shape.n),
        }
    }
}

/// The forms of `lower`, `diag` (or the excess) and `upper`, in any combination. Each pass over the rows reads 4 bytes per row (f32) for each vector of
/// [`Form::Each`], and none for the others: with three of them a matrix costs no bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Forms {
    /// Of the entries left of the diagonal.
    pub lower: Form,
    /// Of the diagonal, or its excess.
    pub diag: Form,
    /// Of the entries right of the diagonal.
    pub upper: Form,
}

impl Forms {
    /// One matrix for all systems: each vector holds the entries of the first row, of all inner rows, and of the last row (a Toeplitz
    /// matrix with free first and last rows).
    pub const ENDS: Self = Self { lower: Form::Ends, diag: Form::Ends, upper: Form::Ends };
    /// One number per diagonal, for all systems: a Toeplitz matrix.
    pub const CONSTANT: Self = Self { lower: Form::Constant, diag: Form::Constant, upper: Form::Constant };

    /// By vector.
    pub(crate) fn named(&self) -> [(&'static str, Form); 3] {
        [("lower", self.lower), ("diag", self.diag), ("upper", self.upper)]
    }

    /// The forms that a structure reads: in a symmetric matrix, `upper` stands for `lower`.
    pub(crate) fn read(&self, structure: Structure) -> Vec<Form> {
        let lower = (structure != Structure::Symmetric).then_some(self.lower);
        lower.into_iter().chain([self.diag, self.upper]).collect()
    }
}

/// Meaning of a matrix's vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MatrixForm {
    pub diagonal: Diagonal,
    pub structure: Structure,
    pub forms: Forms,
    pub periodic: bool,
}

impl MatrixForm {
    /// # Errors
    /// [`Error::Options`] for options that exclude each other.
    pub fn check(&self, shape: &Shape) -> Result<()> {
        if self.diagonal == Diagonal::Excess && self.structure == Structure::Transposed {
            return Err(Error::Options(
                "an excess is that of the rows that are solved, which in Structure::Transposed are the columns of those given: \
                 give the diagonal's values, or exchange lower and upper yourself"
                    .into(),
            ));
        }
        if self.periodic && shape.n < 2 {
            return Err(Error::Options(
                "a periodic system has at least 2 rows: of a single one both corners are its diagonal".into(),
            ));
        }
        Ok(())
    }
}

impl MatrixForm {
    /// The forms of the vectors that are bound: `upper` stands for a symmetric matrix's `lower`.
    pub fn bound(&self) -> Forms {
        match self.structure {
            Structure::Symmetric => Forms { lower: self.forms.upper, ..self.forms },
            _ => self.forms,
        }
    }
}

impl std::fmt::Display for MatrixForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { diagonal, structure, forms, periodic } = self;
        write!(f, "Diagonal::{diagonal:?}, Structure::{structure:?}")?;
        for (vector, form) in forms.named().into_iter().filter(|(_, form)| *form != Form::Each) {
            write!(f, ", {vector} of Form::{form:?}")?;
        }
        if *periodic { write!(f, ", periodic") } else { Ok(()) }
    }
}

/// The preference of [`Algorithm::Pivoting`], [`Algorithm::Auto`] and [`Algorithm::Tpr`].
///
/// A pivoting partition, for example eight rows, may be singular although the matrix is not; this is common with small integers. Then x is
/// lost: recorded solves report [`Error::SingularPartition`](crate::Error::SingularPartition), and host solves return the CPU's answer.
///
/// In TPR, larger slices reduce more rows by rows of their own neighbourhood, and leave fewer rows to the overall reduction (section 5.2 of
/// the paper). Rows here carry their dominance: for diagonally dominant matrices both choices are equally accurate; for others `Stable` may
/// help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Stability {
    /// The fastest kernels.
    #[default]
    Fastest,
    /// Pivoting perturbs the rows of a singular partition by half of their digits. x then keeps half of its digits; refinement restores the
    /// others ([`Options::refinements`]).
    ///
    /// TPR uses large slices: 2048 rows, as in the paper (if systems lie closer than rows, 8 systems share these rows); a policy may have
    /// larger ones, and divide them among threads in any way.
    Stable,
}

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Contents of the diagonal's vector.
    pub diagonal: Diagonal,
    /// Contents of the matrix's vectors.
    pub structure: Structure,
    /// Entries of each vector of the matrix.
    pub forms: Forms,
    /// The matrix is periodic (cyclic): `lower` of the first row couples it to the last unknown, `upper` of the last row couples it to the
    /// first. At least two rows.
    ///
    /// [`Algorithm::Pivoting`] solves the periodic matrix directly, and moves no more bytes than for a tridiagonal matrix.
    /// [`Algorithm::Auto`] pivots, for dominant rows too. Exceptions: an excess, a promise of dominance, and dominant matrices that are
    /// [factored](super::TridiagonalPlan::factor). These, and all other algorithms, solve a tridiagonal matrix and a correction of rank one
    /// (Sherman and Morrison): twice the matrices' bytes, and scratch of the size of a vector of the matrix. The correction loses as many
    /// digits as the condition number has. If rows are not dominant, the tridiagonal matrix of the correction may be singular, or far
    /// worse conditioned, although the periodic matrix is not (for example a cyclic shift). Then a host solve returns an error, and a
    /// recorded one reports a result that is not finite.
    pub periodic: bool,
    /// A promise, for [`Algorithm::Auto`]: in each row |diag| >= |lower| + |upper|, to within four units of roundoff. The plan then has no
    /// dispatches that exchange rows: short solves become shorter. If the promise is false, the solve returns [`Error::NotDominant`]. For a
    /// periodic matrix the promise is about the tridiagonal matrix of the correction, which is dominant if the periodic one is.
    pub dominant: bool,
    /// Steps of iterative refinement after each solve, recorded with it; 16 at the most. Each computes the residual, in f64 if the device
    /// has it, and solves for the correction. They need the right-hand side: x may not replace it.
    ///
    /// For dominant matrices with a large condition number, do not refine: algorithms that carry the dominance are accurate to a few units
    /// of roundoff, but a residual loses the digits that the condition number costs, in its own precision.
    pub refinements: u32,
    /// Binds will be in place: x overwrites rhs, or shares a buffer with inputs. The plan then compiles the kernels of such binds. Any plan can be
    /// bound in either way, but compiles again for the other.
    pub in_place: bool,
    /// The preference of pivoting, auto and TPR; the others ignore it.
    pub stability: Stability,
    /// Replaces the tuned or default policy of the algorithm. A policy of another algorithm is rejected.
    pub policy: Option<Policy>,
    /// Use the default policy and ignore tuned ones: the same dispatches, and so the same bits, on every device of one kind.
    pub untuned: bool,
    /// Which host solves check their answers: [`TridiagonalPlan::solve`](super::TridiagonalPlan::solve) states the costs and the guarantees.
    pub check: Check,
    /// Where host solves run. [`Place::Fastest`] takes the device for a named algorithm, a policy or refinements, and [`Place::Cpu`] is
    /// refused with them. The CPU needs no refinements: it judges each answer, and replaces poor ones.
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

    /// These options without tuned policies.
    pub fn untuned(self) -> Self {
        Self { untuned: true, ..self }
    }

    /// These options with another preference of pivoting, auto and TPR.
    pub fn stability(self, stability: Stability) -> Self {
        Self { stability, ..self }
    }

    /// These options with another meaning of the diagonal's vector.
    pub fn diagonal(self, diagonal: Diagonal) -> Self {
        Self { diagonal, ..self }
    }

    /// These options with another meaning of the matrix's vectors.
    pub fn structure(self, structure: Structure) -> Self {
        Self { structure, ..self }
    }

    /// These options with other forms of the matrix's vectors.
    pub fn forms(self, forms: Forms) -> Self {
        Self { forms, ..self }
    }

    /// These options for periodic matrices.
    #[doc(alias = "cyclic")]
    pub fn periodic(self) -> Self {
        Self { periodic: true, ..self }
    }

    /// These options with the promise that matrices are diagonally dominant.
    pub fn dominant(self) -> Self {
        Self { dominant: true, ..self }
    }

    /// These options with another place of host solves.
    pub fn place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// These options with this number of refinement steps.
    pub fn refinements(self, refinements: u32) -> Self {
        Self { refinements, ..self }
    }

    /// These options for binds in place.
    pub fn in_place(self) -> Self {
        Self { in_place: true, ..self }
    }

    /// These options with another choice of the host solves that check their answers.
    pub fn check(self, check: Check) -> Self {
        Self { check, ..self }
    }

    /// These options with the diagonal, structure, forms and periodicity of this system.
    pub fn matching<T>(self, system: &System<'_, T>) -> Self {
        let System { kind, structure, forms, periodic, .. } = *system;
        Self { diagonal: kind, structure, forms, periodic, ..self }
    }

    /// Where host solves of a shape run: [`Place::Device`], or [`Place::Cpu`]. Opens the device only if the answer depends on it: not for
    /// fewer rows than the crossover of every adapter that was tuned on this machine. If it cannot be opened, [`Place::Fastest`] is the CPU.
    ///
    /// # Errors
    /// [`Error::Options`] as [`Place`]; [`Error::UnknownAdapter`].
    pub fn place_of<T: Real>(&self, gpu: &LazyGpu, shape: &Shape) -> Result<Place> {
        let of = |gpu: Option<&Gpu>| {
            self.is_on_cpu(gpu, T::PRECISION, shape).map(|is_cpu| if is_cpu { Place::Cpu } else { Place::Device })
        };
        let place = of(gpu.opened())?;
        match (self.place, place) {
            (Place::Fastest, Place::Device) if self.device_only().is_none() => match gpu.get() {
                Ok(gpu) => of(Some(gpu)),
                Err(error @ Error::UnknownAdapter { .. }) => Err(error),
                Err(_) => Ok(Place::Cpu),
            },
            _ => Ok(place),
        }
    }

    /// An option that only the device follows.
    fn device_only(&self) -> Option<String> {
        let Self { algorithm, policy, refinements, .. } = *self;
        match (algorithm, policy, refinements) {
            (Algorithm::Auto, None, 0) => None,
            (Algorithm::Auto, None, _) => Some("refinements".into()),
            (Algorithm::Auto, Some(_), _) => Some("a policy".into()),
            _ => Some(format!("the algorithm {algorithm}")),
        }
    }

    /// Whether host solves run on the CPU. Without a device: whether they do on every adapter that was tuned on this machine.
    ///
    /// # Errors
    /// [`Error::Options`] as [`Place`].
    pub(super) fn is_on_cpu(&self, gpu: Option<&Gpu>, precision: Precision, shape: &Shape) -> Result<bool> {
        let rows = shape.n.saturating_mul(shape.problems()) as u64;
        let family = if on_cpu::is_system_per_lane(shape) { Crossover::BATCH } else { Crossover::SINGLE };
        self.place.is_cpu(self.device_only(), || match gpu {
            // Reads the tables also for a software adapter: that warns of a tuning file of another adapter.
            Some(gpu) => rows < Tables::of(gpu.info()).crossover(family, precision) || gpu.capabilities().software,
            None => rows < least_crossover(family, precision),
        })
    }

    pub(crate) fn matrix(&self) -> MatrixForm {
        let Self { diagonal, structure, forms, periodic, .. } = *self;
        MatrixForm { diagonal, structure, forms, periodic }
    }
}
