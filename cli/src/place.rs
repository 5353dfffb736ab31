//! `--place` and `--device`: where a solve runs.

use std::str::FromStr;

use clap::builder::{StringValueParser, TypedValueParser};
use trisolve::{Error, Gpu, LazyGpu, Place};

use crate::output::tell;
use crate::{Failure, kept_device};

/// The adapter of solves on the CPU.
pub const CPU: &str = "cpu";

/// Where a solve runs.
#[derive(clap::Args)]
pub struct PlaceArguments {
    /// Where to solve: fastest, device or cpu. fastest takes the device if another option asks for it, and otherwise the CPU for
    /// recurrences, filters, triangular systems, small tridiagonal systems, and where the adapter is the CPU (default: fastest;
    /// with --device: device)
    #[arg(long, value_parser = StringValueParser::new().try_map(|text| Place::from_str(&text)))]
    place: Option<Place>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

impl PlaceArguments {
    /// Refuses `--device` with `--place cpu`, and an option that only a device follows.
    pub fn check(&self, device_only: Option<&str>) -> Result<(), Failure> {
        let device = self.device.as_ref().map(|device| format!("--device {device}"));
        match device.as_deref().or(device_only) {
            Some(option) if self.place == Some(Place::Cpu) => {
                Err(Failure::Input(format!("{option}: --place cpu uses no device; leave one of them out")))
            }
            _ => Ok(()),
        }
    }

    /// The place; with `--device`, the device.
    pub fn place(&self) -> Place {
        match (self.place, &self.device) {
            (Some(Place::Fastest) | None, Some(_)) => Place::Device,
            (place, _) => place.unwrap_or_default(),
        }
    }

    /// Whether to solve on the CPU if that is the faster place for all solves that both can do. `device_only`: whether an option asks for
    /// the device.
    pub fn is_cpu(&self, device_only: bool) -> bool {
        match self.place() {
            Place::Fastest => !device_only,
            place => place == Place::Cpu,
        }
    }

    /// The device that `--device` names, or the fastest; opened when a solve needs it.
    pub fn device(&self) -> LazyGpu {
        kept_device(self.device.as_deref())
    }

    /// The open device.
    pub fn open(&self) -> Result<Gpu, Failure> {
        match self.device().get() {
            Err(error @ Error::NoAdapter { .. }) => {
                Err(Failure::Input(format!("{error}; or pass --place cpu to solve on the CPU")))
            }
            gpu => Ok(gpu?.clone()),
        }
    }
}

/// Parses an algorithm of the device. The CPU is no algorithm.
pub fn device_algorithm<A: FromStr<Err = Error>>(text: &str) -> Result<A, String> {
    match text {
        CPU => Err("the CPU is a place: use --place cpu".into()),
        _ => text.parse().map_err(|error: Error| error.to_string()),
    }
}

/// Tells that the CPU is faster than a software adapter. `device_only`: an option asks for the device, so that the CPU would be refused.
pub fn tell_software(gpu: &Gpu, device_only: bool) {
    if gpu.capabilities().software && !device_only {
        tell(&format!("{} runs kernels on the CPU; --place cpu solves faster", gpu.info().name));
    }
}
