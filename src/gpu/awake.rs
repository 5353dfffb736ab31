//! Keeps a device's clock up with work while the host is busy.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::context::Gpu;
use super::kernel::Stage;
use super::timing::copy_stage;
use crate::error::Result;

/// A thread that keeps the device busy with copies, except while the result of [`Awake::rest`] lives. A device that idles for some hundredths
/// of a second lowers its clock, and needs tenths of a second of work to raise it again.
pub(super) struct Awake {
    shared: Arc<Shared>,
    /// None on CPU adapters, whose clock needs no work.
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// Held while a batch of copies runs, and during a rest.
    turn: Mutex<()>,
    rests: AtomicBool,
    ended: AtomicBool,
}

/// A few tenths of a millisecond of copying on a fast device.
const BYTES: u64 = 64 << 20;
const COPIES: u32 = 8;

impl Awake {
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub(super) fn new(gpu: &Gpu) -> Result<Self> {
        let shared = Arc::<Shared>::default();
        if gpu.capabilities().software {
            return Ok(Self { shared, thread: None });
        }
        let (copy, _) = copy_stage(gpu, BYTES)?;
        let (gpu, its) = (gpu.clone(), Arc::clone(&shared));
        let thread = std::thread::spawn(move || its.copies(&gpu, &copy));
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Waits until the device has finished its copies; it begins no others while the result lives. A second call on the same thread while it
    /// lives waits for ever.
    pub(super) fn rest(&self) -> Rest<'_> {
        self.shared.rests.store(true, Ordering::Release);
        Rest { awake: self, _turn: self.shared.turn.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Shared {
    fn copies(&self, gpu: &Gpu, copy: &Stage) {
        while !self.ended.load(Ordering::Acquire) {
            if self.rests.load(Ordering::Acquire) {
                std::thread::park();
                continue;
            }
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            let submitted = gpu.submit_pass("keeping awake", |pass| {
                for _ in 0..COPIES {
                    copy.record(pass);
                }
            });
            // The next use of the device reports that it is lost.
            if submitted.and_then(|()| gpu.wait()).is_err() {
                break;
            }
        }
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // It does not panic; if it did, measuring has ended anyway.
            drop(thread.join());
        }
    }
}

/// While it lives, the device makes no copies to stay awake.
pub struct Rest<'a> {
    awake: &'a Awake,
    _turn: MutexGuard<'a, ()>,
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        self.awake.shared.rests.store(false, Ordering::Release);
        self.awake.wake();
    }
}
