//! What several verbs print with.

use std::fmt;
use std::io::Write;
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

/// Prints to stdout; a closed pipe is no panic.
pub fn say(text: &str) -> Result<(), Failure> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Solver(format!("stdout: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Prints to stderr; where that is closed there is nobody to tell.
pub fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A progress bar on stderr; hidden where that is no terminal.
pub fn progress(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
