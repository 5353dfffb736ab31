//! The solves of a quasi-tridiagonal system: by iteration on the device or on the CPU, or by elimination.

use std::time::Instant;

use trisolve::quasi_tridiagonal::{
    Algorithm, Csr, DirectSolution, Options, Outcome, Policy, QuasiTridiagonalPlan, Report, default_tolerance,
    solve_directly, solve_on_cpu,
};
use trisolve::{Error, Place, Real};

use super::failures::explain;
use super::file_numbers::FileNumbers;
use super::iteration::Iteration;
use super::request::Request;
use crate::Failure;
use crate::output::{counted, progress, tell};
use crate::place::CPU;
use crate::time_spent::Clock;

/// How the solve for one right-hand side went.
pub struct Way {
    pub method: String,
    pub outcome: Outcome,
    /// The relative residual after each iteration.
    pub history: Vec<f64>,
    /// The name of the splitting's matrix, and an estimate of its spectral radius.
    pub splitting: Option<(&'static str, f64)>,
}

/// The solutions for all right-hand sides, by one method.
pub struct Solved<T> {
    pub x: Vec<T>,
    /// One per right-hand side that was tried.
    pub ways: Vec<Way>,
    pub algorithm: String,
    pub preconditioner: Option<&'static str>,
    pub place: Place,
    pub adapter: String,
    pub seconds: f64,
    /// The error of the right-hand side that did not converge, if any.
    pub failed: Option<Error>,
    /// The largest of the right-hand sides, as is the condition number.
    pub forward_error: f64,
    pub condition: Option<f64>,
}

/// Solves on the device, with the first method that brings all right-hand sides to the tolerance.
pub fn on_device<T: Real>(
    request: &Request<'_>,
    (matrix, rhs): (&Csr<T>, &[T]),
    given: &FileNumbers<'_>,
    clock: &mut Clock,
) -> Result<Solved<T>, Failure> {
    let Request { matrix: (path, _), algorithm, iteration, policy, .. } = *request;
    let explained = |error| explain(error, path);
    let gpu = request.place.open()?;
    clock.opened();
    let options = Options {
        algorithm,
        preconditioner: iteration.preconditioner,
        tolerance: iteration.tolerance,
        max_iterations: iteration.max_iterations,
        restart: iteration.restart,
        mixed: iteration.mixed,
        tridiagonal: iteration.tridiagonal,
        stop: iteration.stop.unwrap_or_default(),
        policy: policy.map(|text| Policy::of(algorithm, text)).transpose().map_err(explained)?,
        ..Options::default()
    };
    let mut nearest: Option<Solved<T>> = None;
    let candidates = options.in_turn(matrix);
    for (at, options) in candidates.iter().enumerate() {
        let plan = match QuasiTridiagonalPlan::new(&gpu, matrix, *options) {
            Err(Error::ZeroOnDiagonal { .. }) if at + 1 < candidates.len() => continue,
            plan => plan.map_err(explained)?,
        };
        clock.planned(plan.timing());
        let mut solved =
            by_plan(&plan, rhs, gpu.info().name.clone(), options.max_iterations, clock).map_err(explained)?;
        let residual = |solved: &Solved<T>| match &solved.failed {
            Some(Error::NotConverged { residual, .. }) if !residual.is_nan() => *residual,
            _ => f64::INFINITY,
        };
        let Some(error) = &solved.failed else {
            given.add_rounding(&mut solved, &|rhs| plan.solve(rhs)).map_err(explained)?;
            return Ok(solved);
        };
        // The same rounding would stop any other method.
        let is_last =
            at + 1 == candidates.len() || matches!(error, Error::NotConverged { outcome: Outcome::Rounded, .. });
        if !is_last {
            tell(&format!("{error}; trying another method"));
        }
        if nearest.as_ref().is_none_or(|nearest| residual(&solved) < residual(nearest)) {
            nearest = Some(solved);
        }
        if is_last {
            break;
        }
    }
    match nearest {
        // Only auto may switch to elimination.
        Some(tried) if algorithm == Algorithm::Auto => {
            tell("no method converges; trying elimination on the CPU");
            let start = Instant::now();
            let direct = match solve_directly(matrix, rhs) {
                Err(error @ Error::Unsupported { .. }) => {
                    tell(&error.to_string());
                    return Ok(tried);
                }
                direct => direct.map_err(explained)?,
            };
            clock.solved();
            let tried = Solved { seconds: start.elapsed().as_secs_f64(), ..tried };
            let mut solved = eliminated(tried, direct, matrix, rhs).map_err(explained)?;
            given
                .add_rounding(&mut solved, &|rhs| solve_directly(matrix, rhs).map(|solution| solution.x))
                .map_err(explained)?;
            Ok(solved)
        }
        Some(tried) => Ok(tried),
        None => Err(Failure::Solver(format!("{}: no method could be tried", path.display()))),
    }
}

/// The solutions by elimination, in place of the method that was tried.
fn eliminated<T: Real>(
    tried: Solved<T>,
    direct: DirectSolution<T>,
    matrix: &Csr<T>,
    rhs: &[T],
) -> Result<Solved<T>, Error> {
    let n = matrix.rows();
    let way = |(x, rhs)| {
        let residual = matrix.relative_residual(x, rhs)?;
        Ok(Way { method: "elimination".into(), outcome: Outcome::Eliminated, history: vec![residual], splitting: None })
    };
    let ways = direct.x.chunks(n).zip(rhs.chunks(n)).map(way).collect::<Result<_, Error>>()?;
    let DirectSolution { x, forward_error, condition, .. } = direct;
    let (algorithm, condition) = ("cpu (elimination)".into(), Some(condition));
    let (place, adapter) = (Place::Cpu, CPU.into());
    Ok(Solved {
        x,
        ways,
        failed: None,
        algorithm,
        place,
        adapter,
        preconditioner: None,
        forward_error,
        condition,
        ..tried
    })
}

/// Solves for one right-hand side after the other, until one does not converge.
fn by_plan<T: Real>(
    plan: &QuasiTridiagonalPlan<T>,
    rhs: &[T],
    adapter: String,
    most: Option<u32>,
    clock: &mut Clock,
) -> Result<Solved<T>, Error> {
    let bar = progress(most.unwrap_or(1000) as usize);
    let mut solved = Solved {
        x: Vec::with_capacity(rhs.len()),
        ways: vec![],
        algorithm: plan.algorithm().to_string(),
        preconditioner: plan.algorithm().is_krylov().then(|| plan.preconditioner().name()),
        place: Place::Device,
        adapter,
        seconds: 0.0,
        failed: None,
        forward_error: 0.0,
        condition: None,
    };
    for column in rhs.chunks(plan.rows()) {
        let mut shown = |iterations: usize, residual: f64| {
            bar.set_position(iterations as u64);
            bar.set_message(format!("residual {residual:.1e}"));
        };
        let attempt = plan.attempt_from(None, column, &mut shown)?;
        solved.seconds += attempt.seconds;
        let report: Report = attempt.report.clone();
        let (x, failed) = match plan.accepted(column, attempt.clone()) {
            Ok(solution) => {
                clock.called(solution.timing);
                solved.forward_error = solved.forward_error.max(solution.forward_error);
                solved.condition = solved.condition.into_iter().chain(solution.condition).reduce(f64::max);
                (solution.x, None)
            }
            Err(error @ (Error::NotConverged { .. } | Error::NoDigits { .. } | Error::Unverified { .. })) => {
                clock.called(attempt.timing);
                (attempt.x, Some(error))
            }
            Err(error) => return Err(error),
        };
        solved.x.extend(x);
        let splitting = report.splitting().zip(report.spectral_radius());
        solved.ways.push(Way { method: report.method(), outcome: report.outcome, history: report.history, splitting });
        if failed.is_some() {
            solved.failed = failed;
            // The remaining right-hand sides would not converge either.
            solved.x.resize(rhs.len(), T::from_f64(f64::NAN));
            break;
        }
    }
    bar.finish_and_clear();
    Ok(solved)
}

/// Solves on the CPU by Gauss-Seidel, or where that fails by elimination.
pub fn on_cpu<T: Real>(
    matrix: &Csr<T>,
    rhs: &[T],
    iteration: &Iteration,
    given: &FileNumbers<'_>,
    clock: &mut Clock,
) -> Result<Solved<T>, Error> {
    let tolerance = iteration.tolerance.unwrap_or(default_tolerance::<T>());
    let most = iteration.max_iterations.unwrap_or(1000) as usize;
    let start = Instant::now();
    let (mut x, mut ways) = (vec![], vec![]);
    let (mut failed, mut forward_error, mut condition) = (None, 0f64, None);
    for column in rhs.chunks(matrix.rows()) {
        let mut way =
            Way { method: "gauss-seidel".into(), outcome: Outcome::Converged, history: vec![], splitting: None };
        match solve_on_cpu(matrix, column, tolerance, most) {
            Ok(solution) => {
                x.extend(solution.x);
                (way.history, way.outcome) = (solution.history, solution.outcome);
                forward_error = forward_error.max(solution.forward_error);
                condition = condition.into_iter().chain(solution.condition).reduce(f64::max);
            }
            Err(error @ Error::NotConverged { outcome, .. }) => {
                way.outcome = outcome;
                failed = Some(error);
            }
            Err(error) => return Err(error),
        }
        ways.push(way);
        if failed.is_some() {
            x.resize(rhs.len(), T::from_f64(f64::NAN));
            break;
        }
    }
    let eliminated = ways.iter().filter(|way| way.outcome == Outcome::Eliminated).count();
    if eliminated > 0 {
        tell(&format!("gauss-seidel failed; elimination solved {}", counted(eliminated, "right-hand side")));
    }
    let method = match eliminated {
        0 => "gauss-seidel",
        _ if eliminated < ways.len() => "gauss-seidel, elimination",
        _ => "elimination",
    };
    let mut solved = Solved {
        x,
        ways,
        algorithm: format!("{CPU} ({method})"),
        preconditioner: None,
        place: Place::Cpu,
        adapter: CPU.into(),
        seconds: start.elapsed().as_secs_f64(),
        failed,
        forward_error,
        condition,
    };
    clock.solved();
    given.add_rounding(&mut solved, &|rhs| solve_on_cpu(matrix, rhs, tolerance, most).map(|solution| solution.x))?;
    Ok(solved)
}
