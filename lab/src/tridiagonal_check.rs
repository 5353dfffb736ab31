//! Tridiagonal systems on a device, compared with elimination in f64.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::formulas::{SampleFormula, SystemFormula};
use super::layouts::{Placement, pick};
use super::tridiagonal_cases::CheckCase;
use super::verdict::{Case, Nearest, Verdict, bits, is_untouched, poison};
use trisolve::gpu::{DeviceSlice, DeviceVector, Gpu};
use trisolve::internals::cpu::ring_gtsv;
use trisolve::internals::gpu::submit_pass;
use trisolve::internals::tridiagonal::{form_len, form_place};
use trisolve::tridiagonal::{
    DeviceSystem, Diagonal, Form, Forms, Formulas, Options, Shape, Structure, TridiagonalPlan,
};
use trisolve::{Error, Real, Result};

impl Case for CheckCase {
    fn group(&self) -> String {
        let computes = formulas(self).is_some();
        let plain =
            self.structure == Structure::General && self.forms == Forms::default() && !self.periodic && !computes;
        let own_right = self.shape.right.is_some();
        let kind = if plain {
            self.layout
        } else if own_right {
            "structured, own right"
        } else if computes {
            "with formulas"
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
    /// A vector that formulas read.
    gain: Vec<T>,
}

fn vectors<T: Real>(case: &CheckCase) -> Result<Vectors<T>> {
    let shape = &case.shape;
    let nan = T::from_f64(f64::NAN);
    let too_large = || Error::Shape("a case that spans more than memory".into());
    let Forms { lower, diag, upper } = case.forms;
    // What is computed has a vector that no solve gets.
    let poisoned = |form| form_len(form, shape).map(|len| vec![nan; len.max(1)]).ok_or_else(too_large);
    let right = shape.rhs_len().ok_or_else(too_large)?;
    let mut all = Vectors {
        lower: poisoned(lower)?,
        diag: poisoned(diag)?,
        upper: poisoned(upper)?,
        rhs: vec![nan; right],
        x: vec![None; right],
        error_bound: vec![0.0; right],
        gain: SampleFormula::gain(case.seed),
    };
    let gain: Vec<_> = all.gain.iter().map(|value| value.to_f64()).collect();
    let mut random = SmallRng::seed_from_u64(case.seed);
    let mut first = None;
    for system in 0..shape.batch {
        let rows = MatrixRows::<T>::random(case, (system, &gain), first.as_ref(), &mut random);
        rows.place(case, system, &mut all);
        let [lower, diag, upper] = rows.values(case);
        first.get_or_insert(rows);
        for column in 0..shape.columns {
            let computed = |row| SystemFormula::Rhs.value(row, (system, shape.batch), column, &gain);
            let mut value = |row| if case.computed_rhs { computed(row) } else { random.random_range(-1.0..1.0) };
            let rhs: Vec<T> = (0..shape.n).map(|row| T::from_f64(value(row))).collect();
            let wide: Vec<_> = rhs.iter().map(|v| v.to_f64()).collect();
            let x = ring_gtsv(&lower, &diag, &upper, &wide)?;
            let error_bound = error_bound(&lower, &diag, &upper, &wide, &x)?;
            for row in 0..shape.n {
                let at = shape.rhs_index(system, column, row);
                all.rhs[at] = rhs[row];
                all.x[at] = Some(x[row]);
                all.error_bound[at] = error_bound[row];
            }
        }
    }
    if case.structure == Structure::Symmetric {
        all.lower.clone_from(&all.upper);
    }
    Ok(all)
}

/// The vectors of one matrix of a case, with an entry per row.
struct MatrixRows<T> {
    lower: Vec<T>,
    /// The diagonal, or its excess.
    given: Vec<T>,
    upper: Vec<T>,
}

impl<T: Real> MatrixRows<T> {
    /// Off-diagonals in (-1, 1); diagonals of either sign (positive if given as their excess), dominant by at least 0.1. Entries that all
    /// systems share are those of the first.
    fn random(case: &CheckCase, (system, gain): (usize, &[f64]), first: Option<&Self>, random: &mut SmallRng) -> Self {
        let (n, Forms { lower, diag, upper }) = (case.shape.n, case.forms);
        let computed = |formula: SystemFormula| -> Vec<T> {
            (0..n).map(|row| T::from_f64(formula.value(row, (system, case.shape.batch), 0, gain))).collect()
        };
        let mut vector = |form: Form, (low, high), first: Option<&Vec<T>>| -> Vec<T> {
            let drawn: Vec<_> = (0..n.max(3)).map(|_| T::from_f64(random.random_range(low..high))).collect();
            match (form, first) {
                (Form::Each | Form::Computed, _) | (_, None) => {
                    (0..n).map(|row| drawn[place_in_one(form, n, row)]).collect()
                }
                (_, Some(first)) => first.clone(),
            }
        };
        let mut side = |form, formula, first| match form {
            Form::Computed => computed(formula),
            _ => vector(form, (-1.0, 1.0), first),
        };
        let lower = side(lower, SystemFormula::Lower, first.map(|first| &first.lower));
        let upper = side(upper, SystemFormula::Upper, first.map(|first| &first.upper));
        let excess = vector(diag, (0.1, 0.5), None);
        let sign = vector(diag, (-1.0, 1.0), None);
        let given = match (diag, first) {
            (Form::Computed, _) => computed(own_formula(case)),
            (Form::Constant | Form::Ends, Some(first)) => first.given.clone(),
            _ if case.diagonal == Diagonal::Excess => excess,
            _ => (0..n)
                .map(|row| {
                    let [left, right] = beside(case, (&lower, &upper), row).map(|v| v.to_f64().abs());
                    // A diagonal of few numbers dominates rows of any system.
                    let sum = if diag == Form::Each { left + right } else { 2.0 };
                    T::from_f64((sum + excess[row].to_f64()) * sign[row].to_f64().signum())
                })
                .collect(),
        };
        Self { lower, given, upper }
    }

    /// Lower, diagonal and upper of the system, in f64.
    fn values(&self, case: &CheckCase) -> [Vec<f64>; 3] {
        let n = case.shape.n;
        let sides: Vec<_> =
            (0..n).map(|row| beside(case, (&self.lower, &self.upper), row).map(|v| v.to_f64())).collect();
        let diag = sides.iter().zip(&self.given).map(|([left, right], given)| match case.diagonal {
            Diagonal::Value => given.to_f64(),
            Diagonal::Excess => left.abs() + right.abs() + given.to_f64(),
        });
        [sides.iter().map(|[left, _]| *left).collect(), diag.collect(), sides.iter().map(|[_, right]| *right).collect()]
    }

    /// Writes the matrix by the case's forms; entries of corners that are not read are NaN.
    fn place(&self, case: &CheckCase, system: usize, all: &mut Vectors<T>) {
        let n = case.shape.n;
        let Forms { lower, diag, upper } = case.forms;
        let entry = |form, value, is_corner: bool| {
            let unread = is_corner && !case.periodic && !matches!(form, Form::Constant | Form::Computed);
            if unread { T::from_f64(f64::NAN) } else { value }
        };
        for row in 0..n {
            let at = |form| form_place(form, &case.shape, system, row);
            all.lower[at(lower)] = entry(lower, self.lower[row], row == 0);
            all.diag[at(diag)] = self.given[row];
            all.upper[at(upper)] = entry(upper, self.upper[row], row + 1 == n);
        }
    }
}

/// The place of a drawn entry in a vector of this form of one system.
fn place_in_one(form: Form, n: usize, row: usize) -> usize {
    form_place(form, &Shape::single(n), 0, row)
}

/// The formula of the diagonal, or of its excess.
fn own_formula(case: &CheckCase) -> SystemFormula {
    match case.diagonal {
        Diagonal::Value => SystemFormula::Diag,
        Diagonal::Excess => SystemFormula::Excess,
    }
}

/// The formulas of a case, if it has some.
fn formulas(case: &CheckCase) -> Option<Formulas> {
    let Forms { lower, diag, upper } = case.forms;
    let mut formulas = Formulas::new();
    let is_computed = |form| form == Form::Computed;
    if is_computed(lower) {
        formulas = formulas.lower(SystemFormula::Lower.wgsl());
    }
    if is_computed(diag) {
        formulas = formulas.diag(own_formula(case).wgsl());
    }
    if is_computed(upper) {
        formulas = formulas.upper(SystemFormula::Upper.wgsl()).vector("gain");
    }
    if case.computed_rhs {
        formulas = formulas.rhs(SystemFormula::Rhs.wgsl());
    }
    (formulas != Formulas::new()).then_some(formulas)
}

/// The entries left and right of a row's diagonal, by the case's structure; 0 at corners that do not count.
fn beside<T: Real>(case: &CheckCase, (lower, upper): (&[T], &[T]), row: usize) -> [T; 2] {
    let n = case.shape.n;
    let (before, behind) = ((row + n - 1) % n, (row + 1) % n);
    let [left, right] = match case.structure {
        Structure::General => [lower[row], upper[row]],
        Structure::Transposed => [upper[before], lower[behind]],
        Structure::Symmetric => [upper[before], upper[row]],
    };
    let counts = |inside| case.periodic || inside;
    [if counts(row > 0) { left } else { T::ZERO }, if counts(row + 1 < n) { right } else { T::ZERO }]
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
    let CheckCase { algorithm, diagonal, structure, forms, periodic, policy, untuned, .. } = *case;
    let options = Options { algorithm, diagonal, structure, forms, periodic, policy, untuned, ..Options::on_device() };
    let plan = match formulas(case) {
        Some(formulas) => TridiagonalPlan::<T>::with_formulas(gpu, case.shape, options, &formulas)?,
        None => TridiagonalPlan::new(gpu, case.shape, options)?,
    };
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
        solve_once(gpu, plan, (case, all), &system)?;
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
    solve_once(gpu, plan, (case, all), &system)?;
    let contents = target.read(gpu)?;
    Ok((contents[start..start + right].to_vec(), contents[start + right..].to_vec()))
}

fn solve_once<T: Real>(
    gpu: &Gpu,
    plan: &TridiagonalPlan<T>,
    (case, all): (&CheckCase, &Vectors<T>),
    system: &DeviceSystem<'_, T>,
) -> Result<()> {
    let gain = DeviceVector::from_slice(gpu, "gain", &all.gain)?;
    let bound = if formulas(case).is_some() {
        let Forms { lower, diag, upper } = case.forms;
        // A symmetric matrix takes no `lower`.
        let lower = if case.structure == Structure::Symmetric { Form::Computed } else { lower };
        let rhs = if case.computed_rhs { Form::Computed } else { Form::Each };
        let own = [("lower", lower), ("diag", diag), ("upper", upper), ("rhs", rhs)];
        let given = own.into_iter().zip([system.lower, system.diag, system.upper, system.rhs]);
        let mut named: Vec<_> = given
            .filter(|((_, form), _)| *form != Form::Computed)
            .map(|((name, _), slice)| (name, slice.into()))
            .collect();
        if upper == Form::Computed {
            named.push(("gain", gain.as_slice().into()));
        }
        plan.bind_named(&named, system.x.map(Into::into))?
    } else {
        plan.bind(system)?
    };
    submit_pass(gpu, "a check", |pass| bound.record(pass))?;
    bound.read_status()?.check()
}
