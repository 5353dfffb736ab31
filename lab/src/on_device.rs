//! Options of solves that test or time the device.

use trisolve::{Place, filter, recurrence, triangular, tridiagonal};

/// Default options, but host solves run on the device: by default they may run on the CPU, and test no kernel.
pub trait OnDevice: Sized {
    /// As `default`, on the device.
    fn on_device() -> Self;
}

macro_rules! on_device {
    ($($options:ty),+ $(,)?) => {
        $(impl OnDevice for $options {
            fn on_device() -> Self {
                Self::default().place(Place::Device)
            }
        })+
    };
}

on_device!(
    tridiagonal::Options,
    triangular::Options,
    recurrence::Options,
    recurrence::moebius::Options,
    filter::Options,
);
