//! Policies: their parameters, the legal values, and the policies of a family.

use crate::error::{Error, Result, check_limit};
use crate::gpu::Capabilities;

/// A parameter of a policy, with its legal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in text.
    pub name: &'static str,
    /// Values that a policy accepts; the device's limits may forbid more.
    pub legal: &'static [u32],
}

/// Switches.
pub(crate) const OFF_ON: &[u32] = &[0, 1];
pub(crate) const POWERS_TO_1024: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// A field of a policy, stored as a number.
pub(crate) trait Field: Copy {
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

/// The numbers of a policy.
pub(crate) trait Numbers: Copy {
    /// The parameters.
    const PARAMETERS: &'static [Parameter];

    /// The value of each parameter.
    fn values(self) -> Vec<u32>;

    /// The policy of these values, one per parameter.
    fn from_values(values: &[u32]) -> Self;
}

/// The policy of an algorithm: a struct of numbers and switches, each with its legal values.
macro_rules! policy {
    (
        $(#[$doc:meta])*
        $policy:ident { $( $(#[$field_doc:meta])* $field:ident: $type:ident in $legal:expr; )* }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $policy {
            $( $(#[$field_doc])* pub $field: $type, )*
        }

        impl $crate::plan::Numbers for $policy {
            const PARAMETERS: &'static [$crate::plan::Parameter] =
                &[$( $crate::plan::Parameter { name: stringify!($field), legal: $legal }, )*];

            fn values(self) -> Vec<u32> {
                vec![$( $crate::plan::Field::number(self.$field), )*]
            }

            fn from_values(values: &[u32]) -> Self {
                let mut rest = values.iter().copied();
                let mut next = || rest.next().unwrap_or_default();
                Self { $( $field: $crate::plan::Field::from_number(next()), )* }
            }
        }
    };
}
pub(crate) use policy;

/// The policies of a family: the enum `Policy` of them all.
macro_rules! policies {
    ($( $variant:ident($policy:ident) ),* $(,)?) => {
        $(
            impl From<$policy> for Policy {
                fn from(policy: $policy) -> Self {
                    Self::$variant(policy)
                }
            }

            impl TryFrom<Policy> for $policy {
                /// The policy of another algorithm.
                type Error = Policy;

                #[allow(irrefutable_let_patterns)] // Where a family has one policy only.
                fn try_from(policy: Policy) -> std::result::Result<Self, Policy> {
                    if let Policy::$variant(policy) = policy { Ok(policy) } else { Err(policy) }
                }
            }
        )*

        /// A policy of any algorithm.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(not(feature = "internals"), non_exhaustive)]
        pub enum Policy {
            $( #[doc = concat!("See [`", stringify!($policy), "`].")] $variant($policy), )*
        }

        impl Policy {
            /// The parameters.
            pub fn parameters(&self) -> &'static [$crate::plan::Parameter] {
                match self {
                    $( Self::$variant(_) => <$policy as $crate::plan::Numbers>::PARAMETERS, )*
                }
            }

            /// The value of each of [`Policy::parameters`].
            pub fn values(&self) -> Vec<u32> {
                match self {
                    $( Self::$variant(policy) => $crate::plan::Numbers::values(*policy), )*
                }
            }

            /// The same policy with other values, in the order of [`Policy::parameters`].
            ///
            /// # Errors
            /// [`Error::Options`](crate::Error::Options) for a value that is not legal, or too few or many.
            pub fn with_values(&self, values: &[u32]) -> $crate::error::Result<Self> {
                $crate::plan::check_values(self.parameters(), values)?;
                Ok(match self {
                    $( Self::$variant(_) => Self::$variant($crate::plan::Numbers::from_values(values)), )*
                })
            }

            /// The same policy with the values in a text, as `name=8,other=1`.
            ///
            /// # Errors
            /// [`Error::Options`](crate::Error::Options) for an unknown name, a name given twice, or an illegal value.
            pub fn with(&self, text: &str) -> $crate::error::Result<Self> {
                self.with_values(&$crate::plan::read_values(self.parameters(), self.values(), text)?)
            }
        }

        impl std::fmt::Display for Policy {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                for (at, (parameter, value)) in self.parameters().iter().zip(self.values()).enumerate() {
                    write!(f, "{}{}={value}", if at > 0 { "," } else { "" }, parameter.name)?;
                }
                Ok(())
            }
        }
    };
}
pub(crate) use policies;

/// Checks that each parameter has a legal value.
pub(crate) fn check_values(parameters: &[Parameter], values: &[u32]) -> Result<()> {
    if values.len() != parameters.len() {
        return Err(Error::Options(format!("{} values for {} parameters", values.len(), parameters.len())));
    }
    for (value, parameter) in values.iter().zip(parameters) {
        if !parameter.legal.contains(value) {
            let Parameter { name, legal } = parameter;
            return Err(Error::Options(format!("{name}={value}: should be one of {legal:?}")));
        }
    }
    Ok(())
}

/// The values, with those in a text replaced.
pub(crate) fn read_values(parameters: &[Parameter], mut values: Vec<u32>, text: &str) -> Result<Vec<u32>> {
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
    Ok(values)
}

/// [`Error::Limit`] if a workgroup is larger than the device's.
pub(crate) fn check_workgroup(capabilities: &Capabilities, what: &str, workgroup: u32) -> Result<()> {
    let limits = &capabilities.limits;
    let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    let what = format_args!("{what} (in threads)");
    check_limit(what, workgroup.into(), "max_compute_invocations_per_workgroup", most.into())
}

/// [`Error::Limit`] if a workgroup's memory is larger than the device's.
pub(crate) fn check_memory(capabilities: &Capabilities, what: &str, bytes: u64) -> Result<()> {
    let available = u64::from(capabilities.limits.max_compute_workgroup_storage_size);
    check_limit(format_args!("{what} (in bytes)"), bytes, "max_compute_workgroup_storage_size", available)
}
