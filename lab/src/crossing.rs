//! Where one of two ways becomes faster than the other.

/// Where the second way becomes faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The least size measured from which on it is faster at all sizes; `None` if it is not at the largest.
    pub faster_from: Option<usize>,
    /// Where the curves cross below, on logarithmic axes; `None` also if it is faster at all sizes.
    pub at: Option<f64>,
}

impl Crossing {
    /// Of sizes in increasing order, each with the second way's time in units of the first's.
    pub fn of(ratios: &[(usize, f64)]) -> Self {
        let slower = ratios.iter().rposition(|&(_, ratio)| ratio >= 1.0);
        let first = slower.map_or(0, |at| at + 1);
        let at = slower.and_then(|at| Some((ratios[at], *ratios.get(at + 1)?))).map(|((low, above), (high, below))| {
            let [low, high] = [low, high].map(|size| (size as f64).ln());
            let share = above.ln() / (above.ln() - below.ln());
            (low + share * (high - low)).exp()
        });
        Self { faster_from: ratios.get(first).map(|&(size, _)| size), at }
    }
}
