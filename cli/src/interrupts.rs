//! Interrupts (SIGINT, SIGTERM, SIGHUP; Ctrl-C) leave no temporary files behind.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files to remove.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The exit code after an interrupt: the shells' code for SIGINT.
const INTERRUPTED: i32 = 130;

/// Installs a handler that removes the temporary files at an interrupt and ends the program. Without a handler they stay.
pub fn watch() {
    let ended = ctrlc::set_handler(|| {
        for path in TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // Moved into place, or removed already.
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(INTERRUPTED);
    });
    if let Err(error) = ended {
        log::warn!("cannot install the interrupt handler ({error}); an interrupt may leave temporary files");
    }
}

/// Registers a file to be removed at an interrupt.
pub fn remove_when_interrupted(path: &Path) {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}
