//! The coefficients of a batch of sequences, on the host and on the device.

use super::options::Direction;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, DeviceVector, Gpu};
use crate::plan::{Shape, Starts, Vector, Vectors};
use crate::real::Real;

/// Numbers in host memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coefficient<'a, T> {
    /// One number for all rows.
    Constant(T),
    /// One number per row, laid out as the plan's [`Shape`] says; for an initial value, one per sequence.
    Each(&'a [T]),
    /// By the plan's [formula](super::Formulas). Gives the vectors that the formulas read, by name, each once, with s or with t. An initial
    /// value cannot be computed.
    Computed(&'a [(&'a str, &'a [T])]),
}

/// The recurrences of a batch, in host memory: w\[i\] = s\[i\] w\[i-1\] + t\[i\]; the first row (the last, in reverse) takes the initial
/// value as the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recurrence<'a, T> {
    /// The factor of the value before.
    pub s: Coefficient<'a, T>,
    /// The summand.
    pub t: Coefficient<'a, T>,
    /// The value before the first.
    pub initial: Coefficient<'a, T>,
}

impl<'a, T: Real> Recurrence<'a, T> {
    /// Whether a coefficient has a formula.
    pub(super) fn is_computed(&self) -> bool {
        self.parts().iter().any(|(_, part)| matches!(part, Coefficient::Computed(_)))
    }

    /// Both coefficients from vectors, with initial value 0.
    pub fn new(s: &'a [T], t: &'a [T]) -> Self {
        Self { s: Coefficient::Each(s), t: Coefficient::Each(t), initial: Coefficient::Constant(T::ZERO) }
    }

    pub(crate) fn parts(&self) -> [(&'static str, Coefficient<'a, T>); 3] {
        [("s", self.s), ("t", self.t), ("initial", self.initial)]
    }

    /// The vectors of each computed input.
    pub(crate) fn computed(&self) -> Computed<'a, &'a [T]> {
        self.parts().map(|(name, part)| match part {
            Coefficient::Computed(vectors) => (name, Some(vectors)),
            _ => (name, None),
        })
    }
}

/// [`Error::Length`] for vectors whose lengths differ from the shape's.
pub(super) fn check_lengths<T>(shape: &Shape, parts: &[(&'static str, Coefficient<'_, T>)]) -> Result<()> {
    let rows = shape.matrix_len().ok_or_else(|| shape.past_addresses())?;
    for &(vector, ref coefficient) in parts {
        let expected = if vector == "initial" { shape.batch } else { rows };
        if let Coefficient::Each(values) = coefficient
            && values.len() != expected
        {
            return Err(Error::Length { vector, expected: expected.to_string(), found: values.len() });
        }
    }
    Ok(())
}

/// [`Error::NonFiniteInput`] for NaN or infinity in numbers that a solve reads.
pub(super) fn check_finite<T: Real>(
    shape: &Shape,
    parts: &[(&'static str, Coefficient<'_, T>)],
    direction: Direction,
) -> Result<()> {
    // The row that an initial value enters.
    let first = if direction == Direction::Forward { 0 } else { shape.n.saturating_sub(1) };
    for &(vector, part) in parts {
        let found = match part {
            Coefficient::Constant(value) => {
                (!value.is_finite()).then_some((0, if vector == "initial" { first } else { 0 }))
            }
            Coefficient::Computed(_) => None,
            Coefficient::Each(values) if vector == "initial" => {
                values.iter().position(|value| !value.is_finite()).map(|system| (system, first))
            }
            // Without an early exit, so that the compiler vectorises the loop.
            Coefficient::Each(values) if !values.iter().fold(false, |bad, value| bad | !value.is_finite()) => None,
            Coefficient::Each(values) => (0..shape.batch)
                .flat_map(|system| (0..shape.n).map(move |row| (system, row)))
                .find(|&(system, row)| !values[shape.matrix_index(system, row)].is_finite()),
        };
        if let Some((system, row)) = found {
            return Err(Error::NonFiniteInput { vector, system, row });
        }
    }
    Ok(())
}

/// Per s, t and initial value: the name, and the vectors if it is computed.
pub(crate) type Computed<'a, V> = [(&'static str, Option<&'a [(&'a str, V)]>); 3];

/// Numbers in device memory, or one number for all rows.
#[derive(Debug, Clone, Copy)]
pub enum DeviceCoefficient<'a, T> {
    /// One number for all rows.
    Constant(T),
    /// As [`Coefficient::Each`].
    Each(DeviceSlice<'a, T>),
    /// As [`Coefficient::Computed`].
    Computed(&'a [(&'a str, DeviceSlice<'a, T>)]),
}

/// Everything a solve reads and writes, in device memory.
#[derive(Debug, Clone, Copy)]
pub struct DeviceRecurrence<'a, T> {
    /// The factor of the value before.
    pub s: DeviceCoefficient<'a, T>,
    /// The summand.
    pub t: DeviceCoefficient<'a, T>,
    /// The value before the first.
    pub initial: DeviceCoefficient<'a, T>,
    /// Destination of the values; `None` overwrites `t`, or `s` if `t` is constant or computed.
    pub w: Option<DeviceSlice<'a, T>>,
}

/// Which coefficients are constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Constants {
    pub s: bool,
    pub t: bool,
    pub initial: bool,
}

/// A coefficient that can be bound: the caller's range, or a vector made from a constant, which must live until the bind.
pub(crate) enum Bindable<'a, T> {
    Given(DeviceSlice<'a, T>),
    Made(DeviceVector<T>),
    Computed,
}

/// With a vector made from each constant.
pub(super) fn bindable<'a, T: Real>(
    gpu: &Gpu,
    name: &'static str,
    part: DeviceCoefficient<'a, T>,
) -> Result<Bindable<'a, T>> {
    match part {
        DeviceCoefficient::Constant(value) => DeviceVector::from_slice(gpu, name, &[value; 4]).map(Bindable::Made),
        DeviceCoefficient::Each(slice) => Ok(Bindable::Given(slice)),
        DeviceCoefficient::Computed(_) => Ok(Bindable::Computed),
    }
}

impl<T: Real> Bindable<'_, T> {
    /// The vector that a solve of a shape uses.
    pub(super) fn vector(&self, name: &'static str, shape: &Shape) -> Option<Vector<'_, T>> {
        match self {
            Self::Given(slice) => {
                let rows = shape.matrix_len().unwrap_or(usize::MAX);
                let len = if name == "initial" { shape.batch } else { rows };
                Some(Vector { name, slice: *slice, len, in_rows: name != "initial" })
            }
            Self::Made(vector) => Some(Vector { name, slice: vector.as_slice(), len: vector.len(), in_rows: true }),
            Self::Computed => None,
        }
    }
}

impl<'a, T: Real> DeviceRecurrence<'a, T> {
    fn parts(&self) -> [(&'static str, DeviceCoefficient<'a, T>); 3] {
        [("s", self.s), ("t", self.t), ("initial", self.initial)]
    }

    pub(crate) fn constants(&self) -> Constants {
        let [s, t, initial] = self.parts().map(|(_, part)| matches!(part, DeviceCoefficient::Constant(_)));
        Constants { s, t, initial }
    }

    /// The vectors of each computed input.
    pub(crate) fn computed(&self) -> Computed<'a, DeviceSlice<'a, T>> {
        self.parts().map(|(name, part)| match part {
            DeviceCoefficient::Computed(vectors) => (name, Some(vectors)),
            _ => (name, None),
        })
    }

    /// The coefficients, with a vector made from each constant.
    pub(crate) fn bindable(&self, gpu: &Gpu) -> Result<[Bindable<'a, T>; 3]> {
        let [s, t, initial] = self.parts().map(|(name, part)| bindable(gpu, name, part));
        Ok([s?, t?, initial?])
    }

    /// The vectors of a solve of this shape, which the plan has checked, and the vectors that formulas read.
    ///
    /// # Errors
    /// [`Error::Options`] if there is no place for the values.
    pub(crate) fn vectors<'b>(
        &self,
        shape: &Shape,
        bindable: &'b [Bindable<'a, T>; 3],
        read: &[DeviceSlice<'a, T>],
    ) -> Result<Vectors<'b, T>>
    where
        'a: 'b,
    {
        let rows = shape.matrix_len().unwrap_or(usize::MAX);
        let mut inputs: Vec<_> =
            self.parts().iter().zip(bindable).filter_map(|((name, _), part)| part.vector(name, shape)).collect();
        inputs.extend(Vector::of_formulas(read));
        let (slice, in_place) = match (self.w, self.t, self.s) {
            (Some(w), _, _) => (w, None),
            (None, DeviceCoefficient::Each(t), _) => (t, Some("t")),
            (None, _, DeviceCoefficient::Each(s)) => (s, Some("s")),
            (None, ..) => {
                let advice = "neither s nor t is a vector: give w, there is nothing to put it over";
                return Err(Error::Options(advice.into()));
            }
        };
        let name = match in_place {
            None => "w",
            Some("t") => "t (in place)",
            Some(_) => "s (in place)",
        };
        Ok(Vectors {
            inputs,
            output: Vector { name, slice, len: rows, in_rows: true },
            in_place,
            starts: Starts::Aligned,
            textures: vec![],
        })
    }
}
