//! The command-line front of trisolve.

mod accuracy;
mod bench;
mod check;
mod columns;
mod devices;
mod direct;
mod filter;
mod formulas;
mod fuzz;
mod generate;
mod interrupts;
mod kernels;
mod model;
mod or_cpu;
mod output;
mod output_file;
mod plans;
mod quasi;
mod recur;
mod rounding;
mod size;
mod solve;
mod structure;
mod systems;
mod triangle;
mod trsv;
mod tune;
mod warnings;

use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use trisolve::tridiagonal::Stability;
use trisolve::{Error, Gpu, GpuOptions, Precision};

/// Solves tridiagonal, quasi-tridiagonal and triangular systems and linear recurrences, and filters, on any GPU.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List the adapters and what they offer
    Devices(devices::Arguments),
    /// Solve A x = b from Matrix Market files
    Solve(solve::Arguments),
    /// Solve A x = b with a dense triangular A from Matrix Market files
    Trsv(trsv::Arguments),
    /// Compute w[i] = s[i] w[i-1] + t[i] from Matrix Market files
    Recur(recur::Arguments),
    /// Filter signals from a Matrix Market file, by an IIR filter of order 1 to 4
    Filter(filter::Arguments),
    /// Write a generated system to Matrix Market files
    Generate(generate::Arguments),
    /// Compare every kernel on this adapter with the oracle
    Check(check::Arguments),
    /// Attack every family with random hard systems, judged by an oracle in extended precision
    Fuzz(fuzz::Arguments),
    /// Measure speed against this adapter's copy bandwidth
    Bench(bench::Arguments),
    /// Print the accuracy tables of the TPR and RPTS papers for this adapter
    Accuracy(accuracy::Arguments),
    /// Find this adapter's fastest policies and keep them
    Tune(tune::Arguments),
    /// List the kernels, or print one as it is compiled
    Kernels(kernels::Arguments),
    /// Fit a model of the time that a solve takes, and compare it with what is measured
    Model(model::Arguments),
}

/// Bits of a number.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PrecisionName {
    F32,
    F64,
}

impl PrecisionName {
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    pub const fn precision(self) -> Precision {
        match self {
            Self::F32 => Precision::F32,
            Self::F64 => Precision::F64,
        }
    }
}

/// What TPR favours.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StabilityName {
    Fastest,
    Stable,
}

impl StabilityName {
    pub const fn stability(self) -> Stability {
        match self {
            Self::Fastest => Stability::Fastest,
            Self::Stable => Stability::Stable,
        }
    }
}

/// Why a verb did not succeed: the exit code tells bad input from a failed solve.
pub enum Failure {
    /// Exit 1, after a message.
    Solver(String),
    /// Exit 2, after a message.
    Input(String),
    /// Exit 1; the output has said all.
    Silent,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Singular { .. }
            | Error::ZeroDiagonal { .. }
            | Error::Breakdown { .. }
            | Error::Inaccurate { .. }
            | Error::NearlySingular { .. }
            | Error::NoDigits { .. }
            | Error::Unverified { .. }
            | Error::Overflow { .. }
            | Error::NotConverged { .. }
            | Error::Underflow { .. }
            | Error::EmptyRow { .. }
            | Error::ZeroOnDiagonal { .. }
            | Error::DeviceLost { .. }
            | Error::OutOfMemory { .. }
            | Error::Kernel { .. }
            | Error::Device { .. } => Self::Solver(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }
}

/// Opens the adapter that `--device` names, or the fastest.
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
        Err(Failure::Silent) => ExitCode::from(1),
        Err(Failure::Solver(message)) => {
            output::tell(&format!("trisolve: {message}"));
            ExitCode::from(1)
        }
        Err(Failure::Input(message)) => {
            output::tell(&format!("trisolve: {message}"));
            ExitCode::from(2)
        }
    }
}
