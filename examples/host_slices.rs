//! Tridiagonal systems in host memory: what an application needs that knows nothing of GPUs.
//!
//! 1. one call that solves one system;
//! 2. a plan, made once, for many systems of one shape;
//! 3. errors to match on: what is wrong, and in which row;
//! 4. the diagonal given as its excess, for matrices that f32 cannot hold otherwise.
//!
//! `cargo run --example host_slices`
//!
//! `WGPU_ADAPTER_NAME` (part of a name) chooses among several GPUs.

mod failure;

use failure::Failure;
use trisolve::tridiagonal::{self, Options, Shape, System, TridiagonalPlan};
use trisolve::{Error, Gpu};

/// The largest difference between two vectors.
fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// An example that finds itself wrong says so with its exit code.
fn check(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("check failed: {what}")) }
}

fn main() -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    println!("small systems are solved on the CPU, large ones on {}", gpu.info().name);
    one_call(&gpu)?;
    one_plan(&gpu)?;
    what_can_be_wrong(&gpu)?;
    excess(&gpu)?;
    Ok(())
}

/// -x[i-1] + 2 x[i] - x[i+1] = rhs[i]: here the unknowns are all 1.
fn one_call(gpu: &Gpu) -> Result<(), Failure> {
    let lower = [-1.0f32; 4]; // of rows 1 to 4
    let diag = [2.0; 5];
    let upper = [-1.0; 4]; // of rows 0 to 3
    let rhs = [1.0, 0.0, 0.0, 0.0, 1.0];

    let x = tridiagonal::solve(gpu, &System::new(&lower, &diag, &upper), &rhs)?;

    println!("1. one call:  x = {x:?}");
    check(largest_difference(&x, &[1.0; 5]) < 1e-6, "x is 1 everywhere")?;
    Ok(())
}

/// Heat spreads along a rod of `N` cells. Each step solves with the last step's answer on the
/// right, so the plan (algorithm, compiled kernels, device memory) is made once.
fn one_plan(gpu: &Gpu) -> Result<(), Failure> {
    const N: usize = 1000;
    const RATE: f32 = 3.0; // diffusivity * time step / cell^2
    // n entries will do as well as n-1: the first of `lower` and the last of `upper` are not read.
    let off = vec![-RATE; N];
    let mut diag = vec![1.0 + 2.0 * RATE; N];
    // Nothing leaves through the ends.
    diag[0] = 1.0 + RATE;
    diag[N - 1] = 1.0 + RATE;
    let system = System::new(&off, &diag, &off);
    let mut heat = vec![0.0; N];
    heat[N / 3] = 100.0;

    let plan = TridiagonalPlan::<f32>::new(gpu, Shape::single(N), Options::default())?;
    for _ in 0..20 {
        heat = plan.solve(&system, &heat)?;
    }

    let total: f32 = heat.iter().sum();
    let hottest = heat.iter().copied().fold(0.0, f32::max);
    println!("2. one plan:  20 steps; hottest {hottest:.3}, total heat {total:.4} of 100");
    check((total - 100.0).abs() < 0.01, "no heat is lost")?;

    // The same solve with its residual, for whoever wants to know how good an answer is.
    let solution = plan.solve_reported(&system, &heat)?;
    // Without a check there is none: `Options::check`.
    let relative = solution.residuals.map_or(f64::INFINITY, |residuals| residuals.relative);
    println!("              one more, by {}: relative residual {relative:.1e}", solution.place);
    check(relative < 1e-6, "the residual is of the size of f32's rounding")?;
    Ok(())
}

/// What an application may do with a result: match on what it can handle, print the rest.
fn describe(result: &trisolve::Result<Vec<f32>>) -> String {
    match result {
        Ok(_) => "solved".into(),
        Err(Error::Singular { row, .. }) => format!("no inverse (row {row} has no pivot)"),
        Err(Error::NonFiniteInput { vector, row, .. }) => format!("{vector}[{row}] is not a finite number"),
        Err(other) => other.to_string(),
    }
}

/// A wrong answer is never silent.
fn what_can_be_wrong(gpu: &Gpu) -> Result<(), Failure> {
    // Three masses joined by two springs and held by nothing: any shift of x solves it too.
    let singular = tridiagonal::solve(gpu, &System::new(&[-1.0; 2], &[1.0, 2.0, 1.0], &[-1.0; 2]), &[0.0, 1.0, 0.0]);
    let not_finite = tridiagonal::solve(gpu, &System::new(&[-1.0; 2], &[2.0; 3], &[-1.0; 2]), &[0.0, f32::NAN, 0.0]);
    let too_long = tridiagonal::solve(gpu, &System::new(&[-1.0; 2], &[2.0; 3], &[-1.0; 9]), &[1.0; 3]);

    println!("3. errors:    {}", describe(&singular));
    println!("              {}", describe(&not_finite));
    println!("              {}", describe(&too_long));
    check(matches!(singular, Err(Error::Singular { .. })), "a singular system is noticed")?;
    check(matches!(not_finite, Err(Error::NonFiniteInput { vector: "rhs", row: 1, .. })), "a NaN is noticed")?;
    check(matches!(too_long, Err(Error::Length { vector: "upper", found: 9, .. })), "a wrong length is refused")?;
    Ok(())
}

/// A pipe of `N` tanks in a row, each leaking one part in 10^8: the diagonal would be
/// 2 + 1e-8, which is 2 in f32. The leak is gone and the matrix singular. Give the leak itself.
fn excess(gpu: &Gpu) -> Result<(), Failure> {
    const N: usize = 1000;
    const LEAK: f32 = 1e-8;
    let off = vec![-1.0; N];
    // What flows in is what leaks out at level 1.
    let inflow = vec![LEAK; N];

    // diag[i] = |lower[i]| + |upper[i]| + leak, rounded to f32:
    let mut diag = vec![2.0 + LEAK; N];
    diag[0] = 1.0 + LEAK;
    diag[N - 1] = 1.0 + LEAK;
    let rounded = tridiagonal::solve(gpu, &System::new(&off, &diag, &off), &inflow);

    // The diagonal is implied, the leak exact:
    let leak = vec![LEAK; N];
    let level = tridiagonal::solve(gpu, &System::with_excess(&off, &leak, &off), &inflow)?;

    let error = largest_difference(&level, &vec![1.0; N]);
    let by_value = match &rounded {
        Ok(level) => format!("a level of {} instead of 1", level[0]),
        Err(error) => error.to_string(),
    };
    println!("4. diagonal:  {by_value}");
    println!("   as excess: level 1 to within {error:.0e}");
    check(matches!(rounded, Err(Error::Singular { .. })), "the rounded matrix is reported as singular")?;
    check(error < 1e-5, "the level is 1")?;
    Ok(())
}
