//! Binds by name: the inputs of a system, and what formulas read.

use super::formulas::{INPUTS, RHS};
#[cfg(doc)]
use super::options::Options;
use super::options::Structure;
use super::plan::TridiagonalPlan;
use super::system::Inputs;
use super::texels::{self, Resource};
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, DeviceVector};
use crate::plan::{Bound, check_binding};
use crate::real::Real;

impl<T: Real> TridiagonalPlan<T> {
    /// As [`TridiagonalPlan::bind`], with inputs by name: `lower`, `diag`, `upper` and `rhs`, except what the plan computes, and the vectors and
    /// textures of its formulas. A symmetric matrix needs no `lower`. Vectors of formulas start at multiples of the device's
    /// `min_storage_buffer_offset_alignment`. `x: None` overwrites `rhs`.
    ///
    /// If x is a texture, its texel in column `a` and row `b` gets the entries of x from `(b * width + a) * channels` on, as
    /// [`Shape::pixels`](super::Shape::pixels) lays them out: a last dispatch copies them from a buffer, which this call allocates and the bound
    /// solve holds. Channels that x does not have are 0, and the fourth is 1. The residual of such a solve cannot be measured.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::bind`]; [`Error::Options`] for unknown names, missing ones and those given twice, for a vector of what the plan
    /// computes, without x if `rhs` is computed, and for textures of another format, size or usage.
    pub fn bind_named(&self, resources: &[(&str, Resource<'_, T>)], x: Option<Resource<'_, T>>) -> Result<Bound> {
        let bind = |x: Option<DeviceSlice<'_, T>>| {
            self.bind_vectors(&self.named_inputs(resources, x)?.vectors(&self.shape, &self.options.matrix())?)
        };
        match x {
            None => bind(None),
            Some(Resource::Vector(x)) => bind(Some(x)),
            Some(Resource::Texture(view)) => {
                let x = DeviceVector::<T>::new(&self.gpu, "x", self.shape.rhs_len().unwrap_or(usize::MAX))?;
                let writing = texels::writing(&self.gpu, &self.shape, &x, view)?;
                Ok(bind(Some(x.as_slice()))?.and_then(writing))
            }
        }
    }

    /// The inputs with these names.
    pub(super) fn named_inputs<'a>(
        &self,
        resources: &[(&str, Resource<'a, T>)],
        x: Option<DeviceSlice<'a, T>>,
    ) -> Result<Inputs<'a, T>> {
        let (own, sources): (Vec<_>, Vec<_>) = resources.iter().partition(|(name, _)| INPUTS.contains(name));
        let given = |input: usize| {
            let mut found = own.iter().filter(|(name, _)| *name == INPUTS[input]);
            let refused = match (found.next(), found.next(), self.fused.computes(input)) {
                (None, _, true) => return Ok(None),
                (Some((_, Resource::Vector(slice))), None, false) => return Ok(Some(*slice)),
                (Some(_), None, false) => {
                    format!("{0} is a texture: give a vector, or read the texture in a formula of {0}", INPUTS[input])
                }
                (Some(_), _, true) => format!("the plan computes {}: give no vector of it", INPUTS[input]),
                (None, _, false) => format!("no vector {} is given, and the plan has no formula of it", INPUTS[input]),
                (Some(_), Some(_), false) => format!("the vector {} is given twice", INPUTS[input]),
            };
            Err(Error::Options(refused))
        };
        let upper = given(2)?;
        let lower = match self.options.structure {
            Structure::Symmetric if own.iter().any(|(name, _)| *name == INPUTS[0]) => {
                let message = "lower is not read: in Structure::Symmetric, upper stands for it".into();
                return Err(Error::Options(message));
            }
            Structure::Symmetric => upper,
            _ => given(0)?,
        };
        let given = [lower, given(1)?, upper, given(RHS)?];
        let (mut of_formulas, mut textures) = (vec![], vec![]);
        let named: Vec<_> = sources.iter().map(|&(name, source)| (name, (name, source))).collect();
        for (name, source) in self.fused.bound(&self.fused.matched(&named, "give it once")?) {
            match source {
                Resource::Vector(vector) if !self.fused.is_texture(name) => {
                    check_binding(&self.gpu, "a vector of the formulas", vector.end() - vector.offset)?;
                    of_formulas.push(vector);
                }
                Resource::Texture(view) if self.fused.is_texture(name) => {
                    texels::check_source(name, view)?;
                    textures.push(view);
                }
                Resource::Vector(_) => {
                    return Err(Error::Options(format!("{name} is a texture of the formulas, but a vector is given")));
                }
                Resource::Texture(_) => {
                    return Err(Error::Options(format!("{name} is a vector of the formulas, but a texture is given")));
                }
            }
        }
        Ok(Inputs { given, of_formulas, textures, x })
    }

    /// Runs the plan once, on vectors of zeros that it allocates and frees. Drivers may leave part of their work to the first dispatch of a
    /// kernel; after this, a bind compiles nothing if its vectors start at multiples of the device's
    /// `min_storage_buffer_offset_alignment`, if it is in place as [`Options::in_place`] says, and if x is no texture. Formulas compute with
    /// the zeros. Waits for the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`], [`Error::Kernel`].
    pub fn warm_up(&self) -> Result<()> {
        let gpu = &self.gpu;
        let lens = self.options.matrix().bound().named().map(|(_, form)| form.len(&self.shape));
        let right = self.shape.rhs_len().unwrap_or(usize::MAX);
        let zeros = |len| DeviceVector::<T>::new(gpu, "zeros", len);
        let of_matrix = lens.iter().flatten().max().map_or(4, |len| *len.max(&4));
        let (matrix, rhs) = (zeros(of_matrix)?, zeros(right)?);
        let x = if self.options.in_place { None } else { Some(zeros(right)?) };
        let view = texels::of_zeros(gpu)?;
        let slice =
            |input: usize, len: Option<usize>| Some(matrix.slice(0, len?)).filter(|_| !self.fused.computes(input));
        let [lower, diag, upper] = [0, 1, 2].map(|input| slice(input, lens[input]));
        let sources =
            self.fused.bound(&self.fused.sources().map(|name| self.fused.is_texture(name)).collect::<Vec<_>>());
        let textures = sources.iter().filter(|is_texture| **is_texture).map(|_| &view).collect();
        let of_formulas = sources.iter().filter(|is_texture| !**is_texture).map(|_| matrix.slice(0, 4)).collect();
        let rhs = Some(rhs.as_slice()).filter(|_| !self.fused.computes(RHS));
        let given = [lower, diag, upper, rhs];
        let inputs = Inputs { given, of_formulas, textures, x: x.as_ref().map(DeviceVector::as_slice) };
        self.bind_vectors(&inputs.vectors(&self.shape, &self.options.matrix())?)?.submit()?;
        gpu.wait()
    }
}
