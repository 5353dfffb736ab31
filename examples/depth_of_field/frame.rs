//! The dispatches of a frame: by formulas from texture to texture, and with buffers for what the formulas compute.

use trisolve::tridiagonal::{
    Along, Bound, DeviceSystem, Diagonal, Form, Forms, Formulas, Options, Shape, TridiagonalPlan,
};
use trisolve::wgpu::{self, TextureFormat, TextureUsages};
use trisolve::{DeviceVector, Gpu};

use super::failure::Failure;
use super::scene::Scene;

/// The colours that are solved for; a texel has a fourth channel.
const CHANNELS: usize = 3;

pub struct Textures {
    size: wgpu::Extent3d,
    image: wgpu::TextureView,
    depth: wgpu::TextureView,
    target: wgpu::Texture,
}

impl Textures {
    pub fn new(gpu: &Gpu, scene: &Scene) -> Self {
        let size = wgpu::Extent3d { width: scene.width, height: scene.height, depth_or_array_layers: 1 };
        let texture = |label, format, usage| {
            gpu.device().create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size,
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let read = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST;
        let written = TextureUsages::STORAGE_BINDING | TextureUsages::COPY_SRC;
        let image = texture("image", TextureFormat::Rgba16Float, read);
        let depth = texture("depth", TextureFormat::R32Float, read);
        let target = texture("target", TextureFormat::Rgba16Float, written);
        let texels: Vec<u16> =
            scene.colours.iter().flat_map(|&[r, g, b]| [half(r), half(g), half(b), half(1.0)]).collect();
        let upload = |texture: &wgpu::Texture, bytes: &[u8]| {
            let bytes_per_row = Some(bytes.len() as u32 / size.height);
            let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
            gpu.queue().write_texture(texture.as_image_copy(), bytes, layout, size);
        };
        upload(&image, bytemuck::cast_slice(&texels));
        upload(&depth, bytemuck::cast_slice(&scene.depths));
        let [image, depth] = [image, depth].map(|texture| view(&texture));
        Self { size, image, depth, target }
    }

    fn shape(&self, along: Along) -> Shape {
        Shape::pixels(self.size.width as usize, self.size.height as usize, CHANNELS, along)
    }

    /// The target's colours.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<[f32; 3]>, Failure> {
        let width = 8 * self.size.width as usize;
        let pitch = width.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize);
        let copy = DeviceVector::<f32>::new(gpu, "texels", pitch / 4 * self.size.height as usize)?;
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch as u32), rows_per_image: None };
        let into = wgpu::TexelCopyBufferInfo { buffer: copy.buffer(), layout };
        encoder.copy_texture_to_buffer(self.target.as_image_copy(), into, self.size);
        gpu.queue().submit([encoder.finish()]);
        let bytes = copy.read(gpu)?;
        let rows = bytemuck::cast_slice::<f32, u16>(&bytes).chunks(pitch / 2);
        Ok(rows.flat_map(|row| row[..width / 2].chunks(4)).map(|rgba| [0, 1, 2].map(|c| single(rgba[c]))).collect())
    }
}

fn view(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// A number from 2^-14 to 65504, or 0, in half precision.
fn half(value: f32) -> u16 {
    // Exponents differ by 112; 13 bits of the mantissa are rounded off.
    if value < 6.2e-5 { 0 } else { ((value.to_bits() + 0x0fff - (112 << 23)) >> 13) as u16 }
}

/// A number in half precision, in single.
fn single(half: u16) -> f32 {
    let bits = u32::from(half);
    match bits & 0x7c00 {
        0 => 0.0,
        _ => f32::from_bits(((bits & 0x7fff) << 13) + (112 << 23)) * if bits >> 15 == 1 { -1.0 } else { 1.0 },
    }
}

/// The radius of the circle of confusion of a pixel, in pixels: `lens` holds the depth in focus and the diameter at infinity.
fn radius(pixel: &str) -> String {
    format!("0.5 * lens(1u) * abs(1.0 - lens(0u) / depth({pixel}, 0u))")
}

/// The entry beside the diagonal: how well two neighbours conduct. The sharper one determines it, so that nothing in focus bleeds. A point that
/// diffuses by steps of variance radius^2 along rows and columns spreads to that radius.
fn conductance(one: &str, other: &str) -> String {
    format!("let sharper = min({}, {});\nreturn -0.5 * sharper * sharper;", radius(one), radius(other))
}

/// The matrix of each line: an excess of 1, and conductances from the depths.
fn matrix(along: Along) -> Formulas {
    let pixel = |i: &str| match along {
        Along::Rows => format!("{i}, system"),
        Along::Columns => format!("system, {i}"),
    };
    Formulas::new()
        .lower(conductance(&pixel("max(i, 1u) - 1u"), &pixel("i")))
        .upper(conductance(&pixel("i"), &pixel("i + 1u")))
        .diag("real(1.0)")
        .texture("depth")
        .vector("lens")
}

fn options() -> Options {
    Options::default().diagonal(Diagonal::Excess)
}

/// Rows from the image into a buffer, columns from it into the target.
pub struct ByFormulas {
    pub lens: DeviceVector<f32>,
    pub rows: Bound,
    columns: Bound,
}

impl ByFormulas {
    pub fn new(gpu: &Gpu, textures: &Textures) -> Result<Self, Failure> {
        let lens = DeviceVector::new(gpu, "lens", 2)?;
        let (along_rows, along_columns) = (textures.shape(Along::Rows), textures.shape(Along::Columns));
        let from_image = matrix(Along::Rows).rhs("image(i, system, column)").texture("image");
        let rows = TridiagonalPlan::<f32>::with_formulas(gpu, along_rows, options(), &from_image)?;
        let columns = TridiagonalPlan::<f32>::with_formulas(gpu, along_columns, options(), &matrix(Along::Columns))?;
        // The shapes are small enough to have a length.
        let between = DeviceVector::<f32>::new(gpu, "between", along_rows.rhs_len().unwrap_or_default())?;
        let [image, depth] = [&textures.image, &textures.depth];
        let shared = [("depth", depth.into()), ("lens", lens.as_slice().into())];
        let rows =
            rows.bind_named(&[shared[0], shared[1], ("image", image.into())], Some(between.as_slice().into()))?;
        let target = view(&textures.target);
        let columns =
            columns.bind_named(&[shared[0], shared[1], ("rhs", between.as_slice().into())], Some((&target).into()))?;
        Ok(Self { lens, rows, columns })
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.rows.record(pass);
        self.columns.record(pass);
    }

    pub fn check(&self) -> Result<(), Failure> {
        self.rows.read_status()?.check()?;
        Ok(self.columns.read_status()?.check()?)
    }
}

/// The engine's kernels where there are no formulas.
const KERNELS: &str = "
    @group(0) @binding(0) var image: texture_2d<f32>;
    @group(0) @binding(1) var depth: texture_2d<f32>;
    @group(0) @binding(2) var<storage, read> lens: array<f32>;
    @group(0) @binding(3) var<storage, read_write> colours: array<f32>;
    // Between each pixel and the next one in its row, and in its column.
    @group(0) @binding(4) var<storage, read_write> right: array<f32>;
    @group(0) @binding(5) var<storage, read_write> below: array<f32>;
    @group(0) @binding(6) var target_image: texture_storage_2d<rgba16float, write>;

    fn radius(pixel: vec2u) -> f32 {
        let last = textureDimensions(depth) - vec2u(1);
        return 0.5 * lens[1] * abs(1.0 - lens[0] / textureLoad(depth, min(pixel, last), 0).x);
    }

    fn conductance(one: vec2u, other: vec2u) -> f32 {
        let sharper = min(radius(one), radius(other));
        return -0.5 * sharper * sharper;
    }

    @compute @workgroup_size(16, 16)
    fn unpack(@builtin(global_invocation_id) id: vec3u) {
        let size = textureDimensions(image);
        if any(id.xy >= size) { return; }
        let at = id.y * size.x + id.x;
        let texel = textureLoad(image, id.xy, 0);
        colours[3 * at] = texel.x;
        colours[3 * at + 1] = texel.y;
        colours[3 * at + 2] = texel.z;
        right[at] = conductance(id.xy, id.xy + vec2u(1, 0));
        below[at] = conductance(id.xy, id.xy + vec2u(0, 1));
    }

    @compute @workgroup_size(16, 16)
    fn pack(@builtin(global_invocation_id) id: vec3u) {
        let size = textureDimensions(target_image);
        if any(id.xy >= size) { return; }
        let at = 3 * (id.y * size.x + id.x);
        textureStore(target_image, id.xy, vec4f(colours[at], colours[at + 1], colours[at + 2], 1.0));
    }
";

/// A kernel of the engine's, with its bind group.
struct Kernel {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    grid: [u32; 2],
}

impl Kernel {
    fn new(
        gpu: &Gpu,
        module: &wgpu::ShaderModule,
        name: &str,
        size: wgpu::Extent3d,
        entries: &[(u32, wgpu::BindingResource<'_>)],
    ) -> Self {
        let device = gpu.device();
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let entries = entries
            .iter()
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding: *binding, resource: resource.clone() });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(name),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        });
        Self { pipeline, group, grid: [size.width.div_ceil(16), size.height.div_ceil(16)] }
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(self.grid[0], self.grid[1], 1);
    }
}

/// Coefficients and colours in buffers: a kernel before the solves writes them, and one behind them writes the target.
pub struct ByBuffers {
    pub lens: DeviceVector<f32>,
    unpack: Kernel,
    solves: [Bound; 2],
    pack: Kernel,
}

impl ByBuffers {
    pub fn new(gpu: &Gpu, textures: &Textures) -> Result<Self, Failure> {
        let shapes = [textures.shape(Along::Rows), textures.shape(Along::Columns)];
        let vector = |label, len: Option<usize>| DeviceVector::<f32>::new(gpu, label, len.unwrap_or_default());
        let lens = vector("lens", Some(2))?;
        let colours = vector("colours", shapes[0].rhs_len())?;
        let [right, below] = [vector("right", shapes[0].matrix_len())?, vector("below", shapes[0].matrix_len())?];
        let excess = DeviceVector::from_slice(gpu, "excess", &[1.0])?;
        let whole = |vector: &DeviceVector<f32>| vector.buffer().clone();
        let source = wgpu::ShaderSource::Wgsl(KERNELS.into());
        let module = gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("engine"), source });
        let target = view(&textures.target);
        let buffers = [&lens, &colours, &right, &below].map(whole);
        let buffer = |at: usize| (at as u32 + 2, buffers[at].as_entire_binding());
        let read = [&textures.image, &textures.depth].map(wgpu::BindingResource::TextureView);
        let [image, depth] = read;
        let unpack = [(0, image), (1, depth), buffer(0), buffer(1), buffer(2), buffer(3)];
        let pack = [buffer(1), (6, wgpu::BindingResource::TextureView(&target))];
        let unpack = Kernel::new(gpu, &module, "unpack", textures.size, &unpack);
        let pack = Kernel::new(gpu, &module, "pack", textures.size, &pack);
        let options = options()
            .structure(trisolve::tridiagonal::Structure::Symmetric)
            .forms(Forms { diag: Form::Constant, ..Forms::default() });
        let solve = |shape: Shape, conductances: &DeviceVector<f32>| -> Result<Bound, Failure> {
            let plan = TridiagonalPlan::<f32>::new(gpu, shape, options)?;
            let beside = conductances.as_slice();
            let rhs = colours.as_slice();
            Ok(plan.bind(&DeviceSystem { lower: beside, diag: excess.as_slice(), upper: beside, rhs, x: None })?)
        };
        let solves = [solve(shapes[0], &right)?, solve(shapes[1], &below)?];
        Ok(Self { lens, unpack, solves, pack })
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.unpack.record(pass);
        self.solves.iter().for_each(|solve| solve.record(pass));
        self.pack.record(pass);
    }
}
