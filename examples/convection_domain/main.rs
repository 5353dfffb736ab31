//! Heat that a river carries past its islands: a quasi-tridiagonal system on an irregular domain.
//!
//! The river flows from left to right between ragged shores. It brings water that is warmer along one shore than along
//! the other, passes islands, of which some are kept hot or cold, and exchanges heat with the air. Once nothing changes
//! any more, its temperature T obeys
//!
//! ```text
//! div (v T) - diffusivity lap T = exchange (air - T)
//! ```
//!
//! in the cells of a grid that are water, numbered line by line, lines along the river. A cell's neighbours to the left
//! and to the right are then beside it in the matrix, unless there is land; those above and below are about a line
//! away, more or less of it, as the shores have it. That is A = T + S of Li, Yang and Li (IEEE TPDS 2016): T has the
//! lines, S what ties them together. Upwind differences make it an M-matrix, dominant in every row.
//!
//! The velocity v is that of a potential flow. Its stream function, constant along every shore, is harmonic between
//! them: another system of the kind, for the corners of the cells. The difference of the stream function at the ends of
//! a face is what flows through, so that nothing is lost between cells, however accurate the stream function is.
//!
//! `cargo run --release --example convection_domain [picture.png]`
//!
//! Four methods solve it: the iterations of that article, HISA and BHISA, and BiCGSTAB with and without T as its
//! preconditioner. The picture shows the temperature, isotherms (dark) and streamlines (white), and below them the
//! residuals over the iterations. The program fails where two solutions differ by more than their residuals allow.

#[path = "../failure/mod.rs"]
mod failure;
mod picture;

use std::f64::consts::PI;
use std::path::PathBuf;

use failure::Failure;
use picture::draw;
use trisolve::Gpu;
use trisolve::quasi_tridiagonal::{Algorithm, Csr, Options, Outcome, Preconditioner, QuasiTridiagonalPlan, Solution};

/// Cells along the river and across it, of which about 60 000 are water.
const COLUMNS: i32 = 400;
const ROWS: i32 = 240;
/// The side of a cell: lengths are in heights of the grid, and speeds in that of the water that comes in.
const H: f64 = 1.0 / ROWS as f64;
const DIFFUSIVITY: f64 = 4e-4;
/// How fast water takes on the temperature of the air. The faster, the fewer iterations HISA takes.
const EXCHANGE: f64 = 3.0;

/// A round island.
struct Island {
    x: f64,
    y: f64,
    radius: f64,
    /// What it is kept at; no heat passes the shore of one without.
    temperature: Option<f64>,
}

const fn island(x: f64, y: f64, radius: f64, temperature: Option<f64>) -> Island {
    Island { x, y, radius, temperature }
}

const ISLANDS: [Island; 6] = [
    island(0.29, 0.58, 0.075, Some(1.0)),
    island(0.52, 0.35, 0.040, Some(1.0)),
    island(0.66, 0.60, 0.085, None),
    island(0.98, 0.36, 0.070, Some(0.0)),
    island(1.12, 0.64, 0.045, Some(1.0)),
    island(1.42, 0.50, 0.055, Some(0.0)),
];

/// The upper and the lower shore; y points down.
fn shores(x: f64) -> [f64; 2] {
    let middle = 0.5 + 0.05 * (2.0 * PI * x / 1.5 - 0.4).sin();
    let wave = |amplitude: f64, number: f64, phase: f64| amplitude * (number * (x + phase)).sin();
    let ragged = |phase| {
        wave(0.03, 9.0, phase) + wave(0.015, 23.0, phase) + wave(0.009, 57.0, phase) + wave(0.006, 131.0, phase)
    };
    [middle - 0.33 + ragged(0.3), middle + 0.33 + ragged(1.1)]
}

/// 0 at the upper shore, 1 at the lower one.
fn share_across(x: f64, y: f64) -> f64 {
    let [upper, lower] = shores(x);
    ((y - upper) / (lower - upper)).clamp(0.0, 1.0)
}

/// The stream function, had the river neither bends nor islands.
fn straight_stream(x: f64, y: f64) -> f64 {
    let [upper, lower] = shores(0.0);
    (lower - upper) * share_across(x, y)
}

/// Of the air, which is warmer down the river.
fn air_temperature(x: f64) -> f64 {
    0.15 + 0.35 * x
}

/// Of the water that comes in.
fn inflow_temperature(y: f64) -> f64 {
    0.3 * (1.0 + (PI * share_across(0.0, y)).cos())
}

#[derive(Debug, Clone, Copy)]
enum Cell {
    Water,
    Land {
        /// The stream function along its shore.
        stream: f64,
        temperature: Option<f64>,
    },
    Inlet,
    Outlet,
}

/// The cell at a place of the grid, or next to the grid.
fn cell(column: i32, row: i32) -> Cell {
    let (x, y) = ((f64::from(column) + 0.5) * H, (f64::from(row) + 0.5) * H);
    let [upper, lower] = shores(x);
    if let Some(on) = ISLANDS.iter().find(|island| (x - island.x).hypot(y - island.y) < island.radius) {
        Cell::Land { stream: straight_stream(on.x, on.y), temperature: on.temperature }
    } else if !(upper..lower).contains(&y) {
        Cell::Land { stream: straight_stream(x, y), temperature: None }
    } else {
        match column {
            ..0 => Cell::Inlet,
            COLUMNS.. => Cell::Outlet,
            _ => Cell::Water,
        }
    }
}

/// Places of a grid that are unknowns, numbered line by line.
struct Unknowns {
    width: i32,
    numbers: Vec<Option<usize>>,
    places: Vec<(i32, i32)>,
}

impl Unknowns {
    fn new(width: i32, height: i32, is_unknown: impl Fn(i32, i32) -> bool) -> Self {
        let mut all = Self { width, numbers: vec![], places: vec![] };
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
            let unknown = is_unknown(column, row);
            all.numbers.push(unknown.then_some(all.places.len()));
            if unknown {
                all.places.push((column, row));
            }
        }
        all
    }

    fn number(&self, column: i32, row: i32) -> Option<usize> {
        self.numbers[(row * self.width + column) as usize]
    }
}

/// The stream function at the corners of cells: (0, 0) is the upper left corner of cell (0, 0).
struct Stream {
    values: Vec<f64>,
}

impl Stream {
    /// What it is at a corner of land, and where water comes and goes.
    fn known(column: i32, row: i32) -> Option<f64> {
        let around = [(-1, -1), (0, -1), (-1, 0), (0, 0)].map(|(right, down)| cell(column + right, row + down));
        let land = around.iter().find_map(|cell| match cell {
            Cell::Land { stream, .. } => Some(*stream),
            _ => None,
        });
        let is_end = around.iter().any(|cell| matches!(cell, Cell::Inlet | Cell::Outlet));
        land.or_else(|| is_end.then(|| straight_stream(f64::from(column) * H, f64::from(row) * H)))
    }

    fn solve(gpu: &Gpu) -> Result<Self, Failure> {
        let width = COLUMNS + 1;
        let corners = || (0..=ROWS).flat_map(|row| (0..width).map(move |column| (column, row)));
        let known: Vec<_> = corners().map(|(column, row)| Self::known(column, row)).collect();
        let at = |column: i32, row: i32| (row * width + column) as usize;
        let unknowns = Unknowns::new(width, ROWS + 1, |column, row| known[at(column, row)].is_none());
        let mut entries = Vec::new();
        let mut rhs = vec![0.0; unknowns.places.len()];
        for (own, &(column, row)) in unknowns.places.iter().enumerate() {
            entries.push((own, own, 4.0));
            for (column, row) in [(column, row - 1), (column - 1, row), (column + 1, row), (column, row + 1)] {
                match (unknowns.number(column, row), known[at(column, row)]) {
                    (Some(other), _) => entries.push((own, other, -1.0)),
                    (None, value) => rhs[own] += value.unwrap_or(0.0) as f32,
                }
            }
        }
        let matrix = Csr::from_triplets(rhs.len(), entries)?;
        // Dominant it is, but hardly: a splitting would take as many iterations as the river is wide, squared, and
        // rounding leaves more of the residual than the default tolerance.
        let options = Options::default().algorithm(Algorithm::Bicgstab).tolerance(1e-5);
        let solution = QuasiTridiagonalPlan::new(gpu, &matrix, options)?.solve_reported(&rhs)?;
        let Solution { x, report, seconds, .. } = solution;
        println!("stream function: {} unknowns, {} iterations, {:.0} ms", x.len(), report.iterations, seconds * 1e3);
        let value = |(known, number): (&Option<f64>, &Option<usize>)| {
            number.map_or_else(|| known.unwrap_or(0.0), |number| f64::from(x[number]))
        };
        Ok(Self { values: known.iter().zip(&unknowns.numbers).map(value).collect() })
    }

    fn at(&self, column: i32, row: i32) -> f64 {
        self.values[(row * (COLUMNS + 1) + column) as usize]
    }

    /// What flows out of a cell through its upper, left, right and lower face.
    fn outflows(&self, column: i32, row: i32) -> [f64; 4] {
        let [upper_left, upper_right] = [self.at(column, row), self.at(column + 1, row)];
        let [lower_left, lower_right] = [self.at(column, row + 1), self.at(column + 1, row + 1)];
        [upper_right - upper_left, upper_left - lower_left, lower_right - upper_right, lower_left - lower_right]
    }
}

/// The equations of the temperature.
fn heat_balance(cells: &Unknowns, stream: &Stream) -> trisolve::Result<(Csr<f32>, Vec<f32>)> {
    let mut entries = Vec::new();
    let mut rhs = Vec::with_capacity(cells.places.len());
    for (own, &(column, row)) in cells.places.iter().enumerate() {
        let mut diagonal = EXCHANGE * H * H;
        let mut right = EXCHANGE * H * H * air_temperature((f64::from(column) + 0.5) * H);
        let neighbours = [(column, row - 1), (column - 1, row), (column + 1, row), (column, row + 1)];
        for ((column, row), out) in neighbours.into_iter().zip(stream.outflows(column, row)) {
            // What flows out takes the cell's own temperature with it, what flows in that of where it comes from.
            let (leaves, enters) = (out.max(0.0), (-out).max(0.0));
            // To what is kept at a temperature it is half a cell only.
            let half = 2.0 * DIFFUSIVITY;
            match cell(column, row) {
                Cell::Water => {
                    diagonal += leaves + DIFFUSIVITY;
                    entries.extend(cells.number(column, row).map(|other| (own, other, -(enters + DIFFUSIVITY) as f32)));
                }
                Cell::Land { temperature: Some(temperature), .. } => {
                    diagonal += half;
                    right += half * temperature;
                }
                Cell::Land { temperature: None, .. } => {}
                Cell::Inlet => {
                    diagonal += leaves + half;
                    right += (enters + half) * inflow_temperature((f64::from(row) + 0.5) * H);
                }
                Cell::Outlet => diagonal += leaves,
            }
        }
        entries.push((own, own, diagonal as f32));
        rhs.push(right as f32);
    }
    Ok((Csr::from_triplets(rhs.len(), entries)?, rhs))
}

/// How far any temperature may be from the exact solution: the largest residual by the least excess of a diagonal over
/// the rest of its row (Varah, Linear Algebra Appl. 11, 1975).
fn error_bound(matrix: &Csr<f32>, x: &[f32], rhs: &[f32]) -> f64 {
    let (mut residual, mut excess) = (0f64, f64::INFINITY);
    for (row, &right) in rhs.iter().enumerate() {
        let entries = || matrix.row(row).map(|(column, value)| (column, f64::from(value)));
        let sum: f64 = entries().map(|(column, value)| value * f64::from(x[column])).sum();
        residual = residual.max((f64::from(right) - sum).abs());
        excess = excess.min(entries().map(|(column, value)| if column == row { value } else { -value.abs() }).sum());
    }
    residual / excess
}

fn largest_difference(x: &[f32], y: &[f32]) -> f64 {
    // `max` would drop a NaN.
    let larger = |most: f64, off: f64| if off <= most { most } else { off };
    x.iter().zip(y).map(|(x, y)| (f64::from(*x) - f64::from(*y)).abs()).fold(0.0, larger)
}

/// A method and its line in the picture.
struct Method {
    name: &'static str,
    options: Options,
    colour: [u8; 3],
    /// A wide line shows below a narrow one.
    width: i32,
}

fn methods() -> [Method; 4] {
    // The right-hand side is next to nothing but where water comes in. By that measure f32 rounds off more of the
    // residual than the default tolerance.
    let by = |algorithm| Options::default().algorithm(algorithm).tolerance(1e-5);
    let bicgstab = |preconditioner| by(Algorithm::Bicgstab).preconditioner(preconditioner);
    let method = |name, options, colour, width| Method { name, options, colour, width };
    [
        method("hisa", by(Algorithm::Hisa), [86, 180, 233], 6),
        method("bhisa", by(Algorithm::Bhisa), [0, 60, 130], 2),
        method("bicgstab, tridiagonal", bicgstab(Preconditioner::Tridiagonal), [213, 94, 0], 2),
        method("bicgstab, none", bicgstab(Preconditioner::None), [0, 158, 115], 2),
    ]
}

type Solved = (Method, Solution<f32>);

/// By all methods. Prints a table; whether their solutions agree.
fn solve_by_all(gpu: &Gpu, matrix: &Csr<f32>, rhs: &[f32]) -> trisolve::Result<(Vec<Solved>, bool)> {
    println!("  method                 iterations        ms  residual   error below  from hisa's");
    let mut solved: Vec<Solved> = Vec::new();
    let mut agree = true;
    for method in methods() {
        let plan = QuasiTridiagonalPlan::new(gpu, matrix, method.options)?;
        // The first run may still be compiling.
        plan.attempt(rhs)?;
        let solution = plan.attempt(rhs)?;
        let (x, report, ms) = (&solution.x, &solution.report, solution.seconds * 1e3);
        let first = solved.first().map_or(x, |(_, solution)| &solution.x);
        let off = largest_difference(x, first);
        let bound = error_bound(matrix, x, rhs);
        agree &= off <= bound + error_bound(matrix, first, rhs);
        print!("  {:<22} {:>10} {ms:>9.1}", method.name, report.iterations);
        print!(" {:>9.1e} {bound:>13.1e} {off:>12.1e}", matrix.relative_residual(x, rhs)?);
        println!("{}", if report.outcome == Outcome::Converged { "" } else { "  not converged" });
        solved.push((method, solution));
    }
    Ok((solved, agree))
}

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).map_or_else(|| PathBuf::from("target/convection_domain.png"), PathBuf::from);
    let gpu = Gpu::new()?;
    println!("on {}", gpu.info().name);
    let stream = Stream::solve(&gpu)?;
    let cells = Unknowns::new(COLUMNS, ROWS, |column, row| matches!(cell(column, row), Cell::Water));
    let (matrix, rhs) = heat_balance(&cells, &stream)?;
    println!("temperature: {} unknowns, {} entries", matrix.rows(), matrix.entries());
    let (solved, agree) = solve_by_all(&gpu, &matrix, &rhs)?;
    draw(&cells, &stream, &solved, &path)?;
    println!("{}", path.display());
    if agree { Ok(()) } else { Err("two methods differ by more than their residuals allow".into()) }
}
