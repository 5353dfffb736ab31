//! Compiled kernels on disk, so that the next process need not compile them again: the driver's own data (`PIPELINE_CACHE`), with what they
//! are valid for and a checksum before them. That includes the subgroup sizes: Mesa's software driver compiles for the CPU's vector width, and
//! accepts data of another width.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use etcetera::BaseStrategy;
use wgpu::{AdapterInfo, Features, PipelineCache, PipelineCacheDescriptor};

use crate::error::{Error, Result};

/// The environment variable that names the file of [`KernelCacheFile::Platform`]; empty: none.
const VARIABLE: &str = "TRISOLVE_KERNELS";
/// The first line of a file begins with this, in all versions.
const KIND: &str = "trisolve kernels ";
/// The first line of a file.
const MAGIC: &str = "trisolve kernels 2";
/// A larger file is not read and not written.
const MOST_BYTES: usize = 128 << 20;

/// The file in which a [`Gpu`](crate::Gpu) keeps compiled kernels for the next process, if its device has `PIPELINE_CACHE`.
///
/// It is valid for one adapter, driver, range of subgroup sizes and version of this library. Files of kernels that are damaged or of others are
/// ignored, and overwritten at the next write; any other file at this path stays as it is. The file is written whole or not at all; of two
/// processes that write at once, the last one's stays.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum KernelCacheFile {
    /// The file that the environment variable `TRISOLVE_KERNELS` names (empty: none); without the variable, a file in the platform's folder for
    /// caches.
    #[default]
    Platform,
    /// This file.
    File(PathBuf),
    /// Nowhere.
    None,
}

impl KernelCacheFile {
    /// Whether the caller names the file.
    fn is_named(&self) -> bool {
        *self != Self::Platform || env::var_os(VARIABLE).is_some()
    }

    fn path(&self, info: &AdapterInfo) -> Option<PathBuf> {
        match self {
            Self::None => None,
            Self::File(path) => Some(path.clone()),
            Self::Platform => match env::var_os(VARIABLE) {
                Some(named) => (!named.is_empty()).then(|| named.into()),
                None => {
                    let folder = etcetera::choose_base_strategy().ok()?.cache_dir();
                    Some(folder.join("trisolve").join(format!("kernels-{:016x}", checksum(key(info).as_bytes()))))
                }
            },
        }
    }
}

/// The pipeline cache of a device, and its file.
#[derive(Debug)]
pub struct DiskCache {
    pub cache: PipelineCache,
    path: PathBuf,
    /// Whether the caller names the file.
    pub is_named: bool,
    key: String,
    /// What was in the file, if it was valid.
    loaded: Option<Content>,
    /// Whether the test of the device's subgroups passed, in this process or in the one that wrote the file.
    subgroups_pass: AtomicBool,
}

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    bytes: usize,
    checksum: u64,
    subgroups_pass: bool,
}

impl Content {
    fn of(data: &[u8], subgroups_pass: bool) -> Self {
        Self { bytes: data.len(), checksum: checksum(data), subgroups_pass }
    }

    fn header(&self, key: &str) -> String {
        let Self { bytes, checksum, subgroups_pass } = self;
        format!("{MAGIC}\n{key}\n{bytes} {checksum:016x} subgroups pass: {subgroups_pass}\n")
    }
}

impl DiskCache {
    /// `None` without the feature, or without a file.
    pub fn open(device: &wgpu::Device, info: &AdapterInfo, file: &KernelCacheFile) -> Option<Self> {
        if !device.features().contains(Features::PIPELINE_CACHE) {
            return None;
        }
        let (path, key) = (file.path(info)?, key(info));
        let found = read(&path, &key).unwrap_or_else(|why| {
            log::info!("the compiled kernels in {} are not used: {why}", path.display());
            None
        });
        let (data, loaded) = found.unzip();
        let subgroups_pass = AtomicBool::new(loaded.as_ref().is_some_and(|loaded: &Content| loaded.subgroups_pass));
        let descriptor = PipelineCacheDescriptor { label: Some("kernels"), data: data.as_deref(), fallback: true };
        // SAFETY: the data are what `PipelineCache::get_data` returned for this adapter and driver: their key and checksum say so.
        let cache = unsafe { device.create_pipeline_cache(&descriptor) };
        Some(Self { cache, path, is_named: file.is_named(), key, loaded, subgroups_pass })
    }

    pub fn subgroups_pass(&self) -> bool {
        self.subgroups_pass.load(Ordering::Relaxed)
    }

    /// To be written with the kernels.
    pub fn set_subgroups_pass(&self) {
        self.subgroups_pass.store(true, Ordering::Relaxed);
    }

    #[cfg(feature = "internals")]
    pub fn is_loaded(&self) -> bool {
        self.loaded.is_some()
    }

    /// Writes the file, if there is something new.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn store(&self) -> Result<()> {
        let Some(data) = self.cache.get_data().filter(|data| data.len() <= MOST_BYTES) else { return Ok(()) };
        let content = Content::of(&data, self.subgroups_pass());
        if self.loaded.as_ref() == Some(&content) {
            return Ok(());
        }
        let failed =
            |error: io::Error| Error::File { path: self.path.display().to_string(), message: error.to_string() };
        write(&self.path, &content.header(&self.key), &data).map_err(failed)
    }
}

/// What the data are valid for.
fn key(info: &AdapterInfo) -> String {
    let AdapterInfo { name, vendor, device, driver, driver_info, backend, .. } = info;
    let subgroups = format!("{} to {}", info.subgroup_min_size, info.subgroup_max_size);
    let version = env!("CARGO_PKG_VERSION");
    format!("{name:?} {vendor} {device} {driver:?} {driver_info:?} {backend} subgroups {subgroups} trisolve {version}")
}

/// Fowler, Noll and Vo's hash (FNV-1a), 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The kernels in a file, and what its header says; `None` if there is no file, a reason if it is of no use.
fn read(path: &Path, key: &str) -> std::result::Result<Option<(Vec<u8>, Content)>, String> {
    let described = match fs::metadata(path) {
        Ok(described) => described,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !described.is_file() || described.len() > (MOST_BYTES + MAGIC.len() + key.len() + 80) as u64 {
        return Err("the path is a folder or device, or the file is larger than 128 MiB".into());
    }
    let mut bytes = fs::read(path).map_err(|error| error.to_string())?;
    let start = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).map_or(0, |(at, _)| at + 1);
    let data = bytes.split_off(start);
    let own = [true, false].map(|subgroups_pass| Content::of(&data, subgroups_pass));
    match own.into_iter().find(|content| bytes == content.header(key).into_bytes()) {
        Some(content) => Ok(Some((data, content))),
        None if bytes.starts_with(format!("{MAGIC}\n{key}\n").as_bytes()) => Err("the file is damaged".into()),
        None => Err("another adapter, driver or version wrote the file".into()),
    }
}

/// Writes the file whole, or leaves what was there, without new folders.
fn write(path: &Path, header: &str, data: &[u8]) -> io::Result<()> {
    // Replaces the target of a symbolic link, and refuses one such as /dev/null.
    let is_link = fs::symlink_metadata(path).is_ok_and(|described| described.is_symlink());
    let target = if is_link { fs::canonicalize(path)? } else { path.to_owned() };
    if fs::metadata(&target).is_ok_and(|described| !described.is_file()) {
        return Err(io::Error::other("the path is a folder or device: name a file"));
    }
    if !may_be_replaced(&target)? {
        return Err(io::Error::other("another file is there, which does not hold kernels: name a place of its own"));
    }
    let folders = target.parent().into_iter().flat_map(Path::ancestors);
    let missing: Vec<_> = folders.take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).collect();
    let made = missing.first().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| place(&target, header, data)).inspect_err(|_| {
        for folder in missing {
            // A folder that another process uses stays: it is not empty.
            let _ = fs::remove_dir(folder);
        }
    })
}

/// Whether there is no file, or an empty one, or one of kernels.
fn may_be_replaced(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    match fs::File::open(path) {
        Ok(file) => file.take(KIND.len() as u64).read_to_end(&mut first)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    Ok(first.is_empty() || first == KIND.as_bytes())
}

/// Writes a file of this process's own, which then takes the place of the file.
fn place(path: &Path, header: &str, data: &[u8]) -> io::Result<()> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let own = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!(".trisolve-{}-{own}", process::id()));
    let mut file = fs::File::create_new(&temporary)?;
    let written = file.write_all(header.as_bytes()).and_then(|()| file.write_all(data));
    drop(file);
    let placed = written.and_then(|()| fs::rename(&temporary, path));
    if placed.is_err() {
        // Nothing is left of what failed.
        let _ = fs::remove_file(&temporary);
    }
    placed
}
