//! The cases of linear recurrences, compared with the host's recurrence in f64.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::arena::Arena;
use super::formulas::{SampleFormula, sample_formulas};
use super::host_recurrence::{Expected, HostRecurrence};
use super::layouts::{Placement, pick, single_column_layouts};
use super::verdict::{Case, Nearest, Verdict, bits, is_untouched};
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::internals::plan::systems_first;
use trisolve::recurrence::{
    Algorithm, DeviceCoefficient, DeviceRecurrence, Direction, Options, PSchemePolicy, RecurrencePlan, Shape, Status,
};
use trisolve::{Real, Result};

/// One comparison of a recurrence with its oracle.
#[derive(Debug, Clone, PartialEq)]
pub struct RecurrenceCase {
    /// Algorithm and direction.
    pub options: Options,
    /// The layout's name.
    pub layout: &'static str,
    /// The sequences.
    pub shape: Shape,
    /// Whether s, t and the initial value are constants.
    pub constants: [bool; 3],
    /// The formulas of s and t, if any.
    pub computed: [Option<SampleFormula>; 2],
    /// The placement of the vectors.
    pub placement: Placement,
    /// Seed of the random input.
    pub seed: u64,
}

/// Sizes around the edges of a thread's rows and a workgroup's rows, and of two and many slices.
const SIZES: [usize; 16] = [1, 2, 3, 8, 15, 17, 31, 33, 511, 513, 1000, 1025, 2049, 4096, 4100, 20_011];

/// The cases.
pub fn recurrence_cases(seed: u64) -> Vec<RecurrenceCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Auto) {
        for (at, n) in SIZES.into_iter().enumerate() {
            let batch = [1, 2, 7, 40][(at + algorithm as usize) % 4];
            for (turn, (layout, shape)) in single_column_layouts(n, batch, &mut random).into_iter().enumerate() {
                let takes = match algorithm {
                    Algorithm::OnePass => !systems_first(&shape),
                    Algorithm::Overlapped => systems_first(&shape),
                    _ => true,
                };
                if !takes {
                    continue;
                }
                let direction = [Direction::Forward, Direction::Reverse][(at + turn) % 2];
                let options = Options::on_device().algorithm(algorithm).direction(direction);
                cases.push(case(&mut random, options, (layout, shape)));
            }
        }
    }
    cases.extend(p_scheme_cases(&mut random));
    cases
}

/// A case with a random placement and random constants.
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
    let computed = if options.algorithm == Algorithm::Overlapped { [None; 2] } else { computed };
    let placement = pick(random, &Placement::ALL);
    RecurrenceCase { options, layout, shape, constants, computed, placement, seed: random.random() }
}

/// Arrays as given, rearranged through workgroup memory or not, and rearranged by the phases.
const P_SCHEME_ARRAYS: [[bool; 3]; 4] =
    [[false, true, false], [true, true, false], [true, false, false], [true, true, true]];

/// One chunk; fewer and more chunks than a tile has; more chunks than a workgroup of the propagation has threads, and than a group of it
/// holds. The rows lie
/// around full chunks, full tiles and a thread's full loads; the arrays are rearranged or not.
fn p_scheme_cases(random: &mut SmallRng) -> Vec<RecurrenceCase> {
    let mut cases = Vec::new();
    for (groups, threads) in [(1, 1), (1, 32), (4, 4), (2, 64), (64, 16), (512, 8)] {
        let chunks = (groups * threads) as usize;
        for each in [1, 8, 31, 33] {
            for (turn, [rearranged, tiled, staged]) in P_SCHEME_ARRAYS.into_iter().enumerate() {
                let grouped = random.random_range(0..3) > 0;
                let preceding = random.random_range(0..3);
                let policy = PSchemePolicy { groups, threads, rearranged, tiled, staged, grouped, preceding };
                let rows = chunks * each;
                let n = [rows, rows + 1, rows.saturating_sub(chunks / 2).max(1)][random.random_range(0..3)];
                let batch = if n > 8192 { 2 } else { 5 };
                let shapes = single_column_layouts(n, batch, random);
                let direction = [Direction::Forward, Direction::Reverse][(turn + each) % 2];
                let options = Options::on_device().algorithm(Algorithm::PScheme).direction(direction).policy(policy);
                let shape = pick(random, &shapes);
                cases.push(case(random, options, shape));
            }
        }
    }
    cases
}

impl RecurrenceCase {
    /// The coefficient that w overwrites: t, or s if t is not a vector.
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
        // The errors of the coefficients enter each row as its own two roundings do.
        let wider = 1.0 + self.computed.iter().flatten().map(|formula| formula.units() / 2.0).sum::<f64>();
        let formulas = sample_formulas(self.computed);
        let plan = RecurrencePlan::<T>::with_formulas(gpu, self.shape, self.options, &formulas)?;
        plan.poison_scratch();
        let (w, rest) = solve_twice(gpu, &plan, self, &host, constants, &gain)?;
        let (again, _) = solve_twice(gpu, &plan, self, &host, constants, &gain)?;
        let mut nearest = Nearest::new();
        let mut own = vec![false; w.len()];
        for Expected { at, value, allowed } in expected {
            own[at] = true;
            nearest.include((w[at].to_f64() - value).abs(), wider * allowed);
        }
        let untouched = is_untouched(&own, &w, &rest, self.over().is_some());
        let Nearest { error, bound, .. } = nearest;
        // One-pass composes in an order that depends on timing.
        let repeatable = plan.algorithm() == Algorithm::OnePass || bits(&w) == bits(&again);
        Ok(Verdict { error, bound, repeatable, untouched })
    }
}

/// Solves twice, since a solve starts from the scratch memory that the previous one left. Returns the values, and the entries
/// behind them.
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
    // The vector is given once: with t if both are computed.
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
