//! The lines about a solve that several verbs tell on stderr.

use crate::output::{counted, tell};

/// What was solved, how, how fast, and the residual.
pub struct Summary<'a> {
    pub what: &'a str,
    pub rows: usize,
    pub columns: usize,
    /// What a column is: "right-hand side" or "sequence".
    pub column: &'static str,
    pub algorithm: &'a str,
    pub precision: &'a str,
    pub adapter: &'a str,
    pub device_us: f64,
    pub relative_residual: f64,
}

impl Summary<'_> {
    pub fn tell(&self) {
        let Self { what, rows, columns, algorithm, precision, adapter, device_us, relative_residual, .. } = self;
        let columns_named = counted(*columns, self.column);
        let mrows = (rows * columns) as f64 / device_us;
        tell(&format!(
            "{what}, {rows} rows, {columns_named}\n\
             {algorithm} in {precision} on {adapter}: {device_us:.1} us, {mrows:.2} Mrows/s\n\
             relative residual {relative_residual:.2e}"
        ));
    }
}
