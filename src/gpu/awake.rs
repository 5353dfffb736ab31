//! Work that keeps a device's clock up while the host is busy.

use std::sync::atomic::{AtomicBool, Ordering};

use wgpu::DeviceType;

use super::context::Gpu;
use super::kernel::Stage;
use super::timing::copy_stage;
use crate::error::Result;

/// A copy to repeat. A device that rests for some hundredths of a second lowers its clock, and needs
/// tenths of a second of work to raise it again.
pub struct Awake {
    gpu: Gpu,
    /// Processors need no waking.
    copy: Option<Stage>,
}

/// Some tenths of a millisecond's worth on a fast device.
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

    /// Does something on the host, with the device at work.
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
                // A lost device is met again in earnest.
                if submitted.and_then(|()| self.gpu.wait()).is_err() {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(keep_busy);
            // Also where the work panics.
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
