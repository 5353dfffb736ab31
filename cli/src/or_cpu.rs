//! The value of `--algorithm`: an algorithm of the library, or the CPU.

use std::str::FromStr;

use trisolve::Error;

/// An algorithm on the device, or the CPU.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OrCpu<A> {
    Gpu(A),
    Cpu,
}

impl<A: FromStr<Err = Error>> FromStr for OrCpu<A> {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "cpu" => Ok(Self::Cpu),
            _ => text.parse().map(Self::Gpu).map_err(|error: Error| format!("{error}, cpu")),
        }
    }
}

impl<A> OrCpu<A> {
    /// Refuses `--device` with `--algorithm cpu`.
    pub fn check_device(&self, device: Option<&str>) -> Result<(), crate::Failure> {
        match (self, device) {
            (Self::Cpu, Some(device)) => Err(crate::Failure::Input(format!(
                "--device {device}: --algorithm cpu uses no device; leave one of them out"
            ))),
            _ => Ok(()),
        }
    }
}
