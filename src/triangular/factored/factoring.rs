//! Factoring: the tiles of a factored solve, from a matrix on the device.

use super::kernels::{FactoredKernel, PANEL_BLOCK, THREADS, Tiling};
use crate::error::Result;
use crate::gpu::{DeviceSlice, DeviceVector, Gpu};
use crate::plan::{self, Bound, Slot, Starts, Step, Vector, Vectors, bind_numbered, check_memory, check_workgroup};
use crate::precision::Precision;
use crate::real::Real;
use crate::triangular::kernels::{TriangularAccess, TriangularParams};
use crate::triangular::options::{Algorithm, Options};
use crate::triangular::panels::Panels;
use crate::triangular::plan::TriangularPlan;
use crate::triangular::programs::{form, matrix_slots, params};
use crate::triangular::shape::Shape;
use crate::triangular::system::DeviceSystem;

pub(super) type Program = plan::Program<FactoredKernel, TriangularParams>;

/// Rows of the largest block: the work of factoring grows with their square.
const MOST_BLOCK: u32 = 4096;
/// Blocks of this many rows are not halved: a solve would take too many launches.
const LEAST_BLOCK: u32 = 64;
/// Bytes of blocks that are inverted at once.
const INVERTED_AT_ONCE: u64 = 256 << 20;

/// A matrix in tiles, and the launches that solve with it.
#[derive(Debug)]
pub(super) struct Tiles {
    pub tiling: Tiling,
    pub program: Program,
    pub scratch: Vec<wgpu::Buffer>,
}

/// Factors the plan's matrices with the largest blocks that the device's limits and the blocks' conditions allow. `None` if the inverse of even the least
/// block would lose digits, or its diagonal is out of range.
///
/// # Errors
/// As [`TriangularPlan::factor_device`].
pub(super) fn factor<T: Real>(
    plan: &TriangularPlan<T>,
    matrix: DeviceSlice<'_, T>,
    most_block: u32,
) -> Result<Option<Tiles>> {
    // One launch, if a block may have all rows; else blocks of about the same size.
    let n = plan.shape.n as u32;
    let rows = n.div_ceil(n.div_ceil(MOST_BLOCK));
    let largest = if rows > LEAST_BLOCK { rows.next_multiple_of(LEAST_BLOCK) } else { rows };
    let mut factoring = Factoring::new(plan, matrix, largest.min(most_block))?;
    loop {
        let block = factoring.tiling.block;
        match factoring.run()? {
            None if block > LEAST_BLOCK => factoring = Factoring::new(plan, matrix, block / 2)?,
            found => return Ok(found),
        }
    }
}

/// Factoring with one size of blocks.
struct Factoring<'a, T> {
    gpu: &'a Gpu,
    shape: Shape,
    form: TriangularAccess,
    panels: Panels,
    matrix: DeviceSlice<'a, T>,
    tiling: Tiling,
    /// Different matrices.
    systems: u32,
    params: TriangularParams,
}

impl<'a, T: Real> Factoring<'a, T> {
    /// With blocks of at most `most` rows, whose numbers fit into bindings.
    fn new(plan: &'a TriangularPlan<T>, matrix: DeviceSlice<'a, T>, most: u32) -> Result<Self> {
        let &TriangularPlan { ref gpu, shape, options, max_binding_bytes: binding, .. } = plan;
        let systems = if shape.matrix_stride == 0 { 1 } else { shape.batch as u32 };
        let wanted = shape.columns.next_power_of_two().min(8) as u32;
        let memory = |columns| Tiling { block: most, columns }.memory(T::PRECISION);
        let fits = |columns: &u32| check_memory(gpu.capabilities(), "", memory(*columns)).is_ok();
        let columns = [8, 4, 2].into_iter().filter(|columns| *columns <= wanted).find(fits).unwrap_or(1);
        let mut tiling = Tiling { block: most, columns };
        tiling.block = most.next_multiple_of(tiling.tile());
        while tiling.block > tiling.tile() && tiling.largest_bytes(T::PRECISION, shape.n, systems) > binding {
            tiling.block = (tiling.block / 2).next_multiple_of(tiling.tile());
        }
        let largest = tiling.largest_bytes(T::PRECISION, shape.n, systems);
        plan::check_binding(gpu, "a block column of the factored matrices", largest)?;
        check_workgroup(gpu.capabilities(), "a factored matrix", THREADS)?;
        let panels = Panels::of(gpu, T::PRECISION, &shape, Some(PANEL_BLOCK), binding)?;
        let params = panels.params(params(gpu, &shape, tiling.block, columns));
        let form = form(&shape, &options, panels.is_split(), false);
        Ok(Self { gpu, shape, form, panels, matrix, tiling, systems, params })
    }

    fn run(&self) -> Result<Option<Tiles>> {
        let Self { gpu, tiling, .. } = self;
        let block = tiling.block as usize;
        let each = self.inverted_at_once();
        // The first block row has none before it.
        let inverting = [block, 2 * block].map(|columns| {
            let inner = Shape::batch(block, each as usize).with_columns(columns);
            let inner = Shape { vector_stride: 2 * block * block, ..inner };
            // Its scratch is small, and it needs no waiting workgroups.
            TriangularPlan::<T>::new(gpu, inner, Options::default().algorithm(Algorithm::LaunchSynced))
        });
        let vector = |label, rows: usize| DeviceVector::<T>::new(gpu, label, each as usize * rows);
        let diagonals = vector("diagonal blocks", block * block)?;
        let rights = vector("right-hand sides of inverses", 2 * block * block)?;
        let sums = vector("sums of rows", block)?;
        let unusable = DeviceVector::<f32>::new(gpu, "a word", 1)?;
        let system = DeviceSystem { matrix: diagonals.as_slice(), rhs: rights.as_slice(), x: None };
        let [first, later] = inverting.map(|plan| plan?.bind(&system));
        let (first_inverting, later_inverting) = (first?, later?);
        let temporary = [&diagonals, &rights, &sums].map(|vector| vector.buffer().clone());
        let temporary = [&temporary[..], &[unusable.buffer().clone()]].concat();
        let tiles: Vec<_> = (0..self.params.blocks)
            .map(|turn| {
                let units = tiling.launch_units(T::PRECISION, self.params.blocks, turn) * u64::from(self.systems);
                DeviceVector::<T>::new(gpu, "a factored matrix", (units * 16 / T::PRECISION.bytes()) as usize)
            })
            .collect::<Result<_>>()?;
        let mut copies = vec![];
        for (turn, tiles) in (0..).zip(&tiles) {
            let inverting = if turn == 0 { &first_inverting } else { &later_inverting };
            for first in (0..self.systems).step_by(each as usize) {
                let systems = each.min(self.systems - first);
                let params =
                    TriangularParams { launch: turn, first_system: first, systems_each: systems, ..self.params };
                let copy = self.copying(params, &temporary, &rights)?;
                let writing = self.writing(params, &temporary, tiles)?;
                gpu.submit_pass("factoring", |pass| {
                    copy.record(pass);
                    inverting.record(pass);
                    writing.record(pass);
                })?;
                copies.push(copy);
            }
            if turn > 0 && turn + 1 < self.params.blocks {
                self.reducing(turn, tiles)?.submit()?;
            }
        }
        for copy in copies {
            copy.read_status()?.check()?;
        }
        let usable = gpu.start_reading::<f32>(unusable.buffer(), 0, 1)?.wait(gpu)?[0].to_bits() == 0;
        if usable { self.solving(&tiles).map(Some) } else { Ok(None) }
    }

    /// Systems whose blocks are inverted at once.
    fn inverted_at_once(&self) -> u32 {
        let block = u64::from(self.tiling.block);
        let bytes = 3 * block * block * T::PRECISION.bytes();
        // The right-hand sides, two thirds of it, lie in one binding.
        let binding = self.gpu.capabilities().limits.max_storage_buffer_binding_size;
        (INVERTED_AT_ONCE.min(binding / 2 * 3) / bytes).clamp(1, self.systems.into()) as u32
    }

    /// The first kernel of a block row: copies blocks.
    fn copying(&self, params: TriangularParams, temporary: &[wgpu::Buffer], rights: &DeviceVector<T>) -> Result<Bound> {
        let workgroups = u64::from(params.systems_each * self.tiling.block).div_ceil(THREADS.into());
        let scratch = [(7, 0), (8, 2), (9, 3)].map(|(binding, index)| Slot::Scratch { binding, index });
        let slots = [&self.matrix_slots()[..], &[Slot::Status, Slot::Output], &scratch].concat();
        self.bound(FactoredKernel::Copy, params, workgroups, slots, temporary, rights)
    }

    /// The last kernel of a block row: writes its solved tiles.
    fn writing(&self, params: TriangularParams, temporary: &[wgpu::Buffer], tiles: &DeviceVector<T>) -> Result<Bound> {
        let workgroups = u64::from(params.systems_each * self.tiling.tiles());
        let scratch = [(7, 1), (8, 2), (9, 3)].map(|(binding, index)| Slot::Scratch { binding, index });
        let slots = [&[Slot::Output][..], &scratch].concat();
        self.bound(FactoredKernel::Solved, params, workgroups, slots, temporary, tiles)
    }

    /// Writes the reduced tiles of a launch.
    fn reducing(&self, turn: u32, tiles: &DeviceVector<T>) -> Result<Bound> {
        let params = TriangularParams { launch: turn, ..self.params };
        let rows = u64::from(self.params.blocks - 1 - turn) * u64::from(self.tiling.tiles());
        let slots = [&self.matrix_slots()[..], &[Slot::Output]].concat();
        self.bound(FactoredKernel::Reduced, params, u64::from(self.systems) * rows, slots, &[], tiles)
    }

    fn matrix_slots(&self) -> Vec<Slot> {
        matrix_slots(T::PRECISION, &self.shape, self.panels)
    }

    /// One dispatch over the matrix, with its output.
    fn bound(
        &self,
        kernel: FactoredKernel,
        params: TriangularParams,
        workgroups: u64,
        slots: Vec<Slot>,
        scratch: &[wgpu::Buffer],
        output: &DeviceVector<T>,
    ) -> Result<Bound> {
        let mut program = Program::default();
        let params = TriangularParams { workgroups: workgroups as u32, ..params };
        program.steps.push(Step { kernel, params, workgroups, slots, indirect: None });
        let len = self.shape.matrix_len().unwrap_or(usize::MAX);
        let vectors = Vectors {
            inputs: vec![Vector { name: "matrix", slice: self.matrix, len, in_rows: false }],
            output: Vector { name: "a factored matrix", slice: output.as_slice(), len: output.len(), in_rows: false },
            in_place: None,
            starts: Starts::Aligned,
            textures: vec![],
        };
        let numbered = (self.shape.n, self.shape.columns);
        bind_numbered(self.gpu, numbered, (&program, scratch), (&vectors, &[]), false, |kernel, writable_inputs| {
            self.tiling.permutation(T::PRECISION, TriangularAccess { writable_inputs, ..self.form }, kernel)
        })
    }

    /// The launches of a solve: one per block row.
    fn solving(&self, tiles: &[DeviceVector<T>]) -> Result<Tiles> {
        let Self { tiling, params, .. } = *self;
        let mut program = Program::default();
        let rows = u64::from(params.blocks) * u64::from(tiling.block);
        let numbers = u64::from(params.problems) * 2 * rows * u64::from(tiling.columns);
        plan::check_scratch(self.gpu, "a factored solve", numbers * T::PRECISION.bytes(), T::PRECISION)?;
        let vectors = DeviceVector::<T>::new(self.gpu, "vectors of a factored solve", numbers as usize)?;
        let scratch = tiles.iter().chain([&vectors]).map(|vector| vector.buffer().clone()).collect();
        let mut entries = 0;
        let step = |kernel, turn: u32, each: u64| {
            let workgroups = each * u64::from(params.problems);
            let scratch = |binding, index: u32| Slot::Scratch { binding, index: index as usize };
            let (rhs, vectors) = (Slot::InputAt { binding: 3, index: 0 }, scratch(8, params.blocks));
            let slots = match kernel {
                FactoredKernel::CopyRight => vec![rhs, vectors],
                _ => vec![rhs, Slot::Status, Slot::Output, scratch(7, turn), vectors],
            };
            let params = TriangularParams { launch: turn, workgroups: workgroups as u32, ..params };
            Step { kernel, params, workgroups, slots, indirect: None }
        };
        let copied = |rows: u64| (rows * T::PRECISION.bytes() / 16).div_ceil(THREADS.into());
        let mut in_place = vec![step(FactoredKernel::CopyRight, 0, copied(rows))];
        for turn in 0..params.blocks {
            let reduced = if turn == 0 { 0 } else { params.blocks - 1 - turn };
            let products = u64::from(1 + reduced) * u64::from(tiling.tiles());
            let beside = if turn == 0 { copied(rows - u64::from(tiling.block)) } else { 0 };
            program.steps.push(step(FactoredKernel::Solve { is_copied: false }, turn, products + beside));
            in_place.push(step(FactoredKernel::Solve { is_copied: true }, turn, products));
            entries += tiling.launch_units(T::PRECISION, params.blocks, turn) * 16 / T::PRECISION.bytes();
        }
        program.in_place = Some(in_place);
        // Right-hand sides that are not solved yet are read and written by each launch.
        let each = 2.0 + f64::from(params.blocks);
        program.values_per_row = entries as f64 / self.shape.n.max(1) as f64 + each * self.shape.columns as f64;
        Ok(Tiles { tiling, program, scratch })
    }
}

impl Tiling {
    /// Bytes of the largest buffer of so many rows and systems.
    fn largest_bytes(self, precision: Precision, n: usize, systems: u32) -> u64 {
        let blocks = (n as u64).div_ceil(self.block.into()) as u32;
        let largest = (0..blocks.min(2)).map(|turn| self.launch_units(precision, blocks, turn)).max().unwrap_or(0);
        let block = u64::from(self.block);
        (16 * largest * u64::from(systems)).max(2 * block * block * precision.bytes())
    }
}
