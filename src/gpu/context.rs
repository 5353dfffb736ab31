//! The device: the library's own, or the caller's.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use rayon::prelude::*;
use wgpu::{AdapterInfo, Backends, InstanceDescriptor, InstanceFlags};

use super::capabilities::{Capabilities, FeatureSwitches, required_limits, wanted_features};
use super::kernel::{CompiledKernel, KernelText};
use super::kernel_cache::{DiskCache, KernelCacheFile};
use super::kernels::{Kernels, MOST_RECENT, MOST_RECENT_IN_SOFTWARE};
use super::probe;
use super::recent::Recent;
use super::stopwatch::compiling;
use super::uploads::Uploads;
use crate::error::{Error, Result};
use crate::shader::Permutation;

/// How to open or use a device.
#[derive(Debug, Clone, Default)]
pub struct GpuOptions {
    /// Part of the adapter's name, case ignored. Default: the adapter that `WGPU_ADAPTER_NAME` names, else the fastest kind.
    pub adapter_name: Option<String>,
    /// Allowed rungs of the feature ladder.
    pub allowed: FeatureSwitches,
    /// Compile kernels with bounds checks, loop bounds and zeroed workgroup memory. Slower;
    /// for finding defects.
    pub checked: bool,
    /// The file that keeps compiled kernels for the next process.
    pub kernel_cache: KernelCacheFile,
}

/// One adapter of this machine.
#[derive(Debug, Clone)]
pub struct AdapterSummary {
    /// wgpu's description.
    pub info: AdapterInfo,
    /// Features and limits of a device of this adapter.
    pub capabilities: Capabilities,
}

/// A device with its kernels. Cheap to clone.
#[derive(Clone)]
pub struct Gpu {
    inner: Arc<Inner>,
    /// `None` within kept plans: otherwise these would own themselves, and the device would never be freed.
    recent: Option<Arc<Recent>>,
}

struct Inner {
    device: wgpu::Device,
    queue: wgpu::Queue,
    info: AdapterInfo,
    capabilities: Capabilities,
    proven: OnceLock<Capabilities>,
    checked: bool,
    kernels: Mutex<Kernels<Permutation, CompiledKernel>>,
    on_disk: Option<DiskCache>,
    uploads: Uploads,
    /// Whether a kernel was created since the last write; its data may already be in the file.
    has_new: AtomicBool,
    lost: Arc<OnceLock<String>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.store_kernels() {
            // The platform's folder may be read-only; a file that the caller names should be of use.
            let is_named = self.on_disk.as_ref().is_some_and(|cache| cache.is_named);
            let level = if is_named { log::Level::Warn } else { log::Level::Info };
            log::log!(level, "compiled kernels are not written to disk: {error}");
        }
    }
}

impl Inner {
    fn store_kernels(&self) -> Result<()> {
        match &self.on_disk {
            // Of a lost device nothing can be read.
            Some(cache) if self.lost.get().is_none() && self.has_new.swap(false, Ordering::Relaxed) => {
                cache.store().inspect_err(|_| self.has_new.store(true, Ordering::Relaxed))
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("adapter", &self.inner.info.name).field("checked", &self.inner.checked).finish()
    }
}

/// One instance for all of the library's devices: only within an instance can wgpu detect buffers of another device.
fn instance() -> &'static wgpu::Instance {
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let mut descriptor = InstanceDescriptor::new_without_display_handle_from_env();
        // GL's compute shaders lack the limits and the precision that the kernels need.
        descriptor.backends &= Backends::PRIMARY;
        descriptor.flags -= InstanceFlags::VALIDATION_INDIRECT_CALL;
        wgpu::Instance::new(descriptor)
    })
}

fn found() -> Vec<wgpu::Adapter> {
    pollster::block_on(instance().enumerate_adapters(Backends::PRIMARY))
}

fn preference(info: &AdapterInfo) -> u8 {
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

/// The adapters of this machine; the first is the choice of [`Gpu::new`].
pub fn adapters() -> Vec<AdapterSummary> {
    let mut all: Vec<_> = found()
        .into_iter()
        .map(|adapter| {
            let info = adapter.get_info();
            let capabilities =
                Capabilities::of(wanted_features(&adapter), required_limits(&adapter), &info, FeatureSwitches::ALL);
            AdapterSummary { info, capabilities }
        })
        .collect();
    all.sort_by_key(|adapter| preference(&adapter.info));
    all
}

/// Locks even after a panic: no data are half-changed under these locks.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Gpu {
    /// Opens the fastest adapter, or the one that `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` name.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], [`Error::UnknownAdapter`], [`Error::Device`].
    pub fn new() -> Result<Self> {
        Self::with_options(GpuOptions::default())
    }

    /// Opens an adapter by these options.
    ///
    /// # Errors
    /// As [`Gpu::new`].
    pub fn with_options(options: GpuOptions) -> Result<Self> {
        let mut adapters = found();
        if adapters.is_empty() {
            return Err(Error::NoAdapter { reason: "Vulkan, Metal and DirectX 12 offer none".into() });
        }
        adapters.sort_by_key(|adapter| preference(&adapter.get_info()));
        let name = options.adapter_name.clone().or_else(|| std::env::var("WGPU_ADAPTER_NAME").ok());
        let adapter = match &name {
            None => &adapters[0],
            Some(name) => {
                let wanted = name.to_lowercase();
                adapters.iter().find(|a| a.get_info().name.to_lowercase().contains(&wanted)).ok_or_else(|| {
                    Error::UnknownAdapter {
                        name: name.clone(),
                        available: adapters.iter().map(|a| a.get_info().name).collect::<Vec<_>>().join(", "),
                    }
                })?
            }
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("trisolve"),
            required_features: wanted_features(adapter),
            required_limits: required_limits(adapter),
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            // wgpu makes blocks of host memory half as large. On an H200 the first of these takes 18 ms with 64 MB (`Performance`), and 5 ms with
            // 16 MB (these sizes). Blocks of 8 MB of device memory slow solves down.
            memory_hints: wgpu::MemoryHints::Manual { suballocated_device_memory_block_size: 32 << 20..256 << 20 },
            trace: wgpu::Trace::Off,
        }))
        .map_err(|e| Error::Device { what: "to open a device".into(), message: e.to_string() })?;
        let lost = Arc::new(OnceLock::new());
        let said = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            // Only the first loss counts.
            let _ = said.set(format!("{reason:?}: {message}"));
        });
        Ok(Self::assemble(device, queue, adapter.get_info(), options, lost))
    }

    /// Uses a device that the caller owns. Neither this function nor `record` submits work. (The first plan
    /// submits a small test of the device's subgroups and waits for it, unless the file of compiled kernels says that it passed with this driver.)
    /// The caller's callbacks for lost devices and uncaptured errors stay in place.
    ///
    /// Request [`wanted_features`](crate::wanted_features) and [`required_limits`](crate::required_limits) when you create the device.
    /// Without the features, solves are slower and there is no f64. With lower limits, some plans return [`Error::Limit`].
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue, info: AdapterInfo) -> Self {
        Self::from_wgpu_with(device, queue, info, GpuOptions::default())
    }

    /// As [`Gpu::from_wgpu`], with options; the adapter's name is ignored.
    pub fn from_wgpu_with(device: wgpu::Device, queue: wgpu::Queue, info: AdapterInfo, options: GpuOptions) -> Self {
        Self::assemble(device, queue, info, options, Arc::new(OnceLock::new()))
    }

    fn assemble(
        device: wgpu::Device,
        queue: wgpu::Queue,
        info: AdapterInfo,
        options: GpuOptions,
        lost: Arc<OnceLock<String>>,
    ) -> Self {
        let capabilities = Capabilities::of(device.features(), device.limits(), &info, options.allowed);
        let on_disk = DiskCache::open(&device, &info, &options.kernel_cache);
        let most_recent = if capabilities.software { MOST_RECENT_IN_SOFTWARE } else { MOST_RECENT };
        Self {
            inner: Arc::new(Inner {
                device,
                queue,
                info,
                capabilities,
                proven: OnceLock::new(),
                checked: options.checked,
                kernels: Mutex::new(Kernels::keeping(most_recent)),
                on_disk,
                uploads: Uploads::default(),
                has_new: AtomicBool::new(false),
                lost,
            }),
            recent: Some(Arc::default()),
        }
    }

    /// The kept plan with this key. Otherwise makes one, on a `Gpu` that keeps no plans, and keeps it. `bytes`: the device memory that it uses.
    pub(crate) fn kept_plan<K: PartialEq + Send + 'static, P: Send + Sync + 'static>(
        &self,
        key: K,
        bytes: u64,
        make: impl FnOnce(&Self) -> Result<P>,
    ) -> Result<Arc<P>> {
        let Some(recent) = &self.recent else { return make(self).map(Arc::new) };
        if let Some(plan) = recent.find(&key) {
            return Ok(plan);
        }
        let plan = Arc::new(make(&Self { inner: self.inner.clone(), recent: None })?);
        recent.keep(key, plan.clone(), bytes);
        Ok(plan)
    }

    pub(super) fn uploads(&self) -> &Uploads {
        &self.inner.uploads
    }

    /// The wgpu device.
    pub fn device(&self) -> &wgpu::Device {
        &self.inner.device
    }

    /// The wgpu queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.inner.queue
    }

    /// wgpu's description of the adapter.
    pub fn info(&self) -> &AdapterInfo {
        &self.inner.info
    }

    /// Features and limits of the device for the kernels.
    pub fn capabilities(&self) -> &Capabilities {
        &self.inner.capabilities
    }

    /// The features and limits that kernels may use: those of [`Gpu::capabilities`] that a test of the device confirms. The first call
    /// submits the test and waits for it, unless the file of compiled kernels says that it passed with this driver.
    pub(crate) fn proven_capabilities(&self) -> Result<&Capabilities> {
        if let Some(proven) = self.inner.proven.get() {
            return Ok(proven);
        }
        let on_disk = self.inner.on_disk.as_ref();
        let proven = match self.has_passed_before() {
            true => self.inner.capabilities.clone(),
            false => probe::proven(self)?,
        };
        if let Some(on_disk) = on_disk.filter(|_| proven.features.subgroups) {
            on_disk.set_subgroups_pass();
        }
        Ok(self.inner.proven.get_or_init(|| proven))
    }

    /// Whether the file of compiled kernels says that the test of the device passed.
    fn has_passed_before(&self) -> bool {
        self.inner.on_disk.as_ref().is_some_and(DiskCache::subgroups_pass)
    }

    /// As [`Gpu::proven_capabilities`]. While the test runs, compiles what a plan needs on a device that passes: the driver takes longer for these
    /// kernels than for those of the test.
    pub(crate) fn proven_while_compiling(
        &self,
        needed: impl FnOnce(&Capabilities) -> Result<Vec<Permutation>> + Send,
    ) -> Result<&Capabilities> {
        let claimed = &self.inner.capabilities;
        if self.inner.proven.get().is_none() && !self.has_passed_before() && claimed.features.subgroups {
            // Errors appear again where the plan compiles.
            let compile = || drop(needed(claimed).map(|permutations| self.compiled(&permutations)));
            compiling(|| rayon::join(|| self.proven_capabilities().map(|_| ()), compile).0)?;
        }
        self.proven_capabilities()
    }

    /// Whether kernels are compiled with all checks.
    pub fn checked(&self) -> bool {
        self.inner.checked
    }

    /// The compiled kernel of a permutation: one in memory, or a new one.
    pub(crate) fn kernel(&self, permutation: &Permutation) -> Result<Arc<CompiledKernel>> {
        if let Some(kernel) = locked(&self.inner.kernels).find(permutation) {
            return Ok(kernel);
        }
        compiling(|| self.compile(KernelText::new(self, permutation)?))
    }

    /// Compiles outside of the lock: another thread may need another kernel meanwhile.
    fn compile(&self, text: KernelText<'_>) -> Result<Arc<CompiledKernel>> {
        let permutation = text.permutation;
        let kernel = Arc::new(text.compile(self)?);
        self.inner.has_new.store(true, Ordering::Relaxed);
        locked(&self.inner.kernels).insert(permutation.clone(), &kernel, permutation.caller.is_none());
        Ok(kernel)
    }

    /// Writes the kernels that were compiled since the last write to the file of [`KernelCacheFile`], for the next process. Does nothing
    /// without `PIPELINE_CACHE`, without a file, or after the loss of the device. Dropping the last clone of this [`Gpu`] does the same; plans
    /// and bound solves hold clones. If yours lives until the process exits, call this first.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written. A later call tries again.
    pub fn store_kernels(&self) -> Result<()> {
        self.inner.store_kernels()
    }

    pub(super) fn pipeline_cache(&self) -> Option<&wgpu::PipelineCache> {
        self.inner.on_disk.as_ref().map(|on_disk| &on_disk.cache)
    }

    /// Whether compiled kernels came from the file.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn has_loaded_kernels(&self) -> bool {
        self.inner.on_disk.as_ref().is_some_and(DiskCache::is_loaded)
    }

    /// The kernels of permutations, in their order. New ones are compiled in parallel, on all cores.
    ///
    /// # Errors
    /// That of a kernel that does not compile.
    pub(crate) fn kernels(&self, permutations: &[Permutation]) -> Result<Vec<Arc<CompiledKernel>>> {
        // Keeps new kernels alive until the next line finds them.
        let _compiled = compiling(|| self.compiled(permutations)).into_iter().collect::<Result<Vec<_>>>()?;
        permutations.iter().map(|permutation| self.kernel(permutation)).collect()
    }

    /// As [`Gpu::kernels`], beside other work.
    ///
    /// # Errors
    /// Those of both.
    pub(crate) fn kernels_beside<R: Send>(
        &self,
        permutations: &[Permutation],
        work: impl FnOnce() -> Result<R> + Send,
    ) -> Result<(Vec<Arc<CompiledKernel>>, R)> {
        let (kernels, result) = compiling(|| rayon::join(|| self.kernels(permutations), work));
        Ok((kernels?, result?))
    }

    /// Compiles the new ones of these permutations, each once.
    fn compiled(&self, permutations: &[Permutation]) -> Vec<Result<Arc<CompiledKernel>>> {
        let mut new: Vec<_> = {
            let mut kernels = locked(&self.inner.kernels);
            permutations.iter().filter(|permutation| kernels.find(permutation).is_none()).collect()
        };
        if new.is_empty() {
            return vec![];
        }
        new.sort_unstable();
        new.dedup();
        let mut texts: Vec<_> = new.par_iter().map(|permutation| KernelText::new(self, permutation)).collect();
        // The longest texts first: they take longest to compile. If they came last, other cores would idle.
        texts.sort_by_key(|text| Reverse(text.as_ref().map_or(0, KernelText::len)));
        texts.into_iter().par_bridge().map(|text| self.compile(text?)).collect()
    }

    /// Compiles kernels for the next measurements. The device then does not idle (and lower its clock) between measurements. Errors are
    /// dropped: the measurement compiles again, and reports them.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn compile_ahead(&self, permutations: impl IntoIterator<Item = Permutation>) {
        drop(self.compiled(&permutations.into_iter().collect::<Vec<_>>()));
    }

    /// Keeps at most so many kernels that no plan holds.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn keep_kernels(&self, most: usize) {
        locked(&self.inner.kernels).keep(most);
    }

    /// How many different kernels were compiled, how many of them live, and how many pipelines were made.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn kernels_counted(&self) -> [usize; 3] {
        let kernels = locked(&self.inner.kernels);
        [kernels.seen(), kernels.living(), kernels.inserted()]
    }

    /// Runs `make` and catches every kind of device error.
    pub(crate) fn guarded<R>(&self, what: &str, bytes: u64, make: impl FnOnce() -> R) -> Result<R> {
        self.alive()?;
        let (made, caught) = self.scoped(make);
        // A lost device makes some creations "succeed" with an invalid object.
        self.alive()?;
        match caught {
            None => Ok(made),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(Error::OutOfMemory { what: what.into(), bytes }),
            Some(error) if self.is_lost() => {
                // Kept, since not every later call would detect the loss.
                let reason = self.inner.lost.get_or_init(|| error.to_string()).clone();
                Err(Error::DeviceLost { reason })
            }
            Some(error) => Err(Error::Device { what: what.into(), message: error.to_string() }),
        }
    }

    /// Runs `make` and catches the first device error.
    fn scoped<R>(&self, make: impl FnOnce() -> R) -> (R, Option<wgpu::Error>) {
        let device = &self.inner.device;
        let scopes = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation]
            .map(|filter| device.push_error_scope(filter));
        let made = make();
        let mut first = None;
        for scope in scopes.into_iter().rev() {
            let caught = pollster::block_on(scope.pop());
            first = first.or(caught);
        }
        (made, first)
    }

    /// Whether even the smallest upload fails. For a caller's device this is the only sign of its loss.
    fn is_lost(&self) -> bool {
        let (_, caught) = self.scoped(|| {
            let buffer = self.inner.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("probe"),
                size: 4,
                usage: wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.inner.queue.write_buffer(&buffer, 0, &[0; 4]);
        });
        caught.is_some()
    }

    /// [`Error::DeviceLost`] if the device is known to be lost.
    pub(crate) fn alive(&self) -> Result<()> {
        // Lets wgpu report a loss; later calls report errors of this poll.
        let _ = self.inner.device.poll(wgpu::PollType::Poll);
        match self.inner.lost.get() {
            Some(reason) => Err(Error::DeviceLost { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}
