//! Combinations of options that `trisolve solve` refuses.

use trisolve::tridiagonal::Algorithm;

use super::arguments::{AnyAlgorithm, Arguments, DiagonalName};
use crate::options::first_given;
use crate::stability::{NO_STABILITY, has_stability};
use crate::{Failure, StabilityName};

impl Arguments {
    /// Refuses options that exclude each other for every matrix.
    pub fn check(&self) -> Result<(), Failure> {
        let named = (self.algorithm != AnyAlgorithm::Auto).then(|| format!("--algorithm {}", self.algorithm));
        let policy = self.policy.as_ref().map(|policy| format!("--policy {policy}"));
        let factored = self.factored.then(|| "--factored".into());
        self.place.check(named.or(policy).or(factored).as_deref())?;
        let has_stability = match self.algorithm {
            AnyAlgorithm::Auto => true,
            AnyAlgorithm::Tridiagonal(algorithm) => has_stability(algorithm),
            _ => false,
        };
        if self.stability.is_some() && !has_stability {
            return Err(Failure::Input(NO_STABILITY.into()));
        }
        if let Some(text) = &self.policy {
            let is_tpr = self.algorithm == AnyAlgorithm::Tridiagonal(Algorithm::Tpr);
            if is_tpr && self.stability == Some(StabilityName::Stable) {
                return Err(Failure::Input(format!(
                    "--policy {text}: excludes --stability stable; leave one of them out"
                )));
            }
        }
        if let (true, AnyAlgorithm::Quasi(named)) = (self.cyclic, self.algorithm) {
            return Err(Failure::Input(format!(
                "--cyclic applies to systems that are solved directly, but {named} iterates; leave one of them out"
            )));
        }
        Ok(())
    }

    /// Refuses the options of iterative methods for a matrix that is solved directly.
    pub fn refuse_iteration(&self, structure: &str) -> Result<(), Failure> {
        match self.iteration.given() {
            None => Ok(()),
            Some(option) => Err(Failure::Input(format!(
                "{option} applies to systems that are solved by iteration, but {} is {structure} and solved directly; to iterate, \
                 use --algorithm hisa or bicgstab, for example",
                self.matrix.display()
            ))),
        }
    }

    /// Refuses the options of the direct solve for a matrix that is solved otherwise.
    pub fn refuse_direct_options(&self, structure: &str) -> Result<(), Failure> {
        let stability = self.stability.is_some();
        match first_given([(self.transpose, "--transpose"), (self.factored, "--factored"), (stability, "--stability")])
        {
            None => Ok(()),
            Some(option) => Err(Failure::Input(format!(
                "{option} applies to tridiagonal systems here, but {} is {structure}",
                self.matrix.display()
            ))),
        }
    }

    /// Refuses the options of tridiagonal systems for a triangular matrix.
    pub fn refuse_tridiagonal_options(&self) -> Result<(), Failure> {
        let is_excess = self.diagonal == DiagonalName::Excess;
        match first_given([(self.policy.is_some(), "--policy"), (is_excess, "--diagonal excess")]) {
            None => Ok(()),
            Some(option) => {
                Err(Failure::Input(format!("{option} applies to tridiagonal systems, but the matrix is triangular")))
            }
        }
    }
}
