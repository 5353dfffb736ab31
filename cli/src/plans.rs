//! Plans as the options of the command line ask for them.

use trisolve::recurrence::{self, RecurrencePlan};
use trisolve::triangular::{self, TriangularPlan};
use trisolve::tridiagonal::{Algorithm, Options, Shape, TridiagonalPlan};
use trisolve::{Error, Gpu, Real};

/// Where `--stability` has nothing to choose.
pub const NO_STABILITY: &str = "--stability is a choice of --algorithm auto, pivoting or tpr; give both or neither";

pub fn has_stability(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::Auto | Algorithm::Pivoting | Algorithm::Tpr)
}

/// What `--policy` says, in its help.
pub const POLICY: &str = "as rows=8,shuffles=1 (with --algorithm partition; each has its own); what is not given is as tuned or by default. For tpr, the paper's S is \
                          slice, L threads, and (L_x, L_y) overall_threads,overall_systems";

/// With the values of a policy's text over those that the plan would take.
///
/// # Errors
/// [`Error::Options`] that names `--policy`, and those of the plan.
pub fn plan<T: Real>(
    gpu: &Gpu,
    shape: Shape,
    options: Options,
    policy: Option<&str>,
) -> trisolve::Result<TridiagonalPlan<T>> {
    let plan = TridiagonalPlan::<T>::new(gpu, shape, options)?;
    let Some(text) = policy else {
        return Ok(plan);
    };
    let taken = plan.algorithm();
    let named = |error, whole: &str| match error {
        Error::Options(why) => Error::Options(format!(
            "--policy {text}{whole}: {why}{}",
            match options.algorithm {
                Algorithm::Auto => "; --algorithm names the one that a policy is of".into(),
                _ => String::new(),
            }
        )),
        other => other,
    };
    let policy = plan.policy().with(text).map_err(|error| named(error, ""))?;
    drop(plan);
    let whole = format!(", with what it leaves out {policy}");
    TridiagonalPlan::new(gpu, shape, options.algorithm(taken).policy(policy)).map_err(|error| named(error, &whole))
}

/// The same of recurrences, of whose algorithms not all have policies.
///
/// # Errors
/// [`Error::Options`] that names `--policy`, and those of the plan.
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
            "--policy {text}: {} has none; name one that has with --algorithm p-scheme",
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

/// The same of triangular systems.
///
/// # Errors
/// [`Error::Options`] that names `--policy`, and those of the plan.
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
                triangular::Algorithm::Auto => format!("; auto takes {taken} here, --algorithm names another"),
                _ => String::new(),
            };
            Error::Options(format!("--policy {text} (of {taken}): {why}{other}"))
        }
        other => other,
    };
    let policy = plan.policy().with(text).map_err(named)?;
    TriangularPlan::new(gpu, shape, options.policy(policy)).map_err(named)
}
