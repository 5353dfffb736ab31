//! `trisolve solve`

use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use trisolve::matrix_market::{self, Entries};
use trisolve::triangular::{self, Uplo};
use trisolve::tridiagonal::{Algorithm, Diagonal};
use trisolve::{Error, quasi_tridiagonal};

use crate::direct;
use crate::or_cpu::OrCpu;
use crate::plans::{NO_STABILITY, POLICY, has_stability};
use crate::quasi::{self, Iteration};
use crate::structure::{Form, is_cyclic};
use crate::trsv::{self, Request};
use crate::{Failure, PrecisionName, StabilityName};

#[derive(clap::Args)]
pub struct Arguments {
    /// The matrix, Matrix Market: square and tridiagonal, or so but for two corners or some entries, or triangular (see
    /// `trisolve trsv`)
    pub matrix: PathBuf,
    /// Right-hand sides, n x k, Matrix Market; without it, A times ones
    pub rhs: Option<PathBuf>,
    /// Where to write the solution (array format); without it only the report is printed
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Numbers to solve in
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionName,
    /// Of tridiagonal matrices auto, thomas, cr, pcr, cr-pcr, partition, pivoting, tpr, wang-mou, scan, or cpu (gtsv, with
    /// pivoting as well); of those with entries beside auto, hisa, bhisa, jacobi, gauss-seidel, gmres, bicg, bicgstab,
    /// tfqmr, bicrstab, or cpu (gauss-seidel)
    #[arg(long, default_value = "auto", value_parser = OrCpu::<AnyAlgorithm>::from_str)]
    pub algorithm: OrCpu<AnyAlgorithm>,
    /// What auto and pivoting favour: speed, or half of the digits where rows that are taken together are singular on their
    /// own; and tpr: the fastest slices, or the largest
    #[arg(long, value_enum)]
    pub stability: Option<StabilityName>,
    #[arg(long, help = format!("How the algorithm divides its work, {POLICY}"))]
    pub policy: Option<String>,
    /// What the file's diagonal entries are: the diagonal's values, or its excess over the
    /// sum of the off-diagonals' absolute values
    #[arg(long, value_enum, default_value = "value")]
    pub diagonal: DiagonalName,
    /// The matrix is cyclic: tridiagonal but for entries in its two corners, which couple the first row to the last unknown
    /// and the last row to the first. Without it that is found, unless --algorithm iterates
    #[arg(long)]
    pub cyclic: bool,
    /// Solve with the transpose of the matrix
    #[arg(long)]
    pub transpose: bool,
    /// Factor the matrix once, and solve for the right-hand sides one after the other with what is kept
    #[arg(long)]
    pub factored: bool,
    #[command(flatten)]
    pub iteration: Iteration,
    /// Part of an adapter's name (see `trisolve devices`)
    #[arg(long)]
    pub device: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// An algorithm of one of the families.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AnyAlgorithm {
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
    Cyclic,
    Triangular(Uplo),
    Quasi,
}

/// Entries up to which a triangular matrix is taken with all its zeros, if most of it are such.
const MOST_MOSTLY_ZERO: usize = 1 << 26;

impl Structure {
    fn of(entries: &Entries, arguments: &Arguments) -> Self {
        let algorithm = arguments.algorithm;
        let beside = |&(row, column, value, _): &(usize, usize, f64, u64)| value != 0.0 && row.abs_diff(column) > 1;
        let is_square = entries.rows == entries.columns;
        if let (true, OrCpu::Gpu(AnyAlgorithm::Quasi(_))) = (is_square, algorithm) {
            return Self::Quasi;
        }
        // What is not square is said where it is solved.
        if !is_square || !entries.entries.iter().any(beside) {
            return Self::Tridiagonal;
        }
        if arguments.cyclic {
            return Self::Cyclic;
        }
        let whole = entries.rows.saturating_mul(entries.rows);
        match matrix_market::triangle(entries) {
            Some(uplo) if whole <= MOST_MOSTLY_ZERO || entries.entries.len() >= whole / 16 => Self::Triangular(uplo),
            _ if is_cyclic(entries) && arguments.iteration.given().is_none() => Self::Cyclic,
            _ => Self::Quasi,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiagonalName {
    Value,
    Excess,
}

impl DiagonalName {
    pub fn kind(self) -> Diagonal {
        match self {
            Self::Value => Diagonal::Value,
            Self::Excess => Diagonal::Excess,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.algorithm.check_device(arguments.device.as_deref())?;
    let with_stability = match arguments.algorithm {
        OrCpu::Gpu(AnyAlgorithm::Auto) => true,
        OrCpu::Gpu(AnyAlgorithm::Tridiagonal(algorithm)) => has_stability(algorithm),
        _ => false,
    };
    if arguments.stability.is_some() && !with_stability {
        return Err(Failure::Input(NO_STABILITY.into()));
    }
    if let Some(text) = &arguments.policy {
        let with = match (arguments.algorithm, arguments.stability) {
            (OrCpu::Cpu, _) => "--algorithm cpu",
            (OrCpu::Gpu(AnyAlgorithm::Tridiagonal(Algorithm::Tpr)), Some(StabilityName::Stable)) => {
                "--stability stable"
            }
            _ => "",
        };
        if !with.is_empty() {
            return Err(Failure::Input(format!("--policy {text}: not with {with}; leave one of them out")));
        }
    }
    if let (true, OrCpu::Gpu(AnyAlgorithm::Quasi(named))) = (arguments.cyclic, arguments.algorithm) {
        let message =
            format!("--cyclic is of systems that are solved directly, but {named} iterates: leave one of them out");
        return Err(Failure::Input(message));
    }
    if arguments.factored && arguments.algorithm == OrCpu::Cpu {
        return Err(Failure::Input("--factored is of the device: not with --algorithm cpu".into()));
    }
    let entries = matrix_market::read(&arguments.matrix)?;
    let cyclic = match Structure::of(&entries, arguments) {
        Structure::Tridiagonal => false,
        Structure::Cyclic => true,
        Structure::Triangular(uplo) => {
            arguments.refuse_tridiagonal("triangular")?;
            return triangular(arguments, &entries, uplo);
        }
        Structure::Quasi => {
            arguments.refuse_tridiagonal("solved by iteration")?;
            return quasi(arguments, &entries);
        }
    };
    let form = Form { cyclic, transposed: arguments.transpose };
    arguments.refuse_iteration(if cyclic { "cyclic" } else { "tridiagonal" })?;
    direct::run(arguments, &entries, form)
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

impl Arguments {
    /// What is of tridiagonal systems only.
    fn refuse_tridiagonal(&self, structure: &str) -> Result<(), Failure> {
        for (given, option) in [(self.transpose, "--transpose"), (self.factored, "--factored")] {
            if given {
                return Err(Failure::Input(format!(
                    "{option} is of tridiagonal systems here, but {} is {structure}",
                    self.matrix.display()
                )));
            }
        }
        Ok(())
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
