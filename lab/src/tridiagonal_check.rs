//! Tridiagonal systems on a device, compared with elimination in f64.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::layouts::{Placement, pick};
use super::tridiagonal_cases::CheckCase;
use super::verdict::{Case, Nearest, Verdict, bits, is_untouched, poison};
use trisolve::gpu::{DeviceSlice, DeviceVector, Gpu};
use trisolve::internals::cpu::ring_gtsv;
use trisolve::internals::gpu::submit_pass;
use trisolve::internals::tridiagonal::{kind_of, matrix_len};
use trisolve::tridiagonal::{DeviceSystem, Diagonal, Options, Structure, TridiagonalPlan};
use trisolve::{Error, Real, Result};

impl Case for CheckCase {
    fn group(&self) -> String {
        let plain = self.structure == Structure::General && !self.periodic;
        let own_right = self.shape.right.is_some();
        let kind = if plain {
            self.layout
        } else if own_right {
            "structured, own right"
        } else {
            "structured"
        };
        format!("{} {kind}", self.algorithm)
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        run_case::<T>(gpu, self)
    }
}

/// The vectors of all systems in the shape's layout; NaN everywhere else.
struct Vectors<T> {
    lower: Vec<T>,
    diag: Vec<T>,
    upper: Vec<T>,
    rhs: Vec<T>,
    /// The oracle's solution; none between the systems.
    x: Vec<Option<f64>>,
    /// The error of x in units of roundoff if every row has an error of one unit of its terms.
    error_bound: Vec<f64>,
}

fn vectors<T: Real>(case: &CheckCase) -> Result<Vectors<T>> {
    let shape = &case.shape;
    let too_large = || Error::Shape("a case that spans more than memory".into());
    let matrix = matrix_len(case.structure, shape).ok_or_else(too_large)?;
    let right = shape.rhs_len().ok_or_else(too_large)?;
    let nan = T::from_f64(f64::NAN);
    let mut all = Vectors {
        lower: vec![nan; matrix],
        diag: vec![nan; matrix],
        upper: vec![nan; matrix],
        rhs: vec![nan; right],
        x: vec![None; right],
        error_bound: vec![0.0; right],
    };
    let mut random = SmallRng::seed_from_u64(case.seed);
    let mut shared = None;
    for system in 0..shape.batch {
        let rows = match (&shared, case.structure) {
            (Some(rows), Structure::Constant) => rows,
            _ => shared.insert(MatrixRows::<T>::random(case, &mut random)),
        };
        rows.place(case, system, &mut all);
        let [lower, diag, upper] = &rows.values;
        for column in 0..shape.columns {
            let rhs: Vec<T> = (0..shape.n).map(|_| T::from_f64(random.random_range(-1.0..1.0))).collect();
            let wide: Vec<_> = rhs.iter().map(|v| v.to_f64()).collect();
            let x = ring_gtsv(lower, diag, upper, &wide)?;
            let error_bound = error_bound(lower, diag, upper, &wide, &x)?;
            for row in 0..shape.n {
                let at = shape.rhs_index(system, column, row);
                all.rhs[at] = rhs[row];
                all.x[at] = Some(x[row]);
                all.error_bound[at] = error_bound[row];
            }
        }
    }
    Ok(all)
}

/// One matrix of a case; unused corners are 0.
struct MatrixRows<T> {
    left: Vec<T>,
    right: Vec<T>,
    /// The diagonal, or its excess.
    given: Vec<T>,
    /// Lower, diagonal and upper of the system, in f64.
    values: [Vec<f64>; 3],
}

impl<T: Real> MatrixRows<T> {
    /// Off-diagonals in (-1, 1); diagonals of either sign (positive if given as their excess), dominant by at least 0.1.
    fn random(case: &CheckCase, random: &mut SmallRng) -> Self {
        let n = case.shape.n;
        let constant = case.structure == Structure::Constant;
        let mut vector = |low: f64, high: f64| -> Vec<T> {
            let drawn = if constant { 3 } else { n };
            let drawn: Vec<_> = (0..drawn).map(|_| T::from_f64(random.random_range(low..high))).collect();
            (0..n).map(|row| drawn[if constant { kind_of(row, n) } else { row }]).collect()
        };
        let (mut left, mut right) = (vector(-1.0, 1.0), vector(-1.0, 1.0));
        let (excess, sign) = (vector(0.1, 0.5), vector(-1.0, 1.0));
        if case.structure == Structure::Symmetric {
            left = (0..n).map(|row| right[(row + n - 1) % n]).collect();
        }
        if !case.periodic {
            (left[0], right[n - 1]) = (T::ZERO, T::ZERO);
        }
        let sum = |row: usize| left[row].to_f64().abs() + right[row].to_f64().abs() + excess[row].to_f64();
        let (mut given, mut diag) = (excess.clone(), (0..n).map(sum).collect::<Vec<_>>());
        if case.diagonal == Diagonal::Value {
            given = (0..n).map(|row| T::from_f64(sum(row) * sign[row].to_f64().signum())).collect();
            diag = given.iter().map(|v| v.to_f64()).collect();
        }
        let wide = |values: &[T]| values.iter().map(|v| v.to_f64()).collect::<Vec<_>>();
        Self { values: [wide(&left), diag, wide(&right)], left, right, given }
    }

    /// Writes the matrix as the case's structure requires.
    fn place(&self, case: &CheckCase, system: usize, all: &mut Vectors<T>) {
        let n = case.shape.n;
        let nan = T::from_f64(f64::NAN);
        let Self { left, right, given, .. } = self;
        for row in 0..n {
            let at = match case.structure {
                Structure::Constant => kind_of(row, n),
                _ => case.shape.matrix_index(system, row),
            };
            let (before, behind) = ((row + n - 1) % n, (row + 1) % n);
            let (lower, upper) = match case.structure {
                Structure::General | Structure::Constant => (left[row], right[row]),
                Structure::Transposed => (right[before], left[behind]),
                Structure::Symmetric => (right[row], right[row]),
            };
            let has_left = case.periodic || row > 0 || case.structure == Structure::Symmetric;
            let has_right = case.periodic || row + 1 < n;
            all.lower[at] = if has_left { lower } else { nan };
            all.diag[at] = given[row];
            all.upper[at] = if has_right { upper } else { nan };
        }
        if case.structure == Structure::Symmetric {
            all.lower = all.upper.clone();
        }
    }
}

/// An upper bound of |A^-1| (|A| |x| + |d|). For a dominant A, the inverse of the comparison matrix (|diag|, -|lower|, -|upper|)
/// is nowhere smaller than |A^-1| (Ostrowski 1937, for H-matrices).
fn error_bound(lower: &[f64], diag: &[f64], upper: &[f64], rhs: &[f64], x: &[f64]) -> Result<Vec<f64>> {
    let n = diag.len();
    let terms: Vec<_> = (0..n)
        .map(|i| {
            let left = lower[i] * x[(i + n - 1) % n];
            let right = upper[i] * x[(i + 1) % n];
            left.abs() + (diag[i] * x[i]).abs() + right.abs() + rhs[i].abs()
        })
        .collect();
    let minus = |values: &[f64]| values.iter().map(|v| -v.abs()).collect::<Vec<_>>();
    let sizes: Vec<_> = diag.iter().map(|v| v.abs()).collect();
    ring_gtsv(&minus(lower), &sizes, &minus(upper), &terms)
}

/// Runs a case twice on a device, with poisoned outputs. The verdict's error is that of the right-hand side nearest to its bound.
/// The bound carries the rounding of each row through the inverse.
fn run_case<T: Real>(gpu: &Gpu, case: &CheckCase) -> Result<Verdict> {
    let all = vectors::<T>(case)?;
    let CheckCase { algorithm, diagonal, structure, periodic, policy, untuned, .. } = *case;
    let options = Options { algorithm, diagonal, structure, periodic, policy, untuned, ..Options::on_device() };
    let plan = TridiagonalPlan::<T>::new(gpu, case.shape, options)?;
    plan.poison_scratch();
    let (x, rest) = place_and_solve(gpu, &plan, case, &all)?;
    let (again, _) = place_and_solve(gpu, &plan, case, &all)?;

    // The substitution of a row rounds two products, two sums and a quotient. Every level of the tree rounds once more.
    let shape = &case.shape;
    let steps = 5.0 + (shape.n as f64).log2();
    // The correction of a cyclic system is one more solve and a product with it.
    let steps = if case.periodic { 4.0 * steps } else { steps };
    let mut nearest = Nearest::new();
    for system in 0..shape.batch {
        for column in 0..shape.columns {
            let (mut difference, mut norm, mut error_bound) = (0f64, 0f64, 0f64);
            for row in 0..shape.n {
                let at = shape.rhs_index(system, column, row);
                let want = all.x[at].unwrap_or(f64::NAN);
                difference = difference.hypot(x[at].to_f64() - want);
                norm = norm.hypot(want);
                error_bound = error_bound.hypot(all.error_bound[at]);
            }
            let allowed = steps * T::UNIT_ROUNDOFF * error_bound;
            nearest.include_in_units(difference, allowed, norm);
        }
    }
    let own: Vec<_> = all.x.iter().map(Option::is_some).collect();
    let untouched = is_untouched(&own, &x, &rest, case.placement == Placement::InPlace);
    let Nearest { error, bound, .. } = nearest;
    Ok(Verdict { error, bound, repeatable: bits(&x) == bits(&again), untouched })
}

/// Places the vectors and solves. Returns the solution's range, and the entries behind it.
fn place_and_solve<T: Real>(
    gpu: &Gpu,
    plan: &TridiagonalPlan<T>,
    case: &CheckCase,
    all: &Vectors<T>,
) -> Result<(Vec<T>, Vec<T>)> {
    const BEHIND: usize = 5;
    let inputs = [&all.lower, &all.diag, &all.upper, &all.rhs];
    let right = all.rhs.len();
    // Vectors begin where bindings may, or at a unit, or at any entry.
    let mut random = SmallRng::seed_from_u64(!case.seed);
    let aligned = (gpu.capabilities().limits.min_storage_buffer_offset_alignment as usize).max(32) / 4;
    let (step, gap) = pick(&mut random, &[(aligned, 0), (4, 1), (1, 7)]);
    let mut next_start = |end: usize| end.next_multiple_of(step) + step * random.random_range(0..=gap);
    if case.placement == Placement::OneBuffer {
        let mut contents = Vec::new();
        let mut starts = Vec::new();
        for input in inputs {
            contents.resize(next_start(contents.len()), poison::<T>());
            starts.push(contents.len());
            contents.extend_from_slice(input);
        }
        contents.resize(next_start(contents.len()), poison::<T>());
        let x_start = contents.len();
        contents.resize(x_start + right + BEHIND, poison::<T>());
        let arena = DeviceVector::from_slice(gpu, "arena", &contents)?;
        let range = |i: usize| arena.slice(starts[i], inputs[i].len());
        let system = DeviceSystem {
            lower: range(0),
            diag: range(1),
            upper: range(2),
            rhs: range(3),
            x: Some(arena.slice(x_start, right)),
        };
        solve_once(gpu, plan, &system)?;
        let found = arena.read(gpu)?;
        let (before, behind) = (&found[..x_start], &found[x_start + right..]);
        // Whatever was written before x shows among the entries behind it.
        let changed = if bits(before) == bits(&contents[..x_start]) { vec![] } else { vec![T::ZERO] };
        return Ok((found[x_start..x_start + right].to_vec(), [behind, &changed].concat()));
    }
    let vectors = inputs.map(|input| DeviceVector::from_slice(gpu, "input", input));
    let [lower, diag, upper, rhs] = vectors;
    let (lower, diag, upper) = (lower?, diag?, upper?);
    let start = next_start(0);
    let mut contents = vec![poison::<T>(); start];
    match case.placement {
        Placement::InPlace => contents.extend(rhs?.read(gpu)?),
        _ => contents.resize(start + right, poison::<T>()),
    };
    contents.resize(start + right + BEHIND, poison::<T>());
    let target = DeviceVector::from_slice(gpu, "x", &contents)?;
    let apart = DeviceVector::from_slice(gpu, "rhs", &all.rhs)?;
    let x: DeviceSlice<'_, T> = target.slice(start, right);
    let system = match case.placement {
        Placement::InPlace => {
            DeviceSystem { lower: lower.as_slice(), diag: diag.as_slice(), upper: upper.as_slice(), rhs: x, x: None }
        }
        _ => DeviceSystem {
            lower: lower.as_slice(),
            diag: diag.as_slice(),
            upper: upper.as_slice(),
            rhs: apart.as_slice(),
            x: Some(x),
        },
    };
    solve_once(gpu, plan, &system)?;
    let contents = target.read(gpu)?;
    Ok((contents[start..start + right].to_vec(), contents[start + right..].to_vec()))
}

fn solve_once<T: Real>(gpu: &Gpu, plan: &TridiagonalPlan<T>, system: &DeviceSystem<'_, T>) -> Result<()> {
    let bound = plan.bind(system)?;
    submit_pass(gpu, "a check", |pass| bound.record(pass))?;
    bound.read_status()?.check()
}
