//! The options for generated sparse systems.

use clap::ValueEnum;
use trisolve::{Error, Real};
use trisolve_lab::{GAS_CASES, GasCase, SparseSystem, banded, convection_diffusion};

use crate::Failure;
use crate::options::first_given;
use crate::size::size;

#[derive(clap::Args, Clone)]
pub struct SystemArguments {
    /// banded; convection-diffusion; gas2000, gas10000a, ... gas10000000c, the cases of Li et al.; rpts-1, ... rpts-20, the
    /// tridiagonal matrices of the RPTS paper; rpts-21 and rpts-22, two of our own; tpr-1, ... tpr-16, those of the TPR paper's table 9
    #[arg(long, value_delimiter = ',', default_value = "banded")]
    pub system: Vec<String>,
    /// Rows of banded, rpts and tpr systems; several values sweep. The TPR and RPTS papers have 512
    #[arg(long, value_parser = size, value_delimiter = ',', default_value = "100000")]
    rows: Vec<usize>,
    /// Entries per row of banded systems beside the three diagonals, 0 to 3; several values sweep (default: 3; for generate: 0)
    #[arg(long, value_parser = clap::value_parser!(u8).range(..=3), value_delimiter = ',')]
    beside: Vec<u8>,
    /// Cells of convection-diffusion along x, y and z (default: 256x256)
    #[arg(long, value_parser = grid)]
    grid: Option<[usize; 3]>,
    /// Peclet numbers of a cell along x, y and z (default: 2,1,0)
    #[arg(long, value_parser = numbers, allow_hyphen_values = true)]
    velocity: Option<[f64; 3]>,
    /// Reaction of convection-diffusion, relative to the diffusion (default: 0)
    #[arg(long, allow_hyphen_values = true)]
    loss: Option<f64>,
    /// The axis of convection-diffusion whose lines are the tridiagonal part (default: x)
    #[arg(long, value_enum)]
    line: Option<AxisName>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AxisName {
    X,
    Y,
    Z,
}

/// Parses "100x80" or "10x20x30".
fn grid(text: &str) -> Result<[usize; 3], String> {
    let mut counts = [1; 3];
    let words: Vec<_> = text.split('x').collect();
    if words.len() > 3 {
        return Err("should be up to three numbers, as 100x80".into());
    }
    for (count, word) in counts.iter_mut().zip(words) {
        *count = size(word)?;
    }
    Ok(counts)
}

/// Parses "1,-2" or "1,2,3".
fn numbers(text: &str) -> Result<[f64; 3], String> {
    let mut all = [0f64; 3];
    let words: Vec<_> = text.split(',').collect();
    if words.len() > 3 {
        return Err("should be up to three numbers, as 2,-1".into());
    }
    for (own, word) in all.iter_mut().zip(words) {
        *own = word.trim().parse().map_err(|_| format!("{word:?} should be a number"))?;
        if !own.is_finite() {
            return Err(format!("{word:?} should be finite"));
        }
    }
    Ok(all)
}

/// A system to generate, with its name in tables.
#[derive(Clone)]
pub struct Wanted {
    pub name: String,
    kind: Kind,
    seed: u64,
}

#[derive(Clone)]
enum Kind {
    Gas(GasCase),
    Banded { rows: usize, beside: usize },
    Rpts { number: usize, rows: usize },
    Tpr { number: usize, rows: usize },
    ConvectionDiffusion { counts: [usize; 3], velocity: [f64; 3], loss: f64, line: usize },
}

/// The largest number of rows; the entries still fit an ordinary machine.
const MOST_ROWS: usize = 1 << 28;

impl SystemArguments {
    /// All systems that the options name. `beside` is the default of `--beside`.
    pub fn wanted(&self, beside: u8) -> Result<Vec<Wanted>, Failure> {
        let beside = if self.beside.is_empty() { &[beside] } else { &self.beside[..] };
        const STENCIL: &str = "convection-diffusion";
        let of_stencil = [
            (self.grid.is_some(), "--grid"),
            (self.velocity.is_some(), "--velocity"),
            (self.loss.is_some(), "--loss"),
            (self.line.is_some(), "--line"),
        ];
        if let Some(option) = first_given(of_stencil)
            && !self.system.iter().any(|name| name == STENCIL)
        {
            return Err(Failure::Input(format!("{option} applies to --system {STENCIL} only; leave it out")));
        }
        let mut all = vec![];
        for name in &self.system {
            let wanted = |kind| Wanted { name: name.clone(), kind, seed: self.seed };
            match name.as_str() {
                "banded" => {
                    for &rows in &self.rows {
                        check_rows(rows)?;
                        all.extend(beside.iter().map(|&beside| Wanted {
                            name: format!("banded +{beside}"),
                            ..wanted(Kind::Banded { rows, beside: beside.into() })
                        }));
                    }
                }
                STENCIL => {
                    let grid = self.grid.unwrap_or([256, 256, 1]);
                    let velocity = self.velocity.unwrap_or([2.0, 1.0, 0.0]);
                    let loss = self.loss.unwrap_or(0.0);
                    let rows = grid.iter().try_fold(1usize, |all, &count| all.checked_mul(count));
                    check_rows(rows.unwrap_or(usize::MAX))?;
                    const MOST: f64 = 1e30;
                    let numbers = velocity.iter().chain([&loss]);
                    if let Some(number) = numbers.into_iter().find(|number| number.is_nan() || number.abs() > MOST) {
                        let message = format!(
                            "--velocity and --loss should lie between -{MOST:e} and {MOST:e}, but one is {number:e}"
                        );
                        return Err(Failure::Input(message));
                    }
                    if grid.iter().all(|&count| count < 2) {
                        return Err(Failure::Input("--grid: should have at least 2 cells along an axis".into()));
                    }
                    let line = self.line.unwrap_or(AxisName::X) as usize;
                    all.push(wanted(Kind::ConvectionDiffusion { counts: grid, velocity, loss, line }));
                }
                _ => match (numbered(name), GasCase::named(name)) {
                    (Some(kind), _) => {
                        for &rows in &self.rows {
                            check_rows(rows)?;
                            all.push(wanted(kind(rows)));
                        }
                    }
                    (None, Some(case)) => all.push(Wanted { name: case.name.into(), ..wanted(Kind::Gas(case)) }),
                    (None, None) => {
                        let cases = GAS_CASES.map(|case| case.name.to_lowercase()).join(", ");
                        let message = format!(
                            "--system {name}: there are banded, convection-diffusion, {cases}, rpts-1 to rpts-22, tpr-1 to tpr-16"
                        );
                        return Err(Failure::Input(message));
                    }
                },
            }
        }
        Ok(all)
    }
}

/// The kind of "rpts-7" or "tpr-7", with any number of rows.
fn numbered(name: &str) -> Option<impl Fn(usize) -> Kind + use<>> {
    let (paper, number) = name.split_once('-')?;
    let (is_rpts, number) = (paper == "rpts", number.parse().ok()?);
    (is_rpts || paper == "tpr").then_some(move |rows| match is_rpts {
        true => Kind::Rpts { number, rows },
        false => Kind::Tpr { number, rows },
    })
}

fn check_rows(rows: usize) -> Result<(), Failure> {
    match (1..=MOST_ROWS).contains(&rows) {
        true => Ok(()),
        false => Err(Failure::Input(format!("{rows} rows: should be 1 to {MOST_ROWS}"))),
    }
}

impl Wanted {
    pub fn make(&self) -> Result<SparseSystem, Error> {
        match self.kind {
            Kind::Gas(case) => case.system(self.seed),
            Kind::Banded { rows, beside } => banded(rows, beside, self.seed),
            Kind::Rpts { number, rows } => SparseSystem::of_rpts(number, rows, self.seed),
            Kind::Tpr { number, rows } => SparseSystem::of_tpr::<f64>(number, rows, self.seed),
            Kind::ConvectionDiffusion { counts, velocity, loss, line } => {
                convection_diffusion(counts, velocity, loss, line, self.seed)
            }
        }
    }

    /// The system with entries rounded to `T`, and the solution of the rounded system.
    pub fn rounded<T: Real>(&self) -> Result<SparseSystem, Failure> {
        match self.kind {
            Kind::Tpr { number, rows } => Ok(SparseSystem::of_tpr::<T>(number, rows, self.seed)?),
            _ => Err(Failure::Input(format!("--precision {} applies to tpr systems only; leave it out", T::PRECISION))),
        }
    }

    /// The case of Li et al., if it is one.
    pub fn gas_case(&self) -> Option<GasCase> {
        if let Kind::Gas(case) = self.kind { Some(case) } else { None }
    }
}
