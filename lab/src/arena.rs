//! The vectors of a case in device memory, with entries between and behind them that a solve must not write.

use super::verdict::poison;
use trisolve::gpu::{DeviceSlice, DeviceVector, Gpu};
use trisolve::{Real, Result};

/// The entries behind the values that a solve must not write.
const BEHIND: usize = 5;

/// One buffer with all inputs, and with the values behind them or over one of them; and a separate copy of each input.
pub(super) struct Arena<T> {
    contents: Vec<T>,
    starts: Vec<usize>,
    /// Start and number of the values.
    start: usize,
    len: usize,
    over: bool,
    together: bool,
    all: DeviceVector<T>,
    apart: Vec<DeviceVector<T>>,
}

impl<T: Real> Arena<T> {
    /// An arena for `len` values, over an input if `over`. With `together` the inputs are bound in the buffer of the values, else
    /// their copies.
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

    /// An input in the buffer of the values.
    pub fn at(&self, at: usize) -> DeviceSlice<'_, T> {
        self.all.slice(self.starts[at], self.apart[at].len())
    }

    /// The range for the values; `None` if they overwrite an input.
    pub fn values(&self) -> Option<DeviceSlice<'_, T>> {
        (!self.over).then(|| self.all.slice(self.start, self.len))
    }

    /// Restores the initial contents.
    pub fn reset(&self, gpu: &Gpu) -> Result<()> {
        self.all.write(gpu, 0, &self.contents)
    }

    /// The values, and the entries behind them unless these belong to an input.
    pub fn read(&self, gpu: &Gpu) -> Result<(Vec<T>, Vec<T>)> {
        let found = self.all.read(gpu)?;
        let end = self.start + self.len;
        let rest = if self.over { vec![] } else { found[end..].to_vec() };
        Ok((found[self.start..end].to_vec(), rest))
    }
}
