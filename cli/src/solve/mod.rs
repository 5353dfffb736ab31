//! `trisolve solve`: finds the structure of a matrix, and passes the matrix to the solve of that structure.

mod arguments;
mod direct;
mod quasi;
mod refusals;

pub use arguments::Arguments;
use arguments::{AnyAlgorithm, DiagonalName};

use trisolve::matrix_market::{self, Entries};
use trisolve::quasi_tridiagonal;
use trisolve::triangular::{self, Uplo};

use crate::Failure;
use crate::input_file::ArrayMeaning;
use crate::structure::{Form, is_cyclic};
use crate::time_spent::Clock;
use crate::trsv;

/// The structure that a matrix is solved as.
enum Structure {
    Tridiagonal,
    Cyclic,
    Triangular(Uplo),
    Quasi,
}

/// A triangular matrix that is mostly zeros is stored densely up to this many entries.
const MOST_MOSTLY_ZERO: usize = 1 << 26;

impl Structure {
    fn of(entries: &Entries, arguments: &Arguments) -> Self {
        let beside = |&(row, column, value, _): &(usize, usize, f64, u64)| value != 0.0 && row.abs_diff(column) > 1;
        let is_square = entries.rows == entries.columns;
        if let (true, AnyAlgorithm::Quasi(_)) = (is_square, arguments.algorithm) {
            return Self::Quasi;
        }
        // The tridiagonal solve refuses matrices that are not square.
        if !is_square || !entries.entries.iter().any(beside) {
            return Self::Tridiagonal;
        }
        if arguments.cyclic {
            return Self::Cyclic;
        }
        let dense_len = entries.rows.saturating_mul(entries.rows);
        let fits_densely = dense_len <= MOST_MOSTLY_ZERO || entries.entries.len() >= dense_len / 16;
        match matrix_market::triangle(entries) {
            Some(uplo) if fits_densely => Self::Triangular(uplo),
            _ if is_cyclic(entries) && arguments.iteration.given().is_none() => Self::Cyclic,
            _ => Self::Quasi,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.check()?;
    let mut clock = Clock::start();
    let entries = arguments.matrix.read_matrix(ArrayMeaning::Diagonals)?;
    let cyclic = match Structure::of(&entries, arguments) {
        Structure::Tridiagonal => false,
        Structure::Cyclic => true,
        Structure::Triangular(uplo) => {
            arguments.refuse_direct_options("triangular")?;
            return triangular(arguments, &entries, uplo, &mut clock);
        }
        Structure::Quasi => {
            arguments.refuse_direct_options("solved by iteration")?;
            return quasi(arguments, &entries, &mut clock);
        }
    };
    let form = Form { cyclic, transposed: arguments.transpose };
    arguments.refuse_iteration(if cyclic { "cyclic" } else { "tridiagonal" })?;
    direct::run(arguments, &entries, form, &mut clock)
}

/// Solves with a matrix that has entries beside its three diagonals.
fn quasi(arguments: &Arguments, entries: &Entries, clock: &mut Clock) -> Result<(), Failure> {
    let algorithm = match arguments.algorithm {
        AnyAlgorithm::Auto => quasi_tridiagonal::Algorithm::Auto,
        AnyAlgorithm::Quasi(named) => named,
        AnyAlgorithm::Tridiagonal(named) => {
            return Err(Failure::Input(format!(
                "{}: the matrix has entries beside its three diagonals, but --algorithm {named} solves tridiagonal systems; use \
                 hisa, bhisa, jacobi, gauss-seidel, gmres, bicg, bicgstab, tfqmr or bicrstab",
                arguments.matrix.display()
            )));
        }
    };
    if arguments.diagonal == DiagonalName::Excess {
        let message =
            "--diagonal excess applies to tridiagonal systems, but the matrix has entries beside its three diagonals";
        return Err(Failure::Input(message.into()));
    }
    let request = quasi::Request {
        matrix: (&arguments.matrix, entries),
        rhs: arguments.rhs.as_ref(),
        algorithm,
        iteration: &arguments.iteration,
        policy: arguments.policy.as_deref(),
        precision: arguments.precision,
        output: arguments.output.as_ref(),
        place: &arguments.place,
        json: arguments.json,
        timing: arguments.timing,
    };
    quasi::solve(&request, clock)
}

/// Solves with a triangular matrix.
fn triangular(arguments: &Arguments, entries: &Entries, uplo: Uplo, clock: &mut Clock) -> Result<(), Failure> {
    arguments.refuse_iteration("triangular")?;
    let algorithm = match arguments.algorithm {
        AnyAlgorithm::Auto => triangular::Algorithm::Auto,
        named => {
            return Err(Failure::Input(format!(
                "{}: the matrix is triangular, but --algorithm {named} solves tridiagonal systems; `trisolve trsv` has the \
                 algorithms for triangular ones",
                arguments.matrix.display()
            )));
        }
    };
    arguments.refuse_tridiagonal_options()?;
    let request = trsv::Request {
        matrix: (&arguments.matrix, entries),
        rhs: arguments.rhs.as_ref(),
        trapezoid: false,
        options: triangular::Options::default().uplo(uplo),
        algorithm,
        policy: None,
        precision: arguments.precision,
        output: arguments.output.as_ref(),
        place: &arguments.place,
        json: arguments.json,
        timing: arguments.timing,
    };
    trsv::solve(&request, clock)
}
