//! The simulation on the device: explicit and implicit half steps, and the errors of the temperatures on the way.

use std::time::{Duration, Instant};

use trisolve::gpu::PassTimer;
use trisolve::tridiagonal::{Algorithm, Bound, DeviceSystem, Diagonal, Options, Shape, TridiagonalPlan};
use trisolve::{DeviceVector, Gpu};

use super::modes::{DIFFUSIVITY, error_bound, exact};

/// An idle GPU needs this long to raise its clock.
const WARM_UP: Duration = Duration::from_millis(500);
/// When the last picture is taken; the side of the plate is 1.
pub const END: f64 = 0.01;
/// Pictures are taken after these shares of the steps.
pub const PICTURES: [f64; 4] = [0.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];

/// The explicit half step: rhs = (1 + r/2 D) u along one direction, 0 beyond the edges.
const EXPLICIT: &str = "
    override M: u32;            // nodes along a side
    override HALF_R: f32;
    override STRIDE: u32;       // from a node to the next in the direction of D: 1 or M

    @group(0) @binding(0) var<storage, read> u: array<f32>;
    @group(0) @binding(1) var<storage, read_write> rhs: array<f32>;

    @compute @workgroup_size(16, 16)
    fn main(@builtin(global_invocation_id) id: vec3u) {
        if id.x >= M || id.y >= M { return; }
        let at = id.y * M + id.x;
        let along = select(id.y, id.x, STRIDE == 1u);
        var before = 0.0;
        var after = 0.0;
        if along > 0u { before = u[at - STRIDE]; }
        if along + 1u < M { after = u[at + STRIDE]; }
        rhs[at] = u[at] + HALF_R * ((before - u[at]) + (after - u[at]));
    }
";

/// A recorded dispatch of [`EXPLICIT`].
struct Explicit {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    workgroups: u32,
}

impl Explicit {
    fn new(gpu: &Gpu, m: usize, half_r: f64, stride: usize, u: &wgpu::Buffer, rhs: &wgpu::Buffer) -> Self {
        let device = gpu.device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("explicit half step"),
            source: wgpu::ShaderSource::Wgsl(EXPLICIT.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("explicit half step"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("M", m as f64), ("HALF_R", half_r), ("STRIDE", stride as f64)],
                ..Default::default()
            },
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("explicit half step"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: u.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: rhs.as_entire_binding() },
            ],
        });
        Self { pipeline, group, workgroups: (m as u32).div_ceil(16) }
    }

    fn record(&self, pass: &mut wgpu::ComputePass) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(self.workgroups, self.workgroups, 1);
    }
}

/// An implicit half step along one axis of the array, for all lines at once.
struct Implicit {
    plan: TridiagonalPlan<f32>,
    bound: Bound,
}

impl Implicit {
    /// Off-diagonals are -r/2 and the diagonal is 1 + r: by its excess, 1. At the edges the
    /// neighbour is the edge itself, whose temperature 0 leaves the equation while its r/2
    /// stays on the diagonal: excess 1 + r/2. The off-diagonals of both axes, lower and upper,
    /// are one vector, since what is not read may hold anything.
    fn new(
        gpu: &Gpu,
        m: usize,
        axis: usize,
        algorithm: Algorithm,
        half_r: f64,
        [off, rhs, u]: [&DeviceVector<f32>; 3],
    ) -> Result<Self, trisolve::Error> {
        let shape = Shape::axis(&[m, m], axis)?;
        let mut excess = vec![1.0; m * m];
        for line in 0..m {
            excess[shape.matrix_index(line, 0)] += half_r as f32;
            excess[shape.matrix_index(line, m - 1)] += half_r as f32;
        }
        let excess = DeviceVector::from_slice(gpu, "excess", &excess)?;
        let options = Options::default().algorithm(algorithm).diagonal(Diagonal::Excess);
        let plan = TridiagonalPlan::new(gpu, shape, options)?;
        let bound = plan.bind(&DeviceSystem {
            lower: off.as_slice(),
            diag: excess.as_slice(),
            upper: off.as_slice(),
            rhs: rhs.as_slice(),
            x: Some(u.as_slice()),
        })?;
        Ok(Self { plan, bound })
    }
}

/// The result of one algorithm.
pub struct Simulation {
    pub algorithm: Algorithm,
    /// The temperature at [`PICTURES`], one behind the other.
    pub temperatures: Vec<f32>,
    /// Seconds of device time of a step: two explicit and two implicit half steps.
    pub step_seconds: f64,
    /// The largest error over the pictures, and the largest share of its bound.
    pub error: f64,
    pub of_bound: f64,
}

/// Takes all steps by an algorithm, and judges the pictures on the way.
pub fn simulate(gpu: &Gpu, m: usize, steps: usize, algorithm: Algorithm) -> trisolve::Result<Simulation> {
    let h = 1.0 / (m + 1) as f64;
    let half_r = DIFFUSIVITY * END / steps as f64 / (h * h) / 2.0;
    // The array [y, x], row by row; node (0, 0) lies one h inside the corner.
    let start: Vec<_> =
        (0..m * m).map(|at| exact((at % m + 1) as f64 * h, (at / m + 1) as f64 * h, 0.0) as f32).collect();
    let u = DeviceVector::from_slice(gpu, "temperature", &start)?;
    let rhs = DeviceVector::new(gpu, "right-hand side", m * m)?;
    let off = DeviceVector::from_slice(gpu, "off-diagonals", &vec![-half_r as f32; m * m])?;
    let pictures = DeviceVector::new(gpu, "pictures", PICTURES.len() * m * m)?;

    let explicit_y = Explicit::new(gpu, m, half_r, m, u.buffer(), rhs.buffer());
    let explicit_x = Explicit::new(gpu, m, half_r, 1, u.buffer(), rhs.buffer());
    let implicit_y = Implicit::new(gpu, m, 0, algorithm, half_r, [&off, &rhs, &u])?;
    let implicit_x = Implicit::new(gpu, m, 1, algorithm, half_r, [&off, &rhs, &u])?;
    let record_step = |pass: &mut wgpu::ComputePass| {
        explicit_y.record(pass);
        implicit_x.bound.record(pass);
        explicit_x.record(pass);
        implicit_y.bound.record(pass);
    };
    println!(
        "{steps} steps on {m} x {m} nodes, by {} along x and {} along y",
        implicit_x.plan.algorithm(),
        implicit_y.plan.algorithm()
    );
    println!("  (an explicit scheme would need {:.0} steps to be stable)", 4.0 * 2.0 * half_r * steps as f64);

    let clock = Instant::now();
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let mut done = 0;
    for (at, share) in PICTURES.into_iter().enumerate() {
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for _ in done..(share * steps as f64) as usize {
                record_step(&mut pass);
            }
        }
        done = (share * steps as f64) as usize;
        let bytes = 4 * (m * m) as u64;
        encoder.copy_buffer_to_buffer(u.buffer(), 0, pictures.buffer(), at as u64 * bytes, bytes);
    }
    gpu.queue().submit([encoder.finish()]);
    let temperatures = pictures.read(gpu)?;
    println!("  {:.3} s from the first recorded step to the temperatures on the host", clock.elapsed().as_secs_f64());
    implicit_x.bound.read_status()?.check()?;
    implicit_y.bound.read_status()?.check()?;
    // The pictures are taken: further steps only cool the plate down.
    let samples = PassTimer::new(gpu)?.measure(WARM_UP, 15, record_step)?;
    println!("  {:.1} us per step", samples.median() * 1e6);
    let (error, of_bound) = judge(&temperatures, m, steps);
    Ok(Simulation { algorithm, temperatures, step_seconds: samples.median(), error, of_bound })
}

/// The largest error of the pictures, and the largest share of its bound.
fn judge(temperatures: &[f32], m: usize, steps: usize) -> (f64, f64) {
    let (h, dt) = (1.0 / (m + 1) as f64, END / steps as f64);
    let (mut largest, mut of_bound) = (0f64, 0f64);
    for (picture, share) in temperatures.chunks(m * m).zip(PICTURES) {
        let time = share * END;
        let error = largest_error(picture, m, time);
        // The scheme's error, plus f32 rounding: a half step is right to two epsilon or so. Its
        // rounding is much the same in every row and step, so that these add up.
        let half_steps = 2.0 * share * steps as f64;
        let rounding = 2.0 * (half_steps + 1.0) * f64::from(f32::EPSILON);
        let bound = error_bound(h, dt, time, rounding);
        println!("  t = {time:.6}: largest error {error:.1e}, bound {bound:.1e}");
        // `max` would drop a NaN.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        (largest, of_bound) = (largest.max(error), of_bound.max(error / bound));
    }
    (largest, of_bound)
}

fn largest_error(picture: &[f32], m: usize, time: f64) -> f64 {
    let h = 1.0 / (m + 1) as f64;
    let mut largest = 0.0;
    for (at, &u) in picture.iter().enumerate() {
        let error = (f64::from(u) - exact((at % m + 1) as f64 * h, (at / m + 1) as f64 * h, time)).abs();
        // `max` would drop a NaN.
        if error > largest || error.is_nan() {
            largest = error;
        }
    }
    largest
}

/// The largest difference between the temperatures of two algorithms.
pub fn largest_difference(one: &Simulation, other: &Simulation) -> f64 {
    let pairs = one.temperatures.iter().zip(&other.temperatures);
    // A NaN stays.
    pairs.map(|(a, b)| f64::from(a - b).abs()).fold(0.0, |most, off| if off <= most { most } else { off })
}
