//! Macros that turn the tables of [`super`] into enums.

/// Defines the enum of algorithms: each has a name and a policy.
macro_rules! algorithms {
    (
        $(#[$doc:meta])*
        $algorithm:ident { $( $(#[$variant_doc:meta])* $variant:ident = $name:literal by $policy:ident, )* }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        #[cfg_attr(not(feature = "internals"), non_exhaustive)]
        pub enum $algorithm {
            $( $(#[$variant_doc])* $variant, )*
        }

        named! { $algorithm, "algorithm"; $( $variant = $name, )* }

        /// The algorithm's policy for a shape, if neither the caller nor tuning gives one.
        pub fn default_policy(request: &PlanRequest<'_>) -> Policy {
            match request.algorithm {
                $( $algorithm::$variant => <$policy as Divide>::default_for(request).into(), )*
            }
        }

        /// The dispatches of an algorithm.
        ///
        /// # Errors
        /// [`Error::Options`], [`Error::Limit`] for a policy of another algorithm, an illegal one, or one too large.
        pub fn program(request: &PlanRequest<'_>, policy: Policy) -> Result<Program> {
            // A policy built by hand may hold any number.
            let policy = policy.with_values(&policy.values())?;
            let algorithm = request.algorithm;
            let other = || Error::Options(format!("{policy} is not a policy of {algorithm}"));
            match algorithm {
                $( $algorithm::$variant => {
                    <$policy as TryFrom<Policy>>::try_from(policy).map_err(|_| other())?.program(request)
                } )*
            }
        }
    };
}
pub(super) use algorithms;

/// The enum `KernelId` of all kernels.
macro_rules! kernels {
    ($( $variant:ident($kernel:ident), )*) => {
        /// A kernel with its specialisation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum KernelId {
            $( $variant($kernel), )*
        }

        $(
            impl From<$kernel> for KernelId {
                fn from(kernel: $kernel) -> Self {
                    Self::$variant(kernel)
                }
            }
        )*

        impl Kernel for KernelId {
            fn properties(self) -> Properties {
                match self {
                    $( Self::$variant(kernel) => kernel.properties(), )*
                }
            }

            fn permutation(self, precision: Precision, access: Access) -> Permutation {
                match self {
                    $( Self::$variant(kernel) => kernel.permutation(precision, access), )*
                }
            }

            #[cfg(feature = "internals")]
            fn all() -> Vec<(Self, Vec<Gate>)> {
                let mut all = Vec::new();
                $( all.extend($kernel::all().into_iter().map(|(kernel, gates)| (kernel.into(), gates))); )*
                all
            }
        }
    };
}
pub(super) use kernels;
