//! Where a case's vectors lie in device memory.

use super::verdict::poison;
use trisolve::gpu::{DeviceSlice, DeviceVector, Gpu};
use trisolve::{Real, Result};

/// What must not be written, behind the values.
const BEHIND: usize = 5;

/// Inputs one behind the other with the values behind them or over one of them; and copies of the inputs in buffers of
/// their own.
pub(super) struct Arena<T> {
    contents: Vec<T>,
    starts: Vec<usize>,
    /// Where the values go, and how many.
    start: usize,
    len: usize,
    over: bool,
    together: bool,
    all: DeviceVector<T>,
    apart: Vec<DeviceVector<T>>,
}

impl<T: Real> Arena<T> {
    /// For `len` values over an input, or poison; `together` inputs are bound where the values lie.
    pub fn new(gpu: &Gpu, inputs: &[&[T]], len: usize, over: Option<usize>, together: bool) -> Result<Self> {
        let step = (gpu.capabilities().limits.min_storage_buffer_offset_alignment as usize).max(32) / 4;
        let mut contents = Vec::new();
        let mut starts = Vec::new();
        for input in inputs {
            starts.push(contents.len());
            contents.extend_from_slice(input);
            contents.resize(contents.len().next_multiple_of(step), poison::<T>());
        }
        let start = over.map_or(contents.len(), |input| starts[input]);
        if over.is_none() {
            contents.resize(start + len + BEHIND, poison::<T>());
        }
        let all = DeviceVector::from_slice(gpu, "arena", &contents)?;
        let apart = inputs.iter().map(|input| DeviceVector::from_slice(gpu, "input", input)).collect::<Result<_>>()?;
        Ok(Self { contents, starts, start, len, over: over.is_some(), together, all, apart })
    }

    /// An input, to bind.
    pub fn input(&self, at: usize) -> DeviceSlice<'_, T> {
        match self.together {
            true => self.all.slice(self.starts[at], self.apart[at].len()),
            false => self.apart[at].as_slice(),
        }
    }

    /// An input where the values lie, whatever else is bound.
    pub fn at(&self, at: usize) -> DeviceSlice<'_, T> {
        self.all.slice(self.starts[at], self.apart[at].len())
    }

    /// Where the values go, unless over an input.
    pub fn values(&self) -> Option<DeviceSlice<'_, T>> {
        (!self.over).then(|| self.all.slice(self.start, self.len))
    }

    /// As it was at first.
    pub fn reset(&self, gpu: &Gpu) -> Result<()> {
        self.all.write(gpu, 0, &self.contents)
    }

    /// The values, and what lies right behind them where that is nobody's.
    pub fn read(&self, gpu: &Gpu) -> Result<(Vec<T>, Vec<T>)> {
        let found = self.all.read(gpu)?;
        let end = self.start + self.len;
        let rest = if self.over { vec![] } else { found[end..].to_vec() };
        Ok((found[self.start..end].to_vec(), rest))
    }
}
