//! Moebius recurrences on a device against one value after the other in f64.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::arena::Arena;
use super::cases::{Placement, layouts};
use super::verdict::{Case, Verdict, bits, poison};
use trisolve::cpu;
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::recurrence::moebius::{DeviceMoebius, MoebiusPlan, Options};
use trisolve::recurrence::{DeviceCoefficient, Direction, Shape};
use trisolve::{Error, Real, Result};

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct MoebiusCase {
    /// In which direction.
    pub options: Options,
    /// What the layout is called.
    pub layout: &'static str,
    /// The sequences.
    pub shape: Shape,
    /// Whether a, b, c, d and the initial value are constants.
    pub constants: [bool; 5],
    /// Where the vectors lie.
    pub placement: Placement,
    /// Of the random input.
    pub seed: u64,
}

/// Sizes around the edges of a thread's rows, a workgroup's, and of two and many slices.
const SIZES: [usize; 18] = [1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 1000, 1023, 1025, 2047, 2049, 4097, 10_000, 65_537];

/// The cases of a check.
pub fn moebius_cases(seed: u64) -> Vec<MoebiusCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for (at, n) in SIZES.into_iter().enumerate() {
        let batch = if n > 20_000 { 2 } else { [1, 2, 7, 40][at % 4] };
        for (turn, (layout, shape)) in layouts(n, batch, &mut random).into_iter().enumerate() {
            if shape.columns > 1 {
                continue;
            }
            let direction = [Direction::Forward, Direction::Reverse][(at + turn) % 2];
            let constants = match random.random_range(0..6) {
                0 => [true, false, true, false, true],
                1 => [false, true, false, true, false],
                2 => [false, false, false, false, true],
                _ => [false; 5],
            };
            let placement = [Placement::Apart, Placement::InPlace, Placement::OneBuffer][random.random_range(0..3)];
            let options = Options::default().direction(direction);
            cases.push(MoebiusCase { options, layout, shape, constants, placement, seed: random.random() });
        }
    }
    cases
}

/// The coefficients of a batch, laid out as a shape says, NaN in between: of such signs that nothing cancels.
#[derive(Debug, Clone)]
pub struct HostMoebius<T> {
    /// How they lie.
    pub shape: Shape,
    /// a, b, c and d.
    pub coefficients: [Vec<T>; 4],
    /// The values before the first.
    pub initial: Vec<T>,
}

/// What stands for each constant.
const CONSTANTS: [f64; 5] = [0.5, 0.75, 0.25, 1.25, 0.5];

impl<T: Real> HostMoebius<T> {
    /// Random ones, for a direction: entries between 0.1 and 1 times a power of two for each row, one in ten rows with
    /// a 0, one in fifty singular. With constants all are positive, and no power of two but 1 is taken.
    ///
    /// # Errors
    /// [`Error::Shape`] for what spans more than memory.
    pub fn new(shape: Shape, options: Options, constants: [bool; 5], seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let len = shape.matrix_len().ok_or_else(|| Error::Shape("a case that spans more than memory".into()))?;
        let nan = T::from_f64(f64::NAN);
        let mut made = Self { shape, coefficients: [0; 4].map(|_| vec![nan; len]), initial: vec![] };
        let plain = constants.contains(&true);
        for system in 0..shape.batch {
            let sign = |random: &mut SmallRng| if !plain && random.random() { -1.0 } else { 1.0 };
            let mut before = sign(&mut random);
            made.initial.push(T::from_f64(before * random.random_range(0.1..1.0)));
            for step in 0..shape.n {
                let row = if options.direction == Direction::Forward { step } else { shape.n - 1 - step };
                let at = shape.matrix_index(system, row);
                let mut entries = [0; 4].map(|_| T::from_f64(random.random_range(0.1..1.0)).to_f64());
                if !plain && random.random_bool(0.02) {
                    let times = 2f64.powi(random.random_range(-2..3));
                    (entries[2], entries[3]) = (times * entries[0], times * entries[1]);
                } else if random.random_bool(0.1) {
                    entries[random.random_range(0..4)] = 0.0;
                }
                // The sign of each value, which those of its row's entries are by, and of the whole row.
                let here = sign(&mut random);
                let size = if plain { 1.0 } else { sign(&mut random) * 2f64.powi(random.random_range(-40..40)) };
                let signs = [here * before, here, before, 1.0];
                before = here;
                for (values, (entry, sign)) in made.coefficients.iter_mut().zip(entries.into_iter().zip(signs)) {
                    values[at] = T::from_f64(size * sign * entry);
                }
            }
        }
        Ok(made)
    }

    /// Each value, where it lies, and by how much of itself rounding may have led away: a few units for each row and for
    /// each product of rows, as far as the rows behind carry them on.
    ///
    /// # Errors
    /// [`Error::Indeterminate`].
    pub fn expected(&self, options: Options, constants: [bool; 5]) -> Result<Vec<(usize, f64, f64)>> {
        let Shape { n, batch, .. } = self.shape;
        let reverse = options.direction == Direction::Reverse;
        let mut all = Vec::new();
        for system in 0..batch {
            let wide = |k: usize| -> Vec<f64> {
                let entry = |row| self.coefficients[k][self.shape.matrix_index(system, row)].to_f64();
                (0..n).map(|row| if constants[k] { CONSTANTS[k] } else { entry(row) }).collect()
            };
            let [a, b, c, d] = [0, 1, 2, 3].map(wide);
            let initial = if constants[4] { CONSTANTS[4] } else { self.initial[system].to_f64() };
            let w = cpu::moebius(&a, &b, &c, &d, initial, reverse)?;
            let mut before = initial;
            let mut units = 0.0;
            for step in 0..n {
                let row = if reverse { n - 1 - step } else { step };
                // By how much a relative error of the value before becomes one of this value.
                let carried = (a[row] * d[row] - b[row] * c[row]).abs() * before.abs()
                    / ((a[row] * before + b[row]).abs() * (c[row] * before + d[row]).abs());
                units = 4.0 + units * if carried.is_finite() { carried.min(1.0) } else { 0.0 };
                all.push((self.shape.matrix_index(system, row), w[row], (64.0 + 4.0 * units) * T::UNIT_ROUNDOFF));
                before = w[row];
            }
        }
        Ok(all)
    }
}

impl MoebiusCase {
    /// Which coefficient w lies over: the first of b, a, d, c that is a vector.
    fn over(&self) -> Option<usize> {
        [1, 0, 3, 2].into_iter().find(|&at| !self.constants[at] && self.placement == Placement::InPlace)
    }

    fn solve<T: Real>(&self, gpu: &Gpu, plan: &MoebiusPlan<T>, host: &HostMoebius<T>) -> Result<(Vec<T>, Vec<T>)> {
        let inputs = host.coefficients.each_ref().map(Vec::as_slice);
        let together = self.placement != Placement::Apart;
        let arena = Arena::new(gpu, &inputs, inputs[0].len(), self.over(), together)?;
        let initial = DeviceVector::from_slice(gpu, "initial", &host.initial)?;
        let coefficient = |at: usize| match self.constants[at] {
            true => DeviceCoefficient::Constant(T::from_f64(CONSTANTS[at])),
            false if at == 4 => DeviceCoefficient::Each(initial.as_slice()),
            false => DeviceCoefficient::Each(arena.input(at)),
        };
        let [a, b, c, d, initial] = [0, 1, 2, 3, 4].map(coefficient);
        let bound = plan.bind(&DeviceMoebius { a, b, c, d, initial, w: arena.values() })?;
        for _ in 0..2 {
            arena.reset(gpu)?;
            bound.submit()?;
        }
        bound.read_status()?.check()?;
        arena.read(gpu)
    }
}

impl Case for MoebiusCase {
    fn group(&self) -> String {
        format!("moebius {}", self.layout)
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let host = HostMoebius::<T>::new(self.shape, self.options, self.constants, self.seed)?;
        let expected = host.expected(self.options, self.constants)?;
        let plan = MoebiusPlan::<T>::new(gpu, self.shape, self.options)?;
        plan.poison_scratch();
        let (w, rest) = self.solve(gpu, &plan, &host)?;
        let (again, _) = self.solve(gpu, &plan, &host)?;
        let (mut error, mut bound, mut worst) = (0f64, f64::INFINITY, 0f64);
        let mut own = vec![false; w.len()];
        for (at, value, allowed) in expected {
            own[at] = true;
            let found = w[at].to_f64();
            // Zeros and infinities are exact.
            let off = if found == value { 0.0 } else { ((found - value) / value).abs() };
            if off.is_nan() || off / allowed >= worst {
                worst = off / allowed;
                (error, bound) = (off, allowed);
            }
        }
        let marker = bits(&[poison::<T>()]);
        let hole = if self.over().is_some() { bits(&[T::from_f64(f64::NAN)]) } else { marker.clone() };
        let untouched = own.iter().zip(&w).all(|(own, w)| *own || bits(&[*w]) == hole)
            && rest.iter().all(|value| bits(&[*value]) == marker);
        Ok(Verdict { error, bound, repeatable: bits(&w) == bits(&again), untouched })
    }
}
