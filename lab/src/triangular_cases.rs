//! Triangular systems on a device, by their componentwise backward error in f64.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::arena::Arena;
use super::cases::Placement;
use super::verdict::{Case, Verdict, bits, poison};
use trisolve::cpu::triangular_backward_error;
use trisolve::gpu::Gpu;
use trisolve::internals::cpu::worst;
use trisolve::internals::gpu::submit_pass;
use trisolve::internals::triangular::fits;
use trisolve::triangular::{
    Algorithm, ChainedPolicy, DeviceSystem, Diag, LaunchSyncedPolicy, Options, Order, Policy, Shape, SinglePolicy,
    Trans, TriangularPlan, Uplo,
};
use trisolve::{Error, Real, Result};

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangularCase {
    /// What is solved, and by which algorithm.
    pub options: Options,
    /// What the layout is called.
    pub layout: &'static str,
    /// The systems.
    pub shape: Shape,
    /// Whether diagonal blocks are so ill-conditioned that nobody should invert them.
    pub ill_conditioned: bool,
    /// Bytes that a binding is to hold at the most, where that is less than the device's.
    pub binding: Option<u64>,
    /// Where the vectors lie.
    pub placement: Placement,
    /// Of the random input.
    pub seed: u64,
}

/// Sizes around the edges of blocks, and of several that are waited for at once.
const SIZES: [usize; 17] = [1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 500, 511, 1000, 2049];

/// Rows that a workgroup may have room for, and that every device's has.
const LARGEST_SINGLE: usize = 512;
const ALWAYS_SINGLE: usize = 64;

/// The cases of a check.
pub fn triangular_cases(seed: u64) -> Vec<TriangularCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Auto) {
        for n in SIZES.into_iter().filter(|&n| algorithm != Algorithm::Single || n <= LARGEST_SINGLE) {
            for uplo in [Uplo::Lower, Uplo::Upper] {
                for trans in [Trans::No, Trans::Transpose] {
                    for diag in [Diag::NonUnit, Diag::Unit] {
                        let order = if random.random_range(0..3) == 0 { Order::RowMajor } else { Order::ColumnMajor };
                        let options = Options { uplo, trans, diag, order, algorithm, ..Options::default() };
                        let (layout, shape) = layout(&mut random, n);
                        cases.push(case(&mut random, options, layout, shape));
                    }
                }
            }
        }
    }
    cases
}

/// Cases of every legal value of every policy's numbers.
pub fn triangular_policy_cases(seed: u64) -> Vec<TriangularCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    let chained = ChainedPolicy { block: 32, threads: 64, columns: 1, precache: 2, invert_from: 0 };
    let launch_synced = LaunchSyncedPolicy { block: 32, threads: 64, columns: 1, rows: 1 };
    let single = SinglePolicy { groups: 1, columns: 1, precache: 2, run: 1, runs: 1 };
    for start in [Policy::from(single), Policy::from(chained), Policy::from(launch_synced)] {
        for (at, parameter) in start.parameters().iter().enumerate() {
            for &value in parameter.legal {
                let mut values: Vec<u32> = start.parameters().iter().map(|p| pick(&mut random, p.legal)).collect();
                values[at] = value;
                if start.algorithm() == Algorithm::Single {
                    fit_together(&mut values, at);
                } else if at == 1 {
                    // A thread has 8 or 16 entries of a block.
                    values[0] = if value > 128 { 64 } else { 32 };
                } else {
                    values[1] = values[0] * values[0] / pick(&mut random, &[8, 16]);
                }
                let Ok(policy) = start.with_values(&values) else { continue };
                let sizes = if start.algorithm() == Algorithm::Single { [20, 60, 200] } else { [65, 200, 333] };
                let n = pick(&mut random, &sizes);
                let (layout, shape) = layout(&mut random, n);
                let options = Options::default().algorithm(policy.algorithm()).policy(policy);
                let options = options.trans(if random.random() { Trans::No } else { Trans::Transpose });
                let options = options.uplo(if random.random() { Uplo::Lower } else { Uplo::Upper });
                cases.push(case(&mut random, options, layout, shape));
            }
        }
    }
    cases
}

/// Changes what a single policy's numbers are but for the one at `fixed`, so that they go together.
fn fit_together(values: &mut [u32], fixed: usize) {
    let [groups, _, precache, run, runs] = values else { return };
    // Runs are of registers.
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

fn pick<N: Copy>(random: &mut SmallRng, all: &[N]) -> N {
    all[random.random_range(0..all.len())]
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
    let placement = pick(random, &[Placement::Apart, Placement::InPlace, Placement::OneBuffer]);
    let Shape { n, leading, batch, matrix_stride, .. } = shape;
    let one_matrix = batch == 1 || matrix_stride == 0;
    // Enough for three quarters of the columns.
    let small = (options.algorithm != Algorithm::Single && n > 200 && one_matrix && random.random_range(0..2) == 0)
        .then(|| (3 * n / 4 * leading * 4) as u64);
    let ill_conditioned = n < 130 && random.random_range(0..3) == 0;
    TriangularCase { options, layout, shape, ill_conditioned, binding: small, placement, seed: random.random() }
}

/// Matrices and right-hand sides, laid out as a shape says, NaN wherever nobody should read.
#[derive(Debug, Clone)]
pub struct HostTriangular<T> {
    /// How they lie.
    pub shape: Shape,
    /// What is solved.
    pub options: Options,
    /// The matrices.
    pub matrix: Vec<T>,
    /// The right-hand sides.
    pub rhs: Vec<T>,
}

impl<T: Real> HostTriangular<T> {
    /// Random ones: diagonals of 1 to 2 in size, and beside them entries that come to about as much in a row, or many
    /// times that.
    ///
    /// # Errors
    /// [`Error::Shape`] for what spans more than memory.
    pub fn new(shape: Shape, options: Options, ill_conditioned: bool, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let too_large = || Error::Shape("a case that spans more than memory".into());
        let nan = T::from_f64(f64::NAN);
        let mut matrix = vec![nan; shape.matrix_len().ok_or_else(too_large)?];
        let mut rhs = vec![nan; shape.vector_len().ok_or_else(too_large)?];
        let n = shape.n;
        let size = if ill_conditioned { 0.6 } else { 1.0 / (n as f64).sqrt() };
        let matrices = if shape.matrix_stride == 0 { 1 } else { shape.batch };
        let lower = (options.uplo == Uplo::Lower) == (options.order == Order::ColumnMajor);
        for system in 0..matrices {
            for over in 0..n {
                for along in if lower { over..n } else { 0..over + 1 } {
                    let entry = match along == over {
                        true if options.diag == Diag::Unit => continue,
                        true => random.random_range(1.0..2.0) * if random.random() { 1.0 } else { -1.0 },
                        false => random.random_range(-size..size),
                    };
                    matrix[shape.matrix_index(system, along, over)] = T::from_f64(entry);
                }
            }
        }
        for system in 0..shape.batch {
            for column in 0..shape.columns {
                for row in 0..n {
                    rhs[shape.vector_index(system, column, row)] = T::from_f64(random.random_range(-1.0..1.0));
                }
            }
        }
        Ok(Self { shape, options, matrix, rhs })
    }

    /// The largest componentwise backward error of all right-hand sides.
    pub fn backward_error(&self, x: &[T]) -> f64 {
        let Self { shape, options, matrix, rhs } = self;
        let wide: Vec<f64> = matrix.iter().map(|entry| entry.to_f64()).collect();
        let errors = (0..shape.batch).flat_map(|system| {
            let triangle = shape.triangle(options, &wide, system);
            (0..shape.columns).map(move |column| {
                let of = |values: &[T]| -> Vec<f64> {
                    (0..shape.n).map(|row| values[shape.vector_index(system, column, row)].to_f64()).collect()
                };
                triangular_backward_error(&triangle, &of(rhs), &of(x))
            })
        });
        worst(errors)
    }

    /// What rounding may come to.
    pub fn allowed(&self) -> f64 {
        allowed::<T>(self.shape.n)
    }
}

/// What rounding may come to in n rows: a unit of roundoff for each of n products and sums, and some for quotients.
pub(super) fn allowed<T: Real>(n: usize) -> f64 {
    (n as f64 + 4.0) * T::UNIT_ROUNDOFF
}

impl TriangularCase {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.options.algorithm
    }

    /// Whether the device has no room for a single workgroup, as every device has for some rows.
    fn may_be_refused<T: Real>(&self, gpu: &Gpu, options: &Options) -> bool {
        let least = SinglePolicy { groups: 1, columns: 1, precache: 2, run: 1, runs: 1 };
        let policy = options.policy.unwrap_or(least.into());
        self.algorithm() == Algorithm::Single
            && self.shape.n > ALWAYS_SINGLE
            && !fits(gpu.capabilities(), T::PRECISION, &self.shape, options, policy)
    }

    /// The options, with smaller blocks in their policy where workgroup memory asks for it.
    fn options_within<T: Real>(&self, gpu: &Gpu) -> Options {
        let fits = |policy| fits(gpu.capabilities(), T::PRECISION, &self.shape, &self.options, policy);
        let smaller = |policy| match policy {
            Policy::Single(policy) => SinglePolicy { groups: 2, columns: 1, ..policy }.into(),
            Policy::Chained(policy) => ChainedPolicy { block: 32, threads: policy.threads.min(128), ..policy }.into(),
            Policy::LaunchSynced(policy) => {
                LaunchSyncedPolicy { block: 32, threads: policy.threads.min(128), ..policy }.into()
            }
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
        format!("{} {uplo} {trans}", self.options.algorithm)
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let &Self { shape, ill_conditioned, binding, placement, seed, .. } = self;
        let options = self.options_within::<T>(gpu);
        let host = HostTriangular::<T>::new(shape, options, ill_conditioned, seed)?;
        let most = gpu.capabilities().limits.max_storage_buffer_binding_size;
        let scale = T::PRECISION.bytes() / 4;
        let most = binding.map_or(most, |bytes| bytes * scale);
        let plan = match TriangularPlan::<T>::with_small_bindings(gpu, shape, options, most) {
            // What a workgroup has no room for is refused.
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
        // Over an input it lies in the arena itself.
        let rhs = if over.is_some() { arena.at(1) } else { arena.input(1) };
        let system = DeviceSystem { matrix: arena.input(0), rhs, x: arena.values() };
        let bound = plan.bind(&system)?;
        let solve = || {
            arena.reset(gpu)?;
            submit_pass(gpu, "a check", |pass| bound.record(pass))?;
            bound.read_status()?.check()?;
            arena.read(gpu)
        };
        let (x, rest) = solve()?;
        let (again, _) = solve()?;
        let marker = bits(&[poison::<T>()]);
        let hole = if over.is_some() { bits(&[T::from_f64(f64::NAN)]) } else { marker.clone() };
        let mut own = vec![false; x.len()];
        for system in 0..shape.batch {
            for column in 0..shape.columns {
                for row in 0..shape.n {
                    own[shape.vector_index(system, column, row)] = true;
                }
            }
        }
        let untouched = x.iter().zip(&own).all(|(value, own)| *own || bits(&[*value]) == hole)
            && rest.iter().all(|value| bits(&[*value]) == marker);
        Ok(Verdict {
            error: host.backward_error(&x),
            bound: host.allowed(),
            repeatable: bits(&x) == bits(&again),
            untouched,
        })
    }
}
