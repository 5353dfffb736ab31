//! Random hard systems of every family, solved through the public interface and compared with an oracle in extended
//! precision.
//!
//! The verdict is the oracle's: a returned answer is wrong if its forward error is above [`ALLOWED`] times the solve's estimate. Each
//! family says which refusals are right: for ill-conditioned systems, if the oracle's condition is at least `UNDETERMINED` / u;
//! range errors, by the size of x; some errors of algorithms chosen by name, always.

mod filter;
mod moebius;
mod quasi;
mod quasi_draw;
mod recurrence;
mod ring;
mod triangular;
mod tridiagonal;
mod tridiagonal_draw;

use std::borrow::Borrow;

use trisolve::gpu::Gpu;
use trisolve::internals::cpu::worst;
use trisolve::{Precision, Real};

/// How far above its estimate an answer's forward error may be.
pub const ALLOWED: f64 = 10.0;

/// From this condition number on, in units of 1 / u, less than a digit is determined, and a refusal is right.
const UNDETERMINED: f64 = 0.1;

/// The results for the systems of one draw, or of many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// Solves, counted per system (or per right-hand side) and per algorithm.
    pub systems: usize,
    /// Solves that were refused rightly.
    pub refused: usize,
    /// The largest forward error, in units of its estimate.
    pub worst: f64,
    /// Wrong solves: one line per solve, with its seed and parameters.
    pub wrong: Vec<String>,
}

impl Tally {
    /// Counts a returned answer: its true forward error, and the estimated one. `name` says what was solved.
    pub fn returned(&mut self, name: impl FnOnce() -> String, error: f64, estimate: f64) {
        self.systems += 1;
        let share = if error == 0.0 { 0.0 } else { error / estimate };
        // NaN is wrong too.
        if share.is_nan() || share > ALLOWED {
            self.wrong.push(format!("{}: forward error {error:.2e}, estimated {estimate:.2e}", name()));
        }
        self.worst = self.worst.max(share);
    }

    /// Counts a refusal. `rightly`: the refusal is right.
    pub fn refused(&mut self, name: impl FnOnce() -> String, error: &trisolve::Error, rightly: bool) {
        self.systems += 1;
        match rightly {
            true => self.refused += 1,
            false => self.wrong.push(format!("{}: refused although it has digits: {error}", name())),
        }
    }

    /// Adds another tally.
    pub fn add(&mut self, other: Self) {
        self.systems += other.systems;
        self.refused += other.refused;
        self.worst = self.worst.max(other.worst);
        self.wrong.extend(other.wrong);
    }
}

/// A family's draws.
pub struct Family {
    /// Its name on the command line.
    pub name: &'static str,
    /// Draws systems from a seed, solves and judges them. One seed draws the same systems on machines with the same math library.
    pub draw: fn(&Gpu, Precision, u64) -> Tally,
}

/// A family with its draws in both precisions.
macro_rules! family {
    ($name:literal, $module:ident) => {
        Family {
            name: $name,
            draw: |gpu, precision, seed| match precision {
                Precision::F32 => $module::attack::<f32>(gpu, seed),
                Precision::F64 => $module::attack::<f64>(gpu, seed),
            },
        }
    };
}

/// All families.
pub static FAMILIES: &[Family] = &[
    family!("tridiagonal", tridiagonal),
    family!("quasi-tridiagonal", quasi),
    family!("filter", filter),
    family!("recurrence", recurrence),
    family!("moebius", moebius),
    family!("triangular", triangular),
];

/// The largest absolute value.
fn largest(values: impl IntoIterator<Item: Borrow<f64>>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, value| most.max(value.borrow().abs()))
}

/// The largest distance of the values from the exact ones; NaN if one is NaN.
fn distance<T: Real>(values: &[T], exact: &[f64]) -> f64 {
    worst(values.iter().zip(exact).map(|(value, exact)| value.to_f64() - exact))
}
