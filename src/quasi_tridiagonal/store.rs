//! A plan's device memory and compiled steps.

use std::collections::HashMap;
use std::sync::Arc;

use super::recipe::{Item, Level, Matrix, Memory, Recipe, Step};
use super::split::Split;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, Gpu, Stage, whole_buffer};
use crate::plan::{Bound as TridiagonalBound, Shape, check_binding};
use crate::real::Real;
use crate::shader::Permutation;
use crate::tridiagonal::{Algorithm, DeviceSystem, Options, TridiagonalPlan};

/// An item recorded in order.
#[derive(Clone)]
pub(crate) enum Recorded {
    Stage(Stage),
    Tridiagonal(Arc<TridiagonalBound>),
}

impl Recorded {
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        match self {
            Self::Stage(stage) => stage.record(pass),
            Self::Tridiagonal(bound) => bound.record(pass),
        }
    }
}

const STORAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

pub(crate) fn allocate(gpu: &Gpu, label: &str, bytes: u64) -> Result<wgpu::Buffer> {
    check_binding(gpu, label, bytes)?;
    gpu.allocate(label, bytes, STORAGE)
}

pub(crate) fn upload<N: bytemuck::Pod>(gpu: &Gpu, label: &str, values: &[N]) -> Result<wgpu::Buffer> {
    let bytes = std::mem::size_of_val(values) as u64;
    let buffer = allocate(gpu, label, bytes)?;
    gpu.guarded("an upload", bytes, || gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(values)))?;
    Ok(buffer)
}

/// A matrix in device memory.
pub(crate) struct DeviceMatrix {
    pub tri: wgpu::Buffer,
    pub index: wgpu::Buffer,
    pub off: wgpu::Buffer,
}

impl DeviceMatrix {
    pub fn new<T: Real>(gpu: &Gpu, split: &Split<T>) -> Result<Self> {
        Ok(Self {
            tri: upload(gpu, "the tridiagonal part", &split.tri)?,
            index: upload(gpu, "the columns of a sparse matrix", &split.index)?,
            off: upload(gpu, "the entries beside the tridiagonal part", &split.off)?,
        })
    }

    fn bytes(&self) -> u64 {
        self.tri.size() + self.index.size() + self.off.size()
    }
}

/// All device memory of a plan.
pub(crate) struct Store {
    pub own: DeviceMatrix,
    pub transposed: Option<DeviceMatrix>,
    pub outer: Option<DeviceMatrix>,
    pub colours: Option<[wgpu::Buffer; 2]>,
    pub vectors: Vec<wgpu::Buffer>,
    pub control: wgpu::Buffer,
    pub partial: wgpu::Buffer,
    pub numbers: wgpu::Buffer,
    pub outer_numbers: wgpu::Buffer,
    pub history: wgpu::Buffer,
    pub faults: wgpu::Buffer,
    pub row_scales: Option<wgpu::Buffer>,
    /// The factors of BHISA's blocks.
    pub factors: Option<wgpu::Buffer>,
    /// Between passes over slices of T.
    pub scratch: Vec<wgpu::Buffer>,
}

impl Store {
    fn held(&self, matrix: Matrix) -> Option<&DeviceMatrix> {
        match matrix {
            Matrix::Own => Some(&self.own),
            Matrix::Transposed => self.transposed.as_ref(),
            Matrix::Outer => self.outer.as_ref().or(Some(&self.own)),
        }
    }

    fn buffer(&self, memory: Memory) -> Option<&wgpu::Buffer> {
        match memory {
            Memory::Control => Some(&self.control),
            Memory::Partial => Some(&self.partial),
            Memory::Numbers => Some(&self.numbers),
            Memory::OuterNumbers => Some(&self.outer_numbers),
            Memory::History => Some(&self.history),
            Memory::Faults => Some(&self.faults),
            Memory::RowScales => self.row_scales.as_ref(),
            Memory::Factors => self.factors.as_ref(),
            Memory::Scratch(at) => self.scratch.get(at),
            Memory::Tri(matrix) => self.held(matrix).map(|held| &held.tri),
            Memory::Index(matrix) => self.held(matrix).map(|held| &held.index),
            Memory::Off(matrix) => self.held(matrix).map(|held| &held.off),
            Memory::ColourIndex => self.colours.as_ref().map(|colours| &colours[0]),
            Memory::ColourOff => self.colours.as_ref().map(|colours| &colours[1]),
            Memory::Vector(vector) => self.vectors.get(vector.at),
            Memory::Rhs | Memory::Guess | Memory::X => None,
        }
    }

    pub fn bytes(&self) -> u64 {
        let matrices = [Some(&self.own), self.transposed.as_ref(), self.outer.as_ref()];
        let matrices: u64 = matrices.into_iter().flatten().map(DeviceMatrix::bytes).sum();
        let others = [&self.control, &self.partial, &self.numbers, &self.outer_numbers, &self.history, &self.faults];
        let others =
            others.into_iter().chain(&self.row_scales).chain(&self.factors).chain(&self.scratch).chain(&self.vectors);
        let others = others.chain(self.colours.iter().flatten());
        matrices + others.map(wgpu::Buffer::size).sum::<u64>()
    }

    /// A plan for T of a matrix, with T z = r bound to the plan's vectors: rows padded to `padded`.
    pub fn tridiagonal_solves<I: Real>(
        &self,
        gpu: &Gpu,
        (rows, padded): (usize, usize),
        algorithm: Algorithm,
        solves: &[(Matrix, super::recipe::Vector, super::recipe::Vector)],
    ) -> Result<TridiagonalSolves> {
        let mut bound = HashMap::new();
        if !solves.is_empty() {
            let plan = TridiagonalPlan::<I>::new(gpu, Shape::single(rows), Options::default().algorithm(algorithm))?;
            for &(matrix, r, z) in solves {
                let (Some(held), Some(rhs), Some(x)) =
                    (self.held(matrix), self.vectors.get(r.at), self.vectors.get(z.at))
                else {
                    continue;
                };
                let bytes = I::PRECISION.bytes();
                let diagonal = |at: u64| DeviceSlice::new(&held.tri, at * padded as u64 * bytes, rows);
                let system = DeviceSystem {
                    lower: diagonal(0),
                    diag: diagonal(1),
                    upper: diagonal(2),
                    rhs: DeviceSlice::new(rhs, 0, rows),
                    x: Some(DeviceSlice::new(x, 0, rows)),
                };
                bound.insert((matrix, r.at, z.at), Arc::new(plan.bind(&system)?));
            }
        }
        Ok(bound)
    }
}

/// By matrix, right-hand side and solution.
pub(crate) type TridiagonalSolves = HashMap<(Matrix, usize, usize), Arc<TridiagonalBound>>;

/// The caller's vectors.
pub(crate) struct Own<'a> {
    pub rhs: wgpu::BufferBinding<'a>,
    pub x: wgpu::BufferBinding<'a>,
    pub guess: Option<wgpu::BufferBinding<'a>>,
}

type Key = (Permutation, Vec<u8>, Vec<(u32, Memory)>);

/// Compiles steps, each kind once.
pub(crate) struct Maker<'a> {
    pub gpu: &'a Gpu,
    pub recipe: &'a Recipe,
    pub store: &'a Store,
    pub tridiagonals: &'a TridiagonalSolves,
}

impl Maker<'_> {
    pub fn recorded(&self, items: &[Item], own: Option<&Own<'_>>) -> Result<Vec<Recorded>> {
        let permutations = items.iter().filter_map(|item| match item {
            Item::Step(step) => Some(self.recipe.permutation(step)),
            Item::Level(level) => Some(level.permutation.clone()),
            Item::Tridiagonal { .. } => None,
        });
        // Compiles all in parallel; the loop then finds them compiled.
        self.gpu.kernels(&permutations.collect::<Vec<_>>())?;
        let mut made: HashMap<Key, Stage> = HashMap::new();
        let mut all = Vec::with_capacity(items.len());
        for item in items {
            all.push(match item {
                Item::Step(step) => Recorded::Stage(self.stage(step, own, &mut made)?),
                Item::Tridiagonal { matrix, r, z } => {
                    let bound =
                        self.tridiagonals.get(&(*matrix, r.at, z.at)).ok_or_else(|| missing("a solve with T"))?;
                    Recorded::Tridiagonal(bound.clone())
                }
                Item::Level(level) => Recorded::Stage(self.level(level)?),
            });
        }
        Ok(all)
    }

    fn level(&self, level: &Level) -> Result<Stage> {
        let params = self.gpu.uniform("parameters", bytemuck::bytes_of(&level.params))?;
        let mut bindings = vec![(0, whole_buffer(&params))];
        for &(binding, at) in &level.bindings {
            let buffer = self.store.scratch.get(at).ok_or_else(|| missing("scratch of a level"))?;
            bindings.push((binding, whole_buffer(buffer)));
        }
        let kernel = self.gpu.kernel(&level.permutation)?;
        Stage::new(self.gpu, &level.permutation.to_string(), kernel, &bindings, level.workgroups)
    }

    fn stage(&self, step: &Step, own: Option<&Own<'_>>, made: &mut HashMap<Key, Stage>) -> Result<Stage> {
        let permutation = self.recipe.permutation(step);
        let key = (permutation, bytemuck::bytes_of(&step.params).to_vec(), step.bindings.clone());
        if let Some(stage) = made.get(&key) {
            return Ok(stage.clone());
        }
        let params = self.gpu.uniform("parameters", &key.1)?;
        let mut bindings = vec![(0, whole_buffer(&params))];
        for &(binding, memory) in &step.bindings {
            let of_caller = own.and_then(|own| match memory {
                Memory::Rhs => Some(&own.rhs),
                Memory::X => Some(&own.x),
                Memory::Guess => own.guess.as_ref(),
                _ => None,
            });
            let buffer = match of_caller {
                Some(binding) => binding.clone(),
                None => whole_buffer(self.store.buffer(memory).ok_or_else(|| missing(&format!("{memory:?}")))?),
            };
            bindings.push((binding, buffer));
        }
        let stage = Stage::new(self.gpu, &key.0.to_string(), self.gpu.kernel(&key.0)?, &bindings, step.workgroups)?;
        made.insert(key, stage.clone());
        Ok(stage)
    }
}

/// A recipe uses memory that it has not requested: a defect of the library.
fn missing(what: &str) -> Error {
    Error::Device { what: "a step of an iteration".into(), message: format!("{what} is missing") }
}
