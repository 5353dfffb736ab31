//! `trisolve solve`

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use clap::ValueEnum;
use trisolve::matrix_market::{self, Entries, Tridiagonal};
use trisolve::triangular::{self, Uplo};
use trisolve::tridiagonal::{Algorithm, Diagonal, Options, Shape, Stability, System, solve_on_cpu};
use trisolve::{Error, Real, Scalar, cpu, quasi_tridiagonal};

use crate::or_cpu::OrCpu;
use crate::output::{say, tell};
use crate::output_file::OutputFile;
use crate::plans::{POLICY, plan};
use crate::quasi::{self, Iteration};
use crate::trsv::{self, Request};
use crate::{Failure, PrecisionName, StabilityName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// The matrix, Matrix Market: square and tridiagonal, or so but for some entries, or triangular (see `trisolve trsv`)
    matrix: PathBuf,
    /// Right-hand sides, n x k, Matrix Market; without it, A times ones
    rhs: Option<PathBuf>,
    /// Where to write the solution (array format); without it only the report is printed
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Numbers to solve in
    #[arg(long, value_enum, default_value = "f32")]
    precision: PrecisionName,
    /// Of tridiagonal matrices auto, thomas, cr, pcr, cr-pcr, partition, pivoting, tpr, wang-mou, scan, or cpu (gtsv, with
    /// pivoting as well); of those with entries beside auto, hisa, bhisa, jacobi, gauss-seidel, gmres, bicg, bicgstab,
    /// tfqmr, bicrstab, or cpu (gauss-seidel)
    #[arg(long, default_value = "auto", value_parser = OrCpu::<AnyAlgorithm>::from_str)]
    algorithm: OrCpu<AnyAlgorithm>,
    /// What tpr favours: the fastest slices, or the largest
    #[arg(long, value_enum)]
    stability: Option<StabilityName>,
    #[arg(long, help = format!("How the algorithm divides its work, {POLICY}"))]
    policy: Option<String>,
    /// What the file's diagonal entries are: the diagonal's values, or its excess over the
    /// sum of the off-diagonals' absolute values
    #[arg(long, value_enum, default_value = "value")]
    diagonal: DiagonalName,
    #[command(flatten)]
    iteration: Iteration,
    /// Part of an adapter's name (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// An algorithm of one of the families.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnyAlgorithm {
    Auto,
    Tridiagonal(Algorithm),
    Quasi(quasi_tridiagonal::Algorithm),
}

impl FromStr for AnyAlgorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match (text, text.parse(), text.parse()) {
            ("auto", ..) => Ok(Self::Auto),
            (_, Ok(algorithm), _) => Ok(Self::Tridiagonal(algorithm)),
            (_, _, Ok(algorithm)) => Ok(Self::Quasi(algorithm)),
            _ => {
                let systems = Algorithm::ALL.map(Algorithm::name);
                let iterations = quasi_tridiagonal::Algorithm::ALL.map(quasi_tridiagonal::Algorithm::name);
                let names: Vec<_> = systems.into_iter().chain(iterations.into_iter().skip(1)).collect();
                let of_triangles = text.parse::<triangular::Algorithm>().is_ok();
                let more = if of_triangles { " (that one is of `trisolve trsv`)" } else { "" };
                Err(Error::Options(format!("unknown algorithm {text:?}{more}; there are {}", names.join(", "))))
            }
        }
    }
}

impl std::fmt::Display for AnyAlgorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Tridiagonal(algorithm) => algorithm.fmt(f),
            Self::Quasi(algorithm) => algorithm.fmt(f),
        }
    }
}

/// What a matrix is solved as.
enum Structure {
    Tridiagonal,
    Triangular(Uplo),
    Quasi,
}

/// Entries up to which a triangular matrix is taken with all its zeros, if most of it are such.
const MOST_MOSTLY_ZERO: usize = 1 << 26;

impl Structure {
    fn of(entries: &Entries, algorithm: OrCpu<AnyAlgorithm>) -> Self {
        let beside = |&(row, column, value, _): &(usize, usize, f64, u64)| value != 0.0 && row.abs_diff(column) > 1;
        let is_square = entries.rows == entries.columns;
        if let (true, OrCpu::Gpu(AnyAlgorithm::Quasi(_))) = (is_square, algorithm) {
            return Self::Quasi;
        }
        // What is not square is said where it is solved.
        if !is_square || !entries.entries.iter().any(beside) {
            return Self::Tridiagonal;
        }
        let whole = entries.rows.saturating_mul(entries.rows);
        match matrix_market::triangle(entries) {
            Some(uplo) if whole <= MOST_MOSTLY_ZERO || entries.entries.len() >= whole / 16 => Self::Triangular(uplo),
            _ => Self::Quasi,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiagonalName {
    Value,
    Excess,
}

#[derive(serde::Serialize)]
struct Report {
    structure: &'static str,
    rows: usize,
    rhs: usize,
    algorithm: String,
    precision: &'static str,
    adapter: String,
    relative_residual: f64,
    device_us: f64,
    /// Of an iterative method; a direct one has none.
    iterations: Option<u64>,
    /// On stderr only: how far the system has to be changed for the solution to be exact.
    #[serde(skip)]
    backward_error: Option<f64>,
    /// On stderr only: how the work was divided.
    #[serde(skip)]
    policy: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.algorithm.check_device(arguments.device.as_deref())?;
    if arguments.stability.is_some() && arguments.algorithm != OrCpu::Gpu(AnyAlgorithm::Tridiagonal(Algorithm::Tpr)) {
        return Err(Failure::Input("--stability is a choice of --algorithm tpr; give both or neither".into()));
    }
    if let Some(text) = &arguments.policy {
        let with = match (arguments.algorithm, arguments.stability) {
            (OrCpu::Cpu, _) => "--algorithm cpu",
            (_, Some(StabilityName::Stable)) => "--stability stable",
            _ => "",
        };
        if !with.is_empty() {
            return Err(Failure::Input(format!("--policy {text}: not with {with}; leave one of them out")));
        }
    }
    let explained = |error| explain(error, arguments);
    let entries = matrix_market::read(&arguments.matrix)?;
    match Structure::of(&entries, arguments.algorithm) {
        Structure::Tridiagonal => {}
        Structure::Triangular(uplo) => return triangular(arguments, &entries, uplo),
        Structure::Quasi => return quasi(arguments, &entries),
    }
    arguments.refuse_iteration("tridiagonal")?;
    let matrix = matrix_market::tridiagonal(&entries).map_err(explained)?;
    let n = matrix.diag.len();
    let rhs = match &arguments.rhs {
        Some(path) => matrix_market::columns(&matrix_market::read(path)?, n)?,
        None => row_sums(&matrix, arguments.diagonal),
    };
    let output = arguments.output.as_deref().map(OutputFile::open).transpose()?;
    match arguments.precision {
        PrecisionName::F32 => {
            check_small(&matrix, &rhs)?;
            solve::<f32>(arguments, &matrix, &rhs, output)
        }
        PrecisionName::F64 => solve::<f64>(arguments, &matrix, &rhs, output),
    }
}

impl Arguments {
    /// What is of iterations only has no place where there is none.
    fn refuse_iteration(&self, structure: &str) -> Result<(), Failure> {
        match self.iteration.given() {
            None => Ok(()),
            Some(option) => Err(Failure::Input(format!(
                "{option} is of systems that are solved by iteration, but {} is {structure} and solved directly; --algorithm \
                 hisa or bicgstab, for example, would iterate",
                self.matrix.display()
            ))),
        }
    }
}

/// A matrix with entries beside its three diagonals.
fn quasi(arguments: &Arguments, entries: &Entries) -> Result<(), Failure> {
    let algorithm = match arguments.algorithm {
        OrCpu::Cpu => OrCpu::Cpu,
        OrCpu::Gpu(AnyAlgorithm::Auto) => OrCpu::Gpu(quasi_tridiagonal::Algorithm::Auto),
        OrCpu::Gpu(AnyAlgorithm::Quasi(named)) => OrCpu::Gpu(named),
        OrCpu::Gpu(AnyAlgorithm::Tridiagonal(named)) => {
            return Err(Failure::Input(format!(
                "{}: the matrix has entries beside its three diagonals, and --algorithm {named} is of tridiagonal ones: \
                 there are hisa, bhisa, jacobi, gauss-seidel, gmres, bicg, bicgstab, tfqmr, bicrstab",
                arguments.matrix.display()
            )));
        }
    };
    if arguments.diagonal == DiagonalName::Excess {
        let message = "--diagonal excess is of tridiagonal systems, but the matrix has entries beside them";
        return Err(Failure::Input(message.into()));
    }
    quasi::solve(&quasi::Request {
        matrix: (&arguments.matrix, entries),
        rhs: arguments.rhs.as_deref(),
        algorithm,
        iteration: &arguments.iteration,
        policy: arguments.policy.as_deref(),
        precision: arguments.precision,
        output: arguments.output.as_deref(),
        device: arguments.device.as_deref(),
        json: arguments.json,
    })
}

/// A matrix that is triangular instead.
fn triangular(arguments: &Arguments, entries: &Entries, uplo: Uplo) -> Result<(), Failure> {
    arguments.refuse_iteration("triangular")?;
    let algorithm = match arguments.algorithm {
        OrCpu::Gpu(AnyAlgorithm::Auto) => OrCpu::Gpu(triangular::Algorithm::Auto),
        OrCpu::Cpu => OrCpu::Cpu,
        OrCpu::Gpu(named) => {
            return Err(Failure::Input(format!(
                "{}: the matrix is triangular, and --algorithm {named} is of tridiagonal ones: `trisolve trsv` takes those \
                 of triangular ones",
                arguments.matrix.display()
            )));
        }
    };
    for (given, option) in
        [(arguments.policy.is_some(), "--policy"), (arguments.diagonal == DiagonalName::Excess, "--diagonal excess")]
    {
        if given {
            return Err(Failure::Input(format!("{option} is of tridiagonal systems, but the matrix is triangular")));
        }
    }
    trsv::solve(&Request {
        matrix: (&arguments.matrix, entries),
        rhs: arguments.rhs.as_deref(),
        options: triangular::Options::default().uplo(uplo),
        algorithm,
        policy: None,
        precision: arguments.precision,
        output: arguments.output.as_deref(),
        device: arguments.device.as_deref(),
        json: arguments.json,
    })
}

/// A failure in the file's terms: its name, and rows that count from 1 as its indices do.
fn explain(error: Error, arguments: &Arguments) -> Failure {
    let path = arguments.matrix.display();
    match error {
        Error::Singular { row, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular in {}: elimination with pivoting finds no pivot in row {} (counted from 1){}",
            arguments.precision.name(),
            row + 1,
            if arguments.precision == PrecisionName::F32 { "; --precision f64 may find one" } else { "" },
        )),
        Error::NearlySingular { condition, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular to working precision: its condition number, about {condition:.0e}, leaves no \
             digit of the solution in {}{}",
            arguments.precision.name(),
            if arguments.precision == PrecisionName::F32 && condition < 1e15 {
                "; --precision f64 may have some"
            } else {
                ""
            },
        )),
        Error::Inaccurate { backward_error, .. } => Failure::Solver(format!(
            "{path}: accuracy was lost to small pivots, overflow or underflow (backward error {backward_error:.1e}){}",
            advice(arguments),
        )),
        Error::Breakdown { row, .. } => Failure::Solver(format!(
            "{path}: the solution is not finite from row {} (counted from 1): a zero pivot or an overflow{}",
            row + 1,
            advice(arguments),
        )),
        Error::NonFiniteInput { vector, row, .. } => Failure::Input(format!(
            "{path}, row {} (counted from 1): {vector} is past the range of {}{}",
            row + 1,
            arguments.precision.name(),
            if arguments.precision == PrecisionName::F32 { "; use --precision f64, or scale the system" } else { "" }
        )),
        other => other.into(),
    }
}

/// What else to try where elimination failed.
fn advice(arguments: &Arguments) -> &'static str {
    match (arguments.algorithm, arguments.diagonal, arguments.precision) {
        (_, DiagonalName::Excess, PrecisionName::F32) => "; --precision f64 has a wider range",
        (_, DiagonalName::Excess, PrecisionName::F64) => "; rows are not exchanged with --diagonal excess",
        (OrCpu::Cpu, _, PrecisionName::F32) => "; --precision f64 has a wider range",
        (OrCpu::Cpu, _, PrecisionName::F64) => "",
        (OrCpu::Gpu(AnyAlgorithm::Auto | AnyAlgorithm::Tridiagonal(Algorithm::Auto | Algorithm::Pivoting)), _, _) => {
            "; --algorithm cpu eliminates row by row, which is more stable"
        }
        (_, DiagonalName::Value, _) => "; --algorithm auto exchanges rows where it has to",
    }
}

/// A times ones.
fn row_sums(matrix: &Tridiagonal, diagonal: DiagonalName) -> Vec<f64> {
    let Tridiagonal { lower, diag, upper } = matrix;
    (0..diag.len())
        .map(|i| match diagonal {
            DiagonalName::Value => lower[i] + diag[i] + upper[i],
            // With off-diagonals that are negative, as in diffusion, nothing but the excess is left.
            DiagonalName::Excess => (lower[i] + lower[i].abs()) + (upper[i] + upper[i].abs()) + diag[i],
        })
        .collect()
}

/// Columns of `n` values in the solve's precision, all of them in its range.
fn convert<T: Real>(name: &str, values: &[f64], n: usize) -> Result<Vec<T>, Failure> {
    let converted: Vec<T> = values.iter().map(|&value| T::from_f64(value)).collect();
    match converted.iter().position(|value| !Scalar::is_finite(*value)) {
        Some(at) => Err(Failure::Input(format!(
            "{name}, row {}: {:e} is past the range of {}{}",
            at % n + 1,
            values[at],
            T::PRECISION,
            if values[at].is_finite() { "; use --precision f64" } else { "" }
        ))),
        None => Ok(converted),
    }
}

/// In f32, rows and right-hand sides that are too small as a whole would lose their digits, and
/// the residual, taken in f32 as well, would not show it.
fn check_small(matrix: &Tridiagonal, rhs: &[f64]) -> Result<(), Failure> {
    let Tridiagonal { lower, diag, upper } = matrix;
    let n = diag.len();
    let largest = |values: &[f64]| values.iter().fold(0f64, |largest, value| largest.max(value.abs()));
    let lost = |largest: f64| largest > 0.0 && largest < trisolve::Precision::F32.least_normal();
    let advice = "below the range of f32; use --precision f64, or scale the system";
    if let Some(row) = (0..n).find(|&row| lost(largest(&[lower[row], diag[row], upper[row]]))) {
        return Err(Failure::Input(format!("matrix, row {}: all its entries are {advice}", row + 1)));
    }
    if let Some(column) = rhs.chunks(n).position(|column| lost(largest(column))) {
        return Err(Failure::Input(format!("right-hand side {}: all its entries are {advice}", column + 1)));
    }
    Ok(())
}

fn solve<T: Real>(
    arguments: &Arguments,
    matrix: &Tridiagonal,
    rhs: &[f64],
    output: Option<OutputFile>,
) -> Result<(), Failure> {
    let explained = |error| explain(error, arguments);
    let n = matrix.diag.len();
    let [lower, diag, upper] = [("lower", &matrix.lower), ("diag", &matrix.diag), ("upper", &matrix.upper)]
        .map(|(name, values)| convert::<T>(name, values, n));
    let (lower, diag, upper) = (lower?, diag?, upper?);
    let name = if arguments.rhs.is_some() { "right-hand side" } else { "the right-hand side, A times ones" };
    let rhs = convert::<T>(name, rhs, n)?;
    let columns = rhs.len() / n;
    let (x, mut report) = match arguments.algorithm {
        OrCpu::Cpu => on_cpu(arguments.diagonal, &lower, &diag, &upper, &rhs).map_err(explained)?,
        OrCpu::Gpu(named) => {
            let algorithm = if let AnyAlgorithm::Tridiagonal(named) = named { named } else { Algorithm::Auto };
            let gpu = open_gpu(arguments.device.as_deref())?;
            let (system, kind) = match arguments.diagonal {
                DiagonalName::Value => (System::new(&lower, &diag, &upper), Diagonal::Value),
                DiagonalName::Excess => (System::with_excess(&lower, &diag, &upper), Diagonal::Excess),
            };
            let stability = arguments.stability.map_or(Stability::Fastest, StabilityName::stability);
            let options = Options::default().algorithm(algorithm).diagonal(kind).stability(stability);
            let shape = Shape::single(n).with_columns(columns);
            let plan = plan::<T>(&gpu, shape, options, arguments.policy.as_deref()).map_err(|error| {
                match (error, &arguments.policy) {
                    (Error::Limit { what, needed, available, .. }, Some(text)) => Failure::Input(format!(
                        "--policy {text}: {what} needs {needed}, and {} has {available}: take smaller numbers",
                        gpu.info().name
                    )),
                    (error, _) => error.into(),
                }
            })?;
            let solution = plan.solve_reported(&system, &rhs).map_err(explained)?;
            let report = Report {
                structure: "tridiagonal",
                rows: n,
                rhs: columns,
                algorithm: solution.algorithm.to_string(),
                precision: T::PRECISION.name(),
                adapter: gpu.info().name.clone(),
                relative_residual: solution.residuals.relative,
                device_us: solution.seconds * 1e6,
                iterations: None,
                backward_error: Some(solution.residuals.backward_error),
                policy: Some(plan.policy().to_string()),
            };
            (solution.x, report)
        }
    };
    report.rhs = columns;
    if !report.relative_residual.is_finite() {
        return Err(Failure::Solver("the residual is not finite: the solution overflowed".into()));
    }
    if let Some(output) = output {
        output.write(|target| matrix_market::write_array(target, n, &x))?;
    }
    if arguments.json {
        return say(&serde_json::to_string(&report).map_err(|e| Failure::Solver(e.to_string()))?);
    }
    tell(&format!(
        "{} system, {} rows, {} right-hand side{}\n{} in {} on {}: {:.1} us, {:.2} Mrows/s\nrelative residual {:.2e}",
        report.structure,
        report.rows,
        report.rhs,
        if columns == 1 { "" } else { "s" },
        report.algorithm,
        report.precision,
        report.adapter,
        report.device_us,
        (report.rows * report.rhs) as f64 / report.device_us,
        report.relative_residual,
    ));
    if let Some(policy) = report.policy {
        tell(&format!("policy {policy}"));
    }
    if let Some(backward_error) = report.backward_error {
        tell(&format!("backward error {backward_error:.2e}"));
    }
    if arguments.rhs.is_none() {
        let worst = x.iter().map(|x| (x.to_f64() - 1.0).abs()).fold(0.0, f64::max);
        tell(&format!("the right-hand side was A times ones; largest error against ones {worst:.2e}"));
    }
    Ok(())
}

/// Column by column with pivoting, or for a diagonal given as excess with the dominance carried.
fn on_cpu<T: Real>(
    diagonal: DiagonalName,
    lower: &[T],
    diag: &[T],
    upper: &[T],
    rhs: &[T],
) -> Result<(Vec<T>, Report), Error> {
    let n = diag.len();
    let start = Instant::now();
    let mut x = Vec::with_capacity(rhs.len());
    let system = match diagonal {
        DiagonalName::Value => System::new(lower, diag, upper),
        DiagonalName::Excess => System::with_excess(lower, diag, upper),
    };
    for column in rhs.chunks(n) {
        x.extend(solve_on_cpu(&system, column)?);
    }
    let device_us = start.elapsed().as_secs_f64() * 1e6;
    let relative_residual = x
        .chunks(n)
        .zip(rhs.chunks(n))
        .map(|(x, d)| cpu::relative_residual(lower, diag, upper, x, d, diagonal == DiagonalName::Excess))
        .fold(0.0, f64::max);
    let algorithm = match diagonal {
        DiagonalName::Value => "cpu (gtsv)",
        DiagonalName::Excess => "cpu (thomas, carried)",
    };
    let report = Report {
        structure: "tridiagonal",
        rows: n,
        rhs: 1,
        algorithm: algorithm.into(),
        precision: T::PRECISION.name(),
        adapter: "cpu".into(),
        relative_residual,
        device_us,
        iterations: None,
        backward_error: None,
        policy: None,
    };
    Ok((x, report))
}
