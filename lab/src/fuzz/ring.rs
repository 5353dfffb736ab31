//! The oracle for small cyclic systems, and for matrices given by their excess: elimination in 1500 bits.

use std::collections::BTreeMap;

use super::tridiagonal_draw::Drawn;
use crate::big::Big;
use trisolve::Real;

/// A pivot smaller than this, relative to its row's largest entry, is 0 up to roundings.
const NOTHING: f64 = 1e-300;

/// The solution; `None` if the matrix is singular.
pub(super) fn solved<T: Real>(drawn: &Drawn<T>) -> Option<Vec<f64>> {
    let n = drawn.diag.len();
    let mut rows: Vec<(BTreeMap<usize, Big>, Big)> = (0..n).map(|i| row(drawn, i)).collect();
    let sizes: Vec<_> = rows.iter().map(|(entries, _)| largest(entries)).collect();
    let mut order: Vec<_> = (0..n).collect();
    for column in 0..n {
        // The entry in this column, relative to the row's largest entry.
        let share = |at: usize| {
            let (entries, size): (&BTreeMap<_, Big>, _) = (&rows[order[at]].0, &sizes[order[at]]);
            match entries.get(&column) {
                Some(entry) if !size.is_zero() => entry.clone().abs().ratio(size),
                _ => 0.0,
            }
        };
        let best = (column..n).max_by(|one, other| share(*one).total_cmp(&share(*other)))?;
        if share(best) < NOTHING {
            return None;
        }
        order.swap(column, best);
        let (pivot, right) = rows[order[column]].clone();
        for &at in &order[column + 1..] {
            let (entries, value) = &mut rows[at];
            let Some(entry) = entries.remove(&column) else { continue };
            let factor = entry.over(&pivot[&column]);
            for (beyond, entry) in pivot.range(column + 1..) {
                let own = entries.entry(*beyond).or_insert_with(|| Big::new(0.0));
                *own = own.minus(&factor.times(entry));
            }
            *value = value.minus(&factor.times(&right));
        }
    }
    let mut x = vec![Big::new(0.0); n];
    for column in (0..n).rev() {
        let (entries, right) = &rows[order[column]];
        let known =
            entries.range(column + 1..).fold(right.clone(), |sum, (at, entry)| sum.minus(&entry.times(&x[*at])));
        x[column] = known.over(&entries[&column]);
    }
    Some(x.iter().map(Big::value).collect())
}

/// The entries of a row by their columns, and its right-hand side.
fn row<T: Real>(drawn: &Drawn<T>, i: usize) -> (BTreeMap<usize, Big>, Big) {
    let n = drawn.diag.len();
    let [lower, diag, upper] = [&drawn.lower, &drawn.diag, &drawn.upper].map(|values| Big::new(values[i].to_f64()));
    let is_there = |beyond: bool| drawn.periodic || !beyond;
    let neighbours = [(is_there(i == 0), (i + n - 1) % n, lower), (is_there(i + 1 == n), (i + 1) % n, upper)];
    let mut entries = BTreeMap::from([(i, diag)]);
    let mut add = |column: usize, entry: &Big| {
        let sum = entries.entry(column).or_insert_with(|| Big::new(0.0));
        *sum = sum.plus(entry);
    };
    for (_, column, entry) in neighbours.into_iter().filter(|(is_there, ..)| *is_there) {
        add(column, &entry);
        if drawn.is_excess {
            add(i, &entry.abs());
        }
    }
    (entries, Big::new(drawn.rhs[i].to_f64()))
}

/// The largest absolute value of a row.
fn largest(entries: &BTreeMap<usize, Big>) -> Big {
    let larger = |most: Big, entry: &Big| {
        let size = entry.clone().abs();
        if size.minus(&most).value() > 0.0 { size } else { most }
    };
    entries.values().fold(Big::new(0.0), larger)
}
