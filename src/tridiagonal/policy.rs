//! How an algorithm divides its work: what can vary, its legal values, and what is taken by default.
//!
//! Policies are data, apart from the algorithms. The answer does not depend on them but for rounding;
//! the speed does.

use std::fmt;

use super::options::{Algorithm, Stability};
use super::{cyclic, partition, thomas, tpr, wang_mou};
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::gpu::wgsl::Precision;
use crate::plan::Params;

/// A number of a policy, and the values that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in text.
    pub name: &'static str,
    /// What a policy accepts; the device's limits may forbid more.
    pub legal: &'static [u32],
}

/// Switches.
const OFF_ON: &[u32] = &[0, 1];
const POWERS_TO_1024: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const WORKGROUPS: &[u32] = &[32, 64, 128, 256, 512, 1024];

/// A field of a policy, as the numbers that all of them are.
trait Field: Copy {
    fn number(self) -> u32;
    fn from_number(number: u32) -> Self;
}

impl Field for u32 {
    fn number(self) -> u32 {
        self
    }
    fn from_number(number: u32) -> Self {
        number
    }
}

impl Field for bool {
    fn number(self) -> u32 {
        self.into()
    }
    fn from_number(number: u32) -> Self {
        number != 0
    }
}

macro_rules! policies {
    ($(
        $(#[$doc:meta])*
        $variant:ident($policy:ident) { $( $(#[$field_doc:meta])* $field:ident: $type:ident in $legal:expr; )* }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub struct $policy {
                $( $(#[$field_doc])* pub $field: $type, )*
            }

            impl From<$policy> for Policy {
                fn from(policy: $policy) -> Self {
                    Self::$variant(policy)
                }
            }
        )*

        /// A policy of any algorithm.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Policy {
            $( #[doc = concat!("See [`", stringify!($policy), "`].")] $variant($policy), )*
        }

        impl Policy {
            /// What can vary.
            pub fn parameters(&self) -> &'static [Parameter] {
                match self {
                    $( Self::$variant(_) => &[$( Parameter { name: stringify!($field), legal: $legal }, )*], )*
                }
            }

            /// The value of each of [`Policy::parameters`].
            pub fn values(&self) -> Vec<u32> {
                match self {
                    $( Self::$variant(policy) => vec![$( Field::number(policy.$field), )*], )*
                }
            }

            /// The same with other values, in the order of [`Policy::parameters`].
            ///
            /// # Errors
            /// [`Error::Options`] for a value that is not legal, or too few or many.
            pub fn with_values(&self, values: &[u32]) -> Result<Self> {
                let parameters = self.parameters();
                if values.len() != parameters.len() {
                    return Err(Error::Options(format!("{} values for {} parameters", values.len(), parameters.len())));
                }
                for (value, parameter) in values.iter().zip(parameters) {
                    if !parameter.legal.contains(value) {
                        let Parameter { name, legal } = parameter;
                        return Err(Error::Options(format!("{name}={value}: should be one of {legal:?}")));
                    }
                }
                let mut rest = values.iter().copied();
                let mut next = || rest.next().unwrap_or_default();
                Ok(match self {
                    $( Self::$variant(_) => Self::$variant($policy { $( $field: Field::from_number(next()), )* }), )*
                })
            }
        }
    };
}

policies! {
    /// How [`Algorithm::Partition`] divides its work.
    Partition(PartitionPolicy) {
        /// Threads a workgroup. Larger ones are taken where a system then fits one.
        workgroup: u32 in WORKGROUPS;
        /// Rows a thread.
        rows: u32 in &super::kernels::PARTITION_ROWS;
        /// Most neighbouring systems a workgroup takes where those lie closer than rows; no more than
        /// a quarter of its threads are taken.
        lanes: u32 in &[1, 2, 4, 8, 16, 32, 64];
        /// Merge with shuffles where there are subgroups and rows lie closer than systems. More
        /// work than through workgroup memory, but a shorter way.
        shuffles: bool in OFF_ON;
        /// In the second pass every slice merges the blocks of all slices for itself, where they
        /// are few, instead of a dispatch between the passes that does it once.
        gather: bool in OFF_ON;
        /// Most slices of a system that are solved in one dispatch, in which each waits for the blocks
        /// of the others; 0 for none. With shuffles only, and in f64 with 64-bit integers. Quick as long
        /// as all workgroups run at once on the device, and slow beyond: those that wait too long
        /// share the work of those that are missing.
        together: u32 in &[0, 16, 32, 64, 128, 256, 512, 1024];
    }

    /// How [`Algorithm::Thomas`] divides its work.
    Thomas(ThomasPolicy) {
        /// Threads, and so systems, a workgroup.
        workgroup: u32 in WORKGROUPS;
    }

    /// How [`Algorithm::Cr`], [`Algorithm::Pcr`] and [`Algorithm::CrPcr`] divide their work on chip.
    Cyclic(CyclicPolicy) {
        /// Threads a system.
        threads: u32 in POWERS_TO_1024;
        /// Systems a workgroup.
        systems: u32 in POWERS_TO_1024;
        /// Rows that [`Algorithm::CrPcr`] leaves to the parallel part.
        parallel: u32 in &[16, 32, 64, 128, 256, 512, 1024];
    }

    /// How [`Algorithm::Tpr`] divides its work: the paper's S, L and (L_x, L_y).
    Tpr(TprPolicy) {
        /// Rows a slice (S). Where systems lie closer than rows, a workgroup shares them out among
        /// slices of 8 systems.
        slice: u32 in &[4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
        /// Threads a slice (L): S / 2, S / 4 or S / 8.
        threads: u32 in &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
        /// Threads a problem of the overall reduction (L_x).
        overall_threads: u32 in POWERS_TO_1024;
        /// Problems a workgroup of the overall reduction (L_y).
        overall_systems: u32 in POWERS_TO_1024;
        /// The last steps of a slice with shuffles, where there are subgroups and rows lie closer
        /// than systems.
        shuffles: bool in OFF_ON;
    }

    /// How [`Algorithm::WangMou`] divides its work.
    WangMou(WangMouPolicy) {
        /// Threads a workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Rows a thread.
        rows: u32 in &super::kernels::WANG_MOU_ROWS;
        /// The first steps with shuffles, where there are subgroups and rows lie closer than
        /// systems.
        shuffles: bool in OFF_ON;
        /// In the second pass every slice merges the blocks of all slices for itself, where they
        /// are few, instead of a dispatch between the passes that does it once.
        gather: bool in OFF_ON;
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (parameter, value)) in self.parameters().iter().zip(self.values()).enumerate() {
            write!(f, "{}{}={value}", if at > 0 { "," } else { "" }, parameter.name)?;
        }
        Ok(())
    }
}

impl Policy {
    /// The same with the values that a text gives, as `rows=8,shuffles=1`.
    ///
    /// # Errors
    /// [`Error::Options`] for an unknown name, one given twice, or a value that is not legal.
    pub fn with(&self, text: &str) -> Result<Self> {
        let parameters = self.parameters();
        let mut values = self.values();
        let mut given = vec![false; values.len()];
        for word in text.split(',').filter(|word| !word.is_empty()) {
            let names = || parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
            let Some((name, value)) = word.split_once('=').map(|(name, value)| (name.trim(), value.trim())) else {
                return Err(Error::Options(format!("{word:?} should be NAME=NUMBER, with one of {}", names())));
            };
            let Some(at) = parameters.iter().position(|parameter| parameter.name == name) else {
                return Err(Error::Options(format!("there is no {name:?} in such a policy, but {}", names())));
            };
            let Parameter { name, legal } = parameters[at];
            if std::mem::replace(&mut given[at], true) {
                return Err(Error::Options(format!("{name} is given twice")));
            }
            values[at] =
                value.parse().map_err(|_| Error::Options(format!("{name}={value}: should be one of {legal:?}")))?;
        }
        self.with_values(&values)
    }
}

impl Policy {
    /// Fast only where it was measured: how many workgroups run at once differs from device to device.
    pub(crate) fn is_of_one_device(self) -> bool {
        matches!(self, Self::Partition(policy) if policy.together > 0)
    }
}

/// What the algorithm takes for a shape without a policy of the caller's or a tuned one.
pub(crate) fn default_policy(
    capabilities: &Capabilities,
    precision: Precision,
    algorithm: Algorithm,
    stability: Stability,
    params: &Params,
) -> Policy {
    match algorithm {
        Algorithm::Auto | Algorithm::Partition => {
            Policy::Partition(partition::default_policy(&capabilities.limits, precision, params))
        }
        Algorithm::Thomas => Policy::Thomas(thomas::default_policy()),
        Algorithm::Cr | Algorithm::Pcr | Algorithm::CrPcr => {
            Policy::Cyclic(cyclic::default_policy(capabilities, precision, algorithm, params))
        }
        Algorithm::Tpr => Policy::Tpr(tpr::default_policy(capabilities, precision, stability, params)),
        Algorithm::WangMou => Policy::WangMou(wang_mou::default_policy(capabilities, precision, params)),
    }
}

/// [`Error::Limit`] where a workgroup is larger than the device's.
pub(crate) fn check_workgroup(capabilities: &Capabilities, what: &str, workgroup: u32) -> Result<()> {
    let limits = &capabilities.limits;
    let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    if workgroup > most {
        return Err(Error::Limit {
            what: format!("{what} (in threads)"),
            needed: workgroup.into(),
            limit: "max_compute_invocations_per_workgroup",
            available: most.into(),
        });
    }
    Ok(())
}

/// [`Error::Limit`] where a workgroup's memory is larger than the device's.
pub(crate) fn check_memory(capabilities: &Capabilities, what: &str, bytes: u64) -> Result<()> {
    let available = u64::from(capabilities.limits.max_compute_workgroup_storage_size);
    if bytes > available {
        return Err(Error::Limit {
            what: format!("{what} (in bytes)"),
            needed: bytes,
            limit: "max_compute_workgroup_storage_size",
            available,
        });
    }
    Ok(())
}
