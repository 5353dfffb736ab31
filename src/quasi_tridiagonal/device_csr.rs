//! Matrices in device memory.

use std::sync::Arc;

use super::engine::Engine;
use super::kernels::{QuasiParams, WORKGROUP, split_permutation};
use super::recipe::Recipe;
use super::store::{DeviceMatrix, Recorded};
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, Gpu, Stage, whole_buffer};
use crate::plan::{Starts, Vector};
use crate::precision::Precision;
use crate::real::Real;

/// Known sizes of a matrix whose entries come later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Rows, and columns.
    pub rows: usize,
    /// Most entries, including the three diagonals and duplicates.
    pub entries: usize,
    /// Most entries per row beside the three diagonals: every row has room for this many.
    pub width: usize,
}

/// A square sparse matrix in device memory, row by row. Columns of a row may come in any order; entries with the same place are added.
#[derive(Debug, Clone, Copy)]
pub struct DeviceCsr<'a, T> {
    /// One number more than rows: row i has the entries from `offsets[i]` to `offsets[i + 1]`.
    pub offsets: DeviceSlice<'a, u32>,
    /// The entries' columns, counted from 0.
    pub columns: DeviceSlice<'a, u32>,
    /// The entries.
    pub values: DeviceSlice<'a, T>,
}

/// A matrix in device memory that can be split into a plan's T and S many times.
pub struct BoundMatrix {
    engine: Arc<Engine>,
    stages: Vec<Recorded>,
    faults: wgpu::Buffer,
    /// The method, if it divides by the diagonal.
    method: Option<String>,
    entries: usize,
    width: usize,
}

impl std::fmt::Debug for BoundMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BoundMatrix").field("entries", &self.entries).field("width", &self.width).finish()
    }
}

const NONE: u32 = u32::MAX;
/// Status words, and the number of rows that are not dominant.
const WORDS: usize = 8;

/// The caller's ranges.
pub(crate) struct Bindings<'a> {
    ranges: [wgpu::BufferBinding<'a>; 3],
    entries_in: Precision,
}

impl BoundMatrix {
    pub(super) fn new<T: Real>(
        engine: &Arc<Engine>,
        matrix: &DeviceCsr<'_, T>,
        pattern: &Pattern,
        entries_in: Precision,
        method: Option<String>,
    ) -> Result<Self> {
        let gpu = &engine.gpu;
        gpu.alive()?;
        let DeviceCsr { offsets, columns, values } = *matrix;
        let entries = columns.len().min(values.len()).min(pattern.entries);
        let indices = |name, slice, len| Vector::<u32> { name, slice, len, in_rows: false };
        let all = [indices("offsets", offsets, pattern.rows + 1), indices("columns", columns, pattern.entries)];
        for vector in &all {
            vector.check(gpu, Starts::Aligned)?;
        }
        let own = Vector { name: "values", slice: values, len: pattern.entries, in_rows: false };
        own.check(gpu, Starts::Aligned)?;
        let ranges = [all[0].binding(gpu, false), all[1].binding(gpu, false), own.binding(gpu, false)];
        let (stages, faults) = engine.splitting(&Bindings { ranges, entries_in }, entries)?;
        let bound = Self { engine: engine.clone(), stages, faults, method, entries, width: pattern.width };
        bound.reset();
        Ok(bound)
    }

    /// Records the splitting. Allocates nothing, submits nothing, cannot fail; [`BoundMatrix::check`] reports faults of the matrix.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for stage in &self.stages {
            stage.record(pass);
        }
    }

    /// Submits a pass with the splitting only.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn submit(&self) -> Result<()> {
        self.engine.gpu.submit_pass("a splitting", |pass| self.record(pass))
    }

    /// Resets the status words, in the queue's order.
    pub fn reset(&self) {
        let mut words = [NONE; WORDS];
        words[WORDS - 1] = 0;
        self.engine.gpu.queue().write_buffer(&self.faults, 0, bytemuck::bytes_of(&words));
    }

    /// Waits for all submitted work. Returns the number of rows that are not diagonally dominant since the last [`BoundMatrix::reset`], and
    /// the first of them.
    ///
    /// # Errors
    /// [`Error::Shape`] for offsets that descend or leave the entries, and for a column outside the matrix; [`Error::Length`] for a row
    /// with more entries than the [`Pattern`] has room for; [`Error::NonFiniteInput`]; [`Error::EmptyRow`]; [`Error::ZeroOnDiagonal`] if
    /// the method divides by it; [`Error::DeviceLost`].
    pub fn check(&self) -> Result<(usize, Option<usize>)> {
        let gpu = &self.engine.gpu;
        let words = gpu.start_reading::<f32>(&self.faults, 0, WORDS)?.wait(gpu)?;
        let at = |word: usize| Some(words[word].to_bits()).filter(|&row| row != NONE).map(|row| row as usize);
        let rows = self.engine.rows;
        if let Some(row) = at(0) {
            let message = format!("the offsets of row {row} descend, or lead past the {} entries", self.entries);
            return Err(Error::Shape(message));
        }
        if let Some(row) = at(1) {
            return Err(Error::Shape(format!("row {row} has a column that is not below {rows}")));
        }
        if let Some(row) = at(2) {
            let expected = format!("at most {} beside the three diagonals (in row {row})", self.width);
            return Err(Error::Length { vector: "a row of the matrix", expected, found: self.width + 1 });
        }
        if let Some(row) = at(3) {
            return Err(Error::NonFiniteInput { vector: "the matrix", system: 0, row });
        }
        if let Some(row) = at(5) {
            return Err(Error::EmptyRow { row });
        }
        if let (Some(row), Some(method)) = (at(4), &self.method) {
            return Err(Error::ZeroOnDiagonal { row, method: method.clone() });
        }
        Ok((words[7].to_bits() as usize, at(6)))
    }
}

/// Sizes of a matrix's T and S.
pub(crate) struct Splitting {
    pub rows: usize,
    pub columns_at: usize,
    pub width: usize,
    pub entries: usize,
}

/// Most entries of a row that a thread processes sequentially.
const MOST_OF_ROW: u32 = 1 << 15;

impl Splitting {
    pub fn stage(
        &self,
        gpu: &Gpu,
        recipe: &Recipe,
        held: &DeviceMatrix,
        precision: Precision,
        matrix: &Bindings<'_>,
        faults: &wgpu::Buffer,
    ) -> Result<Stage> {
        let params = QuasiParams {
            columns_at: (self.columns_at / 4) as u32,
            count: self.width as u32,
            first: self.entries as u32,
            most: MOST_OF_ROW,
            workgroups: (self.rows as u32).div_ceil(WORKGROUP),
            ..recipe.params
        };
        let uniform = gpu.uniform("parameters", bytemuck::bytes_of(&params))?;
        let permutation = split_permutation(precision, matrix.entries_in);
        let mut bindings = vec![(0, whole_buffer(&uniform))];
        bindings.extend((1..).zip(matrix.ranges.iter().cloned()));
        bindings.extend(
            [&held.tri, &held.index, &held.off, faults]
                .map(whole_buffer)
                .into_iter()
                .enumerate()
                .map(|(at, buffer)| (at as u32 + 4, buffer)),
        );
        let workgroups = params.workgroups.into();
        Stage::new(gpu, &permutation.to_string(), gpu.kernel(&permutation)?, &bindings, workgroups)
    }
}
