//! A vector whose entries several threads write and read.

use std::cell::UnsafeCell;
use std::marker::PhantomData;

/// A vector that threads write, each to places of its own. A place may be read by the thread that wrote it, and by all when no thread writes.
pub struct Scattered<'a, T> {
    entries: &'a [Entry<T>],
    values: PhantomData<&'a mut [T]>,
}

#[repr(transparent)]
struct Entry<T>(UnsafeCell<T>);

// SAFETY: threads write different entries (the promise of `Scattered::new`), and read none that another one writes meanwhile (the promise of
// `Scattered::read`).
unsafe impl<T: Send + Sync> Sync for Entry<T> {}

impl<'a, T: Copy> Scattered<'a, T> {
    /// # Safety
    /// While it lives, no two threads write to one place.
    pub unsafe fn new(values: &'a mut [T]) -> Self {
        let entries = std::ptr::from_mut(values) as *const [Entry<T>];
        // SAFETY: an entry has the layout of T, and the vector is borrowed mutably for as long as the entries.
        Self { entries: unsafe { &*entries }, values: PhantomData }
    }

    /// Writes values from `start` on, `stride` places apart; a single one may have any stride.
    #[inline(always)]
    pub fn write(&self, start: usize, stride: usize, values: impl Iterator<Item = T>) {
        let entries = &self.entries[start..];
        let put = |(entry, value): (&Entry<T>, T)| {
            // SAFETY: no other thread writes here, and none reads here meanwhile.
            unsafe { *entry.0.get() = value };
        };
        match stride {
            1 => entries.iter().zip(values).for_each(put),
            _ => entries.iter().step_by(stride.max(1)).zip(values).for_each(put),
        }
    }

    /// Reads values from `start` on, `stride` places apart; a single one may have any stride.
    ///
    /// # Safety
    /// No other thread writes to these places meanwhile.
    #[inline(always)]
    pub unsafe fn read<'b>(&self, start: usize, stride: usize, values: impl Iterator<Item = &'b mut T>)
    where
        T: 'b,
    {
        let entries = &self.entries[start..];
        let take = |(entry, value): (&Entry<T>, &mut T)| {
            // SAFETY: no other thread writes here now (the caller's promise).
            *value = unsafe { *entry.0.get() };
        };
        match stride {
            1 => entries.iter().zip(values).for_each(take),
            _ => entries.iter().step_by(stride.max(1)).zip(values).for_each(take),
        }
    }
}
