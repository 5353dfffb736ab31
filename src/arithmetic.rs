//! Powers of two of f64 numbers, quotients of sizes, and reproducible random bits.

/// The exponent of a number of size 2^k to 2^(k+1); `None` for 0.
pub(crate) fn exponent(value: f64) -> Option<i32> {
    let value = value.abs();
    let of = |normal: f64| (normal.to_bits() >> 52) as i32 - 1023;
    match value {
        0.0 => None,
        _ if value < f64::MIN_POSITIVE => Some(of(value * 2f64.powi(64)) - 64),
        _ => Some(of(value)),
    }
}

/// 2^exponent of a normal number.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// value 2^exponent, for any exponent: the power alone may be out of range.
pub(crate) fn times_power(value: f64, exponent: i32) -> f64 {
    if (-1022..=1023).contains(&exponent) {
        return value * power(exponent);
    }
    let part = (exponent / 4).clamp(-1000, 1000);
    let quarter = power(part);
    value * quarter * quarter * quarter * power((exponent - 3 * part).clamp(-1000, 1000))
}

/// 0 for a zero numerator, whatever it is a share of.
pub fn quotient(above: f64, below: f64) -> f64 {
    if above == 0.0 { 0.0 } else { above / below }
}

/// Reproducible random bits: Knuth's linear congruential generator (MMIX). The high bits are the random ones.
pub(crate) struct RandomBits(pub u64);

impl RandomBits {
    /// Makes what follows depend on numbers as well.
    pub fn absorb(&mut self, numbers: impl IntoIterator<Item = f64>) {
        for number in numbers {
            self.0 = self.next() ^ number.to_bits();
        }
    }

    /// A number of size 0.5 to 1 and random sign.
    pub fn next_signed_size(&mut self) -> f64 {
        let bits = self.next();
        let size = 0.5 + ((bits >> 11) & 0xf_ffff_ffff) as f64 / (1u64 << 37) as f64;
        if bits >> 63 == 0 { size } else { -size }
    }

    /// The next bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }
}
