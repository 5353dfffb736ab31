//! The cases of filters, compared with the host's filter in f64.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::filter_designs::Poles;
use super::host_filter::{Filters, HostFilter};
use super::host_recurrence::Expected;
use super::layouts::{Placement, pick, single_column_layouts};
use super::verdict::{Case, Nearest, Verdict, bits, is_untouched, poison};
use trisolve::filter::{Algorithm, DeviceSignals, Direction, FilterPlan, MAX_ORDER, Options, Shape};
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::internals::filter::MOST_FILTER_NOISE;
use trisolve::internals::plan::systems_first;
use trisolve::{Error, Real, Result};

/// One comparison of a filter with its oracle.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterCase {
    /// Algorithm and direction.
    pub options: Options,
    /// The layout's name.
    pub layout: &'static str,
    /// The sequences.
    pub shape: Shape,
    /// The orders of the filter's sections; one for the direct form.
    pub orders: Vec<usize>,
    /// The number of filters.
    pub filters: Filters,
    /// The position of the poles.
    pub poles: Poles,
    /// Whether initial states are given.
    pub initial: bool,
    /// Destination of the final states.
    pub last: Last,
    /// The placement of the vectors.
    pub placement: Placement,
    /// Seed of the random input.
    pub seed: u64,
}

/// Destination of the final states, after the last rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// They are not written.
    Dropped,
    /// A separate vector.
    Apart,
    /// They overwrite the initial states.
    OverInitial,
}

/// Sizes around the edges of a thread's rows and a workgroup's rows, and of two and many slices. The last has more slices than a
/// workgroup of the propagation has threads.
const SIZES: [usize; 20] =
    [1, 2, 3, 8, 15, 16, 17, 31, 33, 127, 511, 513, 1000, 1025, 2049, 4095, 4097, 8193, 20_011, 290_003];

/// The cases.
pub fn filter_cases(seed: u64) -> Vec<FilterCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for algorithm in [Algorithm::ThreeLaunch, Algorithm::OnePass, Algorithm::Overlapped] {
        for (at, n) in SIZES.into_iter().enumerate() {
            let direct = (1..=MAX_ORDER).map(|order| vec![order]);
            // A section of order 1 has a state of order 2.
            let cascade =
                std::iter::once(vec![1 + at % 2, 2, 2, 2][..if at % 2 == 0 { 2 } else { 3 + at / 2 % 2 }].to_vec());
            for orders in direct.chain(cascade) {
                let order = orders.iter().sum::<usize>();
                let large = n > 100_000;
                let batch = if large { 1 } else { [1, 2, 7, 40][(at + order) % 4] };
                let shapes = single_column_layouts(n, batch, &mut random);
                for (turn, &(layout, shape)) in shapes.iter().enumerate() {
                    // Each order meets two layouts of a size; together the orders meet all.
                    let met = (turn + order + at) % 3 == 0 && (!large || turn <= 2);
                    let takes = match algorithm {
                        Algorithm::OnePass => !systems_first(&shape),
                        Algorithm::Overlapped => systems_first(&shape),
                        _ => true,
                    };
                    if !met || !takes {
                        continue;
                    }
                    let options = Options::on_device().algorithm(algorithm);
                    cases.push(case(&mut random, options, &orders, (layout, shape)));
                    // Banks of filters of order 2, and of cascades.
                    if shape.batch > 1 && (orders == [2] || orders.len() > 1) {
                        let filters = [Filters::PerSequence, Filters::OfOneSignal][(at + turn) % 2];
                        let mut bank = case(&mut random, options, &orders, (layout, shape));
                        if filters == Filters::OfOneSignal && bank.placement == Placement::InPlace {
                            bank.placement = Placement::Apart;
                        }
                        cases.push(FilterCase { filters, ..bank });
                    }
                }
            }
        }
    }
    cases
}

/// A case with a random direction, random poles, states and placement.
fn case(
    random: &mut SmallRng,
    options: Options,
    orders: &[usize],
    (layout, shape): (&'static str, Shape),
) -> FilterCase {
    let direction = [Direction::Forward, Direction::Reverse][random.random_range(0..2)];
    let (initial, last) = match random.random_range(0..5) {
        0 => (false, Last::Dropped),
        1 => (false, Last::Apart),
        2 => (true, Last::Dropped),
        3 => (true, Last::Apart),
        _ => (true, Last::OverInitial),
    };
    FilterCase {
        options: options.direction(direction),
        layout,
        shape,
        orders: orders.to_vec(),
        filters: Filters::One,
        poles: match (options.algorithm, random.random_range(0..5)) {
            (_, 0) => Poles::None,
            // Filters that forget.
            (Algorithm::Overlapped, _) | (_, 1 | 2) => Poles::Inside,
            (_, 3) => Poles::Close,
            _ => Poles::Circle,
        },
        initial,
        last,
        placement: pick(random, &Placement::ALL),
        seed: random.random(),
    }
}

impl Case for FilterCase {
    fn group(&self) -> String {
        let kind = match self.filters {
            _ if self.orders.len() > 1 => ", cascade",
            Filters::One => "",
            Filters::PerSequence | Filters::OfOneSignal => ", bank",
        };
        format!("filter {} {}{kind}", self.options.algorithm, self.layout)
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let host =
            HostFilter::<T>::with_filters(self.shape, &self.orders, self.poles, self.filters, self.initial, self.seed)?;
        let plan = FilterPlan::<T>::new(gpu, self.shape, &host.bank, self.options)?;
        if plan.rounding_noise() > MOST_FILTER_NOISE {
            // Poles on the circle may lie too close together for so many rows: then recorded solves refuse the filter.
            return match solve_twice(gpu, &plan, self, &host) {
                Err(Error::Noisy { .. }) => Ok(Verdict { error: 0.0, bound: 1.0, repeatable: true, untouched: true }),
                Err(error) => Err(error),
                Ok(_) => Err(Error::Options("a filter that rounding drowns was accepted".into())),
            };
        }
        let expected = host.expected(self.options.direction)?;
        plan.poison_scratch();
        let once = solve_twice(gpu, &plan, self, &host)?;
        let again = solve_twice(gpu, &plan, self, &host)?;
        let mut nearest = Nearest::new();
        let mut own = vec![false; once.y.len()];
        expected.y.iter().for_each(|row| own[row.at] = true);
        let states = expected.last.iter().filter(|_| self.last != Last::Dropped);
        let found = |values: &[T], row: &Expected| ((values[row.at].to_f64() - row.value).abs(), row.allowed);
        let all = expected.y.iter().map(|row| found(&once.y, row)).chain(states.map(|row| found(&once.last, row)));
        all.for_each(|(error, allowed)| nearest.include(error, allowed));
        let mut rest = once.rest.clone();
        if self.last == Last::Dropped {
            rest.extend(&once.last);
        }
        let untouched = is_untouched(&own, &once.y, &rest, self.placement == Placement::InPlace);
        let Nearest { error, bound, .. } = nearest;
        let same = bits(&once.y) == bits(&again.y) && bits(&once.last) == bits(&again.last);
        // One pass adds up the states that it meets first.
        let repeatable = same || self.options.algorithm == Algorithm::OnePass;
        Ok(Verdict { error, bound, repeatable, untouched })
    }
}

/// The results of a solve, and the entries behind them.
struct Written<T> {
    y: Vec<T>,
    last: Vec<T>,
    rest: Vec<T>,
}

/// Solves twice, since a solve starts from the scratch memory that the previous one left.
fn solve_twice<T: Real>(
    gpu: &Gpu,
    plan: &FilterPlan<T>,
    case: &FilterCase,
    host: &HostFilter<T>,
) -> Result<Written<T>> {
    const BEHIND: usize = 5;
    let step = (gpu.capabilities().limits.min_storage_buffer_offset_alignment as usize).max(32) / 4;
    // All vectors lie in one buffer. With `Placement::Apart` the inputs are bound from copies.
    let mut contents = Vec::new();
    let mut place = |values: &[T]| {
        let start = contents.len();
        contents.extend_from_slice(values);
        // At least the entries that are checked behind each vector.
        contents.resize((contents.len() + BEHIND).next_multiple_of(step), poison::<T>());
        start
    };
    let (inputs, states) = (host.x.len(), host.initial.len());
    let rows = case.shape.matrix_len().unwrap_or(inputs);
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
        x: if together { arena.slice(x, inputs) } else { apart_x.as_slice() },
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
