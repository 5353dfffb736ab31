//! Choices by name.

/// Names for the variants of an enum, for example a family's algorithms: `ALL` in the order given, `name`, and conversions from and to
/// text.
macro_rules! named {
    ($type:ident, $what:literal; $($variant:ident = $name:literal),+ $(,)?) => {
        impl $type {
            /// All, in the order of the docs.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name that [`FromStr`](std::str::FromStr) reads.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = crate::error::Error;
            fn from_str(text: &str) -> std::result::Result<Self, crate::error::Error> {
                Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(|| {
                    let names = [$($name),+].join(", ");
                    crate::error::Error::Options(format!("unknown {} {text:?}; there are {names}", $what))
                })
            }
        }
    };
}
pub(crate) use named;
