//! The sizes from which host solves are faster on the device.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::store::{self, VARIABLE};
use crate::precision::Precision;

/// The number of rows from which host solves are faster on the device than on the CPU of the same machine, as `trisolve tune place` measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crossover {
    /// [`Crossover::SINGLE`] or [`Crossover::BATCH`]: the other solvers have no crossover.
    pub family: String,
    /// "f32" or "f64".
    pub precision: String,
    /// Rows per system x systems x right-hand sides; `None` if the CPU was faster at every measured size.
    #[serde(deserialize_with = "Option::deserialize")]
    pub rows: Option<u64>,
}

/// The crossover of adapters that were not measured. On an H200 beside 16 cores, four runs found 105690 to 381588 rows in f32, 275351 to 330769
/// in f64.
pub const UNTUNED_CROSSOVER: u64 = 1 << 18;
/// The same of [`Crossover::BATCH`]. Beside 16 cores an H200 was slower at every measured size, up to 2^24 rows; beside fewer cores a device
/// becomes faster below that.
pub const UNTUNED_BATCH_CROSSOVER: u64 = 1 << 21;

impl Crossover {
    /// The family of tridiagonal systems that the CPU cuts into slices, one per vector lane.
    pub const SINGLE: &str = "tridiagonal";
    /// The family of tridiagonal batches of which the CPU gives each vector lane a whole system: at least 8 systems x right-hand sides, of at most
    /// 2048 rows if they are contiguous. They cost half the work per row.
    pub const BATCH: &str = "tridiagonal batch";
    pub(super) const FAMILIES: [&str; 2] = [Self::SINGLE, Self::BATCH];
}

/// The crossover of a family on adapters that were not measured.
pub(super) fn untuned(family: &str) -> u64 {
    if family == Crossover::BATCH { UNTUNED_BATCH_CROSSOVER } else { UNTUNED_CROSSOVER }
}

/// The least crossover among these, if there is one.
pub(super) fn least<'a>(
    crossovers: impl Iterator<Item = &'a Crossover>,
    family: &str,
    precision: Precision,
) -> Option<u64> {
    let own = crossovers.filter(|one| one.family == family && one.precision == precision.name());
    own.map(|one| one.rows.unwrap_or(u64::MAX)).min()
}

/// The least crossover of all adapters that were measured on this machine, or else that of unmeasured ones: no adapter is known to be faster
/// for fewer rows. Reads the tuning files once per process, but no adapter.
pub(crate) fn least_crossover(family: &str, precision: Precision) -> u64 {
    static READ: Mutex<Option<HashMap<Option<OsString>, Vec<Crossover>>>> = Mutex::new(None);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let crossovers = read.get_or_insert_default().entry(env::var_os(VARIABLE)).or_insert_with(store::all_crossovers);
    least(crossovers.iter(), family, precision).unwrap_or_else(|| untuned(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_a_family_and_precision() {
        let of = |precision: &str, rows| Crossover { family: "tridiagonal".into(), precision: precision.into(), rows };
        let all = [of("f32", Some(500)), of("f64", Some(90)), of("f32", Some(300)), of("f32", None)];
        let least = |count: usize, family, precision| least(all[..count].iter(), family, precision);
        assert_eq!(least(4, "tridiagonal", Precision::F32), Some(300));
        assert_eq!(least(4, "tridiagonal", Precision::F64), Some(90));
        assert_eq!(least(4, "filter", Precision::F32), None);
        assert_eq!(least(0, "tridiagonal", Precision::F32), None);
    }
}
