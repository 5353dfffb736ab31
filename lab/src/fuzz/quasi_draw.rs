//! Quasi-tridiagonal systems that are hard to solve.

use rand::Rng;
use rand::rngs::SmallRng;

/// From this many rows on, the library no longer eliminates a matrix as a dense one.
const MANY_ROWS: usize = 513;

/// Entries: row, column, value.
pub(super) type Triplets = Vec<(usize, usize, f64)>;

/// Draws a matrix; also returns its kind's name, and the unit, a power of two, of each row and unknown.
pub(super) fn matrix(n: usize, random: &mut SmallRng) -> (Triplets, &'static str, Vec<f64>) {
    let kind = random.random_range(0..10);
    let integers = kind == 6;
    let entry = |random: &mut SmallRng| match integers {
        true => f64::from(random.random_range(-2i32..3)),
        false => random.random_range(-1.0..1.0),
    };
    let mut all: Triplets = vec![];
    for i in 0..n {
        for j in [i.wrapping_sub(1), i, i + 1] {
            if j < n {
                all.push((i, j, entry(random)));
            }
        }
        for _ in 0..random.random_range(0..3) {
            all.push((i, random.random_range(0..n), entry(random)));
        }
    }
    all.sort_by_key(|entry| (entry.0, entry.1));
    all.dedup_by_key(|entry| (entry.0, entry.1));
    let dominate = |all: &mut Triplets, share: f64| {
        let mut sums = vec![0.0; n];
        all.iter().filter(|entry| entry.0 != entry.1).for_each(|entry| sums[entry.0] += entry.2.abs());
        for entry in all.iter_mut().filter(|entry| entry.0 == entry.1) {
            entry.2 = entry.2.signum() * (sums[entry.0] * share + 0.01);
        }
    };
    let scale = |all: &mut Triplets, by_rows: bool, powers: &[f64]| {
        all.iter_mut().for_each(|entry| entry.2 *= 10f64.powf(powers[if by_rows { entry.0 } else { entry.1 }]));
    };
    let mut units = vec![1.0; n];
    let name = match kind {
        0 => {
            dominate(&mut all, 1.3);
            "dominant"
        }
        1 => "random",
        2 | 3 => {
            if kind == 2 {
                dominate(&mut all, 1.3);
            }
            let powers: Vec<_> = (0..n)
                .map(|_| if random.random_range(0..4) == 0 { random.random_range(4.0..8.0) } else { 0.0 })
                .collect();
            scale(&mut all, true, &powers);
            "scaled rows"
        }
        4 => {
            let powers: Vec<_> = (0..n).map(|_| random.random_range(-4.0..4.0)).collect();
            scale(&mut all, false, &powers);
            "scaled columns"
        }
        5 => {
            let powers: Vec<_> = (0..n).map(|_| random.random_range(-30.0..30.0)).collect();
            scale(&mut all, true, &powers);
            "rows of any size"
        }
        6 => "integers",
        9 => {
            // Units of rows and of unknowns that change along the matrix.
            if random.random_range(0..2) == 0 {
                dominate(&mut all, 1.3);
            }
            let span: f64 = random.random_range(0.0..64.0);
            units = (0..n).map(|i| (span * (2.0 * i as f64 / n as f64 - 1.0)).round().exp2()).collect();
            all.iter_mut().for_each(|entry| entry.2 *= units[entry.0] / units[entry.1]);
            "units along the matrix"
        }
        _ => {
            // Two rows that are equal, or nearly equal.
            let from: Triplets = all.iter().copied().filter(|entry| entry.0 == 0).collect();
            let to = n - 1;
            all.retain(|entry| entry.0 != to);
            let off = if kind == 7 { 0.0 } else { 10f64.powf(random.random_range(-18.0..-2.0)) };
            all.extend(
                from.iter()
                    .enumerate()
                    .map(|(at, &(_, column, value))| (to, column, if at == 0 { value * (1.0 + off) } else { value })),
            );
            if kind == 7 { "singular" } else { "nearly singular" }
        }
    };
    (all, name, units)
}

/// A small block hidden among many rows. The other rows have a diagonal entry, and some have an entry in one of the block's
/// columns.
pub(super) struct Hidden {
    pub n: usize,
    /// The places of the block's rows and columns.
    pub places: Vec<usize>,
    /// The other rows: row, diagonal entry, a column of the block, and the entry in that column (0 for none).
    others: Vec<(usize, f64, usize, f64)>,
}

impl Hidden {
    pub fn new(block: usize, random: &mut SmallRng, narrow: impl Fn(f64) -> f64) -> Self {
        let n = MANY_ROWS + random.random_range(0..100);
        let mut rows: Vec<_> = (0..n).collect();
        for at in 0..block {
            rows.swap(at, random.random_range(at..n));
        }
        let others = rows.split_off(block).into_iter().map(|row| {
            let sign = if random.random_range(0..2) == 0 { 1.0 } else { -1.0 };
            let entry = if random.random_range(0..4) == 0 { random.random_range(-1.0..1.0) } else { 0.0 };
            (row, narrow(sign * random.random_range(0.5..2.0)), random.random_range(0..block), narrow(entry))
        });
        Self { n, others: others.collect(), places: rows }
    }

    /// The entries of the whole matrix.
    pub fn entries(&self, block: &Triplets) -> Triplets {
        let own = block.iter().map(|&(i, j, value)| (self.places[i], self.places[j], value));
        let others = self.others.iter().flat_map(|&(row, diagonal, at, entry)| {
            let beside = (entry != 0.0).then_some((row, self.places[at], entry));
            [(row, row, diagonal)].into_iter().chain(beside)
        });
        own.chain(others).collect()
    }

    /// The solution of all rows, and their |A^-1| |A| |x|, from those of the block.
    pub fn with_others(&self, rhs: &[f64], [x, amplified]: [&[f64]; 2]) -> [Vec<f64>; 2] {
        let (mut all_x, mut all) = (vec![0.0; self.n], vec![0.0; self.n]);
        for (at, &place) in self.places.iter().enumerate() {
            (all_x[place], all[place]) = (x[at], amplified[at]);
        }
        for &(row, diagonal, at, entry) in &self.others {
            all_x[row] = (rhs[row] - entry * x[at]) / diagonal;
            let size = diagonal.abs() * all_x[row].abs() + entry.abs() * x[at].abs();
            all[row] = (size + entry.abs() * amplified[at]) / diagonal.abs();
        }
        [all_x, all]
    }
}
