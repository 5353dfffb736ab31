//! Status words: what kernels report of a solve. One table gives the words' places in WGSL, their decoding, their docs and their errors.

use crate::error::{Error, Result};

/// A word while all is well.
pub(crate) const NONE: u32 = u32::MAX;

/// What a word says: the least number of what it reports.
#[derive(Debug, Clone, Copy)]
enum Content {
    /// `(system * columns + column) * n + row`, read as (system, row).
    Row,
    /// The same with row 0, read as the system.
    SystemOfRow,
    /// `system * columns + column`, read as the system.
    System,
}

impl Content {
    const fn text(self) -> &'static str {
        match self {
            Self::Row => "(system * columns + column) * n + row",
            Self::SystemOfRow => "(system * columns + column) * n",
            Self::System => "system * columns + column",
        }
    }
}

/// A number of systems and rows: n rows of each of so many columns.
#[derive(Debug, Clone, Copy)]
struct Numbering {
    rows: usize,
    columns: usize,
}

trait Decoded: Sized {
    fn new(index: usize, content: Content, numbering: Numbering) -> Self;
}

impl Decoded for (usize, usize) {
    fn new(index: usize, _: Content, Numbering { rows, columns }: Numbering) -> Self {
        (index / rows / columns, index % rows)
    }
}

impl Decoded for usize {
    fn new(index: usize, content: Content, Numbering { rows, columns }: Numbering) -> Self {
        match content {
            Content::System => index / columns,
            Content::Row | Content::SystemOfRow => index / rows / columns,
        }
    }
}

/// `field: type = word NAME, content => error;` The errors' order is that of the lines: a cause stands before what follows from it.
macro_rules! status_words {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $word:literal $name:ident, $content:ident $(=> |$found:pat_param| $error:expr)?;)*) => {
        /// What the device noticed, as the least index of each kind.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub struct Status {
            $($(#[$doc])* pub $field: Option<$type>,)*
        }

        impl Status {
            /// The words of a status buffer in their order: the field of [`Status`] and the number that the word holds, the least of
            /// all that was noticed. [`u32::MAX`] stands for none.
            pub const WORDS: &'static [(&'static str, &'static str)] = &{
                let mut words = [("", ""); [$($word),*].len()];
                $(words[$word] = (stringify!($field), Content::$content.text());)*
                words
            };

            /// The `const` declarations of WGSL that have the words' places.
            pub(crate) const PLACES: &'static [(&'static str, u32)] = &[
                ("STATUS_WORDS", Self::WORDS.len() as u32),
                $((stringify!($name), $word),)*
            ];

            /// Of systems of so many rows with so many right-hand sides.
            pub(crate) fn decode(words: &[u32], rows: usize, columns: usize) -> Self {
                let numbering = Numbering { rows, columns };
                let index = |word: usize| words.get(word).filter(|word| **word != NONE).map(|word| *word as usize);
                Self {
                    $($field: index($word).map(|index| Decoded::new(index, Content::$content, numbering)),)*
                }
            }

            /// The error that this status means, if any.
            ///
            /// # Errors
            /// [`Error::NonFiniteInput`], [`Error::ZeroDiagonal`], [`Error::NotDominant`], [`Error::SingularPartition`],
            /// [`Error::Breakdown`]: the first in this order, since each may be the cause of what stands behind it.
            pub fn check(self) -> Result<()> {
                $($(
                    if let Some($found) = self.$field {
                        return Err($error);
                    }
                )?)*
                Ok(())
            }
        }
    };
}

status_words! {
    /// (system, row) of the first NaN or infinity among the inputs.
    non_finite_input: (usize, usize) = 0 NON_FINITE_INPUT, Row
        => |(system, row)| Error::NonFiniteInput { vector: "a coefficient or right-hand side", system, row };
    /// (system, row) of the first zero on a triangular matrix's diagonal.
    zero_diagonal: (usize, usize) = 2 ZERO_DIAGONAL, Row => |(system, row)| Error::ZeroDiagonal { system, row };
    /// The first tridiagonal system that is not dominant, although [`Options::dominant`](crate::tridiagonal::Options) promised it.
    not_dominant: usize = 4 PROMISED_DOMINANT, SystemOfRow => |system| Error::NotDominant { system };
    /// The first tridiagonal system with a singular pivoting partition; the matrix need not be singular.
    singular_partition: usize = 5 SINGULAR_PARTITION, System => |system| Error::SingularPartition { system };
    /// (system, row) of the first chunk of rows with a NaN or infinity among its unknowns.
    non_finite_result: (usize, usize) = 1 NON_FINITE_RESULT, Row => |(system, row)| Error::Breakdown { system, row };
    /// The first tridiagonal system whose rows were exchanged, which is no error.
    pivoted: usize = 3 PIVOTED, SystemOfRow;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_decoded_by_their_content() {
        // Systems of 10 rows with 2 right-hand sides.
        let mut words = [NONE; 6];
        assert_eq!(Status::decode(&words, 10, 2), Status::default());
        words = [47, 33, NONE, 40, 60, 3];
        let found = Status::decode(&words, 10, 2);
        let expected = Status {
            non_finite_input: Some((2, 7)),
            non_finite_result: Some((1, 3)),
            zero_diagonal: None,
            pivoted: Some(2),
            not_dominant: Some(3),
            singular_partition: Some(1),
        };
        assert_eq!(found, expected);
        // The cause, not what follows from it.
        assert!(matches!(found.check(), Err(Error::NonFiniteInput { system: 2, row: 7, .. })));
        let promised = Status { non_finite_input: None, ..found };
        assert!(matches!(promised.check(), Err(Error::NotDominant { system: 3 })));
        let singular = Status { not_dominant: None, ..promised };
        assert!(matches!(singular.check(), Err(Error::SingularPartition { system: 1 })));
        assert!(Status { pivoted: Some(1), ..Status::default() }.check().is_ok());
    }

    #[test]
    fn every_word_has_a_place_of_its_own() {
        let mut places: Vec<_> = Status::PLACES[1..].iter().map(|(_, place)| *place).collect();
        places.sort_unstable();
        assert_eq!(places, (0..Status::WORDS.len() as u32).collect::<Vec<_>>());
        assert!(Status::WORDS.iter().all(|(field, content)| !field.is_empty() && !content.is_empty()));
    }
}
