//! Policies found by measuring: tables of which policy is fastest where.
//!
//! An entry holds for a class of adapters, an algorithm, a precision, an order of rows and systems,
//! a number of rows and a number of systems; a plan takes the nearest, of adapters of its own class first.
//! What it looks in:
//!
//! 1. The file that the environment variable [`VARIABLE`] names (where it is empty, no file), or without
//!    the variable the one that `trisolve tune` wrote, in the platform's folder for caches.
//! 2. The tables in the library: one for software adapters, and one of an NVIDIA H200 for all others. On an
//!    H200, an entry of the file beats one of the library where it is no farther away.
//! 3. What the algorithm takes by default.
//!
//! A file that is damaged, of another version or of another adapter is ignored, with a warning in
//! the `log`; so is an entry that makes no sense, or that the device it was found on cannot run. A policy whose speed rests on how much runs at once
//! (`together`) is taken only on the adapter that it was found on, and for shapes much like its own.

mod p_scheme;
mod store;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub use p_scheme::{PSchemeFit, PSchemeModel};
use serde::{Deserialize, Serialize};
pub use store::{VARIABLE, path};
use wgpu::{AdapterInfo, DeviceType};

use crate::precision::Precision;

/// What was fastest at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The place.
    #[serde(flatten)]
    pub key: Key,
    /// The policy as text, empty for the default of each shape; of triangular systems' auto the name of an algorithm.
    pub policy: String,
    /// Its device time in microseconds, when it was tuned.
    pub tuned_us: f64,
    /// That of the default in the same run.
    pub default_us: f64,
}

/// Where an entry holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The algorithm's name.
    pub algorithm: String,
    /// "f32" or "f64".
    pub precision: String,
    /// Neighbouring systems lie closer than neighbouring rows.
    pub systems_first: bool,
    /// Rows.
    pub n: u64,
    /// Right-hand sides in all.
    pub problems: u64,
}

impl Key {
    /// Powers of two between two places, or none where they have nothing in common.
    pub(crate) fn distance(&self, other: &Self) -> Option<f64> {
        let apart = |a: u64, b: u64| (a.max(1) as f64 / b.max(1) as f64).log2().abs();
        let comparable = self.algorithm == other.algorithm
            && self.precision == other.precision
            && self.systems_first == other.systems_first;
        comparable.then(|| apart(self.n, other.n) + apart(self.problems, other.problems))
    }
}

/// All that is known of a class of adapters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The version of trisolve that measured it.
    pub version: String,
    /// The class of adapters.
    pub adapter: String,
    /// In no order.
    pub entries: Vec<Entry>,
    /// P-scheme's model, of a precision each.
    #[serde(default)]
    pub p_scheme: Vec<PSchemeEntry>,
}

/// What P-scheme's phases cost on a class of adapters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PSchemeEntry {
    /// "f32" or "f64".
    pub precision: String,
    /// As it was measured.
    #[serde(flatten)]
    pub fit: PSchemeFit,
}

/// Farther apart than this, in powers of two, two places have little in common: the whole table's lie no farther from
/// any shape.
pub const FARTHEST: f64 = 2.0;

impl Table {
    /// No entries yet, for an adapter.
    pub fn new(info: &AdapterInfo) -> Self {
        Self { version: env!("CARGO_PKG_VERSION").into(), adapter: class(info), entries: vec![], p_scheme: vec![] }
    }

    /// The entry of the nearest place, and how far that is in powers of two.
    pub fn find(&self, key: &Key) -> Option<(&Entry, f64)> {
        near(&self.entries, key, FARTHEST).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Takes over another's entries; they replace those of the same place.
    pub fn extend(&mut self, entries: Vec<Entry>) {
        self.entries.retain(|old| entries.iter().all(|new| new.key != old.key));
        self.entries.extend(entries);
    }

    /// Takes over a fit of P-scheme's model, in place of one of the same precision.
    pub fn set_p_scheme(&mut self, precision: Precision, fit: PSchemeFit) {
        self.p_scheme.retain(|old| old.precision != precision.name());
        self.p_scheme.push(PSchemeEntry { precision: precision.name().into(), fit });
    }
}

/// Entries of places that are at most so many powers of two away, and how many.
pub fn near<'a>(entries: &'a [Entry], key: &Key, farthest: f64) -> impl Iterator<Item = (&'a Entry, f64)> {
    entries.iter().filter_map(move |entry| Some((entry, key.distance(&entry.key).filter(|&d| d <= farthest)?)))
}

/// What adapters share a table: all software ones, or those of one name.
pub fn class(info: &AdapterInfo) -> String {
    if info.device_type == DeviceType::Cpu { SOFTWARE.into() } else { info.name.trim().into() }
}

/// The class of all software adapters.
const SOFTWARE: &str = "software";

/// As `trisolve tune` wrote them; of the H200 one place more, of 3 million rows in f64, where `bench` found what was
/// nearest to be slower than the default. Triangular systems were
/// tuned with a diagonal of ones; where auto took launch-synced on software, which is slow with others, it has no entry.
const SHIPPED: [&str; 2] = [include_str!("tables/software.json"), include_str!("tables/nvidia-h200.json")];

/// The tables in the library.
pub fn shipped() -> impl Iterator<Item = Table> {
    // A test reads them all.
    SHIPPED.into_iter().filter_map(|shipped| serde_json::from_str(shipped).ok())
}

/// The tables to look in, the first first.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    adapter: String,
    found: Vec<Table>,
}

impl Tables {
    /// For an adapter; read once a process for each place that the file may lie at.
    pub fn of(info: &AdapterInfo) -> Arc<Self> {
        type Cache = HashMap<(String, Option<PathBuf>), Arc<Tables>>;
        static CACHE: Mutex<Option<Cache>> = Mutex::new(None);
        let key = (class(info), path(info));
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        let cache = cache.get_or_insert_default();
        cache.entry(key).or_insert_with(|| Arc::new(Self::load(info))).clone()
    }

    fn load(info: &AdapterInfo) -> Self {
        let mut tables = Self { adapter: class(info), ..Self::default() };
        if let Some(file) = path(info) {
            match store::read(&file, info) {
                Ok(Some(table)) => tables.found.push(table),
                // Nobody has tuned yet; but a file that was named should be there.
                Ok(None) if store::is_named() => {
                    log::warn!("there is no tuning file {} yet, which {VARIABLE} names", file.display());
                }
                Ok(None) => {}
                Err(why) => log::warn!("tuning file {} is ignored: {why}", file.display()),
            }
        }
        let software = info.device_type == DeviceType::Cpu;
        tables.found.extend(shipped().filter(|table| (table.adapter == SOFTWARE) == software));
        tables
    }

    /// Entries of places that are at most so many powers of two away.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn near(&self, key: &Key, farthest: f64) -> impl Iterator<Item = (&Entry, f64)> {
        self.found.iter().flat_map(move |table| near(&table.entries, key, farthest))
    }

    /// P-scheme's model, of this adapter where it was measured, else of another.
    pub fn p_scheme(&self, precision: Precision) -> Option<PSchemeFit> {
        let own = |entry: &&PSchemeEntry| entry.precision == precision.name();
        self.found.iter().find_map(|table| table.p_scheme.iter().find(own)).map(|entry| entry.fit)
    }

    /// What to try, the best first: what was found on this adapter, the nearest, then what was found on
    /// others.
    pub fn find(&self, key: &Key) -> Vec<Suggestion<'_>> {
        let found = self.found.iter().filter_map(|table| {
            let (entry, distance) = table.find(key)?;
            Some(Suggestion { policy: &entry.policy, own: table.adapter == self.adapter, distance })
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by(|a, b| b.own.cmp(&a.own).then(a.distance.total_cmp(&b.distance)));
        found
    }
}

/// A policy to try.
#[derive(Debug, Clone, Copy)]
pub struct Suggestion<'a> {
    /// As text.
    pub policy: &'a str,
    /// Found on this adapter.
    pub own: bool,
    /// Powers of two between its place and this.
    pub distance: f64,
}

impl Suggestion<'_> {
    /// Found on this adapter, for a shape much like this.
    pub fn at_home(&self) -> bool {
        self.own && self.distance <= 1.0
    }
}

/// The key of a shape.
pub fn key(algorithm: &str, precision: Precision, systems_first: bool, n: u32, problems: u32) -> Key {
    Key {
        algorithm: algorithm.into(),
        precision: precision.name().into(),
        systems_first,
        n: n.into(),
        problems: problems.into(),
    }
}
