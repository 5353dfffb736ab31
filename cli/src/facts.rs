//! What the JSON reports of all verbs that solve have in common.

use crate::output::{counted, tell};
use crate::time_spent::TimeSpent;

/// One set of keys. A key is null where a verb does not know its value.
#[derive(serde::Serialize)]
pub struct Facts {
    /// What was solved.
    pub structure: String,
    pub rows: usize,
    /// Right-hand sides, or sequences.
    pub columns: usize,
    pub algorithm: String,
    /// The division of the work on the device.
    pub policy: Option<String>,
    pub precision: String,
    /// "device" or "cpu".
    pub place: &'static str,
    pub adapter: String,
    /// The most of all right-hand sides.
    pub iterations: Option<usize>,
    pub relative_residual: Option<f64>,
    pub backward_error: Option<f64>,
    /// Against the exact answer for the numbers as given.
    pub forward_error: Option<f64>,
    /// Skeel's cond(A, x), where it was computed.
    pub condition: Option<f64>,
    /// Columns whose answer from the device the CPU's replaced.
    pub replaced: usize,
    pub solve_us: f64,
    /// If `--timing` asks for it.
    pub timing: Option<TimeSpent>,
}

impl Facts {
    /// Tells what was solved, how, how fast, and the residual; `column` is "right-hand side" or "sequence".
    pub fn tell(&self, what: &str, column: &str) {
        let Self { rows, columns, algorithm, precision, adapter, solve_us, .. } = self;
        let columns_named = counted(*columns, column);
        let mrows = (rows * columns) as f64 / solve_us;
        tell(&format!(
            "{what}, {rows} rows, {columns_named}\n{algorithm} in {precision} on {adapter}: {solve_us:.1} us, {mrows:.2} Mrows/s"
        ));
        if let Some(relative_residual) = self.relative_residual {
            tell(&format!("relative residual {relative_residual:.2e}"));
        }
    }

    /// Tells where the time went, if that was asked for.
    pub fn tell_timing(&self) {
        if let Some(timing) = &self.timing {
            timing.tell();
        }
    }
}
