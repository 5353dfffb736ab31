//! The solves of a tridiagonal system: on the device, with a factored matrix, or on the CPU.

use std::time::Instant;

use trisolve::tridiagonal::{
    Algorithm, Formulas, Options, Shape, Solution, Stability, System, TridiagonalPlan, solve_batch_on_cpu,
};
use trisolve::{Error, Place, Real};

use super::super::arguments::{AnyAlgorithm, Arguments};
use super::failures::explain;
use crate::place::{CPU, tell_software};
use crate::plans::plan;
use crate::structure::Matrix;
use crate::time_spent::Clock;
use crate::{Failure, StabilityName};

/// The solutions for all right-hand sides: the worst of their error measures, the sum of their times.
pub struct Solved<T> {
    pub x: Vec<T>,
    pub algorithm: String,
    pub place: Place,
    pub adapter: String,
    /// The division of the work; none on the CPU.
    pub policy: Option<String>,
    pub relative_residual: f64,
    /// None on the CPU.
    pub backward_error: Option<f64>,
    pub forward_error: f64,
    /// Skeel's cond(A, x), where it was computed.
    pub condition: Option<f64>,
    /// Right-hand sides that the CPU solved in place of the device.
    pub replaced: usize,
    pub seconds: f64,
}

impl<T: Real> Solved<T> {
    fn new(algorithm: String, place: Place, adapter: String, policy: Option<String>) -> Self {
        Self {
            x: vec![],
            algorithm,
            place,
            adapter,
            policy,
            relative_residual: 0.0,
            backward_error: None,
            forward_error: 0.0,
            condition: None,
            replaced: 0,
            seconds: 0.0,
        }
    }

    fn include_errors(&mut self, forward_error: f64, condition: Option<f64>) {
        self.forward_error = self.forward_error.max(forward_error);
        self.condition = self.condition.into_iter().chain(condition).reduce(f64::max);
    }

    fn include(&mut self, solution: Solution<T>, clock: &mut Clock) {
        clock.called(solution.timing);
        self.include_errors(solution.forward_error.unwrap_or(f64::INFINITY), solution.condition);
        self.x.extend(solution.x);
        self.algorithm = solution.algorithm.to_string();
        if let Some(residuals) = solution.residuals {
            self.relative_residual = self.relative_residual.max(residuals.relative);
            self.backward_error = Some(self.backward_error.unwrap_or(0.0).max(residuals.backward_error));
        }
        self.replaced += solution.replaced;
        self.seconds += solution.seconds;
    }
}

fn options<T: Real>(arguments: &Arguments, matrix: &Matrix<T>) -> Options {
    let algorithm = if let AnyAlgorithm::Tridiagonal(named) = arguments.algorithm { named } else { Algorithm::Auto };
    let stability = arguments.stability.map_or(Stability::Fastest, StabilityName::stability);
    Options::default().algorithm(algorithm).stability(stability).matching(&matrix.system())
}

/// Where to solve: the device or the CPU.
pub fn place<T: Real>(arguments: &Arguments, matrix: &Matrix<T>, rhs: &[T]) -> Result<Place, Failure> {
    if arguments.factored || arguments.policy.is_some() {
        return Ok(Place::Device);
    }
    let options = options(arguments, matrix).place(arguments.place.place());
    let n = matrix.rows();
    let shape = Shape::single(n).with_columns(rhs.len() / n);
    Ok(options.place_of::<T>(&arguments.place.device(), &shape)?)
}

/// Solves on the device. `is_rounded`: the file's numbers were rounded.
pub fn on_device<T: Real>(
    arguments: &Arguments,
    (matrix, rhs): (&Matrix<T>, &[T]),
    is_rounded: bool,
    clock: &mut Clock,
) -> Result<Solved<T>, Failure> {
    let gpu = arguments.place.open()?;
    clock.opened();
    let system = matrix.system();
    let options = options(arguments, matrix).place(Place::Device);
    let n = matrix.rows();
    let columns = if arguments.factored { 1 } else { rhs.len() / n };
    let shape = Shape::single(n).with_columns(columns);
    let plan =
        plan::<T>(&gpu, shape, options, arguments.policy.as_deref(), &Formulas::new()).map_err(|error| {
            match (error, &arguments.policy) {
                (Error::Limit { what, needed, available, .. }, Some(text)) => Failure::Input(format!(
                    "--policy {text}: {what} needs {needed}, but {} has {available}; use smaller numbers",
                    gpu.info().name
                )),
                (error, _) => error.into(),
            }
        })?;
    clock.planned(plan.timing());
    let (named, adapter) = (options.algorithm.to_string(), gpu.info().name.clone());
    let mut solved = Solved::new(named, Place::Device, adapter, Some(plan.policy().to_string()));
    let outcome = match arguments.factored {
        true => by_factor(&plan, (&system, rhs), &mut solved, clock),
        false => plan.solve_reported(&system, rhs).map(|solution| solved.include(solution, clock)),
    };
    outcome.map_err(|error| explain(error, arguments, is_rounded))?;
    if !arguments.json {
        let device_only = options.algorithm != Algorithm::Auto || arguments.factored || arguments.policy.is_some();
        tell_software(&gpu, device_only);
    }
    Ok(solved)
}

/// Factors the matrix once, then solves for one right-hand side after the other.
fn by_factor<T: Real>(
    plan: &TridiagonalPlan<T>,
    (system, rhs): (&System<'_, T>, &[T]),
    solved: &mut Solved<T>,
    clock: &mut Clock,
) -> Result<(), Error> {
    let factored = plan.factor(system)?;
    clock.called(factored.timing());
    solved.algorithm = factored.algorithm().to_string();
    for column in rhs.chunks(factored.shape().n) {
        solved.include(factored.solve_reported(column)?, clock);
    }
    Ok(())
}

/// Solves on all cores of the CPU.
pub fn on_cpu<T: Real>(matrix: &Matrix<T>, rhs: &[T], n: usize, clock: &mut Clock) -> Result<Solved<T>, Error> {
    let start = Instant::now();
    let shape = Shape::single(n).with_columns(rhs.len() / n);
    let solution = solve_batch_on_cpu(&shape, &matrix.system(), rhs)?;
    clock.solved();
    let algorithm = match solution.widened {
        0 => "cpu (dominance carried)",
        _ => "cpu (wider arithmetic)",
    };
    let mut solved = Solved::new(algorithm.into(), Place::Cpu, CPU.into(), None);
    solved.include_errors(solution.forward_error, solution.condition);
    solved.x = solution.x;
    solved.seconds = start.elapsed().as_secs_f64();
    solved.relative_residual = largest_residual(matrix, &solved.x, rhs)?;
    Ok(solved)
}

/// The largest ||d - A x|| / ||d|| of the right-hand sides, computed in f64.
pub fn largest_residual<T: Real>(matrix: &Matrix<T>, x: &[T], rhs: &[T]) -> Result<f64, Error> {
    let system = matrix.system();
    let n = matrix.rows().max(1);
    let residuals = x.chunks(n).zip(rhs.chunks(n)).map(|(x, d)| system.relative_residual(x, d));
    Ok(residuals.collect::<Result<Vec<_>, _>>()?.into_iter().fold(0.0, f64::max))
}
