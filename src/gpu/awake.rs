//! Keeps a device's clock up with work while the host is busy.

use std::sync::atomic::{AtomicBool, Ordering};

use wgpu::DeviceType;

use super::context::Gpu;
use super::kernel::Stage;
use super::timing::copy_stage;
use crate::error::Result;

/// A copy to repeat. A device that idles for some hundredths of a second lowers its clock, and needs tenths of a second of work to raise it
/// again.
pub struct Awake {
    gpu: Gpu,
    /// None on CPU adapters, whose clock needs no work.
    copy: Option<Stage>,
}

/// A few tenths of a millisecond of copying on a fast device.
const BYTES: u64 = 64 << 20;
const COPIES: u32 = 8;

impl Awake {
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let copy = match gpu.info().device_type {
            DeviceType::Cpu => None,
            _ => Some(copy_stage(gpu, BYTES)?.0),
        };
        Ok(Self { gpu: gpu.clone(), copy })
    }

    /// Runs work on the host while the device is busy.
    pub fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        let Some(copy) = &self.copy else {
            return work();
        };
        let done = AtomicBool::new(false);
        let keep_busy = || {
            while !done.load(Ordering::Relaxed) {
                let submitted = self.gpu.submit_pass("keeping awake", |pass| {
                    for _ in 0..COPIES {
                        copy.record(pass);
                    }
                });
                // The next use reports a lost device.
                if submitted.and_then(|()| self.gpu.wait()).is_err() {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(keep_busy);
            // Also if the work panics.
            let _guard = Done(&done);
            work()
        })
    }
}

struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
