//! Combinations of options that `trisolve solve` refuses.

use trisolve::tridiagonal::Algorithm;

use super::arguments::{AnyAlgorithm, Arguments, DiagonalName};
use crate::options::first_given;
use crate::or_cpu::OrCpu;
use crate::stability::{NO_STABILITY, has_stability};
use crate::{Failure, StabilityName};

impl Arguments {
    /// Refuses options that exclude each other for every matrix.
    pub fn check(&self) -> Result<(), Failure> {
        self.algorithm.check_device(self.device.as_deref())?;
        let has_stability = match self.algorithm {
            OrCpu::Gpu(AnyAlgorithm::Auto) => true,
            OrCpu::Gpu(AnyAlgorithm::Tridiagonal(algorithm)) => has_stability(algorithm),
            _ => false,
        };
        if self.stability.is_some() && !has_stability {
            return Err(Failure::Input(NO_STABILITY.into()));
        }
        if let Some(text) = &self.policy {
            let other = match (self.algorithm, self.stability) {
                (OrCpu::Cpu, _) => Some("--algorithm cpu"),
                (OrCpu::Gpu(AnyAlgorithm::Tridiagonal(Algorithm::Tpr)), Some(StabilityName::Stable)) => {
                    Some("--stability stable")
                }
                _ => None,
            };
            if let Some(other) = other {
                return Err(Failure::Input(format!("--policy {text}: excludes {other}; leave one of them out")));
            }
        }
        if let (true, OrCpu::Gpu(AnyAlgorithm::Quasi(named))) = (self.cyclic, self.algorithm) {
            return Err(Failure::Input(format!(
                "--cyclic applies to systems that are solved directly, but {named} iterates; leave one of them out"
            )));
        }
        if self.factored && self.algorithm == OrCpu::Cpu {
            return Err(Failure::Input(
                "--factored needs a device, but --algorithm cpu uses none; leave one of them out".into(),
            ));
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
