//! A method compiled for a matrix.

use super::colours::Colours;
use super::device_csr::{Bindings, Pattern, Splitting};
use super::division::{Division, multiple, policy};
use super::dominance::Dominance;
use super::hybrid::{block_sizes, factor_numbers};
use super::kernels::{Phase, QuasiKernel, QuasiParams, word};
use super::methods::{Steps, Task};
use super::options::{Algorithm, Settled, Stop};
use super::policy::{BhisaPolicy, Policy};
use super::recipe::{Item, Matrix, Memory, Recipe, Sizes, Step};
use super::report::method;
use super::sections::Frame;
use super::split::Split;
use super::store::{DeviceMatrix, Maker, Own, Recorded, Store, TridiagonalSolves, allocate, upload};
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, Gpu};
use crate::plan::Tree;
use crate::precision::Precision;
use crate::real::Real;
use crate::tridiagonal;

/// The contents of a plan.
pub(crate) struct Engine {
    pub gpu: Gpu,
    pub rows: usize,
    pub dominance: Option<Dominance>,
    pub policy: Option<Policy>,
    recipe: Recipe,
    pub store: Store,
    tridiagonals: TridiagonalSolves,
    /// The start of a solve, to which a bind adds the caller's vectors.
    start: Vec<Item>,
    start_from: Vec<Item>,
    finish: Vec<Item>,
    /// Computes the factors of the matrix's blocks, where the iteration keeps them.
    factor: Option<Recorded>,
    /// The recorded steps of a batch, and its number of iterations.
    pub batch: Vec<Recorded>,
    pub ahead: u32,
    pub close: Vec<Recorded>,
    /// Start of the columns, and the width of slices if all are equal.
    columns_at: usize,
    width: usize,
    /// Bytes of device memory that an iteration of a splitting reads and writes per row.
    pub bytes_per_row: f64,
}

/// Most iterations without progress.
const PATIENCE_OF_SPLITTINGS: u32 = 100;
/// At least this many; if more iterations are allowed, a quarter of them.
const PATIENCE_OF_KRYLOV: u32 = 600;
/// The target of a cycle in f32, which is always reachable.
const MIXED_FLOOR: f32 = 1e-5;

impl Engine {
    /// I is the precision of the iteration; the solve's may be wider, and then has its own matrix.
    pub fn new<I: Real>(
        gpu: &Gpu,
        matrix: &Csr<I>,
        settled: &Settled,
        outer: Precision,
        outer_matrix: Option<&Csr<f64>>,
        row_scales: Option<wgpu::Buffer>,
    ) -> Result<Self> {
        let &Settled { algorithm, preconditioner, .. } = settled;
        let policy = policy::<I>(gpu, matrix.rows(), settled);
        let split = Split::new(matrix, multiple(policy))?;
        let needs_diagonal = settled.divides_by_diagonal();
        if let (true, Some(row)) = (needs_diagonal, split.zero_diagonal()) {
            return Err(Error::ZeroOnDiagonal { row, method: method(algorithm, preconditioner) });
        }
        let parts = Parts {
            split,
            transposed: match algorithm.needs_transpose() {
                true => Some(Split::new(&matrix.transposed(), multiple(policy))?),
                false => None,
            },
            outer: outer_matrix.map(|matrix| Split::new(matrix, multiple(policy))).transpose()?,
            colours: match algorithm {
                Algorithm::GaussSeidel => Some(Colours::new(matrix)?),
                _ => None,
            },
        };
        Self::of_parts(gpu, settled, outer, policy, parts, row_scales)
    }

    /// For matrices in device memory that come later.
    pub fn for_pattern<I: Real>(gpu: &Gpu, pattern: &Pattern, settled: &Settled, outer: Precision) -> Result<Self> {
        let algorithm = settled.algorithm;
        if algorithm.needs_transpose() || algorithm == Algorithm::GaussSeidel {
            return Err(Error::Unsupported {
                what: format!("{algorithm} of a matrix in device memory"),
                hint: "it needs the transpose, or the rows' colours, which are made on the host: give it a `Csr`, or take \
                       bicgstab or bhisa"
                    .into(),
            });
        }
        let policy = policy::<I>(gpu, pattern.rows, settled);
        let parts = Parts {
            split: Split::<I>::for_pattern(pattern, multiple(policy))?,
            transposed: None,
            outer: match settled.mixed {
                true => Some(Split::for_pattern(pattern, multiple(policy))?),
                false => None,
            },
            colours: None,
        };
        Self::of_parts(gpu, settled, outer, policy, parts, None)
    }

    fn of_parts<I: Real>(
        gpu: &Gpu,
        settled: &Settled,
        outer: Precision,
        policy: Option<Policy>,
        parts: Parts<I>,
        row_scales: Option<wgpu::Buffer>,
    ) -> Result<Self> {
        let &Settled { algorithm, preconditioner, .. } = settled;
        let Parts { split, transposed, outer: outer_split, colours } = parts;
        let division = Division::new(gpu, I::PRECISION, policy, split.padded)?;
        let cycled = algorithm.is_krylov() || settled.mixed;
        let params = QuasiParams {
            slices: 1,
            rows: split.rows as u32,
            quads: (split.padded / 4) as u32,
            most: settled.max_iterations,
            patience: if algorithm.is_krylov() {
                PATIENCE_OF_KRYLOV.max(settled.max_iterations / 4)
            } else {
                PATIENCE_OF_SPLITTINGS
            },
            tolerance: settled.tolerance as f32,
            floor: match settled.mixed {
                true => MIXED_FLOOR,
                // Below a default tolerance relative to the right-hand side; the guess may be far away.
                false => (2.0 * I::UNIT_ROUNDOFF) as f32,
            },
            ..QuasiParams::default()
        };
        let both = [sizes(&split)?, transposed.as_ref().map(sizes).transpose()?.unwrap_or_default()];
        let mut recipe = Recipe::new([I::PRECISION, outer], params, both, decision_threads(gpu));
        let (f, y) = (recipe.new_vector(true), recipe.new_vector(true));
        let (g, d) = if cycled { (recipe.vector(), recipe.vector()) } else { (f, y) };
        let in_turn = !matches!(division, Division::Rows) || algorithm == Algorithm::Jacobi;
        let d_next = if in_turn { recipe.new_vector(!cycled) } else { d };
        let by_step = settled.stop == Stop::Step;
        let task = Task { preconditioner, g, d, d_next, by_step, exact: !cycled, restart: settled.restart };
        let steps = match (algorithm, &division) {
            (_, &Division::Blocks(policy, tree)) => bhisa(&task, &mut recipe, policy, tree),
            (_, &Division::Factors(policy, tree)) => task.bhisa_factored(&mut recipe, policy, tree),
            (_, Division::Slices(slices)) => task.hisa_fused(&mut recipe, slices),
            (Algorithm::Auto | Algorithm::Bhisa | Algorithm::Hisa, _) => task.hisa(&mut recipe),
            (Algorithm::Jacobi, _) => task.in_turn(&mut recipe, QuasiKernel::Jacobi, |_| {}),
            (Algorithm::GaussSeidel, _) => {
                task.gauss_seidel(&mut recipe, &colours.as_ref().map(Colours::plan).unwrap_or_default())
            }
            (Algorithm::Gmres, _) => task.gmres(&mut recipe),
            (Algorithm::Bicg, _) => task.bicg(&mut recipe),
            (Algorithm::Bicgstab, _) => task.bicgstab(&mut recipe, false),
            (Algorithm::Tfqmr, _) => task.tfqmr(&mut recipe),
            (Algorithm::Bicrstab, _) => task.bicgstab(&mut recipe, true),
        };
        let r = if cycled { Some(recipe.new_vector(true)) } else { None };
        let sections = Frame { f, y, r, g, d, d_next, scaled: row_scales.is_some() }.sections(&mut recipe, steps);
        let len = split.vector_len().max(transposed.as_ref().map_or(0, Split::vector_len)) as u64;
        let bytes_of = |wide: bool| if wide { outer.bytes() } else { I::PRECISION.bytes() };
        let vector = |wide: bool| allocate(gpu, "a vector of the iteration", len * bytes_of(wide));
        let store = Store {
            vectors: recipe.vectors.iter().map(|own| vector(own.outer)).collect::<Result<_>>()?,
            own: DeviceMatrix::new(gpu, &split)?,
            transposed: transposed.as_ref().map(|split| DeviceMatrix::new(gpu, split)).transpose()?,
            outer: outer_split.as_ref().map(|split| DeviceMatrix::new(gpu, split)).transpose()?,
            colours: match &colours {
                Some(colours) => Some([upload(gpu, "colours", &colours.index)?, upload(gpu, "colours", &colours.off)?]),
                None => None,
            },
            control: allocate(gpu, "words of an iteration", 4 * word::COUNT as u64)?,
            partial: allocate(gpu, "sums of an iteration", sections.most_sums() * 8)?,
            numbers: allocate(gpu, "scalars of an iteration", recipe.numbers as u64 * 8)?,
            outer_numbers: allocate(gpu, "scalars of a solve", 128)?,
            history: allocate(gpu, "the residuals of an iteration", (u64::from(settled.max_iterations) + 1) * 4)?,
            // The first solve finds the state that each later solve inherits from the previous one.
            faults: upload(gpu, "words of a right-hand side", &[u32::MAX; word::FAULTS])?,
            row_scales,
            factors: match &division {
                Division::Factors(policy, _) => {
                    let bytes = factor_numbers(*policy, split.padded) as u64 * I::PRECISION.bytes();
                    Some(allocate(gpu, "the factors of blocks", bytes)?)
                }
                _ => None,
            },
            scratch: match &division {
                Division::Slices(slices) => slices.between.program.allocate(gpu)?,
                _ => vec![],
            },
        };
        let solves = sections.tridiagonal_solves();
        // Solved many times per iteration: dispatches that choose between algorithms would cost more than the solve.
        let solver = settled.tridiagonal.unwrap_or(tridiagonal::Algorithm::Partition);
        let tridiagonals = store.tridiagonal_solves::<I>(gpu, (split.rows, split.padded), solver, &solves)?;
        let maker = Maker { gpu, recipe: &recipe, store: &store, tridiagonals: &tridiagonals };
        let batch = maker.recorded(&sections.batch, None)?;
        let close = maker.recorded(&sections.close, None)?;
        let factor = match &division {
            Division::Factors(policy, tree) => {
                Some(maker.recorded(&[factor(&recipe, *policy, *tree)], None)?.remove(0))
            }
            _ => None,
        };
        Ok(Self {
            gpu: gpu.clone(),
            rows: split.rows,
            columns_at: split.columns_at,
            width: split.pieces_at / split.padded,
            policy,
            bytes_per_row: bytes_per_row(I::PRECISION, split.rows, split.beside, division.values_per_row()),
            dominance: split.dominance,
            factor,
            batch,
            close,
            ahead: sections.ahead,
            start: sections.start,
            start_from: sections.start_from,
            finish: sections.finish,
            recipe,
            store,
            tridiagonals,
        })
    }

    /// Computes the factors of a matrix that is there.
    pub fn factor(&self) -> Result<()> {
        self.factor.as_ref().map_or(Ok(()), |factor| self.gpu.submit_pass("factors", |pass| factor.record(pass)))
    }

    /// The steps that split a caller's matrix, and the buffer of its status words.
    pub fn splitting(&self, matrix: &Bindings<'_>, entries: usize) -> Result<(Vec<Recorded>, wgpu::Buffer)> {
        let Self { gpu, recipe, store, columns_at, width, .. } = self;
        // The second copy holds the same matrix in another precision; its status words are not read.
        let [faults, unread] = [(); 2].map(|()| allocate(gpu, "words of a matrix", 32));
        let (faults, unread) = (faults?, unread?);
        let splitting = Splitting { rows: self.rows, columns_at: *columns_at, width: *width, entries };
        let mut stages = vec![];
        let stage = |held, precision, faults| splitting.stage(gpu, recipe, held, precision, matrix, faults);
        stages.push(Recorded::Stage(stage(&store.own, recipe.precision, &faults)?));
        if let Some(held) = &store.outer {
            stages.push(Recorded::Stage(stage(held, recipe.outer, &unread)?));
        }
        stages.extend(self.factor.clone());
        Ok((stages, faults))
    }

    /// The start and the end of a solve with the caller's vectors.
    pub fn bound<T: Real>(
        &self,
        [rhs, x]: [DeviceSlice<'_, T>; 2],
        guess: Option<DeviceSlice<'_, T>>,
    ) -> Result<[Vec<Recorded>; 2]> {
        let own = Own { rhs: rhs.binding(), x: x.binding(), guess: guess.as_ref().map(DeviceSlice::binding) };
        let Self { gpu, recipe, store, tridiagonals, .. } = self;
        let maker = Maker { gpu, recipe, store, tridiagonals };
        let start = if guess.is_some() { &self.start_from } else { &self.start };
        Ok([maker.recorded(start, Some(&own))?, maker.recorded(&self.finish, Some(&own))?])
    }
}

/// The parts of a matrix that a method needs.
struct Parts<I> {
    split: Split<I>,
    transposed: Option<Split<I>>,
    outer: Option<Split<f64>>,
    colours: Option<Colours<I>>,
}

fn sizes<T>(split: &Split<T>) -> Result<Sizes> {
    let mut levels = [0; 4];
    if split.levels.len() > levels.len() {
        return Err(Error::Shape("a row with too many entries".into()));
    }
    for (level, &count) in levels.iter_mut().zip(&split.levels) {
        *level = count as u32;
    }
    Ok(Sizes { columns_at: split.columns_at, pieces_at: split.pieces_at, levels })
}

/// Threads that add up the sums of all workgroups.
fn decision_threads(gpu: &Gpu) -> u32 {
    let limits = &gpu.capabilities().limits;
    let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    if most >= 512 { 512 } else { 1 << most.max(1).ilog2() }
}

fn bhisa(task: &Task, recipe: &mut Recipe, policy: BhisaPolicy, tree: Tree) -> Steps {
    let BhisaPolicy { block, rows, .. } = policy;
    let kernel = QuasiKernel::Block { block, rows, tree };
    task.in_turn(recipe, kernel, |params| block_sizes(params, policy, tree))
}

/// The dispatch that computes the factors of the matrix's blocks.
fn factor(recipe: &Recipe, policy: BhisaPolicy, tree: Tree) -> Item {
    let mut params = recipe.params;
    block_sizes(&mut params, policy, tree);
    let bindings = vec![(1, Memory::Tri(Matrix::Own)), (2, Memory::Factors)];
    let kernel = QuasiKernel::Factor { rows: policy.rows, tree };
    let workgroups = params.workgroups.into();
    Item::Step(Step { kernel, outer: false, phases: [Phase::Run; 2], params, workgroups, bindings })
}

/// Bytes that an iteration of a splitting moves per row: `values` numbers, and S with its columns.
fn bytes_per_row(precision: Precision, rows: usize, beside: usize, values: f64) -> f64 {
    let bytes = precision.bytes() as f64;
    let beside = beside as f64 / rows as f64;
    values * bytes + beside * (bytes + 4.0)
}
