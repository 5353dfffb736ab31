//! Heat in a square plate whose edges are kept at 0, by alternating directions.
//!
//! The plate's temperature is one two-dimensional array that never leaves the device. A step of
//! Peaceman and Rachford's scheme (J. SIAM 3, 1955) treats one direction explicitly and solves
//! along the other, then the other way round:
//!
//! ```text
//! (1 - r/2 D_x) u* = (1 + r/2 D_y) u        r = diffusivity * dt / h^2
//! (1 - r/2 D_y) u' = (1 + r/2 D_x) u*       D = [1 -2 1], the second difference
//! ```
//!
//! so each step solves all rows of the array, then all of its columns: two plans, one for each
//! axis, over the same buffer (`Shape::axis`). It is stable for every dt, and second order in h
//! and dt. All steps are recorded into one submission; the pictures on the way are copied on
//! the device; one read-back at the end. The start is a sum of sines, each of which decays
//! exponentially, so the exact temperature is known at any time.
//!
//! `cargo run --example heat_plate [picture.png] [grid] [algorithm...]`
//!
//! `grid` is the number of inner nodes along a side, 256 unless given, at least 32. Several algorithms, for example `thomas cr pcr`,
//! solve the same problem: their pictures stand side by side, and `picture.csv` has their times, errors and differences.

mod failure;

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use failure::{Failure, refuse};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{Rgb, RgbImage};
use trisolve::gpu::PassTimer;
use trisolve::tridiagonal::{Algorithm, Bound, DeviceSystem, Diagonal, Options, Shape, TridiagonalPlan};
use trisolve::{DeviceVector, Gpu};

/// An idle GPU needs this long to raise its clock.
const WARM_UP: Duration = Duration::from_millis(500);
const DIFFUSIVITY: f64 = 1.0;
/// When the last picture is taken; the side of the plate is 1.
const END: f64 = 0.01;
/// Pictures are taken after these shares of the steps.
const PICTURES: [f64; 4] = [0.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];

/// amplitude sin(p pi x) sin(q pi y), which decays by exp(-rate t).
struct Mode {
    amplitude: f64,
    p: f64,
    q: f64,
}

const fn mode(amplitude: f64, p: u8, q: u8) -> Mode {
    Mode { amplitude, p: p as f64, q: q as f64 }
}

const MODES: [Mode; 6] =
    [mode(0.8, 1, 1), mode(0.5, 2, 3), mode(-0.4, 3, 1), mode(0.4, 5, 4), mode(-0.35, 7, 8), mode(0.25, 11, 9)];

impl Mode {
    /// Exact temperature.
    fn at(&self, x: f64, y: f64, time: f64) -> f64 {
        self.amplitude.signum() * self.left(time) * (self.p * PI * x).sin() * (self.q * PI * y).sin()
    }

    /// What is left of the amplitude, without sign.
    fn left(&self, time: f64) -> f64 {
        self.amplitude.abs() * (-self.rate() * time).exp()
    }

    fn rate(&self) -> f64 {
        DIFFUSIVITY * PI * PI * (self.p * self.p + self.q * self.q)
    }

    /// Bound of the scheme's error for this mode, second order in h and in dt.
    ///
    /// On the grid the mode is an eigenvector. A step multiplies it by (1-a)/(1+a) =
    /// exp(-2 atanh a) for each direction, a = 2 diffusivity dt/h^2 sin^2(k h/2), k = p pi or
    /// q pi; exactly it should be exp(-2 b), b = diffusivity dt k^2/2. Since
    /// sin^2 z >= z^2 - z^4/3, a is less than b by at most its (kh)^2/12th part; and atanh a is
    /// more than a by at most its a^2/(3 (1-a^2))th part. (16 steps make b < 1.) The
    /// two errors have opposite signs, so the larger bounds both.
    fn error_bound(&self, h: f64, dt: f64, time: f64) -> f64 {
        let direction = |number: f64| {
            let k = number * PI;
            let b = DIFFUSIVITY * dt * k * k / 2.0;
            let relative = f64::max((k * h).powi(2) / 12.0, b * b / (3.0 * (1.0 - b * b)));
            DIFFUSIVITY * k * k * time * relative
        };
        // How far the logarithm of what is left may be off.
        let off = direction(self.p) + direction(self.q);
        self.left(time) * off.exp_m1()
    }
}

fn exact(x: f64, y: f64, time: f64) -> f64 {
    MODES.iter().map(|mode| mode.at(x, y, time)).sum()
}

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
struct Simulation {
    algorithm: Algorithm,
    /// The temperature at [`PICTURES`], one behind the other.
    temperatures: Vec<f32>,
    /// Seconds of device time of a step: two explicit and two implicit half steps.
    step_seconds: f64,
    /// The largest error over the pictures, and the largest share of its bound.
    error: f64,
    of_bound: f64,
}

/// Takes all steps by an algorithm, and judges the pictures on the way.
fn simulate(gpu: &Gpu, m: usize, steps: usize, algorithm: Algorithm) -> Result<Simulation, Failure> {
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
        // What the scheme may be off, and f32: a half step is right to two epsilon or so. Its
        // rounding is much the same in every row and step, so that these add up.
        let half_steps = 2.0 * share * steps as f64;
        let rounding = 2.0 * (half_steps + 1.0) * f64::from(f32::EPSILON);
        let bound: f64 = MODES.iter().map(|m| m.error_bound(h, dt, time) + rounding * m.left(time)).sum();
        println!("  t = {time:.6}: largest error {error:.1e}, bound {bound:.1e}");
        // `max` would drop a NaN.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        (largest, of_bound) = (largest.max(error), of_bound.max(error / bound));
    }
    (largest, of_bound)
}

/// The largest difference between the temperatures of two algorithms.
fn largest_difference(one: &Simulation, other: &Simulation) -> f64 {
    let pairs = one.temperatures.iter().zip(&other.temperatures);
    // A NaN stays.
    pairs.map(|(a, b)| f64::from(a - b).abs()).fold(0.0, |most, off| if off <= most { most } else { off })
}

fn main() -> Result<(), Failure> {
    if std::env::args().any(|argument| argument.starts_with('-')) {
        refuse("usage: heat_plate [PICTURE.png] [GRID] [ALGORITHM...]");
    }
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().map_or_else(|| PathBuf::from("target/heat_plate.png"), PathBuf::from);
    let m: usize = match arguments.next() {
        None => 256,
        Some(grid) => grid.parse().unwrap_or_else(|error| refuse(format!("grid {grid:?}: {error}"))),
    };
    if m < 32 {
        refuse(format!("grid {m}: the finest sine has 11 half waves along a side and needs at least 32 nodes"));
    }
    if m > 8192 {
        refuse(format!("grid {m}: take at most 8192; the fields of all steps lie in memory"));
    }
    let algorithm = |name: String| name.parse().unwrap_or_else(|error: trisolve::Error| refuse(error));
    let mut algorithms: Vec<Algorithm> = arguments.map(algorithm).collect();
    if algorithms.is_empty() {
        algorithms.push(Algorithm::Auto);
    }
    // dt goes with h, so that both parts of the error fall alike; a multiple of 16 for PICTURES.
    let steps = (m / 4).next_multiple_of(16);
    let gpu = Gpu::new()?;
    println!("on {}", gpu.info().name);

    let simulate = |algorithm| simulate(&gpu, m, steps, algorithm);
    let simulations = algorithms.into_iter().map(simulate).collect::<Result<Vec<_>, _>>()?;
    match &simulations[..] {
        [one] => {
            let pictures: Vec<_> = one.temperatures.chunks(m * m).collect();
            draw(&pictures, 2, 480, m, &path)?;
            println!("{}: t = 0, then row by row to t = {END}", path.display());
        }
        [first, ..] => {
            let rows = 0..PICTURES.len();
            let pictures: Vec<_> = rows
                .flat_map(|row| simulations.iter().map(move |one| &one.temperatures[row * m * m..(row + 1) * m * m]))
                .collect();
            draw(&pictures, simulations.len(), 160, m, &path)?;
            println!("{}: a column per algorithm; t = 0 above, t = {END} below", path.display());
            let mut table = String::from("algorithm,grid,steps,step_us,largest_error,of_bound,difference\n");
            for one in &simulations {
                let Simulation { algorithm, step_seconds, error, of_bound, .. } = one;
                let difference = largest_difference(first, one);
                println!("{algorithm}: {difference:.1e} from {} at most", first.algorithm);
                let step_us = step_seconds * 1e6;
                writeln!(table, "{algorithm},{m},{steps},{step_us},{error},{of_bound},{difference}")?;
            }
            let csv = path.with_extension("csv");
            std::fs::write(&csv, table).map_err(|error| format!("{}: {error}", csv.display()))?;
        }
        [] => {}
    }
    let failed = simulations.iter().any(|one| one.of_bound > 1.0);
    if failed { Err("an error is larger than its bound".into()) } else { Ok(()) }
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

/// Pictures of `side` pixels, whatever the grid's size, in rows of `columns`, and the scale of colours beside them.
fn draw(pictures: &[&[f32]], columns: usize, side: u32, m: usize, path: &Path) -> Result<(), Failure> {
    const GAP: u32 = 16;
    const SCALE: u32 = 24;
    let temperatures = pictures.iter().copied().flatten();
    let (least, most) = temperatures.fold((0f32, 0f32), |(low, high), &u| (low.min(u), high.max(u)));
    let colour = |u: f32| colour((u - least) / (most - least));
    let columns = columns as u32;
    let width = GAP + columns * (side + GAP);
    let height = GAP + (pictures.len() as u32).div_ceil(columns) * (side + GAP);
    let mut image = RgbImage::from_pixel(width + SCALE + GAP, height, Rgb([255; 3]));
    for (values, picture) in pictures.iter().zip(0u32..) {
        let left = GAP + (picture % columns) * (side + GAP);
        let top = GAP + (picture / columns) * (side + GAP);
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            let share = |pixel: u32| (pixel as f32 + 0.5) / side as f32;
            image.put_pixel(left + x, top + y, colour(between(values, m, share(x), share(y))));
        }
    }
    for (x, y) in (0..height - 2 * GAP).flat_map(|y| (0..SCALE).map(move |x| (x, y))) {
        let share = 1.0 - y as f32 / (height - 2 * GAP) as f32;
        image.put_pixel(width + x, GAP + y, colour(least + share * (most - least)));
    }
    let named = |error: String| format!("{}: {error}", path.display());
    let file = File::create(path).map_err(|error| named(error.to_string()))?;
    // A third of the bytes of the default compression.
    let encoder = PngEncoder::new_with_quality(BufWriter::new(file), CompressionType::Best, FilterType::Adaptive);
    image.write_with_encoder(encoder).map_err(|error| named(error.to_string()).into())
}

/// The temperature between nodes, linear in each direction, at shares of the sides; y = 0 is
/// the upper edge of the picture.
fn between(values: &[f32], m: usize, x: f32, y: f32) -> f32 {
    // Node 0 is the edge, then m inner ones, then the other edge.
    let node = |column: usize, row: usize| match (1..=m).contains(&column) && (1..=m).contains(&row) {
        true => values[(row - 1) * m + column - 1],
        false => 0.0,
    };
    let (x, y) = (x * (m + 1) as f32, y * (m + 1) as f32);
    let (column, row) = (x as usize, y as usize);
    let (right, down) = (x.fract(), y.fract());
    let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
    mix(
        mix(node(column, row), node(column + 1, row), right),
        mix(node(column, row + 1), node(column + 1, row + 1), right),
        down,
    )
}

/// From cold (0) to hot (1): dark violet, red, orange, pale yellow, evenly brighter to the eye.
/// Some colours of matplotlib's "inferno" (Smith and van der Walt), mixed between.
fn colour(share: f32) -> Rgb<u8> {
    const STOPS: [[u8; 3]; 9] = [
        [0, 0, 4],
        [31, 12, 72],
        [85, 15, 109],
        [136, 34, 106],
        [186, 54, 85],
        [227, 89, 51],
        [249, 140, 10],
        [249, 201, 50],
        [252, 255, 164],
    ];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let stop = (place as usize).min(STOPS.len() - 2);
    let channel = |c: usize| {
        let (low, high) = (f32::from(STOPS[stop][c]), f32::from(STOPS[stop + 1][c]));
        (low + (high - low) * (place - stop as f32)).round() as u8
    };
    Rgb([channel(0), channel(1), channel(2)])
}
