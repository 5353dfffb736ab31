//! Random systems, and solves recorded with their status.

use super::*;
use trisolve_lab::OnDevice;

/// A system whose solution is known: entries have 10 digits behind the binary point and unknowns 6, so that right-hand sides
/// are exact in f32 as well.
pub struct System<T> {
    pub lower: Vec<T>,
    pub diag: Vec<T>,
    pub upper: Vec<T>,
    pub rhs: Vec<T>,
    pub x: Vec<f64>,
}

/// To so many digits behind the binary point.
pub fn rounded(value: f64, digits: i32) -> f64 {
    let one = 2f64.powi(digits);
    (value * one).round() / one
}

impl<T: Real> System<T> {
    /// Off-diagonals in (-1, 1), a diagonal made from them and a random number in (-1, 1).
    pub fn new(n: usize, seed: u64, diagonal: impl Fn(f64, f64) -> f64) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut vector = |digits| (0..n).map(|_| rounded(random.random_range(-1.0..1.0), digits)).collect::<Vec<_>>();
        let [lower, free, upper, mut x] = [vector(10), vector(10), vector(10), vector(6)];
        // Errors are relative to it, of one row as well.
        x[0] = if x[0] == 0.0 { 1.0 } else { x[0] };
        let sums = lower.iter().zip(&upper).map(|(a, c): (&f64, &f64)| a.abs() + c.abs());
        let diag = free.iter().zip(sums).map(|(&free, sum)| rounded(diagonal(free, sum), 10)).collect();
        Self::of(&lower, diag, &upper, x)
    }

    pub fn of(lower: &[f64], diag: Vec<f64>, upper: &[f64], x: Vec<f64>) -> Self {
        let n = x.len();
        let rhs = (0..n).map(|i| {
            let before = if i > 0 { lower[i] * x[i - 1] } else { 0.0 };
            let after = if i + 1 < n { upper[i] * x[i + 1] } else { 0.0 };
            T::from_f64(before + diag[i] * x[i] + after)
        });
        let rhs = rhs.collect();
        let [lower, diag, upper] =
            [lower, &diag, upper].map(|values| values.iter().map(|&value| T::from_f64(value)).collect());
        Self { lower, diag, upper, rhs, x }
    }

    pub fn dominant(n: usize, seed: u64) -> Self {
        Self::new(n, seed, |free, sum| free.signum() * (sum + 0.1 + 0.4 * free.abs()))
    }

    pub fn random(n: usize, seed: u64) -> Self {
        Self::new(n, seed, |free, _| free)
    }

    /// Dominant but for one row, whose off-diagonals are no smaller than 1/4 (a random one of the last row can be 0, and the
    /// row is dominant then).
    pub fn one_bad_row(n: usize, bad: usize, seed: u64) -> Self {
        let System { mut lower, mut diag, mut upper, x, .. } = System::<f64>::dominant(n, seed);
        diag[bad] = 2f64.powi(-10);
        for beside in [&mut lower[bad], &mut upper[bad]] {
            *beside = beside.abs().max(0.25).copysign(*beside);
        }
        Self::of(&lower, diag, &upper, x)
    }

    /// (-1 b -1), and the solution of ones, of which nothing cancels.
    pub fn toeplitz(n: usize, b: f64) -> Self {
        let minus = vec![-1.0; n];
        Self::of(&minus, vec![b; n], &minus, vec![1.0; n])
    }

    /// How far x is from the solution, relatively, and how far gtsv's in the same precision is.
    pub fn forward_errors(&self, x: &[T]) -> [f64; 2] {
        let Self { lower, diag, upper, rhs, x: want } = self;
        let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
        let error = |x: &[T]| {
            norm(&mut x.iter().zip(want).map(|(x, want)| x.to_f64() - want)) / norm(&mut want.iter().copied())
        };
        [error(x), cpu::gtsv(lower, diag, upper, rhs).map_or(f64::INFINITY, |x| error(&x))]
    }
}

/// Vectors of a batch on a device, and a solve of them.
pub struct Recorded<T> {
    pub gpu: Gpu,
    pub plan: TridiagonalPlan<T>,
    pub vectors: [DeviceVector<T>; 5],
    pub in_place: bool,
}

impl<T: Real> Recorded<T> {
    pub fn new(gpu: &Gpu, shape: Shape, policy: Option<AutoPolicy>, in_place: bool) -> Self {
        let options = Options { policy: policy.map(Policy::from), ..Options::on_device() };
        let plan = TridiagonalPlan::<T>::new(gpu, shape, options).unwrap();
        assert_eq!(plan.algorithm(), Algorithm::Auto);
        Self::around(gpu, plan, in_place)
    }

    pub fn around(gpu: &Gpu, plan: TridiagonalPlan<T>, in_place: bool) -> Self {
        let shape = *plan.shape();
        let len = shape.rhs_len().unwrap();
        let vectors = [(); 5].map(|()| DeviceVector::new(gpu, "a vector", len).unwrap());
        Self { gpu: gpu.clone(), plan, vectors, in_place }
    }

    /// One submit for all systems; what each came to, and what was noticed.
    pub fn solve(&self, systems: &[System<T>]) -> (Vec<Vec<T>>, Status) {
        let Self { gpu, plan, vectors, in_place } = self;
        let shape = plan.shape();
        let all = |of: &dyn Fn(&System<T>) -> &Vec<T>| {
            let mut values = vec![T::from_f64(f64::NAN); shape.rhs_len().unwrap()];
            for (at, system) in systems.iter().enumerate() {
                for (row, &value) in of(system).iter().enumerate() {
                    values[shape.rhs_index(at, 0, row)] = value;
                }
            }
            values
        };
        let nan = vec![T::from_f64(f64::NAN); shape.rhs_len().unwrap()];
        let values = [all(&|it| &it.lower), all(&|it| &it.diag), all(&|it| &it.upper), all(&|it| &it.rhs), nan];
        for (vector, values) in vectors.iter().zip(&values) {
            vector.write(gpu, 0, values).unwrap();
        }
        let [lower, diag, upper, rhs, x] = vectors.each_ref().map(DeviceVector::as_slice);
        let bound = plan.bind(&DeviceSystem { lower, diag, upper, rhs, x: (!in_place).then_some(x) }).unwrap();
        bound.submit().unwrap();
        let status = bound.read_status().unwrap();
        let found = vectors[if *in_place { 3 } else { 4 }].read(gpu).unwrap();
        let of = |at| (0..shape.n).map(|row| found[shape.rhs_index(at, 0, row)]).collect();
        ((0..systems.len()).map(of).collect(), status)
    }
}
