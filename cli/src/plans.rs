//! Plans with the policy that `--policy` gives.

use trisolve::recurrence::{self, RecurrencePlan};
use trisolve::triangular::{self, TriangularPlan};
use trisolve::tridiagonal::{Algorithm, Formulas, Options, Shape, TridiagonalPlan};
use trisolve::{Error, Gpu, Real};

/// The end of the help of `--policy`.
pub const POLICY: &str = "as rows=8,shuffles=1 (with --algorithm partition; every algorithm has its own parameters); omitted parameters keep their \
                          tuned or default values. For tpr, slice is the paper's S, threads its L, and overall_threads,overall_systems its \
                          (L_x, L_y). For cr, pcr and cr-pcr, held is the most rows per system in workgroup memory, lane_rows and subgroups \
                          are the most rows per lane and subgroups per system that pass rows on by shuffles, and spread=1 spreads rows over \
                          the banks of workgroup memory";

/// A tridiagonal plan with formulas, or with none. The values in the policy's text replace those that the plan would take.
///
/// # Errors
/// [`Error::Options`] that names `--policy`, and the errors of the plan.
pub fn plan<T: Real>(
    gpu: &Gpu,
    shape: Shape,
    options: Options,
    policy: Option<&str>,
    formulas: &Formulas,
) -> trisolve::Result<TridiagonalPlan<T>> {
    let plan = TridiagonalPlan::<T>::with_formulas(gpu, shape, options, formulas)?;
    let Some(text) = policy else {
        return Ok(plan);
    };
    let taken = plan.algorithm();
    let named = |error, completed: &str| match error {
        Error::Options(why) => Error::Options(format!(
            "--policy {text}{completed}: {why}{}",
            match options.algorithm {
                Algorithm::Auto => "; --algorithm names the algorithm of a policy",
                _ => "",
            }
        )),
        other => other,
    };
    let policy = plan.policy().with(text).map_err(|error| named(error, ""))?;
    drop(plan);
    let completed = format!(", completed {policy}");
    let options = options.algorithm(taken).policy(policy);
    TridiagonalPlan::with_formulas(gpu, shape, options, formulas).map_err(|error| named(error, &completed))
}

/// A recurrence plan; only some of the algorithms have policies.
///
/// # Errors
/// [`Error::Options`] that names `--policy`, and the errors of the plan.
pub fn recurrence_plan<T: Real>(
    gpu: &Gpu,
    shape: Shape,
    options: recurrence::Options,
    policy: Option<&str>,
    formulas: &recurrence::Formulas,
) -> trisolve::Result<RecurrencePlan<T>> {
    let plan = RecurrencePlan::<T>::with_formulas(gpu, shape, options, formulas)?;
    let Some(text) = policy else {
        return Ok(plan);
    };
    let Some(own) = plan.policy() else {
        return Err(Error::Options(format!(
            "--policy {text}: {} has no policy; use --algorithm p-scheme, which has one",
            plan.algorithm()
        )));
    };
    let named = |error| match error {
        Error::Options(why) => Error::Options(format!("--policy {text}: {why}")),
        other => other,
    };
    let policy = own.with(text).map_err(named)?;
    drop(plan);
    RecurrencePlan::with_formulas(gpu, shape, options.policy(policy), formulas).map_err(named)
}

/// A triangular plan.
///
/// # Errors
/// [`Error::Options`] that names `--policy`, and the errors of the plan.
pub fn triangular_plan<T: Real>(
    gpu: &Gpu,
    shape: triangular::Shape,
    options: triangular::Options,
    policy: Option<&str>,
) -> trisolve::Result<TriangularPlan<T>> {
    let plan = TriangularPlan::<T>::new(gpu, shape, options)?;
    let Some(text) = policy else {
        return Ok(plan);
    };
    let named = |error| match error {
        Error::Options(why) => {
            let taken = plan.algorithm();
            let other = match options.algorithm {
                triangular::Algorithm::Auto => format!("; auto takes {taken} here; --algorithm names another"),
                _ => String::new(),
            };
            Error::Options(format!("--policy {text} (of {taken}): {why}{other}"))
        }
        other => other,
    };
    let policy = plan.policy().with(text).map_err(named)?;
    TriangularPlan::new(gpu, shape, options.policy(policy)).map_err(named)
}
