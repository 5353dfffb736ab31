//! The options of `trisolve bench quasi`.

use clap::ValueEnum;
use trisolve::quasi_tridiagonal::{Algorithm, Options, Policy, Preconditioner};
use trisolve::tridiagonal;

use super::super::session::Measuring;
use crate::Failure;
use crate::plot_file::PlotPath;
use crate::size::size;
use crate::systems::SystemArguments;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    pub measuring: Measuring,
    #[command(flatten)]
    pub systems: SystemArguments,
    /// auto, hisa, bhisa, jacobi, gauss-seidel, gmres, bicg, bicgstab, tfqmr or bicrstab
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    pub algorithm: Vec<Algorithm>,
    /// For Krylov methods: none, jacobi or tridiagonal
    #[arg(long, value_delimiter = ',', default_value = "tridiagonal")]
    pub preconditioner: Vec<Preconditioner>,
    /// Precision of the solve: f32, f64, or mixed for f32 within f64; several values sweep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "f32")]
    pub precision: Vec<ModeName>,
    /// Relative residual to reach (default: 1e-6 in f32, 1e-7 in f64)
    #[arg(long)]
    pub tolerance: Option<f64>,
    /// Largest number of iterations
    #[arg(long, default_value_t = 1000)]
    pub max_iterations: u32,
    /// Iterations after which gmres restarts
    #[arg(long, default_value_t = 5)]
    pub restart: u32,
    /// Also run a direct sparse LU in f64 on one core of the CPU (rsparse, after CSparse), for systems up to this many rows
    #[arg(long, value_parser = size)]
    pub lu: Option<usize>,
    /// Draw the residuals over the iterations, as .svg or .png; one panel per system
    #[arg(long)]
    pub plot: Option<PlotPath>,
    /// The solver of the tridiagonal part, in hisa and the preconditioner tridiagonal, as pivoting (default: partition)
    #[arg(long)]
    pub tridiagonal: Option<tridiagonal::Algorithm>,
    /// A policy of bhisa, as block=512,rows=4, or of hisa, as workgroup=128,rows=8. Repeat the option to sweep
    #[arg(long)]
    pub policy: Vec<String>,
}

/// The precision of a solve.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeName {
    F32,
    F64,
    Mixed,
}

impl ModeName {
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Mixed => "mixed",
        }
    }
}

/// A method: its options and its precision.
#[derive(Clone, Copy)]
pub struct Method {
    pub options: Options,
    pub mode: ModeName,
}

/// Whether a method solves systems with T.
fn solves_t(algorithm: Algorithm, preconditioner: Preconditioner) -> bool {
    algorithm == Algorithm::Hisa || (algorithm.is_krylov() && preconditioner == Preconditioner::Tridiagonal)
}

impl Arguments {
    /// All combinations of the options.
    pub fn methods(&self) -> Result<Vec<Method>, Failure> {
        let mut all = vec![];
        for &algorithm in &self.algorithm {
            let preconditioners =
                if algorithm.is_krylov() { &self.preconditioner[..] } else { &[Preconditioner::None] };
            let policies: Vec<_> = match (algorithm, &self.policy[..]) {
                (Algorithm::Bhisa | Algorithm::Hisa, [_, ..]) => {
                    self.policy.iter().map(|text| Some(text.as_str())).collect()
                }
                _ => vec![None],
            };
            for &preconditioner in preconditioners {
                for policy in &policies {
                    for &mode in &self.precision {
                        let options = Options {
                            algorithm,
                            preconditioner: algorithm.is_krylov().then_some(preconditioner),
                            tolerance: self.tolerance,
                            max_iterations: Some(self.max_iterations),
                            restart: (algorithm == Algorithm::Gmres).then_some(self.restart),
                            mixed: mode == ModeName::Mixed,
                            tridiagonal: self.tridiagonal.filter(|_| solves_t(algorithm, preconditioner)),
                            policy: policy.map(|text| Policy::of(algorithm, text)).transpose()?,
                            ..Options::default()
                        };
                        all.push(Method { options, mode });
                    }
                }
            }
        }
        Ok(all)
    }
}
