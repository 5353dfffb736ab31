//! `trisolve solve` of a matrix that is tridiagonal but for some entries.

use std::path::{Path, PathBuf};
use std::time::Instant;

use trisolve::matrix_market::{self, Entries};
use trisolve::quasi_tridiagonal::{
    Algorithm, Csr, DirectSolution, MOST_ITERATIONS, MOST_RESTART, Options, Outcome, Policy, Preconditioner,
    QuasiTridiagonalPlan, Report, default_tolerance, solve_directly, solve_on_cpu,
};
use trisolve::{Error, Precision, Real};

use crate::columns::narrow_all;
use crate::direct::MOST_FORWARD_ERROR;
use crate::or_cpu::OrCpu;
use crate::output::{progress, say, tell};
use crate::output_file::OutputFile;
use crate::rounding::distance;
use crate::structure::against_ones;
use crate::{Failure, PrecisionName, open_gpu};
use trisolve_lab::chart::{Line, Names, Panel, draw};

/// Solves for what rounding the files' numbers did, at most, and the relative step after which no more are needed.
const MOST_CORRECTIONS: usize = 6;
const SMALL_CORRECTION: f64 = 1e-3;

/// What is asked of an iteration; none of it of the other families.
#[derive(clap::Args)]
pub struct Iteration {
    /// Of the Krylov methods: none, jacobi or tridiagonal (the default)
    #[arg(long)]
    preconditioner: Option<Preconditioner>,
    /// The relative residual to reach; 1e-6 in f32 and 1e-7 in f64 where none is given
    #[arg(long, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Iterations at the most; 1000 where none are given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ITERATIONS)))]
    max_iterations: Option<u32>,
    /// Iterations after which gmres begins anew; 30 where none are given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RESTART)))]
    restart: Option<u32>,
    /// With --precision f64: iterate in f32 on the residual in f64
    #[arg(long)]
    mixed: bool,
    /// Draw the residual over the iterations, as SVG
    #[arg(long)]
    plot: Option<PathBuf>,
}

impl Iteration {
    /// The first option that was given, which other systems have no use for.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            (self.preconditioner.is_some(), "--preconditioner"),
            (self.tolerance.is_some(), "--tolerance"),
            (self.max_iterations.is_some(), "--max-iterations"),
            (self.restart.is_some(), "--restart"),
            (self.mixed, "--mixed"),
            (self.plot.is_some(), "--plot"),
        ];
        all.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }
}

/// A system from files, and how it is to be solved.
pub struct Request<'a> {
    pub matrix: (&'a Path, &'a Entries),
    pub rhs: Option<&'a Path>,
    pub algorithm: OrCpu<Algorithm>,
    pub iteration: &'a Iteration,
    pub policy: Option<&'a str>,
    pub precision: PrecisionName,
    pub output: Option<&'a Path>,
    pub device: Option<&'a str>,
    pub json: bool,
}

#[derive(serde::Serialize)]
struct Told {
    structure: &'static str,
    rows: usize,
    entries: usize,
    rhs: usize,
    algorithm: String,
    preconditioner: Option<&'static str>,
    precision: String,
    adapter: String,
    outcome: &'static str,
    /// The most of all right-hand sides, as the residual.
    iterations: usize,
    relative_residual: f64,
    /// Against the exact solution of the numbers as given; null of what has not converged.
    forward_error: Option<f64>,
    /// Skeel's cond(A, x), where it was computed.
    condition: Option<f64>,
    seconds: f64,
    rows_not_dominant: usize,
    /// Of each right-hand side.
    residuals: Vec<Vec<f64>>,
}

/// A right-hand side's way.
struct Way {
    method: String,
    outcome: Outcome,
    history: Vec<f64>,
}

/// All right-hand sides, by one method.
struct Solved<T> {
    x: Vec<T>,
    ways: Vec<Way>,
    algorithm: String,
    preconditioner: Option<&'static str>,
    adapter: String,
    seconds: f64,
    /// Why not, where one has not converged.
    failed: Option<Error>,
    /// Of the worst right-hand side.
    forward_error: f64,
    condition: Option<f64>,
}

/// Solves with the matrix in the solve's precision.
type Rounded<'a, T> = dyn Fn(&[T]) -> Result<Vec<T>, Error> + 'a;

/// The files' numbers.
struct Given<'a> {
    matrix: &'a Csr<f64>,
    rhs: &'a [f64],
    /// Whether some are rounded in the solve's precision.
    is_rounded: bool,
}

impl Given<'_> {
    /// Adds the error from rounding the files' numbers to T to the forward error: the distance to their own solution, by elimination or,
    /// of large matrices, by refinement with `solve`, which solves with the rounded matrix.
    ///
    /// # Errors
    /// [`Error::NoDigits`] where rounding leaves no digit, and those of the solves.
    fn add_rounding<T: Real>(&self, solved: &mut Solved<T>, solve: &Rounded<'_, T>) -> Result<(), Error> {
        let n = self.matrix.rows();
        if !self.is_rounded || solved.failed.is_some() {
            return Ok(());
        }
        let direct = match solve_directly(self.matrix, self.rhs) {
            Err(Error::Unsupported { .. }) => None,
            found => found.map(|found| Some((found.x, found.forward_error)))?,
        };
        for (at, (x, rhs)) in solved.x.chunks(n).zip(self.rhs.chunks(n)).enumerate() {
            let x: Vec<_> = x.iter().map(|x| x.to_f64()).collect();
            let (exact, own) = match &direct {
                Some((all, own)) => (all[at * n..(at + 1) * n].to_vec(), *own),
                None => self.refined(rhs, &x, solve)?,
            };
            solved.forward_error = solved.forward_error.max(distance(&x, &exact) + own);
        }
        accepted::<T>(solved.forward_error)
    }

    /// The solution of the files' numbers from that of the rounded ones, with its own error.
    fn refined<T: Real>(&self, rhs: &[f64], x: &[f64], solve: &Rounded<'_, T>) -> Result<(Vec<f64>, f64), Error> {
        let (mut exact, mut last) = (x.to_vec(), f64::INFINITY);
        for _ in 0..MOST_CORRECTIONS {
            let left: Vec<_> = rhs.iter().zip(self.matrix.times(&exact)?).map(|(b, sum)| b - sum).collect();
            let size = largest(left.iter().copied());
            if size == 0.0 {
                return Ok((exact, 0.0));
            }
            let step = solve(&left.iter().map(|left| T::from_f64(left / size)).collect::<Vec<_>>())?;
            exact.iter_mut().zip(&step).for_each(|(x, step)| *x += size * step.to_f64());
            let step = size * largest(step.iter().map(|step| step.to_f64())) / largest(exact.iter().copied());
            // Not twice as small: the rounded matrix says nothing of the files'.
            if step.is_nan() || step > 0.5 * last {
                break;
            }
            if last.is_finite() && step <= SMALL_CORRECTION {
                return Ok((exact, step));
            }
            last = step;
        }
        // Steps that do not shrink: at least as far off.
        accepted::<T>(f64::INFINITY).map(|()| (exact, last))
    }
}

/// # Errors
/// [`Error::NoDigits`] where rounding the files' numbers leaves none.
fn accepted<T: Real>(forward_error: f64) -> Result<(), Error> {
    let (precision, advice) = (T::PRECISION, "the files' numbers were rounded; use --precision f64".into());
    match forward_error <= MOST_FORWARD_ERROR {
        true => Ok(()),
        false => Err(Error::NoDigits { system: 0, forward_error, precision, advice }),
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0f64, |most, value| most.max(value.abs()))
}

/// Reads, solves and reports.
pub fn solve(request: &Request<'_>) -> Result<(), Failure> {
    match request.precision {
        PrecisionName::F32 => solve_in::<f32>(request),
        PrecisionName::F64 => solve_in::<f64>(request),
    }
}

fn solve_in<T: Real>(request: &Request<'_>) -> Result<(), Failure> {
    let Request { matrix: (path, entries), iteration, .. } = *request;
    let explained = |error| explain(error, path);
    let wide = matrix_market::sparse(entries).map_err(explained)?;
    let matrix: Csr<T> = wide.converted().map_err(explained)?;
    let n = matrix.rows();
    let (rhs, wide_rhs): (Vec<T>, _) = match request.rhs {
        Some(path) => {
            let columns = matrix_market::columns(&matrix_market::read(path)?, n)?;
            (narrow_all(path, &columns, n)?, columns)
        }
        None => {
            let rhs = matrix.times(&vec![T::ONE; n]).map_err(explained)?;
            let columns = rhs.iter().map(|b| b.to_f64()).collect();
            (rhs, columns)
        }
    };
    let is_exact = |narrow: T, wide: f64| narrow.to_f64() == wide;
    let is_exact_row = |row| matrix.row(row).zip(wide.row(row)).all(|((_, narrow), (_, wide))| is_exact(narrow, wide));
    let is_rounded =
        !(0..n).all(is_exact_row) || !rhs.iter().zip(&wide_rhs).all(|(narrow, wide)| is_exact(*narrow, *wide));
    let given = Given { matrix: &wide, rhs: &wide_rhs, is_rounded };
    let output = request.output.map(OutputFile::open).transpose()?;
    let plot = iteration.plot.as_deref().map(OutputFile::open).transpose()?;
    if request.algorithm == OrCpu::Cpu {
        let of_device = [
            (iteration.preconditioner.is_some(), "--preconditioner"),
            (iteration.restart.is_some(), "--restart"),
            (iteration.mixed, "--mixed"),
        ];
        if let Some((_, option)) = of_device.into_iter().find(|(given, _)| *given) {
            return Err(Failure::Input(format!(
                "{option}: --algorithm cpu is Gauss-Seidel and has none; leave one of them out"
            )));
        }
    }
    let solved = match request.algorithm {
        OrCpu::Cpu => on_cpu(&matrix, &rhs, iteration, &given).map_err(explained)?,
        OrCpu::Gpu(algorithm) => on_gpu(request, algorithm, (&matrix, &rhs), &given)?,
    };
    let residuals = rhs.chunks(n).zip(solved.x.chunks(n)).map(|(rhs, x)| matrix.relative_residual(x, rhs));
    let residuals = residuals.collect::<Result<Vec<_>, _>>().map_err(explained)?;
    let Solved { x, ways, algorithm, preconditioner, adapter, seconds, failed, forward_error, condition } = solved;
    // Of what was tried. NaN counts as the largest.
    let tried = residuals.into_iter().take(ways.len());
    let relative_residual = tried.map(f64::abs).max_by(f64::total_cmp).unwrap_or(0.0);
    let worst = ways.iter().max_by_key(|way| (way.outcome != Outcome::Converged, way.history.len()));
    let (outcome, iterations, relative_residual) = match &failed {
        Some(Error::NotConverged { outcome, iterations, residual, .. }) => (*outcome, *iterations, *residual),
        _ => {
            let outcome = worst.map_or(Outcome::Converged, |way| way.outcome);
            (outcome, worst.map_or(0, |way| way.history.len().saturating_sub(1)), relative_residual)
        }
    };
    let forward_error = match request.rhs {
        None if failed.is_none() => against_ones(path, &x, forward_error)?,
        _ => forward_error,
    };
    let told = Told {
        structure: "quasi-tridiagonal",
        rows: n,
        entries: matrix.entries(),
        rhs: rhs.len() / n,
        algorithm,
        preconditioner,
        precision: if iteration.mixed { format!("{} mixed", T::PRECISION) } else { T::PRECISION.to_string() },
        adapter,
        outcome: outcome.name(),
        iterations,
        relative_residual,
        forward_error: failed.is_none().then_some(forward_error),
        condition,
        seconds,
        rows_not_dominant: trisolve::quasi_tridiagonal::Dominance::of(&matrix).broken,
        residuals: ways.iter().map(|way| way.history.clone()).collect(),
    };
    if let Some(file) = plot {
        match picture(&ways, &format!("{} rows, {} entries", told.rows, told.entries))? {
            Some(picture) => file.write(|target| target.write_all(picture.as_bytes()))?,
            None => tell("--plot: there is no residual above 0 to draw, and no picture"),
        }
    }
    if request.json {
        say(&serde_json::to_string(&told).map_err(|e| Failure::Solver(e.to_string()))?)?;
    }
    if let Some(error) = failed {
        if told.rhs > 1 {
            tell(&format!("right-hand side {} of {}:", ways.len(), told.rhs));
        }
        return Err(explained(error));
    }
    if let Some(output) = output {
        output.write(|target| matrix_market::write_array(target, n, &x))?;
    }
    if !request.json {
        print(&told);
        if request.rhs.is_none() {
            let worst = x.iter().map(|x| (x.to_f64() - 1.0).abs()).fold(0.0, f64::max);
            tell(&format!("the right-hand side was A times ones; largest error against ones {worst:.2e}"));
        }
    }
    Ok(())
}

fn print(told: &Told) {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let with = told.preconditioner.map_or_else(String::new, |name| format!(" with the preconditioner {name}"));
    tell(&format!(
        "quasi-tridiagonal system, {} rows, {} entries, {} right-hand side{}\n\
         {}{with} in {} on {}: {} iteration{}, {:.2} ms\nrelative residual {:.2e}",
        told.rows,
        told.entries,
        told.rhs,
        plural(told.rhs),
        told.algorithm,
        told.precision,
        told.adapter,
        told.iterations,
        plural(told.iterations),
        told.seconds * 1e3,
        told.relative_residual,
    ));
    if let Some(forward_error) = told.forward_error {
        tell(&format!("forward error about {forward_error:.0e}"));
    }
    if let Some(condition) = told.condition {
        tell(&format!("condition about {condition:.0e} (componentwise, cond(A, x))"));
    }
    if told.outcome == Outcome::Rounded.name() {
        tell(
            "rounding leaves no less of it, though the tolerance by default is below that; --tolerance makes it an error",
        );
    }
    if told.rows_not_dominant > 0 {
        tell(&format!("{} row{} not diagonally dominant", told.rows_not_dominant, plural(told.rows_not_dominant)));
    }
}

/// All right-hand sides by the first method that brings them all to the tolerance.
fn on_gpu<T: Real>(
    request: &Request<'_>,
    algorithm: Algorithm,
    (matrix, rhs): (&Csr<T>, &[T]),
    given: &Given<'_>,
) -> Result<Solved<T>, Failure> {
    let Request { matrix: (path, _), iteration, policy, .. } = *request;
    let explained = |error| explain(error, path);
    let gpu = open_gpu(request.device)?;
    let options = Options {
        algorithm,
        preconditioner: iteration.preconditioner,
        tolerance: iteration.tolerance,
        max_iterations: iteration.max_iterations,
        restart: iteration.restart,
        mixed: iteration.mixed,
        policy: policy.map(Policy::bhisa).transpose().map_err(explained)?,
        ..Options::default()
    };
    let mut nearest: Option<Solved<T>> = None;
    let candidates = options.in_turn(matrix);
    for (at, options) in candidates.iter().enumerate() {
        let plan = match QuasiTridiagonalPlan::new(&gpu, matrix, *options) {
            Err(Error::ZeroOnDiagonal { .. }) if at + 1 < candidates.len() => continue,
            plan => plan.map_err(explained)?,
        };
        let mut solved = by_plan(&plan, rhs, gpu.info().name.clone(), options.max_iterations).map_err(explained)?;
        let residual = |solved: &Solved<T>| match &solved.failed {
            Some(Error::NotConverged { residual, .. }) if !residual.is_nan() => *residual,
            _ => f64::INFINITY,
        };
        let Some(error) = &solved.failed else {
            given.add_rounding(&mut solved, &|rhs| plan.solve(rhs)).map_err(explained)?;
            return Ok(solved);
        };
        // Another method would be kept from it by the same rounding.
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
        // Nobody asked for a method.
        Some(tried) if algorithm == Algorithm::Auto => {
            tell("no method converges: elimination on the CPU instead");
            let start = Instant::now();
            let direct = match solve_directly(matrix, rhs) {
                Err(Error::Unsupported { .. }) => return Ok(tried),
                direct => direct.map_err(explained)?,
            };
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

/// Solutions by elimination, in the place of what was tried.
fn eliminated<T: Real>(
    tried: Solved<T>,
    direct: DirectSolution<T>,
    matrix: &Csr<T>,
    rhs: &[T],
) -> Result<Solved<T>, Error> {
    let n = matrix.rows();
    let way = |(x, rhs)| {
        let residual = matrix.relative_residual(x, rhs)?;
        Ok(Way { method: "elimination".into(), outcome: Outcome::Eliminated, history: vec![residual] })
    };
    let ways = direct.x.chunks(n).zip(rhs.chunks(n)).map(way).collect::<Result<_, Error>>()?;
    let DirectSolution { x, forward_error, condition, .. } = direct;
    let (algorithm, condition) = ("cpu (elimination)".into(), Some(condition));
    Ok(Solved { x, ways, failed: None, algorithm, preconditioner: None, forward_error, condition, ..tried })
}

fn by_plan<T: Real>(
    plan: &QuasiTridiagonalPlan<T>,
    rhs: &[T],
    adapter: String,
    most: Option<u32>,
) -> Result<Solved<T>, Error> {
    let bar = progress(most.unwrap_or(1000) as usize);
    let mut solved = Solved {
        x: Vec::with_capacity(rhs.len()),
        ways: vec![],
        algorithm: plan.algorithm().to_string(),
        preconditioner: plan.algorithm().is_krylov().then(|| plan.preconditioner().name()),
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
                solved.forward_error = solved.forward_error.max(solution.forward_error);
                solved.condition = solved.condition.into_iter().chain(solution.condition).reduce(f64::max);
                (solution.x, None)
            }
            Err(error @ (Error::NotConverged { .. } | Error::NoDigits { .. } | Error::Unverified { .. })) => {
                (attempt.x, Some(error))
            }
            Err(error) => return Err(error),
        };
        solved.x.extend(x);
        solved.ways.push(Way { method: report.method(), outcome: report.outcome, history: report.history });
        if failed.is_some() {
            solved.failed = failed;
            // The others would not fare better.
            solved.x.resize(rhs.len(), T::from_f64(f64::NAN));
            break;
        }
    }
    bar.finish_and_clear();
    Ok(solved)
}

/// Gauss-Seidel, row after row.
fn on_cpu<T: Real>(matrix: &Csr<T>, rhs: &[T], iteration: &Iteration, given: &Given<'_>) -> Result<Solved<T>, Error> {
    let tolerance = iteration.tolerance.unwrap_or(default_tolerance::<T>());
    let most = iteration.max_iterations.unwrap_or(1000) as usize;
    let start = Instant::now();
    let (mut x, mut ways) = (vec![], vec![]);
    let (mut failed, mut forward_error, mut condition) = (None, 0f64, None);
    for column in rhs.chunks(matrix.rows()) {
        let mut way = Way { method: "gauss-seidel".into(), outcome: Outcome::Converged, history: vec![] };
        match solve_on_cpu(matrix, column, tolerance, most) {
            Ok(solution) => {
                x.extend(solution.x);
                way.history = solution.history;
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
    let mut solved = Solved {
        x,
        ways,
        algorithm: "cpu (gauss-seidel)".into(),
        preconditioner: None,
        adapter: "cpu".into(),
        seconds: start.elapsed().as_secs_f64(),
        failed,
        forward_error,
        condition,
    };
    given.add_rounding(&mut solved, &|rhs| solve_on_cpu(matrix, rhs, tolerance, most).map(|solution| solution.x))?;
    Ok(solved)
}

/// The residual over the iterations.
pub fn residuals(name: String, history: &[f64]) -> Line {
    let points = history.iter().enumerate().filter(|(_, value)| value.is_finite() && **value > 0.0);
    Line { name, points: points.map(|(iteration, &value)| (iteration as f64, value)).collect() }
}

/// A panel of such lines.
pub fn convergence(title: String, lines: Vec<Line>) -> Panel {
    Panel { title, x: ("iteration", None), y: "relative residual", names: Names::Above, lines }
}

/// The ways of all right-hand sides in one picture, where there is anything to draw.
fn picture(ways: &[Way], title: &str) -> Result<Option<String>, Failure> {
    let several = ways.len() > 1;
    let name = |at: usize| if several { format!(", right-hand side {}", at + 1) } else { String::new() };
    let lines = ways.iter().enumerate().map(|(at, way)| residuals(way.method.clone() + &name(at), &way.history));
    let lines: Vec<_> = lines.filter(|line| !line.points.is_empty()).collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let drawn = draw("Convergence", &[convergence(title.into(), lines)]);
    drawn.map(Some).map_err(|error| Failure::Solver(format!("--plot: {error}")))
}

/// A failure in the file's terms: its name, and rows that count from 1 as its indices do.
fn explain(error: Error, path: &Path) -> Failure {
    let path = path.display();
    match error {
        Error::EmptyRow { row } => {
            Failure::Solver(format!("{path}: the matrix is singular: row {} (counted from 1) has no entries", row + 1))
        }
        Error::Singular { row, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular: elimination with pivoting finds no pivot in row {} (counted from 1)",
            row + 1
        )),
        error @ (Error::NearlySingular { .. } | Error::NoDigits { .. } | Error::Unverified { .. }) => {
            Failure::Solver(format!("{path}: {error}"))
        }
        Error::ZeroOnDiagonal { row, method } => Failure::Solver(format!(
            "{path}: the diagonal is 0 in row {} (counted from 1), and {method} divides by it; order the rows otherwise, or \
             take --algorithm gmres or bicgstab --preconditioner none",
            row + 1
        )),
        Error::NotConverged { method, outcome, iterations, residual, advice, broken_rows, first_broken } => {
            let first_broken = first_broken.map(|row| row + 1);
            let error =
                Error::NotConverged { method, outcome, iterations, residual, advice, broken_rows, first_broken };
            Failure::Solver(format!("{path}: {error}"))
        }
        Error::Narrowed { row, what, precision } => Failure::Input(format!(
            "{path}, row {} (counted from 1): {what} the range of {precision}; {}scale the system",
            row + 1,
            if precision == Precision::F32 { "use --precision f64 (without --mixed), or " } else { "" }
        )),
        Error::NonFiniteInput { vector, row, .. } => {
            Failure::Input(format!("{path}: {vector} is not finite in row {} (counted from 1)", row + 1))
        }
        Error::Overflow { row, precision, .. } => Failure::Solver(format!(
            "{path}: the solution leaves the range of {precision} at row {} (counted from 1); scale the right-hand side \
             down{}",
            row + 1,
            if precision == Precision::F32 { ", or use --precision f64" } else { "" }
        )),
        other => other.into(),
    }
}
