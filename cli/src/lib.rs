//! The program `trisolve`: its verbs. Only the program itself and its tests use this library; it promises no stability.

mod accuracy;
mod bench;
mod check;
mod columns;
mod convergence;
mod devices;
mod facts;
mod failure;
mod file_errors;
mod filter;
mod formats;
mod formulas;
mod fuzz;
mod generate;
mod input_file;
mod interrupts;
mod kernels;
mod memory;
mod methods;
mod model;
mod named_files;
mod options;
mod output;
mod output_file;
mod place;
mod plans;
mod plot_file;
mod precision;
mod recur;
mod rounding;
mod size;
mod solve;
mod stability;
mod structure;
mod systems;
mod time_spent;
mod trace;
mod triangle;
mod trsv;
mod tune;
mod warnings;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use trisolve::{Gpu, GpuOptions, LazyGpu};

use failure::Failure;
use named_files::NamedFiles;
use options::{with_separators, with_tip};
use precision::PrecisionName;
use stability::StabilityName;

/// What the help of verbs with files of numbers says about these.
const FILES: &str = "\
Files: the format of an input file is detected from its contents: Matrix Market, NumPy's .npy (float32 or float64), plain columns of numbers (blanks or commas \
between them, # begins a comment), and gzip of these. The ending of an output file's name sets the format of vectors: .npy, .txt (blanks), .csv \
(commas), or else Matrix Market; an additional .gz compresses it. The name - is standard input or standard output; if an output is -, reports go to \
stderr.";

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
    /// Solve A x = b from files
    #[command(after_help = FILES)]
    Solve(solve::Arguments),
    /// Solve A x = b with a dense triangular A from files
    #[command(after_help = FILES)]
    Trsv(trsv::Arguments),
    /// Compute w[i] = s[i] w[i-1] + t[i] from files
    #[command(after_help = FILES)]
    Recur(recur::Arguments),
    /// Filter signals from a file with an IIR filter of order 1 to 4, or a cascade of second-order sections
    #[command(after_help = FILES)]
    Filter(filter::Arguments),
    /// Write a generated system to files
    #[command(after_help = FILES)]
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
    /// Print the steps, operations, bytes and dispatches of the tridiagonal methods
    Methods(methods::Arguments),
    /// Fit a model of the solve time, and compare it with measurements
    Model(model::Arguments),
    /// Show the order in which the workgroups of a solve start, wait and end
    Trace(trace::Arguments),
}

/// The devices of this process, opened when they are needed.
struct Devices {
    /// Each with the value of `--device`; `None` for the default.
    all: Vec<(Option<String>, LazyGpu)>,
    /// Whether they stay open after a run.
    are_kept: bool,
}

static DEVICES: Mutex<Devices> = Mutex::new(Devices { all: vec![], are_kept: false });

fn known_devices() -> MutexGuard<'static, Devices> {
    DEVICES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps devices, with their compiled kernels, open from run to run. A process that runs many command lines starts each of them sooner.
pub fn keep_devices() {
    known_devices().are_kept = true;
}

/// Closes the devices at the end of a run, unless they are kept. Closing writes compiled kernels to disk, which the end of the process would
/// not.
fn close_devices() {
    let mut devices = known_devices();
    if !devices.are_kept {
        devices.all.clear();
    }
}

/// The adapter that `--device` names, by default the fastest one; opened when it is needed.
fn kept_device(device: Option<&str>) -> LazyGpu {
    let mut devices = known_devices();
    if let Some((_, gpu)) = devices.all.iter().find(|(name, _)| name.as_deref() == device) {
        return gpu.clone();
    }
    let adapter_name = device.map(str::to_owned);
    let gpu = LazyGpu::with_options(GpuOptions { adapter_name: adapter_name.clone(), ..GpuOptions::default() });
    devices.all.push((adapter_name, gpu.clone()));
    gpu
}

/// Opens the adapter that `--device` names; by default the fastest one.
fn open_gpu(device: Option<&str>) -> Result<Gpu, Failure> {
    Ok(kept_device(device).get()?.clone())
}

/// The program.
pub fn main() -> ExitCode {
    interrupts::watch();
    ExitCode::from(run(std::env::args_os()))
}

/// Runs a command line, whose first argument is the program's name; returns the exit code: 0 if all went well, 1 after a failed solve, 2
/// after bad input.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    warnings::show();
    let mut command = with_separators(Arguments::command());
    let parsed = command.try_get_matches_from_mut(arguments).and_then(|matches| {
        let files = NamedFiles::of(&command, &matches);
        Ok((Arguments::from_arg_matches(&matches)?, files))
    });
    let (verb, files) = match parsed {
        Ok((arguments, files)) => (arguments.verb, files),
        Err(answer) => {
            let answer = with_tip(answer);
            // As where the program prints: a closed stream drops the text.
            let _ = answer.print();
            return if answer.use_stderr() { 2 } else { 0 };
        }
    };
    output::separate_reports(files.writes_stdout());
    if let Err(failure) = files.check() {
        return failure.exit();
    }
    let outcome = match verb {
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
        Verb::Methods(arguments) => methods::run(&arguments),
        Verb::Model(arguments) => model::run(&arguments),
        Verb::Trace(arguments) => trace::run(&arguments),
    };
    close_devices();
    outcome.map_or_else(Failure::exit, |()| 0)
}
