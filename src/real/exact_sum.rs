//! Exact sums of f64 numbers.

use super::two_sum;

/// A sum without rounding errors, as parts that do not overlap, the smallest first (J. R. Shewchuk, "Adaptive Precision Floating-Point
/// Arithmetic", 1997: Grow-Expansion).
#[derive(Debug, Clone, Default)]
pub(crate) struct ExactSum {
    parts: Vec<f64>,
}

impl ExactSum {
    pub(crate) fn add(&mut self, term: f64) {
        let mut sum = term;
        for part in &mut self.parts {
            (sum, *part) = two_sum(sum, *part);
        }
        self.parts.push(sum);
        self.parts.retain(|part| *part != 0.0);
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.parts.is_empty()
    }

    /// The nearest f64 number; NaN or infinite where a partial sum left the range.
    pub(crate) fn rounded(&self) -> f64 {
        let mut parts = self.parts.iter().rev();
        let mut sum = 0.0;
        let mut lost = 0.0;
        for &part in parts.by_ref() {
            (sum, lost) = two_sum(sum, part);
            if lost != 0.0 {
                break;
            }
        }
        // Halfway between two numbers: the sign of what follows decides.
        let doubled = 2.0 * lost;
        let next = sum + doubled;
        match parts.next() {
            Some(rest) if (rest < &0.0) == (lost < 0.0) && next - sum == doubled => next,
            _ => sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[f64]) -> f64 {
        let mut sum = ExactSum::default();
        terms.iter().for_each(|&term| sum.add(term));
        sum.rounded()
    }

    #[test]
    fn sums_are_exact_in_any_order() {
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[1e17, 1.0, 1.5e-16, -1e17, -1.0]), 1.5e-16);
        assert_eq!(sum(&[1.5e-16, -1.0, 1e300, 1.0, -1e300]), 1.5e-16);
        assert_eq!(sum(&[0.1; 10]), 1.0);
        // Halfway, and a little to each side of it.
        let half = f64::EPSILON / 2.0;
        assert_eq!(sum(&[1.0, half]), 1.0);
        assert_eq!(sum(&[1e-40, 1.0, half]), 1.0 + f64::EPSILON);
        assert_eq!(sum(&[-1e-40, 1.0, half]), 1.0);
        assert_eq!(sum(&[1.0 + f64::EPSILON, half, -1e-40]), 1.0 + f64::EPSILON);
    }

    #[test]
    fn sums_past_the_range_are_not_finite() {
        assert!(!sum(&[1e308, 1e308]).is_finite());
        assert!(!sum(&[1e308, 1e308, -1e308]).is_finite());
    }
}
