//! Many short systems without gaps between them, which the first pass takes as one.

use crate::draw::some;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::tridiagonal::{AutoPolicy, DeviceSystem, Options, Policy, Shape, Status, System, TridiagonalPlan};
use trisolve::{DeviceVector, Error, Gpu};
use trisolve_lab::OnDevice;

/// Enough systems for that pass.
const ROWS_IN_ALL: usize = (1 << 22) + 100;

struct Rows {
    lower: Vec<f32>,
    diag: Vec<f32>,
    upper: Vec<f32>,
    rhs: Vec<f32>,
}

impl Rows {
    /// Dominant systems of n rows, whose corners are no numbers.
    fn dominant(random: &mut SmallRng, n: usize, batch: usize) -> Self {
        let mut draw = |least: f32, most: f32| (0..n * batch).map(|_| random.random_range(least..most)).collect();
        let mut rows =
            Self { lower: draw(-1.0, 1.0), diag: draw(2.0, 3.0), upper: draw(-1.0, 1.0), rhs: draw(-1.0, 1.0) };
        for system in 0..batch {
            rows.lower[system * n] = f32::NAN;
            rows.upper[(system + 1) * n - 1] = f32::INFINITY;
        }
        rows
    }

    fn solved(&self, gpu: &Gpu, plan: &TridiagonalPlan<f32>) -> (Status, Vec<f32>) {
        let [lower, diag, upper, rhs] = [&self.lower, &self.diag, &self.upper, &self.rhs]
            .map(|values| DeviceVector::from_slice(gpu, "a vector", values).unwrap());
        let x = DeviceVector::from_slice(gpu, "x", &vec![f32::NAN; self.rhs.len()]).unwrap();
        let [lower, diag, upper, rhs] = [&lower, &diag, &upper, &rhs].map(DeviceVector::as_slice);
        let bound = plan.bind(&DeviceSystem { lower, diag, upper, rhs, x: Some(x.as_slice()) }).unwrap();
        bound.submit().unwrap();
        (bound.read_status().unwrap(), x.read(gpu).unwrap())
    }

    /// The largest residual of a row, beside the terms of the row, except for one system.
    fn residual(&self, n: usize, x: &[f32], but: Option<usize>) -> f64 {
        let of = |row: usize| {
            let term = |a: f32, at: usize| f64::from(a) * f64::from(x[at]);
            let before = if row.is_multiple_of(n) { 0.0 } else { term(self.lower[row], row - 1) };
            let behind = if (row + 1).is_multiple_of(n) { 0.0 } else { term(self.upper[row], row + 1) };
            let terms = [before, term(self.diag[row], row), behind, -f64::from(self.rhs[row])];
            terms.iter().sum::<f64>().abs() / terms.iter().map(|term| term.abs()).sum::<f64>()
        };
        // NaN is the largest.
        (0..x.len())
            .filter(|row| Some(row / n) != but)
            .map(of)
            .fold(0.0, |largest, residual| if residual <= largest { largest } else { residual })
    }
}

/// Roundings of a row's terms that a solve may leave: 12 units of roundoff by elimination without exchanges (Higham 2002, section 9.6), and as
/// many for each of the levels at which chunks merge.
const MOST: f64 = 5.0 * 12.0 * f32::EPSILON as f64 / 2.0;

pub fn short_systems_begin_anywhere(gpu: &Gpu, seed: u64) {
    let random = &mut SmallRng::seed_from_u64(seed);
    for n in some(random, &[2, 3, 7, 11, 15], 1) {
        systems_of(gpu, n, random, seed);
    }
}

fn systems_of(gpu: &Gpu, n: usize, random: &mut SmallRng, seed: u64) {
    let shape = Shape::contiguous(n, ROWS_IN_ALL.div_ceil(n));
    let options = Options::on_device().untuned();
    let plan = TridiagonalPlan::<f32>::new(gpu, shape, options).unwrap();
    // The short halo of that pass.
    assert!(matches!(plan.policy(), Policy::Auto(AutoPolicy { halo: 2, .. })), "{:?}", plan.policy());
    let mut rows = Rows::dominant(random, n, shape.batch);
    for odd_one in [None, Some(random.random_range(0..shape.batch))] {
        if let Some(system) = odd_one {
            // Its rows have to be exchanged.
            rows.diag[system * n] = 0.0;
            rows.upper[system * n] = 1.0;
            rows.lower[system * n + 1] = 1.0;
        }
        // The second solve finds no verdicts of the first.
        for turn in 0..2 {
            let (status, x) = rows.solved(gpu, &plan);
            assert_eq!((status.check(), status.pivoted), (Ok(()), odd_one), "n = {n}, turn {turn}, seed {seed}");
            let residual = rows.residual(n, &x, None);
            assert!(residual <= MOST, "n = {n}, turn {turn}, seed {seed}, exchanges in {odd_one:?}: {residual:e}");
        }
    }
    // What is not finite in one system, or becomes so, spoils no other.
    let mut rows = Rows::dominant(random, n, shape.batch);
    let system = random.random_range(0..shape.batch);
    let row = random.random_range(0..n);
    for (value, overflows) in [(f32::NAN, false), (3e38, true)] {
        rows.rhs[system * n + row] = value;
        rows.diag[system * n..(system + 1) * n].fill(if overflows { 1e-3 } else { 2.5 });
        if overflows {
            rows.lower[system * n..(system + 1) * n].fill(1e-4);
            rows.upper[system * n..(system + 1) * n].fill(1e-4);
        }
        let (status, x) = rows.solved(gpu, &plan);
        match overflows {
            false => assert_eq!(status.non_finite_input, Some((system, row)), "n = {n}, seed {seed}"),
            true => assert_eq!(status.non_finite_result.map(|(at, _)| at), Some(system), "n = {n}, seed {seed}"),
        }
        let residual = rows.residual(n, &x, Some(system));
        assert!(residual <= MOST, "n = {n}, seed {seed}, {value} in system {system}: {residual:e}");
    }
    // A broken promise of dominance.
    let mut rows = Rows::dominant(random, n, shape.batch);
    rows.diag[system * n + row] = 0.0;
    let matrix = System::new(&rows.lower, &rows.diag, &rows.upper);
    let promising = TridiagonalPlan::<f32>::new(gpu, shape, options.dominant()).unwrap();
    assert_eq!(promising.factor(&matrix).err(), Some(Error::NotDominant { system }), "n = {n}, seed {seed}");
}
