//! The cases of triangular systems that fill device memory: generated from a tile, and judged on the host from the tile.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::triangular_sample::TriangularSample;
use super::verdict::{Case, Verdict, bits};
use trisolve::gpu::Gpu;
use trisolve::internals::gpu::submit_pass;
use trisolve::triangular::{Algorithm, Diag, Options, Order, Shape, Trans, TriangularPlan, Uplo};
use trisolve::{Precision, Real, Result};

/// One solve of a large triangular system to check.
#[derive(Debug, Clone, PartialEq)]
pub struct LargeTriangularCase {
    /// The form of the system, and the algorithm.
    pub options: Options,
    /// The system.
    pub shape: Shape,
    /// Seed of the random input.
    pub seed: u64,
}

/// Sizes whose matrix needs one binding, and two bindings.
const SIZES_F32: [usize; 2] = [20000, 32000];
const SIZES_F64: [usize; 2] = [16000, 20000];

/// The cases of a thorough check: all forms of all sizes, with leading dimensions and increments drawn from the seed.
pub fn large_triangular_cases(precision: Precision, seed: u64) -> Vec<LargeTriangularCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for algorithm in [Algorithm::Chained, Algorithm::LaunchSynced] {
        for n in if precision == Precision::F32 { SIZES_F32 } else { SIZES_F64 } {
            for uplo in [Uplo::Lower, Uplo::Upper] {
                for trans in [Trans::No, Trans::Transpose] {
                    for diag in [Diag::NonUnit, Diag::Unit] {
                        let order = if random.random() { Order::ColumnMajor } else { Order::RowMajor };
                        let options = Options { uplo, trans, diag, order, algorithm, ..Options::on_device() };
                        let leading = n + [0, 4, 7][random.random_range(0..3)];
                        let increment = [1, -1, 2, -3][random.random_range(0..4)];
                        let shape = Shape::single(n).with_leading(leading).with_increment(increment);
                        cases.push(LargeTriangularCase { options, shape, seed: random.random() });
                    }
                }
            }
        }
    }
    cases
}

impl LargeTriangularCase {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.options.algorithm
    }
}

impl Case for LargeTriangularCase {
    fn group(&self) -> String {
        format!("{} of {} rows", self.options.algorithm, self.shape.n)
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let Self { options, shape, seed } = self;
        let sample = TriangularSample::<T>::of(gpu, *shape, *seed)?;
        let plan = TriangularPlan::<T>::new(gpu, *shape, *options)?;
        plan.poison_scratch();
        let bound = plan.bind(&sample.system())?;
        let solve = || {
            sample.forget_solution(gpu)?;
            submit_pass(gpu, "a check", |pass| bound.record(pass))?;
            bound.read_status()?.check()?;
            sample.solution(gpu)
        };
        let (x, again) = (solve()?, solve()?);
        let (error, bound) = sample.backward_error(gpu, options)?;
        // The entries between the rows of x stay 0.
        let mut own = vec![false; x.len()];
        (0..shape.n).for_each(|row| own[shape.vector_index(0, 0, row)] = true);
        let untouched = x.iter().zip(own).all(|(value, own)| own || *value == T::ZERO);
        Ok(Verdict { error, bound, repeatable: bits(&x) == bits(&again), untouched })
    }
}
