//! Sample formulas of coefficients, in WGSL and on the host.

use trisolve::Real;
use trisolve::recurrence::Formulas;

/// The period of [`SampleFormula::Rounds`] in rows; it shares no factor with the rows of a slice.
const PERIOD: usize = 1021;

/// A formula that the host can evaluate too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleFormula {
    /// A number between -1 and 1, by integer arithmetic from row and sequence: exact and cheap.
    Mixed,
    /// Such a number with fewer bits, times an entry of a vector `gain`, in some rows past its end: exact too.
    Gains,
    /// This many rounds of x = c - x^2, one multiplication and one subtraction each; the values end between 0.2 and 0.37.
    Rounds(u32),
}

impl SampleFormula {
    /// The number of entries of `gain`.
    pub const GAINS: usize = 13;

    /// Case M of the P-scheme/G paper: 400 operations per row.
    pub const MEDIUM: Self = Self::Rounds(200);

    /// Case H of the P-scheme/G paper: 1000 operations per row.
    pub const HEAVY: Self = Self::Rounds(500);

    /// The formula in WGSL. Another `salt` gives other numbers.
    pub fn wgsl(self, salt: u32) -> String {
        self.wgsl_of(salt, "i", "sequence")
    }

    /// The same for rows and sequences of other names.
    fn wgsl_of(self, salt: u32, row: &str, sequence: &str) -> String {
        let mixed = |row: &str| format!("(({row} * 747796405u + {sequence} * 2891336453u + {salt}u) * 277803737u)");
        match self {
            Self::Mixed => format!("real({} >> 8u) * (1.0 / 8388608.0) - 1.0", mixed(row)),
            Self::Gains => {
                format!("gain({row} % {}u) * (real({} >> 16u) * (1.0 / 32768.0) - 1.0)", Self::GAINS + 7, mixed(row))
            }
            Self::Rounds(rounds) => format!(
                "let row = {row} % {PERIOD}u; // begins anew\n\
                 let c = real({} >> 8u) * (0.25 / 16777216.0) + 0.25;\n\
                 var x = c;\n\
                 for (var round = 0u; round < {rounds}u; round++) {{ x = c - x * x; }}\n\
                 return x;",
                mixed("row")
            ),
        }
    }

    /// The value on the host, in f64.
    pub fn value(self, salt: u32, row: usize, sequence: usize, gain: &[f64]) -> f64 {
        let mixed = |row: usize| {
            let sum =
                (row as u32).wrapping_mul(747_796_405).wrapping_add((sequence as u32).wrapping_mul(2_891_336_453));
            sum.wrapping_add(salt).wrapping_mul(277_803_737)
        };
        match self {
            Self::Mixed => f64::from(mixed(row) >> 8) / 8_388_608.0 - 1.0,
            Self::Gains => {
                let entry = gain[(row % (Self::GAINS + 7)).min(gain.len() - 1)];
                entry * (f64::from(mixed(row) >> 16) / 32_768.0 - 1.0)
            }
            Self::Rounds(rounds) => {
                let c = f64::from(mixed(row % PERIOD) >> 8) * (0.25 / 16_777_216.0) + 0.25;
                (0..rounds).fold(c, |x, _| c - x * x)
            }
        }
    }

    /// All values of a sequence on the host.
    pub fn values(self, salt: u32, rows: usize, sequence: usize, gain: &[f64]) -> Vec<f64> {
        let period = if matches!(self, Self::Rounds(_)) { PERIOD } else { rows };
        let own: Vec<_> = (0..rows.min(period)).map(|row| self.value(salt, row, sequence, gain)).collect();
        (0..rows).map(|row| own[row % period]).collect()
    }

    /// The largest error of a device's value, in units of roundoff relative to the value. A round adds one unit for its result and
    /// one for the square, and passes on less than 0.74 of the previous error.
    pub fn units(self) -> f64 {
        if matches!(self, Self::Rounds(_)) { 10.0 } else { 0.0 }
    }

    /// The vector `gain`, of multiples of 1/64.
    pub fn gain<T: Real>(seed: u64) -> Vec<T> {
        (0..Self::GAINS as u64).map(|at| T::from_f64(((seed ^ (at * 37)) % 127) as f64 / 64.0 - 1.0)).collect()
    }
}

/// The formulas of s and t, each with its own salt, and their vector.
pub(crate) fn sample_formulas(parts: [Option<SampleFormula>; 2]) -> Formulas {
    let [s, t] = parts;
    let mut formulas = Formulas::new();
    if let Some(s) = s {
        formulas = formulas.s(s.wgsl(0));
    }
    if let Some(t) = t {
        formulas = formulas.t(t.wgsl(1));
    }
    if parts.contains(&Some(SampleFormula::Gains)) { formulas.vector("gain") } else { formulas }
}

/// A formula of an input of tridiagonal systems, each of which has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SystemFormula {
    /// In (-1, 1); of two systems, half as large.
    Lower,
    /// In (2, 2.4): dominates.
    Diag,
    /// In (0.1, 0.4).
    Excess,
    /// In (-1, 1), from a vector `gain`.
    Upper,
    /// In (-1, 1).
    Rhs,
}

impl SystemFormula {
    /// The formula in WGSL.
    pub fn wgsl(self) -> String {
        let of = |sample: SampleFormula, salt, row: &str| sample.wgsl_of(salt, row, "system");
        match self {
            Self::Lower => format!("select(1.0, real(0.5), systems == 2u) * ({})", of(SampleFormula::Mixed, 0, "i")),
            Self::Diag => format!("2.25 + 0.125 * ({})", of(SampleFormula::Mixed, 1, "i")),
            Self::Excess => format!("0.25 + 0.125 * ({})", of(SampleFormula::Mixed, 1, "i")),
            Self::Upper => of(SampleFormula::Gains, 2, "i"),
            Self::Rhs => of(SampleFormula::Mixed, 3, "(i + 977u * column)"),
        }
    }

    /// The value on the host, in f64; rounded to T, that of a device.
    pub fn value(self, row: usize, (system, systems): (usize, usize), column: usize, gain: &[f64]) -> f64 {
        let mixed = |salt| SampleFormula::Mixed.value(salt, row, system, gain);
        match self {
            Self::Lower => {
                if systems == 2 {
                    0.5 * mixed(0)
                } else {
                    mixed(0)
                }
            }
            Self::Diag => 2.25 + 0.125 * mixed(1),
            Self::Excess => 0.25 + 0.125 * mixed(1),
            Self::Upper => SampleFormula::Gains.value(2, row, system, gain),
            Self::Rhs => SampleFormula::Mixed.value(3, row + 977 * column, system, gain),
        }
    }
}
