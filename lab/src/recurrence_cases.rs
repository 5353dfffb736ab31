//! Recurrences on a device against one value after the other in f64.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::arena::Arena;
use super::cases::{Placement, layouts};
use super::formulas::{SampleFormula, sample_formulas};
use super::verdict::{Case, Verdict, bits, poison};
use trisolve::cpu;
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::internals::plan::systems_first;
use trisolve::recurrence::{
    Algorithm, DeviceCoefficient, DeviceRecurrence, Direction, Options, PSchemePolicy, RecurrencePlan, Shape, Status,
};
use trisolve::{Error, Real, Result};

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct RecurrenceCase {
    /// Which algorithm, and in which direction.
    pub options: Options,
    /// What the layout is called.
    pub layout: &'static str,
    /// The sequences.
    pub shape: Shape,
    /// Whether s, t and the initial value are constants.
    pub constants: [bool; 3],
    /// Whether s and t are computed, and how.
    pub computed: [Option<SampleFormula>; 2],
    /// Where the vectors lie.
    pub placement: Placement,
    /// Of the random input.
    pub seed: u64,
}

/// Sizes around the edges of a thread's rows, a workgroup's, and of two and many slices.
const SIZES: [usize; 16] = [1, 2, 3, 8, 15, 17, 31, 33, 511, 513, 1000, 1025, 2049, 4096, 4100, 20_011];

/// The cases of a check.
pub fn recurrence_cases(seed: u64) -> Vec<RecurrenceCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Auto) {
        for (at, n) in SIZES.into_iter().enumerate() {
            let batch = [1, 2, 7, 40][(at + algorithm as usize) % 4];
            for (turn, (layout, shape)) in layouts(n, batch, &mut random).into_iter().enumerate() {
                let columns = shape.columns > 1;
                if columns || (algorithm == Algorithm::OnePass && systems_first(&shape)) {
                    continue;
                }
                let direction = [Direction::Forward, Direction::Reverse][(at + turn) % 2];
                let options = Options::default().algorithm(algorithm).direction(direction);
                cases.push(case(&mut random, options, (layout, shape)));
            }
        }
    }
    cases.extend(p_scheme_cases(&mut random));
    cases
}

/// A case in a random placement, with random constants.
fn case(random: &mut SmallRng, options: Options, (layout, shape): (&'static str, Shape)) -> RecurrenceCase {
    let constants = match random.random_range(0..6) {
        0 => [true, false, true],
        1 => [false, true, false],
        2 => [false, false, true],
        _ => [false; 3],
    };
    let formula = |random: &mut SmallRng| match random.random_range(0..3) {
        0 => SampleFormula::Mixed,
        1 => SampleFormula::Gains,
        _ => SampleFormula::Rounds(40),
    };
    let computed = match random.random_range(0..6) {
        0 if !constants[0] => [Some(formula(random)), None],
        1 if !constants[1] => [None, Some(formula(random))],
        2 if constants == [false; 3] => [Some(formula(random)), Some(formula(random))],
        _ => [None; 2],
    };
    let placement = [Placement::Apart, Placement::InPlace, Placement::OneBuffer][random.random_range(0..3)];
    RecurrenceCase { options, layout, shape, constants, computed, placement, seed: random.random() }
}

/// One chunk, fewer and more than a tile has, more than a workgroup of the propagation has threads; each with rows
/// around full chunks, tiles and what a thread loads at once, arrays rearranged or not.
fn p_scheme_cases(random: &mut SmallRng) -> Vec<RecurrenceCase> {
    let mut cases = Vec::new();
    for (groups, threads) in [(1, 1), (1, 32), (4, 4), (2, 64), (64, 16)] {
        let chunks = (groups * threads) as usize;
        for each in [1, 8, 31, 33] {
            for (turn, (rearranged, tiled)) in [(false, true), (true, true), (true, false)].into_iter().enumerate() {
                let policy = PSchemePolicy { groups, threads, rearranged, tiled };
                let rows = chunks * each;
                let n = [rows, rows + 1, rows.saturating_sub(chunks / 2).max(1)][random.random_range(0..3)];
                let batch = if n > 8192 { 2 } else { 5 };
                let shapes = layouts(n, batch, random);
                let shapes: Vec<_> = shapes.into_iter().filter(|(_, shape)| shape.columns == 1).collect();
                let direction = [Direction::Forward, Direction::Reverse][(turn + each) % 2];
                let options = Options::default().algorithm(Algorithm::PScheme).direction(direction).policy(policy);
                let shape = shapes[random.random_range(0..shapes.len())];
                cases.push(case(random, options, shape));
            }
        }
    }
    cases
}

/// The coefficients of a batch, laid out as a shape says, NaN in between.
#[derive(Debug, Clone)]
pub struct HostRecurrence<T> {
    /// How they lie.
    pub shape: Shape,
    /// Factors between -1.1 and 1.1; one of a hundred is 0.
    pub s: Vec<T>,
    /// Summands.
    pub t: Vec<T>,
    /// The values before the first.
    pub initial: Vec<T>,
}

/// A value as it should be.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// Where it lies.
    pub at: usize,
    /// In f64.
    pub value: f64,
    /// How far from that rounding may have led.
    pub allowed: f64,
}

impl<T: Real> HostRecurrence<T> {
    /// Random ones.
    ///
    /// # Errors
    /// [`Error::Shape`] for what spans more than memory.
    pub fn new(shape: Shape, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let len = shape.matrix_len().ok_or_else(|| Error::Shape("a case that spans more than memory".into()))?;
        let mut made = Self {
            shape,
            s: vec![T::from_f64(f64::NAN); len],
            t: vec![T::from_f64(f64::NAN); len],
            initial: (0..shape.batch).map(|_| T::from_f64(random.random_range(-1.0..1.0))).collect(),
        };
        for system in 0..shape.batch {
            for row in 0..shape.n {
                let at = shape.matrix_index(system, row);
                let anew = random.random_bool(0.01);
                made.s[at] = T::from_f64(if anew { 0.0 } else { random.random_range(-1.1..1.1) });
                made.t[at] = T::from_f64(random.random_range(-1.0..1.0));
            }
        }
        Ok(made)
    }

    /// Takes what formulas give for s and t.
    pub fn compute(&mut self, computed: [Option<SampleFormula>; 2], gain: &[T]) {
        let gain: Vec<_> = gain.iter().map(|entry| entry.to_f64()).collect();
        for ((salt, formula), values) in (0..).zip(computed).zip([&mut self.s, &mut self.t]) {
            let Some(formula) = formula else { continue };
            for system in 0..self.shape.batch {
                for (row, value) in formula.values(salt, self.shape.n, system, &gain).into_iter().enumerate() {
                    values[self.shape.matrix_index(system, row)] = T::from_f64(value);
                }
            }
        }
    }

    /// The values, with constants in place of vectors where there are any. Rounding leads away by a few units of
    /// what the terms' sizes come to, once for each row since the last that mattered.
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows.
    pub fn expected(&self, constants: [Option<T>; 3], direction: Direction) -> Result<Vec<Expected>> {
        let Shape { n, batch, .. } = self.shape;
        let reverse = direction == Direction::Reverse;
        let mut all = Vec::new();
        let wide = |values: &[T], constant: Option<T>, system: usize| -> Vec<f64> {
            let at = |row| constant.unwrap_or_else(|| values[self.shape.matrix_index(system, row)]).to_f64();
            (0..n).map(at).collect()
        };
        let sizes = |v: &[f64]| v.iter().map(|v| v.abs()).collect::<Vec<_>>();
        for system in 0..batch {
            let (s, t) = (wide(&self.s, constants[0], system), wide(&self.t, constants[1], system));
            let initial = constants[2].unwrap_or(self.initial[system]).to_f64();
            let exact = cpu::recurrence(&s, &t, initial, reverse)?;
            let size = cpu::recurrence(&sizes(&s), &sizes(&t), initial.abs(), reverse)?;
            // Each row's size goes on into the errors of the rows behind.
            let errors = cpu::recurrence(&sizes(&s), &size, 0.0, reverse)?;
            all.extend((0..n).map(|row| Expected {
                at: self.shape.matrix_index(system, row),
                value: exact[row],
                allowed: 2.0 * T::UNIT_ROUNDOFF * (errors[row] + 8.0 * size[row]) + f64::from(f32::MIN_POSITIVE),
            }));
        }
        Ok(all)
    }
}

impl RecurrenceCase {
    /// Which coefficient w lies over: t, or s where t is no vector.
    fn over(&self) -> Option<usize> {
        let vector = |at: &usize| !self.constants[*at] && self.computed[*at].is_none();
        [1, 0].into_iter().find(|at| vector(at) && self.placement == Placement::InPlace)
    }
}

impl Case for RecurrenceCase {
    fn group(&self) -> String {
        let computed = if self.computed == [None; 2] { "" } else { ", computed" };
        format!("{} {}{computed}", self.options.algorithm, self.layout)
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let mut host = HostRecurrence::<T>::new(self.shape, self.seed)?;
        let gain = SampleFormula::gain::<T>(self.seed);
        host.compute(self.computed, &gain);
        let half = T::from_f64(0.5);
        let constants = self.constants.map(|constant| constant.then_some(half));
        let expected = host.expected(constants, self.options.direction)?;
        // Of errors of the coefficients each row gets as much as of its own roundings, of which there are two.
        let wider = 1.0 + self.computed.iter().flatten().map(|formula| formula.units() / 2.0).sum::<f64>();
        let formulas = sample_formulas(self.computed);
        let plan = RecurrencePlan::<T>::with_formulas(gpu, self.shape, self.options, &formulas)?;
        plan.poison_scratch();
        let (w, rest) = solve_twice(gpu, &plan, self, &host, constants, &gain)?;
        let (again, _) = solve_twice(gpu, &plan, self, &host, constants, &gain)?;
        let (mut error, mut bound, mut worst) = (0f64, f64::INFINITY, 0f64);
        let mut own = vec![false; w.len()];
        for Expected { at, value, allowed } in expected {
            own[at] = true;
            let allowed = wider * allowed;
            let off = (w[at].to_f64() - value).abs();
            if off.is_nan() || off / allowed >= worst {
                worst = off / allowed;
                (error, bound) = (off, allowed);
            }
        }
        let marker = bits(&[poison::<T>()]);
        let hole = if self.over().is_some() { bits(&[T::from_f64(f64::NAN)]) } else { marker.clone() };
        let untouched = own.iter().zip(&w).all(|(own, w)| *own || bits(&[*w]) == hole)
            && rest.iter().all(|value| bits(&[*value]) == marker);
        // The order in which one pass composes depends on timing.
        let repeatable = plan.algorithm() == Algorithm::OnePass || bits(&w) == bits(&again);
        Ok(Verdict { error, bound, repeatable, untouched })
    }
}

/// The values, and what lies right behind them; after a solve and one more, since what one leaves behind is
/// the next one's.
fn solve_twice<T: Real>(
    gpu: &Gpu,
    plan: &RecurrencePlan<T>,
    case: &RecurrenceCase,
    host: &HostRecurrence<T>,
    constants: [Option<T>; 3],
    gain: &[T],
) -> Result<(Vec<T>, Vec<T>)> {
    let initial = DeviceVector::from_slice(gpu, "initial", &host.initial)?;
    let together = case.placement != Placement::Apart;
    let arena = Arena::new(gpu, &[&host.s, &host.t, gain], host.s.len(), case.over(), together)?;
    let input = |at: usize| arena.input(at);
    let gains = [("gain", input(2))];
    let or =
        |constant: Option<T>, vector| constant.map_or(DeviceCoefficient::Each(vector), DeviceCoefficient::Constant);
    // The vector is given once, with t where both are computed.
    let read = case.computed.contains(&Some(SampleFormula::Gains));
    let coefficient = |at: usize| match case.computed[at] {
        Some(_) if read && (at == 1 || case.computed[1].is_none()) => DeviceCoefficient::Computed(&gains),
        Some(_) => DeviceCoefficient::Computed(&[]),
        None => or(constants[at], input(at)),
    };
    let recurrence = DeviceRecurrence {
        s: coefficient(0),
        t: coefficient(1),
        initial: or(constants[2], initial.as_slice()),
        w: arena.values(),
    };
    let bound = plan.bind(&recurrence)?;
    for _ in 0..2 {
        arena.reset(gpu)?;
        bound.submit()?;
    }
    let status: Status = bound.read_status()?;
    status.check()?;
    arena.read(gpu)
}
