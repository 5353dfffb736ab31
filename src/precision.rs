//! The precisions that kernels compute in.

use std::fmt;

/// The floating-point type of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// 32-bit floats; every device has them.
    F32,
    /// 64-bit floats; Vulkan devices with `SHADER_F64` have them.
    F64,
}

impl Precision {
    /// Bytes of one number.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Binary digits of a number.
    pub(crate) const fn digits(self) -> u32 {
        match self {
            Self::F32 => f32::MANTISSA_DIGITS,
            Self::F64 => f64::MANTISSA_DIGITS,
        }
    }

    /// The least number that has all its digits.
    pub const fn least_normal(self) -> f64 {
        match self {
            Self::F32 => f32::MIN_POSITIVE as f64,
            Self::F64 => f64::MIN_POSITIVE,
        }
    }

    /// The largest finite number.
    pub const fn largest(self) -> f64 {
        match self {
            Self::F32 => f32::MAX as f64,
            Self::F64 => f64::MAX,
        }
    }

    /// "f32" or "f64".
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
