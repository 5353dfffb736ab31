//! `trisolve bench`: measures the families, and compares them with the copy bandwidth.

mod filter;
mod host;
mod kept;
mod moebius;
mod p_scheme;
mod p_scheme_host;
mod quasi;
mod quasi_host;
mod recurrence;
mod report;
mod session;
mod shapes;
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
    /// Tridiagonal systems from vectors to a vector on the host: on the device, on the CPU, and the transfers alone
    Host(host::Arguments),
    /// Dense triangular systems
    Triangular(triangular::Arguments),
    /// Quasi-tridiagonal systems, by splitting and Krylov methods
    Quasi(quasi::Arguments),
    /// Quasi-tridiagonal systems on CPU cores, by splitting and Krylov methods in f64; needs no GPU
    QuasiHost(quasi_host::Arguments),
    /// Linear and Moebius recurrences
    Recurrence(recurrence::Arguments),
    /// IIR filters of order 1 to 4
    Filter(filter::Arguments),
    /// The evaluation of the P-scheme paper: costs of factors, numbers of workgroups and threads, rearranged arrays
    PScheme(p_scheme::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.family {
        Family::Tridiagonal(arguments) => tridiagonal::run(arguments),
        Family::Host(arguments) => host::run(arguments),
        Family::Triangular(arguments) => triangular::run(arguments),
        Family::Quasi(arguments) => quasi::run(arguments),
        Family::QuasiHost(arguments) => quasi_host::run(arguments),
        Family::Recurrence(arguments) => recurrence::run(arguments),
        Family::Filter(arguments) => filter::run(arguments),
        Family::PScheme(arguments) => p_scheme::run(arguments),
    }
}
