//! The numbers that decide what is returned, refined or refused, for every family, with their derivation.
//!
//! u is the unit of roundoff of the solve's precision: 2^-24 in f32, 2^-53 in f64.

/// The largest estimated forward error of an answer that is returned: one decimal digit is left.
pub(crate) const MOST_FORWARD_ERROR: f64 = 0.1;
