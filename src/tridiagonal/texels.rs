//! Textures as right-hand sides and unknowns: those that formulas read, and the dispatch that writes one.

use crate::error::{Error, Result, check_limit};
use crate::gpu::{DeviceSlice, DeviceVector, Gpu, Stage};
use crate::plan::{Along, Shape};
use crate::real::Real;
use crate::shader::{Part, Permutation, parts};

const WORKGROUP: u32 = 256;

/// What a name means in [`TridiagonalPlan::bind_named`](super::TridiagonalPlan::bind_named).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Resource<'a, T> {
    /// Numbers in device memory.
    Vector(DeviceSlice<'a, T>),
    /// A texture of two dimensions. As a source of formulas: of floating-point or normalised numbers, or of depths, with `TextureUsages::TEXTURE_BINDING`. As x: of the
    /// format rgba16float, rgba32float, r32float or rgba8unorm, with `TextureUsages::STORAGE_BINDING`.
    Texture(&'a wgpu::TextureView),
}

impl<'a, T> From<DeviceSlice<'a, T>> for Resource<'a, T> {
    fn from(slice: DeviceSlice<'a, T>) -> Self {
        Self::Vector(slice)
    }
}

impl<'a, T> From<&'a wgpu::TextureView> for Resource<'a, T> {
    fn from(view: &'a wgpu::TextureView) -> Self {
        Self::Texture(view)
    }
}

/// [`Error::Options`] for a texture that formulas cannot read.
pub(super) fn check_source(name: &str, view: &wgpu::TextureView) -> Result<()> {
    let texture = view.texture();
    let format = texture.format();
    // Of a depth texture without a stencil, a texel is its depth.
    let sampled = format.sample_type(None, None).or(format.sample_type(Some(wgpu::TextureAspect::DepthOnly), None));
    let is_float = matches!(sampled, Some(wgpu::TextureSampleType::Float { .. } | wgpu::TextureSampleType::Depth));
    let wanted = if !texture.usage().contains(wgpu::TextureUsages::TEXTURE_BINDING) {
        "TextureUsages::TEXTURE_BINDING".to_owned()
    } else if texture.dimension() != wgpu::TextureDimension::D2 || texture.sample_count() > 1 {
        "two dimensions, and one sample per texel".to_owned()
    } else if !is_float {
        format!("floating-point or normalised numbers, unlike {format:?}")
    } else {
        return Ok(());
    };
    Err(Error::Options(format!("the texture {name} needs {wanted}")))
}

parts! {
    TEXELS = "tridiagonal/texels";
    RGBA16FLOAT = "tridiagonal/picture_rgba16float";
    RGBA32FLOAT = "tridiagonal/picture_rgba32float";
    R32FLOAT = "tridiagonal/picture_r32float";
    RGBA8UNORM = "tridiagonal/picture_rgba8unorm";
}

/// The formats of textures that unknowns are written to.
const FORMATS: [(wgpu::TextureFormat, Part); 4] = [
    (wgpu::TextureFormat::Rgba16Float, RGBA16FLOAT),
    (wgpu::TextureFormat::Rgba32Float, RGBA32FLOAT),
    (wgpu::TextureFormat::R32Float, R32FLOAT),
    (wgpu::TextureFormat::Rgba8Unorm, RGBA8UNORM),
];

fn permutation<T: Real>(picture: Part, channels: u32) -> Permutation {
    Permutation {
        kernel: "texels",
        precision: T::PRECISION,
        writable_inputs: false,
        subgroups: false,
        parts: vec![picture, TEXELS],
        constants: vec![],
        overrides: vec![("WORKGROUP", WORKGROUP), ("CHANNELS", channels)],
        caller: None,
    }
}

/// The dispatch that writes the unknowns of a shape into a texture.
///
/// # Errors
/// [`Error::Options`] for a texture of another format, size or usage.
pub(super) fn writing<T: Real>(
    gpu: &Gpu,
    shape: &Shape,
    unknowns: &DeviceVector<T>,
    view: &wgpu::TextureView,
) -> Result<Stage> {
    let texture = view.texture();
    let (format, size) = (texture.format(), texture.size());
    let refused = |wanted: String| Err(Error::Options(format!("the texture for x needs {wanted}")));
    if !texture.usage().contains(wgpu::TextureUsages::STORAGE_BINDING) {
        return refused("TextureUsages::STORAGE_BINDING".into());
    }
    if texture.dimension() != wgpu::TextureDimension::D2 || size.depth_or_array_layers != 1 {
        return refused("two dimensions, and one layer".into());
    }
    // A view does not tell its level.
    if texture.mip_level_count() != 1 {
        return refused(format!("one mip level, not {}", texture.mip_level_count()));
    }
    let Some((_, picture)) = FORMATS.iter().find(|(own, _)| *own == format) else {
        return refused(format!("the format rgba16float, rgba32float, r32float or rgba8unorm, not {format:?}"));
    };
    let [width, height] = [size.width, size.height].map(|side| side as usize);
    let texels = width * height;
    let (channels, most) = (shape.columns, usize::from(format.components()));
    let is_image = |along| {
        let pixels = Shape::pixels(width, height, channels, along);
        let places = |shape: &Shape| {
            let column_stride = if channels > 1 { shape.column_stride } else { 0 };
            (shape.n, shape.batch, shape.right_layout(), column_stride)
        };
        places(&pixels) == places(shape)
    };
    if !is_image(Along::Rows) && !is_image(Along::Columns) || channels > most {
        return refused(format!(
            "a plan of Shape::pixels({width}, {height}, 1 to {most}, ..), since it has {width} x {height} texels of {most} \
             channels; this plan's shape is {shape:?}"
        ));
    }
    let limit = u64::from(gpu.capabilities().limits.max_storage_textures_per_shader_stage);
    check_limit(format_args!("a texture for x"), 1, "max_storage_textures_per_shader_stage", limit)?;
    let permutation = permutation::<T>(*picture, channels as u32);
    let what = format_args!("a texture of {texels} texels");
    check_limit(what, texels as u64, "u32", u64::from(u32::MAX))?;
    let slice = unknowns.as_slice();
    let buffers = [(1, slice.binding())];
    let workgroups = (texels as u64).div_ceil(WORKGROUP.into());
    Stage::with_textures(gpu, "texels", gpu.kernel(&permutation)?, &buffers, &[(2, view)], workgroups)
}

/// A texture of one texel for a run on zeros.
pub(super) fn of_zeros(gpu: &Gpu) -> Result<wgpu::TextureView> {
    let descriptor = wgpu::TextureDescriptor {
        label: Some("zeros"),
        size: wgpu::Extent3d::default(),
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba32Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    };
    gpu.guarded("a texture of zeros", 16, || {
        gpu.device().create_texture(&descriptor).create_view(&wgpu::TextureViewDescriptor::default())
    })
}

/// Every permutation, for the tests.
#[cfg(feature = "internals")]
pub fn permutations() -> Vec<Permutation> {
    let all = FORMATS.into_iter().map(|(format, picture)| permutation::<f32>(picture, format.components().into()));
    all.chain([permutation::<f64>(RGBA16FLOAT, 3)]).collect()
}
