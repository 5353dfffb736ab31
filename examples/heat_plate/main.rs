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

#[path = "../failure/mod.rs"]
mod failure;
mod modes;
mod picture;
mod simulation;

use std::fmt::Write;
use std::path::PathBuf;

use failure::{Failure, refuse};
use picture::draw;
use simulation::{END, PICTURES, Simulation, largest_difference, simulate};
use trisolve::Gpu;
use trisolve::tridiagonal::Algorithm;

fn main() -> Result<(), Failure> {
    if let Some(option) = std::env::args().find(|argument| argument.starts_with('-')) {
        refuse(format!("{option:?}: there are no options; usage: heat_plate [PICTURE.png] [GRID] [ALGORITHM...]"));
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
