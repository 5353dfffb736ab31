//! The library's warnings on stderr; each appears once per run.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::output::tell;

/// The warnings that were printed.
struct Warnings(Mutex<Option<HashSet<String>>>);

static WARNINGS: Warnings = Warnings(Mutex::new(None));

impl Log for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Warn && metadata.target().split("::").next() == Some("trisolve")
    }

    fn log(&self, record: &Record<'_>) {
        let text = record.args().to_string();
        let mut printed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if self.enabled(record.metadata()) && printed.get_or_insert_default().insert(text.clone()) {
            tell(&format!("trisolve: warning: {text}"));
        }
    }

    fn flush(&self) {}
}

/// Prints warnings from now on, also those that an earlier run printed.
pub fn show() {
    *WARNINGS.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    // The program sets no other logger.
    if log::set_logger(&WARNINGS).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
}
