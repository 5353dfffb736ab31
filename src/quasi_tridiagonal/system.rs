//! A right-hand side and the unknowns in device memory.

use crate::gpu::DeviceSlice;

/// Vectors in device memory.
#[derive(Debug, Clone, Copy)]
pub struct DeviceSystem<'a, T> {
    /// The right-hand side, one entry per row.
    pub rhs: DeviceSlice<'a, T>,
    /// Destination of the unknowns; `None` overwrites `rhs`.
    pub x: Option<DeviceSlice<'a, T>>,
    /// Start of the iteration, one entry per row; `None` starts from zero. It is read before `x` is written, so it may be any vector, also
    /// `x` or `rhs`.
    pub guess: Option<DeviceSlice<'a, T>>,
}

impl<'a, T> DeviceSystem<'a, T> {
    /// Starts from zero; x is a separate vector.
    pub fn new(rhs: DeviceSlice<'a, T>, x: DeviceSlice<'a, T>) -> Self {
        Self { rhs, x: Some(x), guess: None }
    }

    /// Starts from zero; x overwrites the right-hand side.
    pub fn in_place(rhs: DeviceSlice<'a, T>) -> Self {
        Self { rhs, x: None, guess: None }
    }

    /// Starts from a guess.
    pub fn from_guess(self, guess: DeviceSlice<'a, T>) -> Self {
        Self { guess: Some(guess), ..self }
    }
}
