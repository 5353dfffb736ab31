//! Places of tables on disk, and reading them.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use wgpu::AdapterInfo;

use super::{Crossover, Entry, PSchemeEntry, SOFTWARE, Table, class};
use crate::error::{Error, Result};

/// The environment variable that names the tuning file.
pub const VARIABLE: &str = "TRISOLVE_TUNING";
/// Most bytes of a file: a table has a few hundred entries of a few hundred bytes.
const MOST_BYTES: u64 = 16 << 20;
/// Most bytes of a policy as text; a longer one is invalid, and messages should not repeat it.
const LONGEST_POLICY: usize = 1000;

/// The beginning of the names of tuning files in the platform's folder for caches.
const PREFIX: &str = "tuning-";

/// The place of an adapter's tuning file, if any: by [`VARIABLE`], else in the platform's folder for caches.
pub fn path(info: &AdapterInfo) -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return (!named.is_empty()).then(|| named.into());
    }
    let name: String =
        class(info).chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    Some(folder()?.join(format!("{PREFIX}{name}.json")))
}

/// The folder of the tuning files that the caller does not name.
fn folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("trisolve"))
}

/// The crossovers of all tuning files of this machine; of a named file alone, if the caller names one. The adapter is not known here: the
/// file may be of another.
pub(super) fn all_crossovers() -> Vec<Crossover> {
    let files: Vec<PathBuf> = match env::var_os(VARIABLE) {
        Some(named) => (!named.is_empty()).then(|| named.into()).into_iter().collect(),
        None => {
            let entries = folder().and_then(|folder| fs::read_dir(folder).ok());
            let is_tuning = |path: &PathBuf| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(".json"))
            };
            entries.into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_tuning).collect()
        }
    };
    let tables = files.iter().filter_map(|file| usable(file, parsed(file)));
    tables.filter(|table| table.adapter != SOFTWARE).flat_map(|table| table.crossovers).collect()
}

/// The table that was read from a file. Warns in the `log` of an unusable file, and of a missing one if the caller has named it; before
/// tuning, a file without a name is missing.
pub(super) fn usable(file: &Path, read: std::result::Result<Option<Table>, String>) -> Option<Table> {
    let is_named = env::var_os(VARIABLE).is_some();
    match &read {
        Ok(None) if is_named => log::warn!(
            "there is no tuning file {}, which {VARIABLE} names: run `trisolve tune`, or unset the variable",
            file.display()
        ),
        Ok(_) => {}
        Err(why) => log::warn!("tuning file {} is ignored: {why}", file.display()),
    }
    read.ok().flatten()
}

/// An adapter's table from a file; `None` if there is no file, a reason if it is unusable.
pub(super) fn read(path: &Path, info: &AdapterInfo) -> std::result::Result<Option<Table>, String> {
    match parsed(path)? {
        Some(table) if table.adapter != class(info) => {
            Err(format!("it is of the adapter {:?}, and this is {:?}", table.adapter, class(info)))
        }
        table => Ok(table),
    }
}

/// As [`read`], of any adapter.
fn parsed(path: &Path) -> std::result::Result<Option<Table>, String> {
    let described = match fs::metadata(path) {
        Ok(described) => described,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !described.is_file() || described.len() > MOST_BYTES {
        return Err("it is not a file that `trisolve tune` wrote".into());
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let table: Table = serde_json::from_str(&text).map_err(|error| format!("it is damaged ({error})"))?;
    let (version, ours) = (&table.version, env!("CARGO_PKG_VERSION"));
    if version != ours {
        return Err(format!("it is of trisolve {version}, and this is {ours}"));
    }
    let is_precision = |name: &str| ["f32", "f64"].contains(&name);
    let sound = |entry: &Entry| {
        let Entry { key, policy, tuned_us, default_us } = entry;
        is_precision(&key.precision)
            && key.n > 0
            && key.problems > 0
            && *tuned_us > 0.0
            && *default_us > 0.0
            && policy.len() <= LONGEST_POLICY
    };
    if let Some(at) = table.entries.iter().position(|entry| !sound(entry)) {
        return Err(format!("it is damaged (of its entries, number {} makes no sense)", at + 1));
    }
    let sound = |entry: &PSchemeEntry| is_precision(&entry.precision) && entry.fit.is_sound();
    if let Some(at) = table.p_scheme.iter().position(|entry| !sound(entry)) {
        return Err(format!("it is damaged (of P-scheme's models, number {} makes no sense)", at + 1));
    }
    let sound = |one: &Crossover| {
        is_precision(&one.precision) && Crossover::FAMILIES.contains(&one.family.as_str()) && one.rows != Some(0)
    };
    if let Some(at) = table.crossovers.iter().position(|one| !sound(one)) {
        return Err(format!("it is damaged (of its crossovers, number {} makes no sense)", at + 1));
    }
    Ok(Some(table))
}

impl Table {
    /// The table of a file, to be extended; empty if there is no file. An unusable file in the default place is replaced, with a warning in
    /// the `log`.
    ///
    /// # Errors
    /// [`Error::Options`] for an unusable file in a place that the caller has named.
    pub fn read_or_new(path: &Path, info: &AdapterInfo, named: bool) -> Result<Self> {
        match read(path, info) {
            Ok(known) => Ok(known.unwrap_or_else(|| Self::new(info))),
            Err(why) if named => {
                let way_out = if path.is_file() { "move it away, or take" } else { "take" };
                Err(Error::Options(format!(
                    "{} is there and cannot be extended: {why}; {way_out} another place",
                    path.display()
                )))
            }
            Err(why) => {
                log::warn!("{} is written anew: {why}", path.display());
                Ok(Self::new(info))
            }
        }
    }

    /// As in the file: one entry per line.
    ///
    /// # Errors
    /// [`Error::Options`] for an entry's time that is not a number.
    pub fn to_json(&self) -> Result<String> {
        let failed = |error: serde_json::Error| Error::Options(error.to_string());
        let entries = self.entries.iter().map(serde_json::to_string).collect::<std::result::Result<Vec<_>, _>>();
        let models = optional("p_scheme", &self.p_scheme).map_err(failed)?;
        let crossovers = optional("crossovers", &self.crossovers).map_err(failed)?;
        let text = |text: &str| serde_json::to_string(text).map_err(failed);
        Ok(format!(
            "{{\n\"version\": {},\n\"adapter\": {},\n\"entries\": [\n{}\n]{models}{crossovers}\n}}\n",
            text(&self.version)?,
            text(&self.adapter)?,
            entries.map_err(failed)?.join(",\n"),
        ))
    }
}

/// A further list of a table, one item per line; nothing if it is empty.
fn optional(name: &str, items: &[impl serde::Serialize]) -> serde_json::Result<String> {
    let items = items.iter().map(serde_json::to_string).collect::<serde_json::Result<Vec<_>>>()?;
    Ok(if items.is_empty() { String::new() } else { format!(",\n\"{name}\": [\n{}\n]", items.join(",\n")) })
}
