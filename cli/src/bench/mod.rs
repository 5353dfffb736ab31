//! `trisolve bench`

mod filter;
mod moebius;
mod p_scheme;
mod quasi;
mod recurrence;
mod report;
mod triangular;
mod tridiagonal;

use clap::Subcommand;

use crate::Failure;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// Tridiagonal systems
    Tridiagonal(tridiagonal::Arguments),
    /// Dense triangular systems
    Triangular(triangular::Arguments),
    /// Quasi-tridiagonal systems, by splittings and Krylov methods
    Quasi(quasi::Arguments),
    /// Linear recurrences, and Moebius ones
    Recurrence(recurrence::Arguments),
    /// IIR filters of order 1 to 4
    Filter(filter::Arguments),
    /// The evaluation in P-scheme's paper: costs of factors, workgroups and threads, rearranged arrays
    PScheme(p_scheme::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.family {
        Family::Tridiagonal(arguments) => tridiagonal::run(arguments),
        Family::Triangular(arguments) => triangular::run(arguments),
        Family::Quasi(arguments) => quasi::run(arguments),
        Family::Recurrence(arguments) => recurrence::run(arguments),
        Family::Filter(arguments) => filter::run(arguments),
        Family::PScheme(arguments) => p_scheme::run(arguments),
    }
}
