//! Tridiagonal systems that are hard to solve.

use rand::Rng;
use rand::rngs::SmallRng;

use trisolve::Real;

/// Rows; few sizes, so that kernels are compiled once.
pub(super) const SIZES: [usize; 14] = [1, 2, 3, 4, 5, 8, 17, 33, 64, 129, 513, 2048, 4099, 20_011];

/// The difficulty of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Random,
    Dominant,
    /// All rows but one are dominant.
    NearlyDominant,
    Integers,
    ScaledRows,
    ScaledColumns,
    ScaledBoth,
    Decoupled,
    Ring,
    /// One corner is far larger than all other entries.
    RingCorner,
    DominantRing,
    /// (-1, 2 + a small number, -1).
    Poisson,
    Excess,
    ExcessRing,
    Singular,
    /// Two rows are nearly equal.
    NearlySingular,
    Graded,
    /// The diagonal is next to 0.
    SmallDiagonal,
    /// The right-hand sides are very large or very small.
    Range,
    /// A cyclic or plain shift.
    Shift,
}

impl Kind {
    pub const ALL: [Self; 20] = [
        Self::Random,
        Self::Dominant,
        Self::NearlyDominant,
        Self::Integers,
        Self::ScaledRows,
        Self::ScaledColumns,
        Self::ScaledBoth,
        Self::Decoupled,
        Self::Ring,
        Self::RingCorner,
        Self::DominantRing,
        Self::Poisson,
        Self::Excess,
        Self::ExcessRing,
        Self::Singular,
        Self::NearlySingular,
        Self::Graded,
        Self::SmallDiagonal,
        Self::Range,
        Self::Shift,
    ];
}

/// One system, n entries in each vector.
pub(super) struct Drawn<T> {
    pub lower: Vec<T>,
    pub diag: Vec<T>,
    pub upper: Vec<T>,
    pub rhs: Vec<T>,
    pub periodic: bool,
    pub is_excess: bool,
}

impl<T: Real> Drawn<T> {
    pub fn new(kind: Kind, n: usize, random: &mut SmallRng) -> Self {
        let mut uniform = |low: f64, high: f64| (0..n).map(|_| random.random_range(low..high)).collect::<Vec<f64>>();
        let [mut lower, mut diag, mut upper] = [(); 3].map(|()| uniform(-1.0, 1.0));
        let dominate = |lower: &[f64], diag: &mut [f64], upper: &[f64], share: f64| {
            for i in 0..n {
                diag[i] = diag[i].signum() * (lower[i].abs() + upper[i].abs()) * (1.0 + share);
            }
        };
        match kind {
            Kind::Random | Kind::Ring | Kind::Range => {}
            Kind::Dominant | Kind::DominantRing => {
                let share = 10f64.powf(uniform(-9.0, 0.5)[0]);
                dominate(&lower, &mut diag, &upper, share);
            }
            Kind::NearlyDominant => {
                dominate(&lower, &mut diag, &upper, 0.1);
                diag[n / 2] *= 1e-3;
            }
            Kind::Integers => {
                let least = if uniform(0.0, 1.0)[0] < 0.5 { -1.0 } else { -2.0 };
                for vector in [&mut lower, &mut diag, &mut upper] {
                    *vector = uniform(least, 2.0).into_iter().map(f64::floor).collect();
                }
            }
            Kind::Decoupled => {
                let cut = uniform(0.0, 1.0);
                for i in (0..n).filter(|&i| cut[i] < 0.3) {
                    lower[i] = 0.0;
                    if i > 0 && cut[i] < 0.2 {
                        upper[i - 1] = 0.0;
                    }
                }
            }
            Kind::RingCorner => lower[0] *= 1e6,
            Kind::Poisson => {
                let shift = match uniform(0.0, 3.0)[0] as usize {
                    0 => 0.0,
                    1 => 10f64.powf(uniform(-8.0, -1.0)[0]),
                    _ => -10f64.powf(uniform(-8.0, -1.0)[0]),
                };
                lower.fill(-1.0);
                upper.fill(-1.0);
                diag.fill(2.0 + shift);
            }
            Kind::Excess | Kind::ExcessRing => {
                let power = uniform(-12.0, 0.0)[0];
                diag = uniform(0.0, 1.0).into_iter().map(|share| share * 10f64.powf(power)).collect();
                match uniform(0.0, 5.0)[0] as usize {
                    0 => {
                        diag.fill(0.0);
                        diag[n / 3] = 1.0;
                    }
                    // Singular.
                    1 => diag.fill(0.0),
                    2 => {
                        lower.fill(-1.0);
                        upper.fill(-1.0);
                    }
                    _ => {}
                }
            }
            Kind::Graded => {
                let step = uniform(-2.0, 2.0)[0];
                for vector in [&mut lower, &mut diag, &mut upper] {
                    let sized = |(i, value): (usize, &mut f64)| *value *= (step * (i % 40) as f64).exp2();
                    vector.iter_mut().enumerate().for_each(sized);
                }
            }
            Kind::SmallDiagonal => {
                let power = uniform(-12.0, -2.0)[0];
                diag.iter_mut().for_each(|value| *value *= 10f64.powf(power));
            }
            Kind::Shift => {
                diag.fill(0.0);
                upper.fill(0.0);
                lower.iter_mut().for_each(|value| *value = value.signum() * (1.0 + value.abs()));
            }
            Kind::ScaledRows | Kind::ScaledColumns | Kind::ScaledBoth | Kind::Singular | Kind::NearlySingular => {}
        }
        let mut rhs = uniform(-1.0, 1.0);
        if uniform(0.0, 1.0)[0] < 0.2 {
            rhs.iter_mut().for_each(|value| *value = value.abs());
        }
        if matches!(kind, Kind::Singular | Kind::NearlySingular) && n > 2 {
            // Two neighbouring rows with two entries each are the same equation.
            let at = n / 2;
            (lower[at], upper[at - 1], upper[at]) = (diag[at - 1], diag[at], 0.0);
            lower[at - 1] = 0.0;
            let off = if kind == Kind::Singular { 0.0 } else { 10f64.powf(uniform(-18.0, -3.0)[0]) };
            diag[at] *= 1.0 + off;
            if uniform(0.0, 1.0)[0] < 0.5 {
                rhs[at] = rhs[at - 1];
            }
        }
        // Half the range of the exponents.
        let most = if T::PRECISION == trisolve::Precision::F32 { 28.0 } else { 240.0 };
        let most = most * uniform(0.1, 1.0)[0];
        let scaled_excess = matches!(kind, Kind::Excess | Kind::ExcessRing) && uniform(0.0, 1.0)[0] < 0.3;
        let by_rows = scaled_excess || matches!(kind, Kind::ScaledRows | Kind::ScaledBoth);
        let by_columns = matches!(kind, Kind::ScaledColumns | Kind::ScaledBoth);
        let share = if by_rows && by_columns { 0.5 } else { 1.0 };
        if by_rows {
            let powers = uniform(-most * share, most * share);
            for i in 0..n {
                let size = powers[i].exp2();
                for vector in [&mut lower, &mut diag, &mut upper, &mut rhs] {
                    vector[i] *= size;
                }
            }
        }
        if by_columns {
            let powers = uniform(-most * share, most * share);
            for i in 0..n {
                diag[i] *= powers[i].exp2();
                upper[(i + n - 1) % n] *= powers[i].exp2();
                lower[(i + 1) % n] *= powers[i].exp2();
            }
        }
        if kind == Kind::Range {
            let size = uniform(-3.5 * most, 3.5 * most)[0].exp2();
            rhs.iter_mut().for_each(|value| *value *= size);
        }
        let narrow = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect();
        Self {
            lower: narrow(lower),
            diag: narrow(diag),
            upper: narrow(upper),
            rhs: narrow(rhs),
            periodic: matches!(kind, Kind::Ring | Kind::RingCorner | Kind::DominantRing | Kind::ExcessRing)
                || (kind == Kind::Shift && n > 2),
            is_excess: matches!(kind, Kind::Excess | Kind::ExcessRing),
        }
    }
}
