//! Interrupts (SIGINT, SIGTERM, SIGHUP; Ctrl-C) leave no temporary files behind.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files to remove.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The exit code after an interrupt, as shells have it for SIGINT.
const INTERRUPTED: i32 = 130;

/// Ends the program at an interrupt, without its temporary files. Where no handler can be installed, they stay behind.
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

/// Has a file removed when the program is interrupted.
pub fn remove_when_interrupted(path: &Path) {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}
