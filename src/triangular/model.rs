//! A model of the time that [`Algorithm::Chained`](super::Algorithm::Chained) takes.

use crate::error::{Error, Result};

/// Seconds by J. D. Hogg, "A fast dense triangular solve in CUDA", 2013, section 5.
///
/// The time is the sum over the last block row and the earlier ones in the same slot of the device: for B block rows, `slots` of which run
/// at once, these are the numbers B, B - slots, B - 2 slots and so on. Block rows up to the number `latency_bound` end with the ones before
/// them; the last of these waits `latency` for each block row before it. All other blocks take their share of the bandwidth:
///
/// t = setup + rows init + (blocks that wait) latency + (blocks that do not) bandwidth,
///
/// `rows` counts the block rows after those up to `latency_bound`. `bandwidth` is the time to load a block's entries at a slot's share of the device's
/// bandwidth, plus the other work per block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangularModel {
    /// Rows of a block.
    pub block: u32,
    /// Block rows that run at once.
    pub slots: u32,
    /// Number of the last block row that is bound by latency: it ends only after the earlier ones. Later block rows are bound by bandwidth.
    pub latency_bound: u32,
    /// Seconds independent of size.
    pub setup: f64,
    /// Seconds until a block row starts in a slot that another has left.
    pub init: f64,
    /// Seconds per block on the critical path.
    pub latency: f64,
    /// Seconds per block at a slot's share of the bandwidth.
    pub bandwidth: f64,
}

/// The work of one size in the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangularWork {
    /// Block rows after those bound by latency, each in a slot that another has left.
    pub rows: f64,
    /// Blocks on the critical path.
    pub waiting: f64,
    /// Blocks at a slot's share of the bandwidth.
    pub streaming: f64,
}

/// Coefficients of the model.
const COSTS: usize = 4;

impl TriangularModel {
    /// The work of n rows.
    pub fn work(&self, n: usize) -> TriangularWork {
        work(n, self.block, self.slots, self.latency_bound)
    }

    /// Seconds that n rows take.
    pub fn seconds(&self, n: usize) -> f64 {
        let work = self.work(n).units();
        let costs = [self.setup, self.init, self.latency, self.bandwidth];
        work.iter().zip(costs).map(|(units, cost)| units * cost).sum()
    }

    /// The model nearest to measured (rows, seconds): least squares of relative errors, with no cost below 0. `seconds_of_block` is the
    /// time of a block at the whole device's bandwidth.
    ///
    /// # Errors
    /// [`Error::Options`] for fewer than four measurements, or measurements without a time.
    pub fn fit(block: u32, seconds_of_block: f64, measured: &[(usize, f64)]) -> Result<Self> {
        let usable = measured.iter().all(|(_, seconds)| *seconds > 0.0 && seconds.is_finite());
        if measured.len() < COSTS || !usable {
            return Err(Error::Options(format!(
                "the model of triangular systems is fitted to {COSTS} or more measured times, all above 0; these are {}",
                measured.len()
            )));
        }
        let grid = |most: i32| (8..most).map(|quarter| (f64::from(quarter) / 4.0).exp2().round() as u32);
        let mut best: Option<(f64, Self)> = None;
        for slots in grid(45) {
            for latency_bound in grid(45) {
                let share = seconds_of_block * f64::from(slots);
                let rows: Vec<_> = measured
                    .iter()
                    .map(|&(n, seconds)| {
                        let work = work(n, block, slots, latency_bound);
                        let units = work.units().map(|units| units / seconds);
                        Equation { units, right: 1.0 - share * work.streaming / seconds }
                    })
                    .collect();
                let Some((error, [setup, init, latency, own])) = costs(&rows) else { continue };
                let bandwidth = share + own;
                if best.is_none_or(|(least, _)| error < least) {
                    best = Some((error, Self { block, slots, latency_bound, setup, init, latency, bandwidth }));
                }
            }
        }
        best.map(|best| best.1).ok_or_else(|| Error::Options("no model fits the measured times".into()))
    }
}

impl TriangularWork {
    fn units(self) -> [f64; COSTS] {
        [1.0, self.rows, self.waiting, self.streaming]
    }
}

fn work(n: usize, block: u32, slots: u32, latency_bound: u32) -> TriangularWork {
    let blocks = n.div_ceil(block as usize);
    let slots = slots as usize;
    let first = if blocks == 0 { 0 } else { (blocks - 1) % slots + 1 };
    // The block rows of the slot: first, first + slots, first + 2 slots, ... Those up to `latency_bound` end with the ones before them, and
    // their start is hidden.
    let hidden = (latency_bound as usize).saturating_sub(first) / slots;
    let last_hidden = (first + hidden * slots).min(blocks);
    let waiting = last_hidden.min(latency_bound as usize);
    let rows = (blocks - last_hidden) / slots;
    let behind = rows * last_hidden + slots * (rows * (rows + 1) / 2);
    TriangularWork { rows: rows as f64, waiting: waiting as f64, streaming: (last_hidden - waiting + behind) as f64 }
}

/// The sum that the costs should give for these numbers of units.
struct Equation {
    units: [f64; COSTS],
    right: f64,
}

impl Equation {
    fn missed(&self, costs: [f64; COSTS]) -> f64 {
        self.right - self.units.iter().zip(costs).map(|(units, cost)| units * cost).sum::<f64>()
    }
}

/// The nonnegative costs that fit all equations best, with the sum of squared errors: the best over all choices of nonzero costs.
fn costs(rows: &[Equation]) -> Option<(f64, [f64; COSTS])> {
    let sets = (1..1u32 << COSTS).filter_map(|set| {
        let own: Vec<_> = (0..COSTS).filter(|at| set >> at & 1 == 1).collect();
        let found = normal_equations(rows, &own)?;
        let mut costs = [0.0; COSTS];
        own.iter().zip(found).for_each(|(&at, cost)| costs[at] = cost);
        let missed = rows.iter().map(|row| row.missed(costs).powi(2)).sum::<f64>();
        costs.iter().all(|cost| *cost >= 0.0).then_some((missed, costs))
    });
    sets.filter(|(missed, _)| missed.is_finite()).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Least squares over some of the columns, by elimination with the largest pivots.
fn normal_equations(rows: &[Equation], own: &[usize]) -> Option<Vec<f64>> {
    let size = own.len();
    // Columns scaled to equal size, so that a small pivot means that two columns are nearly dependent.
    let scale: Vec<f64> =
        own.iter().map(|&at| rows.iter().map(|row| row.units[at].powi(2)).sum::<f64>().sqrt()).collect();
    if scale.contains(&0.0) {
        return None;
    }
    let entry = |row: &Equation, at: usize| row.units[own[at]] / scale[at];
    let mut matrix: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let products = (0..size).map(|j| rows.iter().map(|row| entry(row, i) * entry(row, j)).sum());
            products.chain([rows.iter().map(|row| entry(row, i) * row.right).sum()]).collect()
        })
        .collect();
    for at in 0..size {
        let pivot = (at..size).max_by(|&a, &b| matrix[a][at].abs().total_cmp(&matrix[b][at].abs()))?;
        matrix.swap(at, pivot);
        if matrix[at][at].abs() < 1e-9 {
            return None;
        }
        let (above, below) = matrix.split_at_mut(at + 1);
        for row in below {
            let factor = row[at] / above[at][at];
            row.iter_mut().zip(&above[at]).skip(at).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    let mut found = vec![0.0; size];
    for at in (0..size).rev() {
        let known: f64 = (at + 1..size).map(|other| matrix[at][other] * found[other]).sum();
        found[at] = (matrix[at][size] - known) / matrix[at][at];
    }
    Some(found.iter().zip(scale).map(|(cost, scale)| cost / scale).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's Table 5.1: n = 8192 in blocks of 32, 56 slots, 78 block rows that wait.
    #[test]
    fn the_papers_example() {
        let work = work(8192, 32, 56, 78);
        assert_eq!(work, TriangularWork { rows: 4.0, waiting: 32.0, streaming: 688.0 });
        let model = TriangularModel {
            block: 32,
            slots: 56,
            latency_bound: 78,
            setup: 6.65e-5,
            init: 4.5e-5,
            latency: 3.75e-6,
            bandwidth: 3.39e-6,
        };
        assert!((model.seconds(8192) - 2.699e-3).abs() < 1e-6, "{}", model.seconds(8192));
    }

    #[test]
    fn a_fit_finds_the_model_that_times_are_of() {
        let model = TriangularModel {
            block: 64,
            slots: 256,
            latency_bound: 128,
            setup: 8e-6,
            init: 2e-6,
            latency: 7e-7,
            bandwidth: 1.5e-6,
        };
        let sizes = (6..16).flat_map(|power| [1usize << power, 3 << (power - 1)]);
        let measured: Vec<_> = sizes.map(|n| (n, model.seconds(n))).collect();
        let fit = TriangularModel::fit(64, 4e-9, &measured).unwrap();
        for &(n, seconds) in &measured {
            assert!((fit.seconds(n) / seconds - 1.0).abs() < 1e-6, "{n}: {fit:?}");
        }
        assert!(TriangularModel::fit(64, 4e-9, &measured[..3]).is_err());
        assert!(TriangularModel::fit(64, 4e-9, &[(1, 0.0); 5]).is_err());
    }
}
