//! The coefficients of a batch of sequences, on the host and on the device.

use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, Gpu};
use crate::plan::{Shape, Starts, Vector, Vectors};
use crate::real::Real;
use crate::recurrence::system::{Bindable, Coefficient, DeviceCoefficient, bindable};

/// The recurrences of a batch, in host memory: w\[i\] = (a\[i\] w\[i-1\] + b\[i\]) / (c\[i\] w\[i-1\] + d\[i\]), with the
/// initial value as w\[-1\] (as w\[n\], in reverse). None of them can be [`Coefficient::Computed`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moebius<'a, T> {
    /// Multiplies the value before in the numerator.
    pub a: Coefficient<'a, T>,
    /// The numerator's summand.
    pub b: Coefficient<'a, T>,
    /// Multiplies the value before in the denominator.
    pub c: Coefficient<'a, T>,
    /// The denominator's summand.
    pub d: Coefficient<'a, T>,
    /// The value before the first.
    pub initial: Coefficient<'a, T>,
}

/// Everything a solve reads and writes, in device memory; none can be [`DeviceCoefficient::Computed`].
#[derive(Debug, Clone, Copy)]
pub struct DeviceMoebius<'a, T> {
    /// Multiplies the value before in the numerator.
    pub a: DeviceCoefficient<'a, T>,
    /// The numerator's summand.
    pub b: DeviceCoefficient<'a, T>,
    /// Multiplies the value before in the denominator.
    pub c: DeviceCoefficient<'a, T>,
    /// The denominator's summand.
    pub d: DeviceCoefficient<'a, T>,
    /// The value before the first.
    pub initial: DeviceCoefficient<'a, T>,
    /// Destination of the values; `None` overwrites the first vector among b, a, d and c.
    pub w: Option<DeviceSlice<'a, T>>,
}

const COMPUTED: &str = "Moebius recurrences have no formulas: give a vector or a constant for";

impl<'a, T: Real> Moebius<'a, T> {
    pub(super) fn parts(&self) -> Result<[(&'static str, Coefficient<'a, T>); 5]> {
        let parts = [("a", self.a), ("b", self.b), ("c", self.c), ("d", self.d), ("initial", self.initial)];
        match parts.iter().find(|(_, part)| matches!(part, Coefficient::Computed(_))) {
            Some((name, _)) => Err(Error::Options(format!("{COMPUTED} {name}"))),
            None => Ok(parts),
        }
    }
}

impl<'a, T: Real> DeviceMoebius<'a, T> {
    fn parts(&self) -> [(&'static str, DeviceCoefficient<'a, T>); 5] {
        [("a", self.a), ("b", self.b), ("c", self.c), ("d", self.d), ("initial", self.initial)]
    }

    pub(super) fn constants(&self) -> [bool; 5] {
        self.parts().map(|(_, part)| matches!(part, DeviceCoefficient::Constant(_)))
    }

    /// The coefficients, with a vector made of each constant.
    pub(super) fn bindable(&self, gpu: &Gpu) -> Result<[Bindable<'a, T>; 5]> {
        for (name, part) in self.parts() {
            if matches!(part, DeviceCoefficient::Computed(_)) {
                return Err(Error::Options(format!("{COMPUTED} {name}")));
            }
        }
        let [a, b, c, d, initial] = self.parts().map(|(name, part)| bindable(gpu, name, part));
        Ok([a?, b?, c?, d?, initial?])
    }

    /// The vectors of a solve of this shape, which the plan has checked.
    ///
    /// # Errors
    /// [`Error::Options`] if there is no place for the values.
    pub(super) fn vectors<'b>(&self, shape: &Shape, bindable: &'b [Bindable<'a, T>; 5]) -> Result<Vectors<'b, T>>
    where
        'a: 'b,
    {
        let inputs: Vec<_> =
            self.parts().iter().zip(bindable).filter_map(|((name, _), part)| part.vector(name, shape)).collect();
        let over = [
            ("b", "b (in place)", self.b),
            ("a", "a (in place)", self.a),
            ("d", "d (in place)", self.d),
            ("c", "c (in place)", self.c),
        ];
        let first = over.into_iter().find_map(|(own, name, part)| match part {
            DeviceCoefficient::Each(slice) => Some((slice, name, Some(own))),
            _ => None,
        });
        let Some((slice, name, in_place)) = self.w.map(|w| (w, "w", None)).or(first) else {
            return Err(Error::Options(
                "none of a, b, c and d is a vector: give w, there is nothing to put it over".into(),
            ));
        };
        let len = shape.matrix_len().unwrap_or(usize::MAX);
        Ok(Vectors {
            inputs,
            output: Vector { name, slice, len, in_rows: true },
            in_place,
            starts: Starts::Aligned,
            textures: vec![],
        })
    }
}
