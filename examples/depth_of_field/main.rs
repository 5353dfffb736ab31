//! Depth of field by diffusion, from texture to texture (Kass, Lefohn and Owens, "Interactive depth of field using simulated diffusion", 2006).
//!
//! Light diffuses from pixel to pixel along the rows of an image, then along its columns. The farther a pixel is from the focus, the
//! better it conducts: its circle of confusion is the width that a point spreads to. Each line of pixels is a tridiagonal system with one matrix for its
//! three colours. Formulas compute that matrix from the depth of the scene, and the right-hand side from the picture, so nothing is
//! copied or stored before the solve. A new focus is two numbers written to a buffer.
//!
//! Beside it: the same by kernels of the engine that write coefficients and right-hand sides into buffers, and the unknowns into a
//! texture.
//!
//! `cargo run --example depth_of_field [PICTURE.png] [WIDTH] [HEIGHT]`

#[path = "../failure/mod.rs"]
mod failure;
mod frame;
mod scene;

use std::path::PathBuf;
use std::time::Duration;

use failure::{Failure, refuse};
use frame::{ByBuffers, ByFormulas, Textures};
use image::{Rgb, RgbImage};
use scene::Scene;
use trisolve::gpu::PassTimer;
use trisolve::{Gpu, wgpu};

/// Depths in focus, and the diameter of the circle of confusion at infinity in pixels of a picture 1000 pixels wide.
const LENSES: [[f32; 2]; 2] = [[3.0, 24.0], [9.0, 40.0]];

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().map_or_else(|| PathBuf::from("target/depth_of_field.png"), PathBuf::from);
    let mut size = |default: u32| match arguments.next().map(|text| (text.parse(), text)) {
        None => default,
        Some((Ok(size @ 16..=8192), _)) => size,
        Some((_, text)) => refuse(format!("{text:?} is no size from 16 to 8192")),
    };
    let (width, height) = (size(960), size(540));
    let gpu = Gpu::new()?;
    let scene = Scene::new(width, height);
    let textures = Textures::new(&gpu, &scene);
    let by_formulas = ByFormulas::new(&gpu, &textures)?;
    let by_buffers = ByBuffers::new(&gpu, &textures)?;

    let mut pictures = vec![scene.colours.clone()];
    for [focus, aperture] in LENSES {
        let lens = [focus, aperture * width as f32 / 1000.0];
        by_formulas.lens.write(&gpu, 0, &lens)?;
        by_buffers.lens.write(&gpu, 0, &lens)?;
        submit(&gpu, |pass| by_formulas.record(pass));
        by_formulas.check()?;
        let found = textures.read(&gpu)?;
        submit(&gpu, |pass| by_buffers.record(pass));
        let other = textures.read(&gpu)?;
        let difference =
            found.iter().zip(&other).flat_map(|(a, b)| [0, 1, 2].map(|c| (a[c] - b[c]).abs() / (1.0 + b[c])));
        let difference = difference.fold(0.0, f32::max);
        // Half-precision numbers have 11 bits.
        if difference.is_nan() || difference > 2e-3 {
            return Err(format!("focus {focus}: the two ways differ by {difference:e}").into());
        }
        println!("focus {focus}: both ways agree to {difference:.1e}");
        pictures.push(found);
    }

    let timer = PassTimer::new(&gpu)?;
    let us = |record: &dyn Fn(&mut wgpu::ComputePass<'_>)| -> Result<f64, Failure> {
        Ok(1e6 * timer.measure(Duration::from_millis(100), 15, record)?.median())
    };
    let clock = if timer.is_device_time() { "device" } else { "host" };
    println!("{} x {}, {}: {clock} time per frame, median of 15", width, height, gpu.info().name);
    println!("  rows and columns, textures and formulas   {:8.1} us", us(&|pass| by_formulas.record(pass))?);
    println!("    of it the rows                          {:8.1} us", us(&|pass| by_formulas.rows.record(pass))?);
    println!("  with buffers for what formulas compute    {:8.1} us", us(&|pass| by_buffers.record(pass))?);
    save(&pictures, width, height, &path)?;
    println!("the scene, and with a focus of {} and {}: {}", LENSES[0][0], LENSES[1][0], path.display());
    Ok(())
}

/// A frame: one pass.
fn submit(gpu: &Gpu, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) {
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
    gpu.queue().submit([encoder.finish()]);
}

/// Pictures one below the other.
fn save(pictures: &[Vec<[f32; 3]>], width: u32, height: u32, path: &std::path::Path) -> Result<(), Failure> {
    let mut all = RgbImage::new(width, height * pictures.len() as u32);
    for (at, pixel) in pictures.iter().flatten().enumerate() {
        let srgb = |light: f32| (255.0 * light.clamp(0.0, 1.0).powf(1.0 / 2.2)).round() as u8;
        all.put_pixel(at as u32 % width, at as u32 / width, Rgb(pixel.map(srgb)));
    }
    all.save(path).map_err(|error| format!("{}: {error}", path.display()).into())
}
