//! The program `trisolve`: its verbs.

mod accuracy;
mod bench;
mod check;
mod columns;
mod convergence;
mod devices;
mod failure;
mod file_errors;
mod filter;
mod formulas;
mod fuzz;
mod generate;
mod interrupts;
mod kernels;
mod model;
mod options;
mod or_cpu;
mod output;
mod output_file;
mod plans;
mod precision;
mod recur;
mod rounding;
mod size;
mod solve;
mod stability;
mod structure;
mod summary;
mod systems;
mod triangle;
mod trsv;
mod tune;
mod warnings;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use trisolve::{Gpu, GpuOptions};

use failure::Failure;
use precision::PrecisionName;
use stability::StabilityName;

/// Solves tridiagonal, quasi-tridiagonal and triangular systems, linear recurrences and IIR filters on any GPU.
#[derive(Parser)]
#[command(
    name = "trisolve",
    version,
    about = "Solves tridiagonal, quasi-tridiagonal and triangular systems, linear recurrences and filters on any GPU"
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List the adapters and their features
    Devices(devices::Arguments),
    /// Solve A x = b from Matrix Market files
    Solve(solve::Arguments),
    /// Solve A x = b with a dense triangular A from Matrix Market files
    Trsv(trsv::Arguments),
    /// Compute w[i] = s[i] w[i-1] + t[i] from Matrix Market files
    Recur(recur::Arguments),
    /// Filter signals from a Matrix Market file with an IIR filter of order 1 to 4
    Filter(filter::Arguments),
    /// Write a generated system to Matrix Market files
    Generate(generate::Arguments),
    /// Compare every kernel on this adapter with an f64 oracle
    Check(check::Arguments),
    /// Attack every family with random hard systems, judged by an oracle in extended precision
    Fuzz(fuzz::Arguments),
    /// Measure the speed, and compare it with this adapter's copy bandwidth
    Bench(bench::Arguments),
    /// Print the accuracy tables of the TPR and RPTS papers for this adapter
    Accuracy(accuracy::Arguments),
    /// Find this adapter's fastest policies and store them
    Tune(tune::Arguments),
    /// List the kernels, or print the source of one
    Kernels(kernels::Arguments),
    /// Fit a model of the solve time, and compare it with measurements
    Model(model::Arguments),
}

/// Opens the adapter that `--device` names; by default the fastest one.
fn open_gpu(device: Option<&str>) -> Result<Gpu, Failure> {
    Ok(Gpu::with_options(GpuOptions { adapter_name: device.map(str::to_owned), ..GpuOptions::default() })?)
}

fn main() -> ExitCode {
    warnings::show();
    interrupts::watch();
    let outcome = match Arguments::parse().verb {
        Verb::Devices(arguments) => devices::run(&arguments),
        Verb::Solve(arguments) => solve::run(&arguments),
        Verb::Trsv(arguments) => trsv::run(&arguments),
        Verb::Recur(arguments) => recur::run(&arguments),
        Verb::Filter(arguments) => filter::run(&arguments),
        Verb::Generate(arguments) => generate::run(&arguments),
        Verb::Check(arguments) => check::run(&arguments),
        Verb::Fuzz(arguments) => fuzz::run(&arguments),
        Verb::Bench(arguments) => bench::run(&arguments),
        Verb::Accuracy(arguments) => accuracy::run(&arguments),
        Verb::Tune(arguments) => tune::run(&arguments),
        Verb::Kernels(arguments) => kernels::run(&arguments),
        Verb::Model(arguments) => model::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(),
    }
}
