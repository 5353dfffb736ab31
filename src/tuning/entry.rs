//! An entry of a table as files hold it. (`serde(flatten)` reads three times more slowly.)

use serde::{Deserialize, Serialize};

use super::{Entry, Key};

/// The key's fields, then those of the entry.
#[derive(Serialize, Deserialize)]
pub(super) struct InFile {
    algorithm: String,
    precision: String,
    systems_first: bool,
    n: u64,
    problems: u64,
    policy: String,
    tuned_us: f64,
    default_us: f64,
}

impl From<InFile> for Entry {
    fn from(file: InFile) -> Self {
        let InFile { algorithm, precision, systems_first, n, problems, policy, tuned_us, default_us } = file;
        Self { key: Key { algorithm, precision, systems_first, n, problems }, policy, tuned_us, default_us }
    }
}

impl From<Entry> for InFile {
    fn from(entry: Entry) -> Self {
        let Entry { key, policy, tuned_us, default_us } = entry;
        let Key { algorithm, precision, systems_first, n, problems } = key;
        Self { algorithm, precision, systems_first, n, problems, policy, tuned_us, default_us }
    }
}
