//! The evaluation of the P-scheme paper: recurrences whose factors cost nothing, or hundreds of operations.

use crate::on_device::OnDevice;
use std::cell::RefCell;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::tune::phases;
use trisolve::gpu::{DeviceVector, Gpu, PassTimer, Samples};
use trisolve::recurrence::{
    Algorithm, DeviceCoefficient, DeviceRecurrence, Formulas, Options, PSchemePhases, PSchemePolicy, RecurrencePlan,
    Shape,
};
use trisolve::tridiagonal::Bound;
use trisolve::{Error, Result};

/// The cost of a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorCost {
    /// Case L: a constant.
    Light,
    /// Case M: 200 multiplications and 200 divisions.
    Medium,
    /// Case H: 500 multiplications and 500 divisions.
    Heavy,
}

impl FactorCost {
    /// All costs, in the paper's order.
    pub const ALL: [Self; 3] = [Self::Light, Self::Medium, Self::Heavy];

    /// Its letter in the paper.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "L",
            Self::Medium => "M",
            Self::Heavy => "H",
        }
    }

    /// The number of multiplications, equal to the number of divisions.
    pub const fn pairs(self) -> u32 {
        match self {
            Self::Light => 0,
            Self::Medium => 200,
            Self::Heavy => 500,
        }
    }

    /// [`FactorCost::pairs`] pairs of a multiplication and a division, each of which depends on the previous one. The factor lies
    /// between 0.4 and 0.7.
    fn formulas(self) -> Formulas {
        let wgsl = format!(
            "var x = 0.4 + real(i % 1024u) * (0.2 / 1024.0);\n\
             for (var pair = 0u; pair < {}u; pair++) {{ x = 0.25 / (x * (1.0 + 1.0 / 1024.0)); }}\n\
             return x;",
            self.pairs()
        );
        if self == Self::Light { Formulas::new() } else { Formulas::new().s(wgsl) }
    }

    /// The original substitution on one core.
    pub(crate) fn substitute(self, t: &[f32], values: &mut [f32]) {
        match self {
            // Without a choice per row.
            Self::Light => substitute(|_| CONSTANT, t, values),
            _ => substitute(|row| self.factor(row), t, values),
        }
    }

    /// The value of the formula on the host.
    pub(crate) fn factor(self, row: usize) -> f32 {
        match self {
            Self::Light => CONSTANT,
            _ => {
                let start = 0.4 + (row % 1024) as f32 * (0.2 / 1024.0);
                (0..self.pairs()).fold(start, |x, _| 0.25 / (x * (1.0 + 1.0 / 1024.0)))
            }
        }
    }
}

pub(crate) const CONSTANT: f32 = 0.75;

/// w\[i\] = s\[i\] w\[i-1\] + t\[i\], one value after the other, with 0 as the value before the first.
fn substitute(factor: impl Fn(usize) -> f32, t: &[f32], values: &mut [f32]) {
    let mut before = 0f32;
    for (row, (value, t)) in values.iter_mut().zip(t).enumerate() {
        before = factor(row) * before + t;
        *value = before;
    }
}

/// Summands between -1 and 1.
pub(crate) fn summands(rows: usize, seed: u64) -> Vec<f32> {
    let mut random = SmallRng::seed_from_u64(seed);
    (0..rows).map(|_| random.random_range(-1.0..1.0)).collect()
}

/// The largest difference from these values, relative to the largest of them.
pub(crate) fn largest_difference<'a>(found: impl IntoIterator<Item = &'a f32>, values: &[f32]) -> f64 {
    let off = found.into_iter().zip(values).fold(0f32, |off, (w, value)| {
        // A NaN stays.
        if (w - value).abs() <= off { off } else { (w - value).abs() }
    });
    f64::from(off / values.iter().fold(0f32, |largest, value| largest.max(value.abs())))
}

/// A sequence in device memory, with the values that one core of the CPU computed.
pub struct PSchemeSample {
    cost: FactorCost,
    timer: PassTimer,
    /// The measured plans. While they live, their kernels are not compiled again for other numbers of workgroups.
    kept: RefCell<Vec<(RecurrencePlan<f32>, Bound)>>,
    t: DeviceVector<f32>,
    w: DeviceVector<f32>,
    values: Vec<f32>,
    /// The seconds of one core for all values; the least of several runs.
    pub cpu_seconds: f64,
}

/// The measurement of a policy.
#[derive(Debug, Clone)]
pub struct PSchemeRun {
    /// The times of the solve.
    pub samples: Samples,
    /// The times of the phases, each in its own pass.
    pub phases: PSchemePhases,
    /// The largest difference from the CPU's values, relative to the largest value.
    pub difference: f64,
}

impl PSchemeSample {
    /// Draws summands between -1 and 1; the initial value is 0.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn new(gpu: &Gpu, rows: usize, cost: FactorCost, seed: u64) -> Result<Self> {
        let t = summands(rows, seed);
        let mut values = vec![0f32; rows];
        let mut cpu_seconds = f64::INFINITY;
        // The first run is slower: its memory is cold.
        let least = Duration::from_millis(200);
        let begin = Instant::now();
        while cpu_seconds.is_infinite() || begin.elapsed() < least {
            let start = Instant::now();
            cost.substitute(&t, &mut values);
            cpu_seconds = cpu_seconds.min(std::hint::black_box(start.elapsed()).as_secs_f64());
        }
        let (t, w) = (DeviceVector::from_slice(gpu, "t", &t)?, DeviceVector::new(gpu, "w", rows)?);
        let timer = PassTimer::keeping_awake(gpu)?;
        Ok(Self { cost, timer, kept: RefCell::default(), t, w, values, cpu_seconds })
    }

    /// Measures a policy with `runs` runs, and compares the values with the CPU's.
    ///
    /// # Errors
    /// As [`RecurrencePlan::new`], [`RecurrencePlan::bind`] and [`PassTimer::measure`]; [`Error::Unsupported`] for more rounds of loops than a
    /// software driver runs.
    pub fn measure(&self, gpu: &Gpu, policy: PSchemePolicy, warm_up: Duration, runs: usize) -> Result<PSchemeRun> {
        let options = Options::on_device().algorithm(Algorithm::PScheme).policy(policy);
        let shape = Shape::single(self.values.len());
        self.w.clear(gpu)?;
        let plan = RecurrencePlan::<f32>::with_formulas(gpu, shape, options, &self.cost.formulas())?;
        let bound = plan.bind(&DeviceRecurrence {
            s: match self.cost {
                FactorCost::Light => DeviceCoefficient::Constant(CONSTANT),
                _ => DeviceCoefficient::Computed(&[]),
            },
            t: DeviceCoefficient::Each(self.t.as_slice()),
            initial: DeviceCoefficient::Constant(0.0),
            w: Some(self.w.as_slice()),
        })?;
        let samples = self.timer.measure(warm_up, runs, |pass| bound.record(pass))?;
        let phases = phases(&plan, &bound, &self.timer, warm_up, runs)?;
        bound.read_status()?.check().map_err(|error| match error {
            // The summands are finite.
            Error::NonFiniteInput { .. } => Error::Unsupported {
                what: format!(
                    "a formula with {} rounds of a loop per row, at {} rows per thread,",
                    self.cost.pairs(),
                    self.values.len().div_ceil((policy.groups * policy.threads) as usize)
                ),
                hint: format!(
                    "{} silently ends loops after 65535 rounds of a subgroup; take fewer rows, or more groups or threads",
                    gpu.info().name
                ),
            },
            other => other,
        })?;
        let difference = largest_difference(&self.w.read(gpu)?, &self.values);
        self.kept.borrow_mut().push((plan, bound));
        Ok(PSchemeRun { samples, phases, difference })
    }
}
