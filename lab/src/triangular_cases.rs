//! The cases of triangular systems, judged by their componentwise backward error in f64.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::arena::Arena;
use super::host_triangular::HostTriangular;
use super::layouts::{Placement, pick};
use super::verdict::{Case, Verdict, bits, is_untouched};
use trisolve::gpu::Gpu;
use trisolve::internals::gpu::submit_pass;
use trisolve::internals::triangular::fits;
use trisolve::triangular::{
    AbreastPolicy, Algorithm, ChainedPolicy, DeviceSystem, Diag, LaunchSyncedPolicy, Options, Order, Policy, Shape,
    SinglePolicy, Trans, TriangularPlan, Uplo,
};
use trisolve::{Error, Real, Result};

/// One triangular solve to check.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangularCase {
    /// The form of the system, and the algorithm.
    pub options: Options,
    /// The layout's name.
    pub layout: &'static str,
    /// The systems.
    pub shape: Shape,
    /// Whether the diagonal blocks are too ill-conditioned to be inverted.
    pub ill_conditioned: bool,
    /// The most rows of an inverted block, for factored matrices.
    pub factored: Option<u32>,
    /// The most bytes per binding, if fewer than the device's limit.
    pub binding: Option<u64>,
    /// The placement of the vectors.
    pub placement: Placement,
    /// Seed of the random input.
    pub seed: u64,
}

/// Sizes around the edges of blocks, and around groups of blocks that a kernel waits for together.
const SIZES: [usize; 17] = [1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 500, 511, 1000, 2049];

/// What reports call solves with factored matrices.
pub const FACTORED: &str = "factored";

/// The most rows that fit a single workgroup of some device.
const LARGEST_SINGLE: usize = 512;
/// The rows that fit a single workgroup of every device.
const ALWAYS_SINGLE: usize = 64;

/// The cases with the policies that a plan chooses.
pub fn triangular_cases(seed: u64) -> Vec<TriangularCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Auto) {
        for n in SIZES.into_iter().filter(|&n| !in_one_workgroup(algorithm) || n <= LARGEST_SINGLE) {
            for uplo in [Uplo::Lower, Uplo::Upper] {
                for trans in [Trans::No, Trans::Transpose] {
                    for diag in [Diag::NonUnit, Diag::Unit] {
                        let order = if random.random_range(0..3) == 0 { Order::RowMajor } else { Order::ColumnMajor };
                        let options = Options { uplo, trans, diag, order, algorithm, ..Options::on_device() };
                        let (layout, shape) = layout(&mut random, n);
                        let is_possible = (uplo == Uplo::Lower) == (order == Order::ColumnMajor);
                        let columns = pick(&mut random, &[1, 7, 8, 33]);
                        let shape = if algorithm == Algorithm::Abreast { shape.with_columns(columns) } else { shape };
                        if is_possible && n > 1 && !in_one_workgroup(algorithm) && random.random_range(0..3) == 0 {
                            let shape = shape.with_stored(random.random_range(1..n));
                            cases.push(case(&mut random, options, "trapezoid", shape));
                        }
                        cases.push(case(&mut random, options, layout, shape));
                    }
                }
            }
        }
    }
    cases
}

/// The cases of factored matrices, with blocks of 8 rows and more.
pub fn factored_triangular_cases(seed: u64) -> Vec<TriangularCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for n in SIZES {
        for uplo in [Uplo::Lower, Uplo::Upper] {
            for trans in [Trans::No, Trans::Transpose] {
                let diag = if random.random_range(0..3) == 0 { Diag::Unit } else { Diag::NonUnit };
                let order = if random.random_range(0..3) == 0 { Order::RowMajor } else { Order::ColumnMajor };
                let options = Options { uplo, trans, diag, order, ..Options::on_device() };
                let (layout, shape) = layout(&mut random, n);
                let blocks: &[u32] = if n > 500 { &[64, 128] } else { &[8, 16, 64] };
                let factored = Some(pick(&mut random, blocks));
                cases.push(TriangularCase { factored, ..case(&mut random, options, layout, shape) });
            }
        }
    }
    cases
}

/// The cases with a policy: every legal value of every parameter.
pub fn triangular_policy_cases(seed: u64) -> Vec<TriangularCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    let chained = ChainedPolicy { block: 32, threads: 64, columns: 1, precache: 2, invert_from: 0 };
    let launch_synced = LaunchSyncedPolicy { block: 32, threads: 64, columns: 1, rows: 1 };
    let single = SinglePolicy { groups: 1, columns: 1, precache: 2, run: 1, runs: 1 };
    let abreast = AbreastPolicy { columns: 8, spans: 1 };
    for start in [Policy::from(single), Policy::from(abreast), Policy::from(chained), Policy::from(launch_synced)] {
        for (at, parameter) in start.parameters().iter().enumerate() {
            for &value in parameter.legal {
                let mut values: Vec<u32> = start.parameters().iter().map(|p| pick(&mut random, p.legal)).collect();
                values[at] = value;
                if start.algorithm() == Algorithm::Single {
                    fit_together(&mut values, at);
                } else if start.algorithm() == Algorithm::Abreast {
                    // A workgroup has some number of threads at most.
                    values[1 - at] = if values[0] * values[1] > 256 { 256 / value.max(16) } else { values[1 - at] };
                } else if at == 1 {
                    // Each thread has 8 or 16 entries of a block.
                    values[0] = if value > 128 { 64 } else { 32 };
                } else {
                    values[1] = values[0] * values[0] / pick(&mut random, &[8, 16]);
                }
                let Ok(policy) = start.with_values(&values) else { continue };
                let sizes = match policy {
                    // More rows need more registers.
                    Policy::Abreast(AbreastPolicy { spans, .. }) => {
                        [spans * 9, spans * 20, spans * 32].map(|n| n as usize)
                    }
                    Policy::Single(_) => [20, 60, 200],
                    _ => [65, 200, 333],
                };
                let n = pick(&mut random, &sizes);
                let (layout, shape) = layout(&mut random, n);
                let columns = pick(&mut random, &[1, 9, 70]);
                let shape = if matches!(policy, Policy::Abreast(_)) { shape.with_columns(columns) } else { shape };
                let options = Options::on_device().algorithm(policy.algorithm()).policy(policy);
                let options = options.trans(if random.random() { Trans::No } else { Trans::Transpose });
                let options = options.uplo(if random.random() { Uplo::Lower } else { Uplo::Upper });
                cases.push(case(&mut random, options, layout, shape));
            }
        }
    }
    cases
}

/// Whether an algorithm solves a system in one workgroup.
fn in_one_workgroup(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::Single | Algorithm::Abreast)
}

/// Makes the parameters of a single policy legal together, without changing the one at `fixed`.
fn fit_together(values: &mut [u32], fixed: usize) {
    let [groups, _, precache, run, runs] = values else { return };
    // Runs need registers.
    if fixed >= 3 {
        *precache = 2;
    }
    if fixed == 0 && *groups == 1 {
        *precache = 2;
    }
    if *precache == 1 {
        (*run, *runs) = (1, 1);
        *groups = (*groups).max(2);
    }
    if *run * *runs > 8 {
        if fixed == 4 { *run = 1 } else { *runs = 2 }
    }
}

fn layout(random: &mut SmallRng, n: usize) -> (&'static str, Shape) {
    let batch = if n > 500 { 1 } else { pick(random, &[1, 2, 5]) };
    let columns = if n > 1000 { 1 } else { pick(random, &[1, 1, 2, 3, 9]) };
    let plain = Shape::batch(n, batch);
    let gap = random.random_range(1..7);
    match random.random_range(0..5) {
        0 => ("contiguous", plain),
        1 => ("aligned", plain.with_leading(n.next_multiple_of(4) + 4).with_columns(columns)),
        2 => (
            "padded",
            Shape { vector_stride: columns * (n + gap), ..plain.with_leading(n + gap).with_columns(columns) },
        ),
        3 => ("strided", plain.with_increment(pick(random, &[-1, 2, -3])).with_columns(columns)),
        _ => ("shared", Shape { batch: 3, ..plain.shared().with_increment(-2) }),
    }
}

fn case(random: &mut SmallRng, options: Options, layout: &'static str, shape: Shape) -> TriangularCase {
    let placement = pick(random, &Placement::ALL);
    let Shape { n, leading, batch, matrix_stride, .. } = shape;
    let one_matrix = batch == 1 || matrix_stride == 0;
    // Holds three quarters of the columns.
    let small = (!in_one_workgroup(options.algorithm) && n > 200 && one_matrix && random.random_range(0..2) == 0)
        .then(|| (3 * n / 4 * leading * 4) as u64);
    let ill_conditioned = n < 130 && random.random_range(0..3) == 0;
    TriangularCase {
        options,
        layout,
        shape,
        ill_conditioned,
        factored: None,
        binding: small,
        placement,
        seed: random.random(),
    }
}

impl TriangularCase {
    /// The algorithm's name, or [`FACTORED`].
    pub fn name(&self) -> &'static str {
        if self.factored.is_some() { FACTORED } else { self.options.algorithm.name() }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.options.algorithm
    }

    /// Whether the device may refuse the case: its workgroups have no room for these rows.
    fn may_be_refused<T: Real>(&self, gpu: &Gpu, options: &Options) -> bool {
        let least = match self.algorithm() {
            Algorithm::Abreast => AbreastPolicy { columns: 8, spans: 16 }.into(),
            _ => SinglePolicy { groups: 1, columns: 1, precache: 2, run: 1, runs: 1 }.into(),
        };
        let policy = options.policy.unwrap_or(least);
        in_one_workgroup(self.algorithm())
            && self.shape.n > ALWAYS_SINGLE
            && !fits(gpu.capabilities(), T::PRECISION, &self.shape, options, policy)
    }

    /// The options, with smaller blocks in the policy if the workgroup memory requires it.
    fn options_within<T: Real>(&self, gpu: &Gpu) -> Options {
        let fits = |policy| fits(gpu.capabilities(), T::PRECISION, &self.shape, &self.options, policy);
        let smaller = |policy| match policy {
            Policy::Single(policy) => SinglePolicy { groups: 2, columns: 1, ..policy }.into(),
            Policy::Abreast(policy) => AbreastPolicy { columns: 8, ..policy }.into(),
            Policy::Chained(policy) => ChainedPolicy { block: 32, threads: policy.threads.min(128), ..policy }.into(),
            Policy::LaunchSynced(policy) => LaunchSyncedPolicy {
                block: 32,
                threads: policy.threads.min(128),
                columns: policy.columns.min(2),
                ..policy
            }
            .into(),
        };
        let policy = self.options.policy.map(|policy| if fits(policy) { policy } else { smaller(policy) });
        Options { policy, ..self.options }
    }
}

impl Case for TriangularCase {
    fn group(&self) -> String {
        let Options { uplo, trans, .. } = self.options;
        let uplo = if uplo == Uplo::Lower { "lower" } else { "upper" };
        let trans = if trans == Trans::No { "N" } else { "T" };
        format!("{} {uplo} {trans}", self.name())
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let &Self { shape, ill_conditioned, binding, placement, seed, .. } = self;
        let options = self.options_within::<T>(gpu);
        let host = HostTriangular::<T>::new(shape, options, ill_conditioned, seed)?;
        let most = gpu.capabilities().limits.max_storage_buffer_binding_size;
        let scale = T::PRECISION.bytes() / 4;
        let most = binding.map_or(most, |bytes| bytes * scale);
        let plan = match TriangularPlan::<T>::with_small_bindings(gpu, shape, options, most) {
            Err(Error::Limit { .. }) if self.may_be_refused::<T>(gpu, &options) => {
                return Ok(Verdict { error: 0.0, bound: host.allowed(), repeatable: true, untouched: true });
            }
            plan => plan?,
        };
        plan.poison_scratch();
        let over = (placement == Placement::InPlace).then_some(1);
        let together = placement == Placement::OneBuffer;
        let inputs = [&host.matrix[..], &host.rhs[..]];
        let arena = Arena::new(gpu, &inputs, host.rhs.len(), over, together)?;
        // In place, the right-hand side lies in the arena itself.
        let rhs = if over.is_some() { arena.at(1) } else { arena.input(1) };
        let system = DeviceSystem { matrix: arena.input(0), rhs, x: arena.values() };
        let bound = match self.factored {
            Some(block) => {
                let factored = plan.factor_in_blocks(system.matrix, block)?;
                factored.poison_scratch();
                factored.bind(system.rhs, system.x)?
            }
            None => plan.bind(&system)?,
        };
        let solve = || {
            arena.reset(gpu)?;
            submit_pass(gpu, "a check", |pass| bound.record(pass))?;
            bound.read_status()?.check()?;
            arena.read(gpu)
        };
        let (x, rest) = solve()?;
        let (again, _) = solve()?;
        let mut own = vec![false; x.len()];
        for system in 0..shape.batch {
            for column in 0..shape.columns {
                for row in 0..shape.n {
                    own[shape.vector_index(system, column, row)] = true;
                }
            }
        }
        let untouched = is_untouched(&own, &x, &rest, over.is_some());
        Ok(Verdict {
            error: host.backward_error(&x),
            bound: host.allowed(),
            repeatable: bits(&x) == bits(&again),
            untouched,
        })
    }
}
