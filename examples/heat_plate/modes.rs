//! The temperature as a sum of modes: its exact value at any time, and a bound of the scheme's error.

use std::f64::consts::PI;

pub const DIFFUSIVITY: f64 = 1.0;

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

/// Exact temperature of the plate.
pub fn exact(x: f64, y: f64, time: f64) -> f64 {
    MODES.iter().map(|mode| mode.at(x, y, time)).sum()
}

/// Bound of the error at a time, if rounding changes each mode by at most the share `rounding` of what is left of it.
pub fn error_bound(h: f64, dt: f64, time: f64, rounding: f64) -> f64 {
    MODES.iter().map(|mode| mode.error_bound(h, dt, time) + rounding * mode.left(time)).sum()
}
