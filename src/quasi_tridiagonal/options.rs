//! The caller's options.

use super::dominance::Dominance;
use super::policy::Policy;
use crate::cpu::check_tolerance;
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::plan::named;
use crate::precision::Precision;
use crate::real::Real;
use crate::tridiagonal;

/// The methods. All solve the same system; convergence and its speed depend on the matrix.
///
/// The first five split A = M + (A - M) and iterate x <- x + M^-1 (b - A x). This converges if the spectral radius of I - M^-1 A is below
/// 1: for any strictly diagonally dominant A (Li, Yang and Li 2016, lemmas 1 and 2). The others are Krylov methods, preconditioned from the
/// right, so their residuals are those of the system itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// [`Algorithm::Bhisa`] if every row is diagonally dominant, nearly all by a tenth ([`Dominance::is_strong`]), and no preconditioner is
    /// named; else [`Algorithm::Bicgstab`].
    #[default]
    Auto,
    /// M = T, the tridiagonal part: the hybrid iteration of Li, Yang and Li (2016), algorithm 1. Two passes over the rows per iteration:
    /// the partition of T reads the residual as it is computed. [`Options::tridiagonal`] names another solver of T.
    Hisa,
    /// M = the diagonal blocks of T (algorithm 3): a workgroup solves each block, and an iteration is one launch.
    Bhisa,
    /// M = the diagonal.
    Jacobi,
    /// M = the diagonal and the entries below it, after ordering the rows by colours; rows of one colour are independent.
    GaussSeidel,
    /// GMRES(m) of Saad and Schultz (1986), restarted after [`Options::restart`] iterations.
    Gmres,
    /// BiCG of Fletcher (1976). Multiplies by A^T too.
    Bicg,
    /// BiCGSTAB of van der Vorst (1992).
    Bicgstab,
    /// TFQMR of Freund (1993).
    Tfqmr,
    /// BiCRSTAB of Abe, Sogabe, Fujino and Zhang (2007): BiCGSTAB on conjugate residuals, whose shadow residual is
    /// multiplied by A^T once.
    Bicrstab,
}

named! {
    Algorithm, "algorithm";
    Auto = "auto",
    Hisa = "hisa",
    Bhisa = "bhisa",
    Jacobi = "jacobi",
    GaussSeidel = "gauss-seidel",
    Gmres = "gmres",
    Bicg = "bicg",
    Bicgstab = "bicgstab",
    Tfqmr = "tfqmr",
    Bicrstab = "bicrstab",
}

impl Algorithm {
    /// Whether it builds a Krylov space, and takes a preconditioner.
    pub fn is_krylov(self) -> bool {
        matches!(self, Self::Gmres | Self::Bicg | Self::Bicgstab | Self::Tfqmr | Self::Bicrstab)
    }

    /// Whether it multiplies by A^T.
    pub fn needs_transpose(self) -> bool {
        matches!(self, Self::Bicg | Self::Bicrstab)
    }
}

/// The preconditioner M of a Krylov method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Preconditioner {
    /// Nothing.
    None,
    /// The diagonal.
    Jacobi,
    /// T, the tridiagonal part.
    Tridiagonal,
}

named! {
    Preconditioner, "preconditioner";
    None = "none",
    Jacobi = "jacobi",
    Tridiagonal = "tridiagonal",
}

/// The quantity that the tolerance limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Stop {
    /// ||b - A x|| / ||b||.
    #[default]
    Residual,
    /// ||x' - x|| / ||x||, the step of an iteration, as in the paper (there it is not relative). For [`Algorithm::Hisa`],
    /// [`Algorithm::Bhisa`] and [`Algorithm::Jacobi`].
    Step,
}

named! {
    Stop, "stopping criterion";
    Residual = "residual",
    Step = "step",
}

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// The method.
    pub algorithm: Algorithm,
    /// For a Krylov method; default [`Preconditioner::Tridiagonal`].
    pub preconditioner: Option<Preconditioner>,
    /// The tolerance. Default: 1e-6 in f32 and 1e-7 in f64 and mixed, or the least residual that rounding allows,
    /// [`Outcome::Rounded`](super::Outcome::Rounded); in f32 this may be far larger if b is small beside the terms of A x
    /// ([`Report::rounding`](super::Report::rounding)). A given tolerance that is not reached is an error.
    pub tolerance: Option<f64>,
    /// The quantity that the tolerance limits.
    pub stop: Stop,
    /// Most iterations; default 1000.
    pub max_iterations: Option<u32>,
    /// Iterations after which [`Algorithm::Gmres`] restarts, up to [`MOST_RESTART`]; default 30.
    pub restart: Option<u32>,
    /// For an f64 system: iterate in f32 on the residual, which is computed in f64 (iterative refinement).
    pub mixed: bool,
    /// The solver of T, for [`Algorithm::Hisa`] and [`Preconditioner::Tridiagonal`], in dispatches of its own. By default the partition,
    /// which [`Algorithm::Hisa`] fuses with the rest of its iteration. A T that needs row exchanges takes
    /// [`Pivoting`](tridiagonal::Algorithm::Pivoting).
    pub tridiagonal: Option<tridiagonal::Algorithm>,
    /// How [`Algorithm::Hisa`] or [`Algorithm::Bhisa`] divides its work.
    pub policy: Option<Policy>,
    /// Ignore tuned policies ([`tuning`](crate::tuning)); use the default.
    pub untuned: bool,
}

/// The default of [`Options::tolerance`].
pub fn default_tolerance<T: Real>() -> f64 {
    if T::PRECISION == Precision::F32 { 1e-6 } else { 1e-7 }
}

/// The largest [`Options::restart`].
pub const MOST_RESTART: u32 = 100;
/// The largest [`Options::max_iterations`].
pub const MOST_ITERATIONS: u32 = 1 << 24;

impl Options {
    /// These options with another method.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// These options with a preconditioner.
    pub fn preconditioner(self, preconditioner: Preconditioner) -> Self {
        Self { preconditioner: Some(preconditioner), ..self }
    }

    /// These options with a tolerance.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    /// These options with another criterion.
    pub fn stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// These options with this limit of iterations.
    pub fn max_iterations(self, max_iterations: u32) -> Self {
        Self { max_iterations: Some(max_iterations), ..self }
    }

    /// These options with another restart of GMRES.
    pub fn restart(self, restart: u32) -> Self {
        Self { restart: Some(restart), ..self }
    }

    /// These options, iterating in f32.
    pub fn mixed(self) -> Self {
        Self { mixed: true, ..self }
    }

    /// These options without tuned policies.
    pub fn untuned(self) -> Self {
        Self { untuned: true, ..self }
    }

    /// These options with the caller's policy.
    pub fn policy(self, policy: impl Into<Policy>) -> Self {
        Self { policy: Some(policy.into()), ..self }
    }

    /// These options with another solver of T.
    pub fn tridiagonal(self, algorithm: tridiagonal::Algorithm) -> Self {
        Self { tridiagonal: Some(algorithm), ..self }
    }
}

impl Options {
    /// The methods to try in turn for a matrix, until one converges. [`Algorithm::Auto`] tries [`Algorithm::Bhisa`] ([`Algorithm::Hisa`]
    /// with a named solver of T) if the matrix is dominant, then BiCGSTAB with T as preconditioner, then GMRES with the diagonal or nothing; with a named preconditioner, BiCGSTAB,
    /// then GMRES. A named algorithm is the only one tried.
    pub fn in_turn<T: Real>(&self, matrix: &Csr<T>) -> Vec<Self> {
        if self.algorithm != Algorithm::Auto {
            return vec![*self];
        }
        let krylov = Self { policy: None, stop: Stop::Residual, ..*self };
        let of = |algorithm, preconditioner| {
            // The solver of T is of those that solve T.
            let tridiagonal = self.tridiagonal.filter(|_| preconditioner == Preconditioner::Tridiagonal);
            Self { tridiagonal, ..krylov.algorithm(algorithm).preconditioner(preconditioner) }
        };
        let bicgstab = |preconditioner| Self { restart: None, ..of(Algorithm::Bicgstab, preconditioner) };
        if let Some(named) = self.preconditioner {
            return vec![bicgstab(named), of(Algorithm::Gmres, named)];
        }
        let mut all = vec![
            bicgstab(Preconditioner::Tridiagonal),
            of(Algorithm::Gmres, Preconditioner::Jacobi),
            of(Algorithm::Gmres, Preconditioner::None),
        ];
        if Dominance::of(matrix).is_strong(matrix.rows()) {
            all.insert(0, Self { algorithm: self.of_dominant(), ..*self });
        }
        all
    }

    /// What [`Algorithm::Auto`] takes for dominant matrices: a named solver of T needs the method that solves all of T.
    fn of_dominant(&self) -> Algorithm {
        if self.tridiagonal.is_some() { Algorithm::Hisa } else { Algorithm::Bhisa }
    }
}

/// Options with all defaults filled in, checked for consistency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settled {
    pub untuned: bool,
    pub algorithm: Algorithm,
    pub preconditioner: Preconditioner,
    pub tolerance: f64,
    /// Whether the tolerance is the default one.
    pub by_default: bool,
    pub stop: Stop,
    pub max_iterations: u32,
    pub restart: u32,
    pub mixed: bool,
    pub tridiagonal: Option<tridiagonal::Algorithm>,
    pub policy: Option<Policy>,
}

impl Settled {
    /// Whether the method divides by entries of the diagonal.
    pub fn divides_by_diagonal(&self) -> bool {
        let divides = !self.algorithm.is_krylov() || self.preconditioner != Preconditioner::None;
        divides && self.tridiagonal != Some(tridiagonal::Algorithm::Pivoting)
    }
}

impl Options {
    /// The settled options for a matrix, dominant or not.
    pub(crate) fn settle<T: Real>(&self, dominant: bool) -> Result<Settled> {
        let refuse = |message: String| Err(Error::Options(message));
        let in_f32 = T::PRECISION == Precision::F32;
        let algorithm = match self.algorithm {
            Algorithm::Auto if dominant && self.preconditioner.is_none() => self.of_dominant(),
            Algorithm::Auto => Algorithm::Bicgstab,
            named => named,
        };
        let tolerance = self.tolerance.unwrap_or(default_tolerance::<T>());
        check_tolerance::<T>(tolerance)?;
        let max_iterations = self.max_iterations.unwrap_or(1000);
        if !(1..=MOST_ITERATIONS).contains(&max_iterations) {
            return refuse(format!("{max_iterations} iterations at the most: should be 1 to {MOST_ITERATIONS}"));
        }
        let restart = self.restart.unwrap_or(30);
        if !(1..=MOST_RESTART).contains(&restart) {
            return refuse(format!("a restart after {restart} iterations: should be 1 to {MOST_RESTART}"));
        }
        let auto = self.algorithm == Algorithm::Auto;
        if self.restart.is_some() && algorithm != Algorithm::Gmres && !auto {
            return refuse(format!("a restart is of gmres, not of {algorithm}"));
        }
        if self.mixed && in_f32 {
            return refuse("mixed iterates in f32 for a system in f64; this one is in f32".into());
        }
        if !algorithm.is_krylov() && !auto && self.preconditioner.is_some_and(|one| one != Preconditioner::None) {
            return refuse(format!(
                "{algorithm} is a splitting of its own and takes no preconditioner; gmres, bicg, bicgstab, tfqmr and bicrstab do"
            ));
        }
        let steps = matches!(algorithm, Algorithm::Hisa | Algorithm::Bhisa | Algorithm::Jacobi);
        if self.stop == Stop::Step && !steps {
            return refuse(format!("the step is a criterion of hisa, bhisa and jacobi, not of {algorithm}"));
        }
        if self.stop == Stop::Step && self.mixed {
            return refuse("the step is no criterion for mixed, which looks at the residual between its cycles".into());
        }
        if let Some(policy) = self.policy {
            if policy.algorithm() != algorithm {
                return refuse(format!("a policy of {} for {algorithm}", policy.algorithm()));
            }
            // A policy built by hand may hold any number.
            policy.with_values(&policy.values())?;
            if matches!(policy, Policy::Hisa(_)) && self.tridiagonal.is_some() {
                return refuse("a policy of hisa is for its own passes; a named solver of T takes others".into());
            }
        }
        let solves_t = match algorithm.is_krylov() {
            true => self.preconditioner.is_none_or(|one| one == Preconditioner::Tridiagonal),
            false => algorithm == Algorithm::Hisa,
        };
        if let (Some(solver), false, false) = (self.tridiagonal, solves_t, auto) {
            return refuse(format!("{solver} as the solver of T: {algorithm} solves no system with all of T"));
        }
        let preconditioner = match algorithm.is_krylov() {
            true => self.preconditioner.unwrap_or(Preconditioner::Tridiagonal),
            false => Preconditioner::None,
        };
        let Self { stop, mixed, tridiagonal, policy, untuned, .. } = *self;
        Ok(Settled {
            untuned,
            algorithm,
            preconditioner,
            tolerance,
            by_default: self.tolerance.is_none(),
            stop,
            max_iterations,
            restart,
            mixed,
            tridiagonal,
            policy,
        })
    }
}
