//! The scalar types that the library solves in.

mod double_double;
mod exact_sum;

use std::fmt::{Debug, Display, LowerExp};
use std::ops::{Add, Div, Mul, Neg, Sub};

pub use double_double::DoubleDouble;
pub(crate) use double_double::two_sum;
pub(crate) use exact_sum::ExactSum;

use crate::arithmetic::{exponent, times_power};
use crate::precision::Precision;

mod sealed {
    #[allow(unnameable_types)] // So that only this library implements the traits.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for u32 {}
}

/// What the CPU references need of a scalar: the four operations, an absolute value and an
/// order. Open, so that a counting or an interval scalar can go through them.
pub trait Scalar:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The neutral element of addition.
    const ZERO: Self;
    /// The neutral element of multiplication.
    const ONE: Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
}

/// What buffers hold: f32, f64, or u32 for indices. Sealed.
pub trait Stored: bytemuck::Pod + sealed::Sealed + 'static {
    /// Bytes of one.
    const BYTES: u64 = std::mem::size_of::<Self>() as u64;
}
impl Stored for f32 {}
impl Stored for f64 {}
impl Stored for u32 {}

/// f32 or f64: a scalar that the GPU kernels have. Sealed.
pub trait Real: Scalar + Stored + Debug + Display + LowerExp + Send + Sync {
    /// Which of the two.
    const PRECISION: Precision;
    /// Half the distance from 1 to the next larger number.
    const UNIT_ROUNDOFF: f64;
    /// What its answers are judged in: at least twice as many digits.
    type Wide: Wide;
    /// The nearest value.
    fn from_f64(value: f64) -> Self;
    /// The same value.
    fn to_f64(self) -> f64;
}

/// Scalars that answers are judged in.
pub trait Wide: Scalar + From<f64> + Debug + Send + Sync {
    /// A bound of the relative error of one operation.
    const UNIT_ROUNDOFF: f64;
    /// A positive number that is nothing beside 1, but has all digits.
    const TINY: Self;
    /// The nearest f64.
    fn to_f64(self) -> f64;
    /// self 2^power.
    fn times_power(self, power: i64) -> Self;
    /// k of a size of 2^k to 2^(k+1); `None` for 0, and of no meaning for infinity and NaN.
    fn exponent(self) -> Option<i64>;
}

impl Wide for f64 {
    const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;
    const TINY: f64 = 1e-300;
    fn to_f64(self) -> f64 {
        self
    }
    fn times_power(self, power: i64) -> f64 {
        times_power(self, power.clamp(-4000, 4000) as i32)
    }
    fn exponent(self) -> Option<i64> {
        exponent(self).map(i64::from)
    }
}

impl Wide for DoubleDouble {
    // Sums and products of double-double numbers err by a few units of 2^-106 (Joldes, Muller and Popescu, "Tight and rigorous
    // error bounds for basic building blocks of double-word arithmetic", 2017).
    const UNIT_ROUNDOFF: f64 = f64::EPSILON * f64::EPSILON;
    const TINY: Self = Self::new(1e-250);
    fn to_f64(self) -> f64 {
        Self::to_f64(self)
    }
    fn times_power(self, power: i64) -> Self {
        Self::times_power(self, power)
    }
    fn exponent(self) -> Option<i64> {
        Wide::exponent(Self::to_f64(self))
    }
}

macro_rules! real {
    ($type:ident, $precision:ident, $wide:ident) => {
        impl Scalar for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn abs(self) -> Self {
                <$type>::abs(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
            }
        }

        impl Real for $type {
            const PRECISION: Precision = Precision::$precision;
            const UNIT_ROUNDOFF: f64 = <$type>::EPSILON as f64 / 2.0;
            type Wide = $wide;
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
        }
    };
}
real!(f32, F32, f64);
real!(f64, F64, DoubleDouble);
