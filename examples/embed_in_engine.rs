//! A solve inside an engine that owns its wgpu device, its buffers and its compute pass.
//!
//! A beam of heat runs along a metal rod. Each frame is one submit of one compute pass:
//!
//! 1. `heat`, a kernel of the engine's: right-hand side = temperature + what the beam adds;
//! 2. the solve of an implicit diffusion step, recorded by trisolve;
//! 3. `glow`, another kernel of the engine's: temperatures to colours.
//!
//! Planning and binding happen once. After that trisolve allocates nothing, submits nothing and
//! reads nothing back: the program counts wgpu's live objects around a frame, and heap
//! allocations around `record`, and compares the last temperatures with f64 on the CPU.
//!
//! `cargo run --example embed_in_engine`

mod failure;

use failure::Failure;
use trisolve::tridiagonal::{DeviceSystem, Options, Shape, TridiagonalPlan};
use trisolve::{DeviceSlice, Gpu, cpu};

/// Cells of the rod.
const N: usize = 10_000;
/// Diffusivity * time step / cell^2.
const RATE: f32 = 4000.0;
const FRAMES: u32 = 16;
/// Cells that the beam moves a frame, and its half width.
const SPEED: u32 = 500;
const HALF_WIDTH: f32 = 256.0;
/// Temperature that a frame adds under the beam's middle.
const POWER: f32 = 120.0;
const WORKGROUP: u32 = 64;

/// Every array here is a range of the one arena, and a dispatch may not bind one buffer both
/// as `read` and as `read_write`: so all are `read_write`, also where nothing is written.
/// (trisolve notices by itself that its inputs and outputs share a buffer.)
const KERNELS: &str = "
    override WORKGROUP: u32;
    override N: u32;
    override SPEED: u32;
    override HALF_WIDTH: f32;
    override POWER: f32;

    @group(0) @binding(0) var<uniform> frame: u32;
    @group(0) @binding(1) var<storage, read_write> temperature: array<f32>;
    @group(0) @binding(2) var<storage, read_write> rhs: array<f32>;
    @group(0) @binding(3) var<storage, read_write> colours: array<u32>;

    @compute @workgroup_size(WORKGROUP)
    fn heat(@builtin(global_invocation_id) id: vec3u) {
        if id.x >= N { return; }
        let distance = (f32(id.x) - f32(SPEED * (frame + 1u))) / HALF_WIDTH;
        let bump = max(0.0, 1.0 - distance * distance);
        rhs[id.x] = temperature[id.x] + POWER * bump * bump;
    }

    @compute @workgroup_size(WORKGROUP)
    fn glow(@builtin(global_invocation_id) id: vec3u) {
        if id.x >= N { return; }
        let hot = clamp(temperature[id.x] / 100.0, 0.0, 1.0);
        // Black, red, yellow, white.
        colours[id.x] = pack4x8unorm(vec4f(clamp(3.0 * hot - vec3f(0.0, 1.0, 2.0), vec3f(0.0), vec3f(1.0)), 1.0));
    }
";

/// One buffer for everything, handed out in ranges that start where a binding may.
struct Arena {
    buffer: wgpu::Buffer,
    /// Bytes from one array of N words to the next.
    stride: u64,
}

/// Which range of the arena holds what.
#[derive(Clone, Copy)]
enum Array {
    /// Lower and upper diagonal at once: they are equal, and the unused corners are not read.
    OffDiagonal,
    Diagonal,
    RightHandSide,
    Temperature,
    Colours,
}

impl Arena {
    const ARRAYS: u64 = 5;

    fn new(device: &wgpu::Device) -> Self {
        let alignment = u64::from(device.limits().min_storage_buffer_offset_alignment);
        let stride = (N as u64 * 4).next_multiple_of(alignment);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("arena"),
            size: Self::ARRAYS * stride,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { buffer, stride }
    }

    fn offset(&self, array: Array) -> u64 {
        array as u64 * self.stride
    }

    /// The range as trisolve wants it.
    fn slice(&self, array: Array) -> DeviceSlice<'_, f32> {
        DeviceSlice::new(&self.buffer, self.offset(array), N)
    }

    /// The range as wgpu wants it.
    fn binding(&self, array: Array) -> wgpu::BindingResource<'_> {
        let size = wgpu::BufferSize::new(N as u64 * 4);
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &self.buffer, offset: self.offset(array), size })
    }
}

/// A kernel of the engine's own.
struct Kernel {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

impl Kernel {
    fn new(
        device: &wgpu::Device,
        module: &wgpu::ShaderModule,
        name: &str,
        entries: &[(u32, wgpu::BindingResource)],
    ) -> Self {
        let constants = [
            ("WORKGROUP", f64::from(WORKGROUP)),
            ("N", N as f64),
            ("SPEED", f64::from(SPEED)),
            ("HALF_WIDTH", f64::from(HALF_WIDTH)),
            ("POWER", f64::from(POWER)),
        ];
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() },
            cache: None,
        });
        let entries: Vec<_> = entries
            .iter()
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding: *binding, resource: resource.clone() })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(name),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Self { pipeline, group }
    }

    fn record(&self, pass: &mut wgpu::ComputePass) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups((N as u32).div_ceil(WORKGROUP), 1, 1);
    }
}

/// wgpu's live objects, of whoever made them: what a frame must not add to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Objects {
    buffers: usize,
    bind_groups: usize,
    pipelines: usize,
    shaders: usize,
    command_buffers: usize,
}

impl Objects {
    fn count(instance: &wgpu::Instance) -> Result<Self, Failure> {
        let report = instance.generate_report().ok_or("this wgpu backend does not count its objects")?;
        let all = report.hub_report();
        Ok(Self {
            buffers: all.buffers.num_allocated,
            bind_groups: all.bind_groups.num_allocated,
            pipelines: all.compute_pipelines.num_allocated,
            shaders: all.shader_modules.num_allocated,
            command_buffers: all.command_buffers.num_allocated,
        })
    }
}

/// The engine's device. trisolve's wishes go in beside the engine's own.
fn open() -> Result<(wgpu::Instance, wgpu::AdapterInfo, wgpu::Device, wgpu::Queue), Failure> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    // Vulkan, Metal or DirectX 12: OpenGL's compute is too limited.
    descriptor.backends &= wgpu::Backends::PRIMARY;
    let instance = wgpu::Instance::new(descriptor);
    let adapter = pollster::block_on(wgpu::util::initialize_adapter_from_env_or_default(&instance, None))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("engine"),
        required_features: trisolve::wanted_features(&adapter),
        required_limits: trisolve::required_limits(&adapter),
        ..Default::default()
    }))?;
    Ok((instance, adapter.get_info(), device, queue))
}

fn main() -> Result<(), Failure> {
    let (instance, info, device, queue) = open()?;
    println!("on {}", info.name);
    let arena = Arena::new(&device);
    let frame_number = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("frame number"),
        size: 4,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let (off, diag) = matrix();
    queue.write_buffer(&arena.buffer, arena.offset(Array::OffDiagonal), bytemuck::cast_slice(&off));
    queue.write_buffer(&arena.buffer, arena.offset(Array::Diagonal), bytemuck::cast_slice(&diag));

    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("engine"),
        source: wgpu::ShaderSource::Wgsl(KERNELS.into()),
    });
    let temperature = (1, arena.binding(Array::Temperature));
    let heat = Kernel::new(
        &device,
        &module,
        "heat",
        &[(0, frame_number.as_entire_binding()), temperature.clone(), (2, arena.binding(Array::RightHandSide))],
    );
    let glow = Kernel::new(&device, &module, "glow", &[temperature, (3, arena.binding(Array::Colours))]);

    // Once: both handles are reference-counted, the engine keeps its own.
    let gpu = Gpu::from_wgpu(device.clone(), queue.clone(), info);
    let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(N), Options::default())?;
    let solve = plan.bind(&DeviceSystem {
        lower: arena.slice(Array::OffDiagonal),
        diag: arena.slice(Array::Diagonal),
        upper: arena.slice(Array::OffDiagonal),
        rhs: arena.slice(Array::RightHandSide),
        x: Some(arena.slice(Array::Temperature)),
    })?;
    println!("a rod of {N} cells: {} in {} dispatches", plan.algorithm(), plan.dispatches());

    // Each frame: one encoder, one pass, one submit. `record` cannot fail. It sets the pass's
    // pipeline and bind group 0, so set your own again after it, as `glow.record` does.
    let mut allocations = 0;
    let mut draw = |frame: u32| {
        queue.write_buffer(&frame_number, 0, bytemuck::bytes_of(&frame));
        let mut encoder = device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            heat.record(&mut pass);
            let before = heap::allocations();
            solve.record(&mut pass);
            allocations += heap::allocations() - before;
            glow.record(&mut pass);
        }
        queue.submit([encoder.finish()]);
    };
    draw(0);
    let before = Objects::count(&instance)?;
    draw(1);
    let after = Objects::count(&instance)?;
    (2..FRAMES).for_each(draw);
    println!("before frame 2: {before:?}");
    println!("and after it:   {after:?}");
    println!("heap allocations in {FRAMES} calls of `record`: {allocations}");
    if before != after || allocations != 0 {
        return Err("a frame allocated something".into());
    }

    // Once, at the end: was every input and every unknown finite, in every frame?
    let status = solve.read_status()?;
    println!("status after {FRAMES} frames: {status:?}");
    status.check()?;

    let temperature: Vec<f32> = read(&device, &queue, &arena, Array::Temperature)?;
    let colours: Vec<u32> = read(&device, &queue, &arena, Array::Colours)?;
    let expected = reference(&off, &diag)?;
    let hottest = expected.iter().copied().fold(0.0, f64::max);
    let error = temperature.iter().zip(&expected).map(|(&x, y)| (f64::from(x) - y).abs()).fold(0.0, f64::max);
    draw_rod(&colours);
    // Each frame adds a few roundings of what is there: the matrix damps all of them.
    let allowed = f64::from(FRAMES) * 16.0 * f64::from(f32::EPSILON);
    println!("hottest {hottest:.1}; largest error against f64 on the CPU {:.1e} of it", error / hottest);
    if error.is_nan() || error > allowed * hottest {
        return Err(format!("the error is larger than {allowed:.1e} of the hottest").into());
    }
    Ok(())
}

/// An implicit step: (1 + 2 RATE) T[i] - RATE (T[i-1] + T[i+1]) = rhs[i], ends insulated.
fn matrix() -> (Vec<f32>, Vec<f32>) {
    let mut diag = vec![1.0 + 2.0 * RATE; N];
    diag[0] = 1.0 + RATE;
    diag[N - 1] = 1.0 + RATE;
    (vec![-RATE; N], diag)
}

/// All frames again, in f64 by elimination with pivoting.
fn reference(off: &[f32], diag: &[f32]) -> trisolve::Result<Vec<f64>> {
    let wide = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
    let (off, diag) = (wide(off), wide(diag));
    let mut temperature = vec![0.0; N];
    for frame in 0..FRAMES {
        let centre = f64::from(SPEED * (frame + 1));
        for (cell, temperature) in temperature.iter_mut().enumerate() {
            let distance = (cell as f64 - centre) / f64::from(HALF_WIDTH);
            *temperature += f64::from(POWER) * (1.0 - distance * distance).max(0.0).powi(2);
        }
        temperature = cpu::gtsv(&off, &diag, &off, &temperature)?;
    }
    Ok(temperature)
}

/// The engine's own read-back of one array of the arena.
fn read<T: bytemuck::Pod>(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    arena: &Arena,
    array: Array,
) -> Result<Vec<T>, Failure> {
    let staging = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read-back"),
        size: N as u64 * 4,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(&arena.buffer, arena.offset(array), &staging, 0, staging.size());
    queue.submit([encoder.finish()]);
    let (send, mapped) = std::sync::mpsc::channel();
    staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // The receiver below outlives the poll.
        let _ = send.send(result);
    });
    device.poll(wgpu::PollType::wait_indefinitely())?;
    mapped.recv()??;
    let bytes = staging.slice(..).get_mapped_range()?;
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}

/// The colours' brightness as a line of characters.
fn draw_rod(colours: &[u32]) {
    const WIDTH: usize = 100;
    const RAMP: &[u8] = b" .:-=+*#%@";
    let brightness = |colour: u32| colour.to_le_bytes()[..3].iter().map(|&b| usize::from(b)).sum::<usize>();
    let line: String = (0..WIDTH)
        .map(|at| colours[at * colours.len() / WIDTH])
        .map(|colour| char::from(RAMP[brightness(colour) * (RAMP.len() - 1) / (3 * 255)]))
        .collect();
    println!("[{line}]");
}

/// Counts heap allocations, of whoever makes them; an engine needs nothing of this. Every wgpu
/// object costs one, also if it is dropped at once. The growth of a list that exists (wgpu's of
/// the pass's commands) is not counted.
mod heap {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counting;

    static COUNT: AtomicUsize = AtomicUsize::new(0);

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    pub fn allocations() -> usize {
        COUNT.load(Ordering::Relaxed)
    }

    // SAFETY: all is left to the system's allocator.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            COUNT.fetch_add(1, Ordering::Relaxed);
            // SAFETY: the caller's promises are those that `System` asks for.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            // SAFETY: as above; every pointer here came from `System`.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            // SAFETY: as above.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }
}
