//! The cases of Moebius recurrences, compared with the host's recurrence in f64.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::arena::Arena;
use super::host_moebius::{CONSTANTS, HostMoebius};
use super::layouts::{Placement, pick, single_column_layouts};
use super::verdict::{Case, Nearest, Verdict, bits, is_untouched};
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::recurrence::moebius::{DeviceMoebius, MoebiusPlan, Options};
use trisolve::recurrence::{DeviceCoefficient, Direction, Shape};
use trisolve::{Real, Result};

/// One comparison of a Moebius recurrence with its oracle.
#[derive(Debug, Clone, PartialEq)]
pub struct MoebiusCase {
    /// The direction.
    pub options: Options,
    /// The layout's name.
    pub layout: &'static str,
    /// The sequences.
    pub shape: Shape,
    /// Whether a, b, c, d and the initial value are constants.
    pub constants: [bool; 5],
    /// The placement of the vectors.
    pub placement: Placement,
    /// Seed of the random input.
    pub seed: u64,
}

/// Sizes around the edges of a thread's rows and a workgroup's rows, and of two and many slices.
const SIZES: [usize; 18] = [1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 1000, 1023, 1025, 2047, 2049, 4097, 10_000, 65_537];

/// The cases.
pub fn moebius_cases(seed: u64) -> Vec<MoebiusCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for (at, n) in SIZES.into_iter().enumerate() {
        let batch = if n > 20_000 { 2 } else { [1, 2, 7, 40][at % 4] };
        for (turn, (layout, shape)) in single_column_layouts(n, batch, &mut random).into_iter().enumerate() {
            let direction = [Direction::Forward, Direction::Reverse][(at + turn) % 2];
            let constants = match random.random_range(0..6) {
                0 => [true, false, true, false, true],
                1 => [false, true, false, true, false],
                2 => [false, false, false, false, true],
                _ => [false; 5],
            };
            let placement = pick(&mut random, &Placement::ALL);
            let options = Options::on_device().direction(direction);
            cases.push(MoebiusCase { options, layout, shape, constants, placement, seed: random.random() });
        }
    }
    cases
}

impl MoebiusCase {
    /// The coefficient that w overwrites: the first of b, a, d, c that is a vector.
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
        let mut nearest = Nearest::new();
        let mut own = vec![false; w.len()];
        for (at, value, allowed) in expected {
            own[at] = true;
            let found = w[at].to_f64();
            // Zeros and infinities are exact.
            let off = if found == value { 0.0 } else { ((found - value) / value).abs() };
            nearest.include(off, allowed);
        }
        let untouched = is_untouched(&own, &w, &rest, self.over().is_some());
        let Nearest { error, bound, .. } = nearest;
        Ok(Verdict { error, bound, repeatable: bits(&w) == bits(&again), untouched })
    }
}
