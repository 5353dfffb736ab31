//! The options of iterative methods.

use trisolve::quasi_tridiagonal::{MOST_ITERATIONS, MOST_RESTART, Preconditioner, Stop};
use trisolve::tridiagonal;

use crate::Failure;
use crate::options::first_given;
use crate::plot_file::PlotPath;

/// The options of iterative methods; direct solves refuse them.
#[derive(clap::Args)]
pub struct Iteration {
    /// For Krylov methods: none, jacobi or tridiagonal (default: tridiagonal)
    #[arg(long)]
    pub preconditioner: Option<Preconditioner>,
    /// The solver of the tridiagonal part, in hisa and the preconditioner tridiagonal: a tridiagonal algorithm, as pivoting (default:
    /// partition)
    #[arg(long)]
    pub tridiagonal: Option<tridiagonal::Algorithm>,
    /// Relative residual, or step, to reach (default: 1e-6 in f32, 1e-7 in f64)
    #[arg(long, allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// What the tolerance limits: residual, or for hisa, bhisa and jacobi step, the change of x relative to x
    #[arg(long)]
    pub stop: Option<Stop>,
    /// Largest number of iterations (default: 1000)
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ITERATIONS)))]
    pub max_iterations: Option<u32>,
    /// Iterations after which gmres restarts (default: 30)
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RESTART)))]
    pub restart: Option<u32>,
    /// With --precision f64: iterate in f32 on the f64 residual
    #[arg(long)]
    pub mixed: bool,
    /// Also tell the spectral radius of a splitting's iteration, which sets its speed
    #[arg(long)]
    pub explain: bool,
    /// Draw the residual over the iterations, as .svg or .png
    #[arg(long)]
    pub plot: Option<PlotPath>,
}

impl Iteration {
    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        first_given([
            (self.preconditioner.is_some(), "--preconditioner"),
            (self.tridiagonal.is_some(), "--tridiagonal"),
            (self.stop.is_some(), "--stop"),
            (self.tolerance.is_some(), "--tolerance"),
            (self.max_iterations.is_some(), "--max-iterations"),
            (self.restart.is_some(), "--restart"),
            (self.mixed, "--mixed"),
            (self.explain, "--explain"),
            (self.plot.is_some(), "--plot"),
        ])
    }

    /// Refuses the options that Gauss-Seidel on the CPU does not have.
    pub fn check_cpu(&self) -> Result<(), Failure> {
        let options = [
            (self.preconditioner.is_some(), "--preconditioner"),
            (self.tridiagonal.is_some(), "--tridiagonal"),
            (self.stop.is_some(), "--stop"),
            (self.restart.is_some(), "--restart"),
            (self.mixed, "--mixed"),
            (self.explain, "--explain"),
        ];
        match first_given(options) {
            None => Ok(()),
            Some(option) => Err(Failure::Input(format!(
                "{option}: --place cpu is Gauss-Seidel here, which does not have this option; leave one of them out"
            ))),
        }
    }
}
