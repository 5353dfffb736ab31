//! Scaling by powers of two that brings all entries of a sparse matrix near 1.

use crate::arithmetic::exponent;
use crate::csr::Csr;

/// Most steps of the conjugate gradients. A step carries a power one row further.
const MOST_STEPS: usize = 4000;

/// Most steps times entries.
const MOST_OPERATIONS: usize = 1 << 27;

/// Powers of two of rows and of columns that minimise the sum of (log2 |a| + row + column)^2 over all entries (Curtis and Reid, "On the
/// automatic scaling of matrices for Gaussian elimination", 1972). The scaled matrix is the same in
/// any units of rows and unknowns.
pub(super) fn balancing(matrix: &Csr<f64>) -> [Vec<i32>; 2] {
    let n = matrix.rows();
    let entries: Vec<(usize, usize, f64)> = (0..n)
        .flat_map(|row| {
            let log = move |(column, value): (usize, f64)| Some((row, column, f64::from(exponent(value)?)));
            matrix.row(row).filter_map(log)
        })
        .collect();
    // Entries per row and per column.
    let (mut in_row, mut in_column) = (vec![0.0; n], vec![0.0; n]);
    for (row, column, _) in &entries {
        in_row[*row] += 1.0;
        in_column[*column] += 1.0;
    }
    let mean = |sum: f64, count: f64| sum / f64::max(count, 1.0);
    let means_of_rows = |of: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
        let mut sums = vec![0.0; n];
        entries.iter().for_each(|(row, column, log)| sums[*row] += of(*column, *log));
        sums.iter().zip(&in_row).map(|(sum, count)| mean(*sum, *count)).collect()
    };
    let sums_of_columns = |of: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
        let mut sums = vec![0.0; n];
        entries.iter().for_each(|(row, column, log)| sums[*column] += of(*row, *log));
        sums
    };
    // With r = -mean(log + c) the columns' powers c remain: a singular, consistent system, solved by conjugate gradients.
    let mut columns = vec![0.0; n];
    let means = means_of_rows(&|_, log| log);
    let mut residual = sums_of_columns(&|row, log| means[row] - log);
    let scaled = |residual: &[f64]| -> Vec<f64> {
        residual.iter().zip(&in_column).map(|(residual, count)| mean(*residual, *count)).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut direction = scaled(&residual);
    let mut size = dot(&residual, &direction);
    let small = 1e-24 * size;
    for _ in 0..MOST_STEPS.min(MOST_OPERATIONS / entries.len().max(1)) {
        if size <= small {
            break;
        }
        let means = means_of_rows(&|column, _| direction[column]);
        let image = sums_of_columns(&|row, _| -means[row]);
        let image: Vec<_> = image.iter().enumerate().map(|(at, image)| image + in_column[at] * direction[at]).collect();
        let step = size / dot(&direction, &image);
        if !step.is_finite() {
            break;
        }
        columns.iter_mut().zip(&direction).for_each(|(own, direction)| *own += step * direction);
        residual.iter_mut().zip(&image).for_each(|(own, image)| *own -= step * image);
        let next = scaled(&residual);
        let reduced = dot(&residual, &next);
        direction.iter_mut().zip(&next).for_each(|(own, next)| *own = next + reduced / size * *own);
        size = reduced;
    }
    let rows = means_of_rows(&|column, log| -(log + columns[column]));
    [rows, columns].map(|powers| powers.into_iter().map(|power| power.round() as i32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of 20 x 30 cells in units from 2^-400 to 2^400 of unknowns, and others of rows.
    #[test]
    fn units_along_a_matrix_are_found() {
        let (width, n) = (20, 600);
        let unit = |i: usize| (800.0 * i as f64 / n as f64).round() as i32 - 400;
        let near = |i: usize| {
            let beside = [(!i.is_multiple_of(width)).then(|| i - 1), (!(i + 1).is_multiple_of(width)).then_some(i + 1)];
            let over = [i.checked_sub(width), (i + width < n).then_some(i + width)];
            beside.into_iter().chain(over).flatten().map(|j| (j, -1.0)).chain([(i, 4.5)])
        };
        let entry = |i: usize, (j, value): (usize, f64)| (i, j, value * 2f64.powi(unit(i) - unit(j) + i as i32 % 7));
        let matrix = Csr::from_triplets(n, (0..n).flat_map(|i| near(i).map(move |of| entry(i, of)))).expect("a matrix");
        let [rows, columns] = balancing(&matrix);
        for (i, row) in rows.iter().enumerate() {
            for (j, value) in matrix.row(i) {
                let size = exponent(value).expect("not 0") + row + columns[j];
                assert!(size.abs() <= 3, "2^{size} in row {i}");
            }
        }
    }
}
