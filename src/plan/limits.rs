//! Limits of a device's memory and of the kernels' counts.

use super::params::Params;
use super::shape::{Layout, Shape};
use crate::error::{Error, Result, check_limit};
use crate::gpu::Gpu;
use crate::precision::Precision;
use crate::real::Real;

/// [`Error::Unsupported`] if the device lacks the precision.
pub(crate) fn check_precision<T: Real>(gpu: &Gpu) -> Result<()> {
    if T::PRECISION == Precision::F64 && !gpu.capabilities().features.f64 {
        return Err(Error::Unsupported {
            what: format!("f64 on {}", gpu.info().name),
            hint: "the device needs wgpu's SHADER_F64 (Vulkan only; a device of your own gets it with \
                   `trisolve::wanted_features`); use f32, whose carried complements keep dominant systems \
                   accurate, or the `cpu` references"
                .into(),
        });
    }
    Ok(())
}

/// [`Error::Limit`] if one binding cannot hold this number of bytes.
pub(crate) fn check_binding(gpu: &Gpu, what: &str, bytes: u64) -> Result<()> {
    let available = gpu.capabilities().limits.max_storage_buffer_binding_size;
    check_limit(format_args!("{what} (in bytes)"), bytes, "max_storage_buffer_binding_size", available)
}

/// [`Error::Limit`] for scratch larger than one binding, or too large for u32.
pub(crate) fn check_scratch(gpu: &Gpu, algorithm: &str, bytes: u64, precision: Precision) -> Result<()> {
    let what = format!("the scratch of {algorithm}");
    check_binding(gpu, &what, bytes)?;
    check_limit(what, bytes / precision.bytes(), NUMBERING, u32::MAX.into())
}

/// The limit of kernels that count in u32.
const NUMBERING: &str = "numbering by u32";

/// Most rows in all, and largest stride between two rows.
const MOST_NUMBERED: u64 = 1 << 31;

/// [`Error::Limit`] for more rows, or larger strides, than the kernels count.
pub(crate) fn check_numbering(shape: &Shape) -> Result<()> {
    // Row numbers are u32, rounded up to powers of two; the last number means "none".
    let rows = (shape.n as u64).saturating_mul(shape.batch as u64).saturating_mul(shape.columns as u64);
    // Unused strides (of a batch of one) may be large.
    let strides = |layout: Layout| [layout.element_stride, layout.system_stride, layout.group_stride];
    let both = [shape.layout, shape.right_layout()].into_iter().flat_map(strides);
    let stride = both.fold(shape.column_stride, usize::max) as u64;
    check_limit("the rows of all right-hand sides", rows, NUMBERING, MOST_NUMBERED)?;
    check_limit("the largest stride", stride, NUMBERING, MOST_NUMBERED)
}

/// Checks a shape whose rows follow from one another: one column, and `vectors` that fit. Returns its parameters.
///
/// # Errors
/// [`Error::Shape`], [`Error::Limit`], [`Error::Unsupported`], [`Error::DeviceLost`].
pub(crate) fn check_sequences<T: Real>(gpu: &Gpu, shape: &Shape, vectors: &str) -> Result<Params> {
    gpu.alive()?;
    check_precision::<T>(gpu)?;
    shape.validate_sequences()?;
    let rows = shape.matrix_len().ok_or_else(|| shape.past_addresses())? as u64;
    check_binding(gpu, vectors, rows.saturating_mul(T::PRECISION.bytes()))?;
    check_numbering(shape)?;
    Ok(Params::new(shape))
}
