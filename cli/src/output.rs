//! Output that several verbs share: tables, lines on stdout and stderr, progress bars.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::Failure;

/// A Markdown table with aligned columns.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|&name| name.to_owned()).collect()] }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows[0].len();
        let widths: Vec<_> = (0..columns)
            .map(|column| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        for (at, row) in self.rows.iter().enumerate() {
            let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
            let line = format!("| {} |", cells.join(" | "));
            if at > 0 {
                writeln!(f)?;
            }
            f.write_str(&line)?;
            if at == 0 {
                let rules: Vec<_> = widths.iter().map(|&width| "-".repeat(width)).collect();
                write!(f, "\n| {} |", rules.join(" | "))?;
            }
        }
        Ok(())
    }
}

/// Whether a result goes to stdout, and reports to stderr.
static STDOUT_HAS_RESULT: AtomicBool = AtomicBool::new(false);

/// Sends reports to stderr if stdout `has_result`.
pub fn separate_reports(has_result: bool) {
    STDOUT_HAS_RESULT.store(has_result, Ordering::Relaxed);
}

/// Prints a report to stdout, or to stderr if stdout has a result. A closed pipe is no error.
pub fn say(text: &str) -> Result<(), Failure> {
    if STDOUT_HAS_RESULT.load(Ordering::Relaxed) {
        tell(text);
        return Ok(());
    }
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Solver(format!("stdout: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Prints one JSON value, as [`say`].
pub fn say_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    say(&serde_json::to_string(value).map_err(|error| Failure::Solver(error.to_string()))?)
}

/// Prints to stderr. If stderr is closed, the text is dropped.
pub fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Four significant digits.
pub fn digits(value: f64) -> String {
    let before = if value > 0.0 && value.is_finite() { value.log10().floor() as i32 + 1 } else { 1 };
    format!("{value:.*}", usize::try_from(4 - before).unwrap_or(0))
}

/// "1 row", "2 rows".
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Tells how many right-hand sides or sequences the CPU solved in place of the device; nothing for 0.
pub fn tell_replaced(replaced: usize, noun: &str, solved: &str) {
    if replaced > 0 {
        tell(&format!("{} {solved} on the CPU, more accurately than on the device", counted(replaced, noun)));
    }
}

/// A progress bar on stderr; hidden if stderr is no terminal.
pub fn progress(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
