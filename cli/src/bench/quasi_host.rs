//! `trisolve bench quasi-host`: measures iterative methods on CPU cores, and a sparse LU.

use std::time::Instant;

use trisolve::cpu::{End, Iteration, PreparedIteration, Workers};
use trisolve::quasi_tridiagonal::{Algorithm, Outcome};
use trisolve_lab::SparseSystem;

use super::quasi::sparse_lu;
use crate::Failure;
use crate::output::{Table, digits, progress, say, tell};
use crate::output_file::{OutputFile, OutputPath};
use crate::size::size;
use crate::systems::{SystemArguments, Wanted};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    systems: SystemArguments,
    /// The methods (default: all). hisa solves T by Thomas's algorithm and runs on one thread only; bhisa solves the blocks of T on all
    /// threads
    #[arg(long, value_delimiter = ',')]
    algorithm: Vec<Algorithm>,
    /// Threads; several values sweep; hisa is measured with 1 only (default: 1, and one per core)
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024), value_delimiter = ',')]
    threads: Vec<u16>,
    /// Rows per block of bhisa
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), default_value = "64")]
    block: u32,
    /// Iterations after which gmres restarts
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=100), default_value = "5")]
    restart: u8,
    /// Relative residual to reach, above 0 and below 1
    #[arg(long, value_parser = tolerance, default_value = "1e-7")]
    tolerance: f64,
    /// Largest number of iterations
    #[arg(long, default_value_t = 1000)]
    max_iterations: usize,
    /// Also run a direct sparse LU on one core (rsparse, after CSparse), for systems up to this many rows
    #[arg(long, value_parser = size)]
    lu: Option<usize>,
    /// Also write the table as CSV
    #[arg(long)]
    csv: Option<OutputPath>,
    /// Timed runs per case; the median counts
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000), default_value = "3")]
    runs: u32,
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(tolerance) if tolerance > 0.0 && tolerance < 1.0 => Ok(tolerance),
        _ => Err("should be a number above 0 and below 1".into()),
    }
}

/// The methods that have a form for CPU cores.
const METHODS: [Algorithm; 9] = [
    Algorithm::Hisa,
    Algorithm::Bhisa,
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::Gmres,
    Algorithm::Bicg,
    Algorithm::Bicgstab,
    Algorithm::Tfqmr,
    Algorithm::Bicrstab,
];

impl Arguments {
    fn iteration(&self, method: Algorithm) -> trisolve::Result<Iteration> {
        Ok(match method {
            Algorithm::Auto => {
                return Err(trisolve::Error::Options(
                    "auto names no method; name one, or leave --algorithm out".into(),
                ));
            }
            Algorithm::Hisa => Iteration::Hisa,
            Algorithm::Bhisa => Iteration::Bhisa { block: self.block as usize },
            Algorithm::Jacobi => Iteration::Jacobi,
            Algorithm::GaussSeidel => Iteration::GaussSeidel,
            Algorithm::Gmres => Iteration::Gmres { restart: self.restart.into() },
            Algorithm::Bicg => Iteration::Bicg,
            Algorithm::Bicgstab => Iteration::Bicgstab,
            Algorithm::Tfqmr => Iteration::Tfqmr,
            Algorithm::Bicrstab => Iteration::Bicrstab,
        })
    }

    /// Numbers of threads, with the methods that run on them.
    fn runs_of(&self) -> Result<Vec<(Workers, Vec<Algorithm>)>, Failure> {
        let methods = match &self.algorithm[..] {
            [] => &METHODS[..],
            given => given,
        };
        for &method in methods {
            self.iteration(method)?;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = match &self.threads[..] {
            [] if cores > 1 => vec![1, cores],
            [] => vec![1],
            given => given.iter().copied().map(usize::from).collect(),
        };
        let mut all = vec![];
        for threads in threads {
            let own = methods.iter().copied().filter(|&method| threads == 1 || method != Algorithm::Hisa);
            all.push((Workers::new(threads)?, own.collect::<Vec<_>>()));
        }
        match all.iter().any(|(_, own)| !own.is_empty()) {
            true => Ok(all),
            false => Err(Failure::Input("hisa runs on one thread; pass --threads 1, or take bhisa".into())),
        }
    }
}

/// A line of the CSV.
#[derive(serde::Serialize)]
struct Row {
    family: &'static str,
    algorithm: String,
    precision: &'static str,
    system: String,
    rows: usize,
    entries: usize,
    threads: usize,
    iterations: usize,
    /// The iterations in the paper's table 6, for its own matrix of this size.
    paper_iterations: Option<u32>,
    outcome: &'static str,
    relative_residual: f64,
    /// Time to split, factor or transpose the matrix.
    prepare_ms: f64,
    /// Time of all iterations.
    solve_ms: f64,
    /// Multiplications and divisions per iteration.
    multiplications: Option<f64>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let csv = arguments.csv.as_ref().map(OutputFile::open).transpose()?;
    let systems = arguments.systems.wanted(3)?;
    let runs_of = arguments.runs_of()?;
    let bar = progress(systems.len() * runs_of.iter().map(|(_, methods)| methods.len()).sum::<usize>());
    let mut rows = vec![];
    let mut unsolved = false;
    for wanted in &systems {
        bar.set_message(wanted.name.clone());
        let system = wanted.make()?;
        if arguments.lu.is_some_and(|most| system.matrix.rows() <= most) {
            rows.push(direct(wanted, &system)?);
        }
        for (workers, methods) in &runs_of {
            for &method in methods {
                bar.set_message(format!("{} {}, threads: {}", wanted.name, method, workers.threads()));
                match measure(arguments, wanted, &system, workers, method) {
                    Ok(row) => rows.push(row),
                    Err(error) => {
                        let reason = match error {
                            // Its advice is for solves on a device.
                            trisolve::Error::Breakdown { row, .. } => {
                                format!("T broke down near row {row}; bicgstab, gmres and tfqmr do not solve it")
                            }
                            other => other.to_string(),
                        };
                        let threads = workers.threads();
                        tell(&format!("{}, {}, threads: {threads}: {reason}", wanted.name, method));
                        unsolved = true;
                    }
                }
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    say(&format!(
        "f64, relative residual {:e}, median of {}\n\n{}",
        arguments.tolerance,
        arguments.runs,
        table(&rows)
    ))?;
    if let Some(csv) = csv {
        csv.write_csv(&rows)?;
    }
    let failed: Vec<_> = rows.iter().filter(|row| row.outcome != Outcome::Converged.name()).collect();
    for row in &failed {
        tell(&format!("{}, {}: {}", row.system, row.algorithm, row.outcome));
    }
    if failed.is_empty() && !unsolved { Ok(()) } else { Err(Failure::Silent) }
}

fn measure(
    arguments: &Arguments,
    wanted: &Wanted,
    system: &SparseSystem,
    workers: &Workers,
    method: Algorithm,
) -> trisolve::Result<Row> {
    let SparseSystem { matrix, rhs, .. } = system;
    let iteration = arguments.iteration(method)?;
    let end = End { tolerance: arguments.tolerance, most: arguments.max_iterations };
    let (mut prepare, mut solve) = (vec![], vec![]);
    let mut run = || -> trisolve::Result<_> {
        let begun = Instant::now();
        let prepared = PreparedIteration::new(matrix, iteration, workers)?;
        prepare.push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        let result = prepared.solve(rhs, end)?;
        solve.push(begun.elapsed().as_secs_f64());
        Ok(result)
    };
    let mut result = run()?;
    for _ in 1..arguments.runs {
        result = run()?;
    }
    let median = |seconds: &mut Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        1e3 * seconds[seconds.len() / 2]
    };
    Ok(Row {
        family: "quasi-tridiagonal",
        algorithm: method.to_string(),
        precision: "f64",
        system: wanted.name.clone(),
        rows: matrix.rows(),
        entries: matrix.entries(),
        threads: workers.threads(),
        iterations: result.iterations(),
        paper_iterations: wanted.gas_case().and_then(|case| case.iterations_of(method)),
        outcome: result.outcome.name(),
        relative_residual: residual(system, &result.x)?,
        prepare_ms: median(&mut prepare),
        solve_ms: median(&mut solve),
        multiplications: Some(iteration.multiplications(matrix.rows(), matrix.entries())),
    })
}

/// ||b - A x|| / ||b||. [`Csr::relative_residual`](trisolve::quasi_tridiagonal::Csr::relative_residual) looks for rows of different sizes
/// first, which takes longer than some of the solves.
fn residual(SparseSystem { matrix, rhs, .. }: &SparseSystem, x: &[f64]) -> trisolve::Result<f64> {
    let product = matrix.times(x)?;
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
    Ok(norm(&mut rhs.iter().zip(&product).map(|(right, own)| right - own)) / norm(&mut rhs.iter().copied()))
}

/// By a sparse LU, measured once.
fn direct(wanted: &Wanted, system: &SparseSystem) -> Result<Row, Failure> {
    let (x, seconds) = sparse_lu::solve(system)?;
    Ok(Row {
        family: "quasi-tridiagonal",
        algorithm: "sparse LU".into(),
        precision: "f64",
        system: wanted.name.clone(),
        rows: system.matrix.rows(),
        entries: system.matrix.entries(),
        threads: 1,
        iterations: 0,
        paper_iterations: None,
        outcome: Outcome::Converged.name(),
        relative_residual: residual(system, &x)?,
        prepare_ms: 0.0,
        solve_ms: 1e3 * seconds,
        multiplications: None,
    })
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "system",
        "rows",
        "entries",
        "method",
        "threads",
        "iterations",
        "the paper's",
        "ms",
        "of these, to prepare",
        "ms per iteration",
        "multiplications per iteration and row",
        "residual",
    ]);
    for row in rows {
        let outcome = if row.outcome == Outcome::Converged.name() { "" } else { row.outcome };
        let per_iteration = match row.iterations {
            0 => String::new(),
            iterations => digits(row.solve_ms / iterations as f64),
        };
        table.row(vec![
            row.system.clone(),
            row.rows.to_string(),
            row.entries.to_string(),
            row.algorithm.clone(),
            row.threads.to_string(),
            format!("{} {outcome}", row.iterations).trim().to_owned(),
            row.paper_iterations.map_or_else(String::new, |count| count.to_string()),
            digits(row.prepare_ms + row.solve_ms),
            digits(row.prepare_ms),
            per_iteration,
            row.multiplications.map_or_else(String::new, |count| digits(count / row.rows as f64)),
            format!("{:.1e}", row.relative_residual),
        ]);
    }
    table
}
