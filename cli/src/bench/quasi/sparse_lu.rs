//! A sparse LU on one core of the CPU, to compare with: the crate rsparse, after CSparse.

use std::time::Instant;

use trisolve_lab::SparseSystem;

use crate::Failure;

/// The solution, and the seconds that it took.
pub fn solve(system: &SparseSystem) -> Result<(Vec<f64>, f64), Failure> {
    let rows = system.matrix.rows();
    // rsparse takes a matrix by columns.
    let transposed = system.matrix.transposed();
    let mut columns = rsparse::data::Sprs::new();
    (columns.m, columns.n, columns.nzmax) = (rows, rows, transposed.entries());
    let mut at = 0;
    columns.p.clear();
    for column in 0..rows {
        columns.p.push(at as isize);
        for (row, value) in transposed.row(column) {
            columns.i.push(row);
            columns.x.push(value);
            at += 1;
        }
    }
    columns.p.push(at as isize);
    let mut x = system.rhs.clone();
    let begun = Instant::now();
    // The order is the minimum degree of A + A^T. The diagonal is the pivot wherever it is large enough.
    rsparse::lusol(&columns, &mut x, 1, 1e-3).map_err(|error| Failure::Solver(format!("sparse LU: {error:?}")))?;
    Ok((x, begun.elapsed().as_secs_f64()))
}
