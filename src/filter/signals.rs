//! The signals of a batch in device memory.

use super::bank::Bank;
use crate::error::Result;
use crate::gpu::{DeviceSlice, DeviceVector, Gpu};
use crate::plan::{Shape, Starts, Vector, Vectors};
use crate::real::Real;

/// Everything a filter reads and writes, in device memory.
#[derive(Debug, Clone, Copy)]
pub struct DeviceSignals<'a, T> {
    /// The inputs, laid out as the plan's [`Shape`] says; for [`Bank::of_one_signal`](super::Bank::of_one_signal), the rows of one sequence,
    /// one after the other.
    pub x: DeviceSlice<'a, T>,
    /// Destination of the outputs, laid out as the plan's [`Shape`] says; `None` overwrites `x`, and is an error for a bank of one signal.
    pub y: Option<DeviceSlice<'a, T>>,
    /// The states before the first row: per sequence as many numbers as the filter's order (the highest of a bank), one sequence after the other. `None` starts
    /// from 0.
    pub initial: Option<DeviceSlice<'a, T>>,
    /// Destination of the states after the last row, laid out as the initial ones; it may overwrite these exactly. `None` drops them.
    pub last: Option<DeviceSlice<'a, T>>,
}

impl<'a, T: Real> DeviceSignals<'a, T> {
    /// Filters `x` in place, from state 0.
    pub fn in_place(x: DeviceSlice<'a, T>) -> Self {
        Self { x, y: None, initial: None, last: None }
    }

    /// Vectors bound in place of missing states: a 0 for all sequences, and a vector shorter than the states.
    pub(super) fn no_states(gpu: &Gpu) -> Result<[DeviceVector<T>; 2]> {
        Ok([DeviceVector::new(gpu, "no initial states", 1)?, DeviceVector::new(gpu, "no final states", 1)?])
    }

    /// The vectors of a solve, and the ones that it writes beside the outputs.
    pub(super) fn vectors<'b>(
        &self,
        shape: &Shape,
        bank: &Bank,
        [no_initial, no_last]: &'b [DeviceVector<T>; 2],
    ) -> (Vectors<'b, T>, Vector<'b, T>)
    where
        'a: 'b,
    {
        let (order, rows) = (bank.order(), shape.matrix_len().unwrap_or(usize::MAX));
        let states = |name, given: Option<DeviceSlice<'a, T>>, none: &'b DeviceVector<T>| match given {
            Some(slice) => Vector { name, slice, len: shape.batch.saturating_mul(order), in_rows: false },
            None => Vector { name, slice: none.as_slice(), len: none.len(), in_rows: false },
        };
        let x = Vector { name: "x", slice: self.x, len: bank.inputs(shape), in_rows: true };
        let inputs = vec![x, states("the initial states", self.initial, no_initial)];
        let (output, in_place) = match self.y {
            Some(y) => (Vector { name: "y", slice: y, len: rows, in_rows: true }, None),
            None => (Vector { name: "x (in place)", ..x }, Some("x")),
        };
        (
            Vectors { inputs, output, in_place, starts: Starts::Aligned, textures: vec![] },
            states("the final states", self.last, no_last),
        )
    }
}
