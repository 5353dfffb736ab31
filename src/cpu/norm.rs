//! Norms of numbers of any size.

/// A 2-norm: squares of what has them, and the rest the slow way.
#[derive(Default)]
pub(super) struct Norm {
    squares: f64,
    large: f64,
}

impl Norm {
    pub fn add(&mut self, value: f64) {
        if value.abs() < 1e140 {
            self.squares += value * value;
        } else {
            self.large = self.large.hypot(value);
        }
    }

    pub fn total(&self) -> f64 {
        self.squares.sqrt().hypot(self.large)
    }
}
