//! Filters on a device against one row after the other in f64.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::cases::{Placement, layouts};
use super::filter_designs::{Poles, design};
use super::recurrence_cases::Expected;
use super::verdict::{Case, Verdict, bits, poison};
use trisolve::cpu;
use trisolve::filter::{Algorithm, Coefficients, DeviceSignals, Direction, FilterPlan, MAX_ORDER, Options, Shape};
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::{Error, Real, Result};

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterCase {
    /// Which algorithm, and in which direction.
    pub options: Options,
    /// What the layout is called.
    pub layout: &'static str,
    /// The sequences.
    pub shape: Shape,
    /// Numbers of the state.
    pub order: usize,
    /// Where the poles lie.
    pub poles: Poles,
    /// Whether there are states before the first row.
    pub initial: bool,
    /// Where the states behind the last row go.
    pub last: Last,
    /// Where the vectors lie.
    pub placement: Placement,
    /// Of the random input.
    pub seed: u64,
}

/// Where the states behind the last row go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// Nowhere.
    Dropped,
    /// To a vector of their own.
    Apart,
    /// Over the initial ones.
    OverInitial,
}

/// Sizes around the edges of a thread's rows, a workgroup's, and of two and many slices; the last of more slices than
/// a workgroup of the propagation has threads.
const SIZES: [usize; 20] =
    [1, 2, 3, 8, 15, 16, 17, 31, 33, 127, 511, 513, 1000, 1025, 2049, 4095, 4097, 8193, 20_011, 290_003];

/// The cases of a check.
pub fn filter_cases(seed: u64) -> Vec<FilterCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for (at, n) in SIZES.into_iter().enumerate() {
        for order in 1..=MAX_ORDER {
            let large = n > 100_000;
            let batch = if large { 1 } else { [1, 2, 7, 40][(at + order) % 4] };
            let shapes = layouts(n, batch, &mut random);
            let shapes: Vec<_> = shapes.into_iter().filter(|(_, shape)| shape.columns == 1).collect();
            for (turn, &(layout, shape)) in shapes.iter().enumerate() {
                // Each order has two of a size's layouts, and each size all.
                if (turn + order + at) % 3 > 0 || (large && turn > 2) {
                    continue;
                }
                let direction = [Direction::Forward, Direction::Reverse][random.random_range(0..2)];
                let (initial, last) = match random.random_range(0..5) {
                    0 => (false, Last::Dropped),
                    1 => (false, Last::Apart),
                    2 => (true, Last::Dropped),
                    3 => (true, Last::Apart),
                    _ => (true, Last::OverInitial),
                };
                cases.push(FilterCase {
                    options: Options::default().algorithm(Algorithm::ThreeLaunch).direction(direction),
                    layout,
                    shape,
                    order,
                    poles: [Poles::Inside, Poles::Close, Poles::Circle, Poles::Inside, Poles::None]
                        [random.random_range(0..5)],
                    initial,
                    last,
                    placement: [Placement::Apart, Placement::InPlace, Placement::OneBuffer][random.random_range(0..3)],
                    seed: random.random(),
                });
            }
        }
    }
    cases
}

/// A filter and the signals of a batch, laid out as a shape says, NaN in between.
#[derive(Debug, Clone)]
pub struct HostFilter<T> {
    /// How they lie.
    pub shape: Shape,
    /// The filter.
    pub coefficients: Coefficients,
    /// Inputs between -1 and 1.
    pub x: Vec<T>,
    /// The states before the first rows.
    pub initial: Vec<T>,
}

/// What a filter should answer.
#[derive(Debug, Clone)]
pub struct ExpectedOutputs {
    /// Of each row.
    pub y: Vec<Expected>,
    /// The states behind the last rows.
    pub last: Vec<Expected>,
}

impl<T: Real> HostFilter<T> {
    /// Random ones, from random states if wanted, else from 0.
    ///
    /// # Errors
    /// [`Error::Shape`] for what spans more than memory.
    pub fn new(shape: Shape, order: usize, poles: Poles, initial: bool, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let len = shape.matrix_len().ok_or_else(|| Error::Shape("a case that spans more than memory".into()))?;
        let (b, a) = design(order, poles, &mut random);
        let mut number = |size: f64| T::from_f64(size * random.random_range(-1.0..1.0));
        let size = if initial { 1.0 } else { 0.0 };
        let mut made = Self {
            shape,
            coefficients: Coefficients::new(&b, &a)?,
            x: vec![T::from_f64(f64::NAN); len],
            initial: (0..shape.batch * order).map(|_| number(size)).collect(),
        };
        for system in 0..shape.batch {
            for row in 0..shape.n {
                made.x[shape.matrix_index(system, row)] = number(1.0);
            }
        }
        Ok(made)
    }

    /// The outputs and final states, and how far from them rounding may lead.
    ///
    /// The state of any run of rows (of the scan's as of the whole) is at most M = max |z| (1 + P) + P |z before| in
    /// the maximum norm, with P the largest norm of a power of A. Rounding puts into each row's state a few units of
    /// |A| M + |B| max |x|, and into what chunks are joined to a few of P M, or of Q M where they are joined in another
    /// basis (with Q the sum in squares of the norms of powers, which bounds what that magnifies), in all joints less
    /// often than there are rows; a row's error e reaches the output of m rows later as (A^m e)\[0\].
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows.
    pub fn expected(&self, direction: Direction) -> Result<ExpectedOutputs> {
        let Self { shape, coefficients, .. } = self;
        let order = coefficients.order();
        let (b, a) = (coefficients.b(), coefficients.a());
        let growth = Growth::new(coefficients, shape.n);
        let unit = T::UNIT_ROUNDOFF;
        let reverse = direction == Direction::Reverse;
        let sum = |values: &[f64]| values.iter().map(|value| value.abs()).sum::<f64>();
        let per_row = a.iter().skip(1).fold(0.0, |most: f64, a| most.max(a.abs())) + 1.0;
        let per_input = b.iter().skip(1).zip(&a[1..]).fold(0.0, |most: f64, (tap, a)| most.max((tap - a * b[0]).abs()));
        let mut found = ExpectedOutputs { y: vec![], last: vec![] };
        for system in 0..shape.batch {
            let x: Vec<_> = (0..shape.n).map(|row| self.x[shape.matrix_index(system, row)].to_f64()).collect();
            let before: Vec<_> = self.initial[system * order..][..order].iter().map(|z| z.to_f64()).collect();
            let mut state = before.clone();
            let y = cpu::filter(b, a, &x, &mut state, reverse)?;
            let largest = states(b, a, &x, &y, &before, reverse);
            let start = before.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            let input = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let bound = largest * (1.0 + growth.power) + growth.power * start;
            let rows = 2.0 * (order as f64 + 3.0) * (per_row * bound + (per_input + sum(b)) * input);
            let joints = 2.0 * (order as f64 + 2.0) * growth.joint() * bound;
            let noise = unit * (rows + joints) + f64::from(f32::MIN_POSITIVE);
            for (row, &value) in y.iter().enumerate() {
                let steps = if reverse { shape.n - 1 - row } else { row };
                let own = 4.0 * unit * (sum(&b[..1]) * input + bound);
                let allowed = noise * growth.output[steps] + own;
                found.y.push(Expected { at: shape.matrix_index(system, row), value, allowed });
            }
            let allowed = noise * growth.state;
            let last = state.iter().enumerate();
            found.last.extend(last.map(|(i, &value)| Expected { at: system * order + i, value, allowed }));
        }
        Ok(found)
    }
}

/// The largest entry of a state before or behind any row.
fn states(b: &[f64], a: &[f64], x: &[f64], y: &[f64], before: &[f64], reverse: bool) -> f64 {
    let mut z = [before, &[0.0]].concat();
    let mut largest = z.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
    for step in 0..x.len() {
        let row = if reverse { x.len() - 1 - step } else { step };
        for i in 1..b.len() {
            z[i - 1] = b[i] * x[row] - a[i] * y[row] + z[i];
            largest = largest.max(z[i - 1].abs());
        }
    }
    largest
}

/// How errors of a state grow.
struct Growth {
    /// The largest maximum norm of a power of A.
    power: f64,
    /// What the squares of those of all come to.
    squares: f64,
    /// Up to each number of rows, what those powers' first rows come to in the sum norm.
    output: Vec<f64>,
    /// What all powers come to in the maximum norm.
    state: f64,
}

impl Growth {
    fn new(coefficients: &Coefficients, rows: usize) -> Self {
        let (order, a) = (coefficients.order(), coefficients.a());
        // Column by column: a state that is goes on by itself.
        let mut columns = vec![vec![0f64; order + 1]; order];
        (0..order).for_each(|i| columns[i][i] = 1.0);
        let mut growth = Self { power: 1.0, squares: 0.0, output: vec![], state: 0.0 };
        let mut sum = 0.0;
        for _ in 0..=rows {
            let norm = |i: usize| columns.iter().map(|column| column[i].abs()).sum::<f64>();
            let power = (0..order).map(norm).fold(0.0, f64::max);
            growth.power = growth.power.max(power);
            growth.state += power;
            growth.squares += power * power;
            sum += norm(0);
            growth.output.push(sum);
            for column in &mut columns {
                let first = column[0];
                for i in 0..order {
                    column[i] = column[i + 1] - a[i + 1] * first;
                }
            }
        }
        growth
    }

    /// What joints magnify: nothing but powers where those are small.
    fn joint(&self) -> f64 {
        if self.power <= 32.0 { self.power } else { self.power.max(self.squares.sqrt()) }
    }
}

impl Case for FilterCase {
    fn group(&self) -> String {
        format!("filter {} {}", self.options.algorithm, self.layout)
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let host = HostFilter::<T>::new(self.shape, self.order, self.poles, self.initial, self.seed)?;
        let expected = host.expected(self.options.direction)?;
        let plan = FilterPlan::<T>::new(gpu, self.shape, &host.coefficients, self.options)?;
        plan.poison_scratch();
        let once = solve_twice(gpu, &plan, self, &host)?;
        let again = solve_twice(gpu, &plan, self, &host)?;
        let (mut error, mut bound, mut worst) = (0f64, f64::INFINITY, 0f64);
        let mut own = vec![false; once.y.len()];
        expected.y.iter().for_each(|row| own[row.at] = true);
        let states = expected.last.iter().filter(|_| self.last != Last::Dropped);
        let found = |values: &[T], row: &Expected| ((values[row.at].to_f64() - row.value).abs(), row.allowed);
        let all = expected.y.iter().map(|row| found(&once.y, row)).chain(states.map(|row| found(&once.last, row)));
        for (off, allowed) in all {
            if off.is_nan() || off / allowed >= worst {
                worst = off / allowed;
                (error, bound) = (off, allowed);
            }
        }
        let marker = bits(&[poison::<T>()]);
        let in_place = self.placement == Placement::InPlace;
        let hole = if in_place { bits(&[T::from_f64(f64::NAN)]) } else { marker.clone() };
        let untouched = own.iter().zip(&once.y).all(|(own, y)| *own || bits(&[*y]) == hole)
            && once
                .rest
                .iter()
                .chain(once.last.iter().filter(|_| self.last == Last::Dropped))
                .all(|value| bits(&[*value]) == marker);
        let repeatable = bits(&once.y) == bits(&again.y) && bits(&once.last) == bits(&again.last);
        Ok(Verdict { error, bound, repeatable, untouched })
    }
}

/// What a solve wrote, and what lies right behind that.
struct Written<T> {
    y: Vec<T>,
    last: Vec<T>,
    rest: Vec<T>,
}

/// After a solve and one more, since what one leaves behind is the next one's.
fn solve_twice<T: Real>(
    gpu: &Gpu,
    plan: &FilterPlan<T>,
    case: &FilterCase,
    host: &HostFilter<T>,
) -> Result<Written<T>> {
    const BEHIND: usize = 5;
    let step = (gpu.capabilities().limits.min_storage_buffer_offset_alignment as usize).max(32) / 4;
    // One behind the other, for all placements; those apart are bound from copies.
    let mut contents = Vec::new();
    let mut place = |values: &[T]| {
        let start = contents.len();
        contents.extend_from_slice(values);
        // No less than what is looked at behind each.
        contents.resize((contents.len() + BEHIND).next_multiple_of(step), poison::<T>());
        start
    };
    let (rows, states) = (host.x.len(), host.initial.len());
    let [x, initial] = [&host.x, &host.initial].map(|values| place(values));
    let y = if case.placement == Placement::InPlace { x } else { place(&vec![poison(); rows]) };
    let last = if case.last == Last::OverInitial { initial } else { place(&vec![poison(); states]) };
    let arena = DeviceVector::from_slice(gpu, "arena", &contents)?;
    let apart = [&host.x, &host.initial].map(|input| DeviceVector::from_slice(gpu, "input", input));
    let [apart_x, apart_initial] = apart;
    let (apart_x, apart_initial) = (apart_x?, apart_initial?);
    let together = case.placement != Placement::Apart;
    let over = case.last == Last::OverInitial;
    let before = if together || over { arena.slice(initial, states) } else { apart_initial.as_slice() };
    let signals = DeviceSignals {
        x: if together { arena.slice(x, rows) } else { apart_x.as_slice() },
        y: (case.placement != Placement::InPlace).then(|| arena.slice(y, rows)),
        initial: case.initial.then_some(before),
        last: (case.last != Last::Dropped).then(|| arena.slice(last, states)),
    };
    let bound = plan.bind(&signals)?;
    for _ in 0..2 {
        arena.write(gpu, 0, &contents)?;
        bound.submit()?;
    }
    bound.read_status()?.check()?;
    let solved = arena.read(gpu)?;
    let behind = |start: usize, len: usize| solved[start + len..start + len + BEHIND].to_vec();
    Ok(Written {
        y: solved[y..y + rows].to_vec(),
        last: solved[last..last + states].to_vec(),
        rest: [behind(y, rows), behind(last, states)].concat(),
    })
}
