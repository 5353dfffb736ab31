//! Measured policies: tables of the fastest policy per shape.
//!
//! An entry holds for a class of adapters, an algorithm, a precision, an order of rows and systems, a number of rows and a number of
//! systems. A plan takes the nearest entry, first from adapters of its own class. It searches in this order:
//!
//! 1. The file named by the environment variable [`VARIABLE`] (if the variable is empty, no file); without the variable, the file that
//!    `trisolve tune` wrote, in the platform's folder for caches.
//! 2. The tables in the library: one for software adapters, and one of an NVIDIA H200 for all others. On an H200, an entry of the file
//!    beats one of the library if it is not farther away.
//! 3. The algorithm's default.
//!
//! A file also has the [`Crossover`]s of host solves between the CPU and the device, of [`Place::Fastest`](crate::Place::Fastest).
//!
//! A file that is damaged, of another version or of another adapter is ignored, with a warning in the `log`; so is an entry that is
//! invalid, or that cannot run on its own device. A policy that relies on workgroups that run at once (`together`) is used only on the
//! adapter that measured it, and for similar shapes.

mod crossover;
mod entry;
mod p_scheme;
mod store;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use crossover::least_crossover;
pub use crossover::{Crossover, UNTUNED_BATCH_CROSSOVER, UNTUNED_CROSSOVER};
pub use p_scheme::{PSchemeFit, PSchemeModel};
use serde::{Deserialize, Serialize};
pub use store::{VARIABLE, path};
use wgpu::{AdapterInfo, DeviceType};

use crate::precision::Precision;

/// The fastest policy for one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "entry::InFile", into = "entry::InFile")]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// The policy as text, empty for the default of each shape; for auto of triangular systems, the name of an algorithm.
    pub policy: String,
    /// Its device time in microseconds, when it was tuned.
    pub tuned_us: f64,
    /// The default's time in the same run.
    pub default_us: f64,
}

/// The key of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// The algorithm's name.
    pub algorithm: String,
    /// "f32" or "f64".
    pub precision: String,
    /// Whether neighbouring systems lie closer than neighbouring rows.
    pub systems_first: bool,
    /// Rows.
    pub n: u64,
    /// Total number of right-hand sides.
    pub problems: u64,
}

impl Key {
    /// The distance of two keys in powers of two; `None` if they are incomparable.
    pub(crate) fn distance(&self, other: &Self) -> Option<f64> {
        let apart = |a: u64, b: u64| (a.max(1) as f64 / b.max(1) as f64).log2().abs();
        let comparable = self.algorithm == other.algorithm
            && self.precision == other.precision
            && self.systems_first == other.systems_first;
        comparable.then(|| apart(self.n, other.n) + apart(self.problems, other.problems))
    }
}

/// The measurements of a class of adapters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The version of trisolve that measured it.
    pub version: String,
    /// The class of adapters.
    pub adapter: String,
    /// In any order.
    pub entries: Vec<Entry>,
    /// P-scheme's model, one per precision.
    #[serde(default)]
    pub p_scheme: Vec<PSchemeEntry>,
    /// The sizes from which the device is faster than the CPU.
    #[serde(default)]
    pub crossovers: Vec<Crossover>,
}

/// The costs of P-scheme's phases on a class of adapters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PSchemeEntry {
    /// "f32" or "f64".
    pub precision: String,
    /// The measured fit.
    #[serde(flatten)]
    pub fit: PSchemeFit,
}

/// Keys farther apart than this, in powers of two, are not similar. No shape is farther than this from the nearest key of a whole table.
pub const FARTHEST: f64 = 2.0;

impl Table {
    /// No entries yet, for an adapter.
    pub fn new(info: &AdapterInfo) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            adapter: class(info),
            entries: vec![],
            p_scheme: vec![],
            crossovers: vec![],
        }
    }

    /// The entry with the nearest key, and its distance in powers of two.
    pub fn find(&self, key: &Key) -> Option<(&Entry, f64)> {
        near(&self.entries, key, FARTHEST).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Adds entries; they replace entries with the same key.
    pub fn extend(&mut self, entries: Vec<Entry>) {
        self.entries.retain(|old| entries.iter().all(|new| new.key != old.key));
        self.entries.extend(entries);
    }

    /// Adds a crossover; it replaces one of the same family and precision.
    pub fn set_crossover(&mut self, crossover: Crossover) {
        self.crossovers.retain(|old| old.family != crossover.family || old.precision != crossover.precision);
        self.crossovers.push(crossover);
    }

    /// Adds a fit of P-scheme's model; it replaces one of the same precision.
    pub fn set_p_scheme(&mut self, precision: Precision, fit: PSchemeFit) {
        self.p_scheme.retain(|old| old.precision != precision.name());
        self.p_scheme.push(PSchemeEntry { precision: precision.name().into(), fit });
    }
}

/// Entries with keys at most `farthest` powers of two away, with their distances.
pub fn near<'a>(entries: &'a [Entry], key: &Key, farthest: f64) -> impl Iterator<Item = (&'a Entry, f64)> {
    entries.iter().filter_map(move |entry| Some((entry, key.distance(&entry.key).filter(|&d| d <= farthest)?)))
}

/// The class of an adapter, which shares a table: all software adapters, or all adapters of one name.
pub fn class(info: &AdapterInfo) -> String {
    if info.device_type == DeviceType::Cpu { SOFTWARE.into() } else { info.name.trim().into() }
}

/// The class of all software adapters.
const SOFTWARE: &str = "software";

/// As `trisolve tune` wrote them. For the H200 there is one more key, of 3 million rows in f64: there `bench` found the nearest entry to be
/// slower than the default. Triangular systems were tuned with a diagonal of ones; there is no entry where auto took launch-synced on
/// software, which is slow with other diagonals.
const SHIPPED: [&str; 2] = [include_str!("tables/software.json"), include_str!("tables/nvidia-h200.json")];

/// The table in the library for software adapters, or the one for all others.
pub fn shipped(software: bool) -> Option<Table> {
    let [of_software, of_others] = SHIPPED;
    // A process parses only the one that it needs, since its first plan waits. A test reads both.
    serde_json::from_str(if software { of_software } else { of_others }).ok()
}

/// The tables to search, in order.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    adapter: String,
    found: Vec<Table>,
}

impl Tables {
    /// For an adapter; read once per process for each possible place of the file.
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
        let file = path(info);
        tables.found.extend(file.and_then(|file| store::usable(&file, store::read(&file, info))));
        let software = info.device_type == DeviceType::Cpu;
        tables.found.extend(shipped(software));
        tables
    }

    /// Entries with keys at most this many powers of two away.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn near(&self, key: &Key, farthest: f64) -> impl Iterator<Item = (&Entry, f64)> {
        self.found.iter().flat_map(move |table| near(&table.entries, key, farthest))
    }

    /// P-scheme's model, of this adapter if measured, else of another.
    pub fn p_scheme(&self, precision: Precision) -> Option<PSchemeFit> {
        let own = |entry: &&PSchemeEntry| entry.precision == precision.name();
        self.found.iter().find_map(|table| table.p_scheme.iter().find(own)).map(|entry| entry.fit)
    }

    /// The rows in all from which host solves of a family are faster on the device: as measured on this adapter, by the file before the
    /// library's table; else that of unmeasured adapters.
    pub(crate) fn crossover(&self, family: &str, precision: Precision) -> u64 {
        let mut own = self.found.iter().filter(|table| table.adapter == self.adapter);
        let found = own.find_map(|table| crossover::least(table.crossovers.iter(), family, precision));
        found.unwrap_or_else(|| crossover::untuned(family))
    }

    /// Policies to try, the best first: entries of this adapter, the nearest first, then entries of other adapters.
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
    /// Whether it was measured on this adapter.
    pub own: bool,
    /// Distance of its key in powers of two.
    pub distance: f64,
}

impl Suggestion<'_> {
    /// Whether it was measured on this adapter, for a similar shape.
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
