//! Recurrences on a device against one value after the other in f64.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::cases::{Placement, layouts};
use super::verdict::{Case, Verdict, bits, poison};
use crate::cpu;
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, Gpu};
use crate::real::Real;
use crate::recurrence::{
    Algorithm, DeviceCoefficient, DeviceRecurrence, Direction, Options, PSchemePolicy, RecurrencePlan, Shape, Status,
};

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
                if columns || (algorithm == Algorithm::OnePass && shape.systems_first()) {
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
    let placement = [Placement::Apart, Placement::InPlace, Placement::OneBuffer][random.random_range(0..3)];
    RecurrenceCase { options, layout, shape, constants, placement, seed: random.random() }
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

impl Case for RecurrenceCase {
    fn group(&self) -> String {
        format!("{} {}", self.options.algorithm, self.layout)
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let host = HostRecurrence::<T>::new(self.shape, self.seed)?;
        let half = T::from_f64(0.5);
        let constants = self.constants.map(|constant| constant.then_some(half));
        let expected = host.expected(constants, self.options.direction)?;
        let plan = RecurrencePlan::<T>::new(gpu, self.shape, self.options)?;
        plan.poison_scratch();
        let (w, rest) = solve_twice(gpu, &plan, self, &host, constants)?;
        let (again, _) = solve_twice(gpu, &plan, self, &host, constants)?;
        let (mut error, mut bound, mut worst) = (0f64, f64::INFINITY, 0f64);
        let mut own = vec![false; w.len()];
        for Expected { at, value, allowed } in expected {
            own[at] = true;
            let off = (w[at].to_f64() - value).abs();
            if off.is_nan() || off / allowed >= worst {
                worst = off / allowed;
                (error, bound) = (off, allowed);
            }
        }
        let marker = bits(&[poison::<T>()]);
        let hole = if self.placement == Placement::InPlace { bits(&[T::from_f64(f64::NAN)]) } else { marker.clone() };
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
) -> Result<(Vec<T>, Vec<T>)> {
    const BEHIND: usize = 5;
    let len = host.s.len();
    let initial = DeviceVector::from_slice(gpu, "initial", &host.initial)?;
    // Over t, or over s where t is a constant.
    let over = match case.placement {
        Placement::InPlace if constants[1].is_some() => Some(0),
        Placement::InPlace => Some(1),
        _ => None,
    };
    // One behind the other, for all placements; those apart are bound from copies.
    let step = (gpu.capabilities().limits.min_storage_buffer_offset_alignment as usize).max(32) / 4;
    let mut contents = Vec::new();
    let mut starts = Vec::new();
    for input in [&host.s, &host.t] {
        starts.push(contents.len());
        contents.extend_from_slice(input);
        contents.resize(contents.len().next_multiple_of(step), poison::<T>());
    }
    let start = over.map_or(contents.len(), |input| starts[input]);
    if over.is_none() {
        contents.resize(start + len + BEHIND, poison::<T>());
    }
    let arena = DeviceVector::from_slice(gpu, "arena", &contents)?;
    let apart = [&host.s, &host.t].map(|input| DeviceVector::from_slice(gpu, "input", input));
    let [s, t] = apart;
    let (s, t) = (s?, t?);
    let together = case.placement != Placement::Apart;
    let or =
        |constant: Option<T>, vector| constant.map_or(DeviceCoefficient::Each(vector), DeviceCoefficient::Constant);
    let recurrence = DeviceRecurrence {
        s: or(constants[0], if together { arena.slice(starts[0], len) } else { s.as_slice() }),
        t: or(constants[1], if together { arena.slice(starts[1], len) } else { t.as_slice() }),
        initial: or(constants[2], initial.as_slice()),
        w: over.is_none().then(|| arena.slice(start, len)),
    };
    let bound = plan.bind(&recurrence)?;
    for _ in 0..2 {
        arena.write(gpu, 0, &contents)?;
        bound.submit()?;
    }
    let status: Status = bound.read_status()?;
    status.check()?;
    let solved = arena.read(gpu)?;
    let rest = if over.is_none() { solved[start + len..].to_vec() } else { vec![] };
    Ok((solved[start..start + len].to_vec(), rest))
}
