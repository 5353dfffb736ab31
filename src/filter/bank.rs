//! The filters of a plan.

use super::cascade::Cascade;
use super::coefficients::Coefficients;
use crate::error::{Error, Result};
use crate::plan::Shape;

/// The filters of a plan: one for all sequences of the batch, one per sequence, or one per sequence with one input signal for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Bank {
    /// All with the same number of sections, and states of the same size.
    filters: Vec<Cascade>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One filter for all sequences, however many there are.
    One,
    PerSequence,
    OfOneSignal,
}

impl Bank {
    /// A filter per sequence of the batch, in their order: coefficients per signal.
    ///
    /// Filters of lower order get states of the highest order; the numbers that they do not use stay 0. In f32, a plan keeps 4 to 60 KB per filter on the device.
    ///
    /// # Errors
    /// [`Error::Length`] for none; [`Error::Options`] if filters in direct form are mixed with cascades, or cascades of different numbers
    /// of sections.
    pub fn per_sequence<F: Into<Cascade>>(filters: impl IntoIterator<Item = F>) -> Result<Self> {
        let filters: Vec<Cascade> = filters.into_iter().map(Into::into).collect();
        let Some(first) = filters.first() else {
            return Err(Error::Length { vector: "the filters", expected: "at least 1".into(), found: 0 });
        };
        let sections = first.sections().len();
        if let Some(at) = filters.iter().position(|filter| filter.sections().len() != sections) {
            return Err(Error::Options(format!(
                "filter 0 of the bank has {sections} sections and filter {at} has {}: all need the same number; add sections of \
                 numerator 1 and denominator 1",
                filters[at].sections().len()
            )));
        }
        let order = filters.iter().map(Cascade::order).max().unwrap_or(0);
        let filters = filters.into_iter().map(|filter| filter.of_order(order)).collect();
        Ok(Self { filters, kind: Kind::PerSequence })
    }

    /// Filters of one signal: x is one contiguous sequence of n rows, the outputs have the plan's shape. Otherwise as [`Bank::per_sequence`].
    ///
    /// # Errors
    /// As [`Bank::per_sequence`].
    pub fn of_one_signal<F: Into<Cascade>>(filters: impl IntoIterator<Item = F>) -> Result<Self> {
        Ok(Self { kind: Kind::OfOneSignal, ..Self::per_sequence(filters)? })
    }

    /// The filters; one if it is the same for all sequences.
    pub fn filters(&self) -> &[Cascade] {
        &self.filters
    }

    /// Whether all filters have the same input.
    pub fn shares_input(&self) -> bool {
        self.kind == Kind::OfOneSignal
    }

    /// Numbers per state.
    pub fn order(&self) -> usize {
        self.filters[0].order()
    }

    /// Whether sequences have filters of their own.
    pub(super) fn has_several(&self) -> bool {
        self.filters.len() > 1
    }

    /// The index of a sequence's filter.
    pub fn index(&self, system: usize) -> usize {
        if self.has_several() { system } else { 0 }
    }

    /// Inputs of a batch of this shape; `usize::MAX` if they span more than memory.
    pub fn inputs(&self, shape: &Shape) -> usize {
        if self.shares_input() { shape.n } else { shape.matrix_len().unwrap_or(usize::MAX) }
    }

    /// The index of an input.
    pub fn input_index(&self, shape: &Shape, system: usize, row: usize) -> usize {
        if self.shares_input() { row } else { shape.matrix_index(system, row) }
    }

    /// An error of the filter with an index.
    pub(super) fn of_filter(&self, error: Error, at: usize) -> Error {
        match error {
            Error::Options(why) if self.has_several() => Error::Options(format!("filter {at}: {why}")),
            other => other,
        }
    }

    /// Checks the number of filters of a batch.
    pub(super) fn check_batch(&self, batch: usize) -> Result<()> {
        let found = self.filters.len();
        if found != batch && self.kind != Kind::One {
            let expected = format!("{batch}, one per sequence of the batch");
            return Err(Error::Length { vector: "the filters", expected, found });
        }
        Ok(())
    }
}

impl From<Cascade> for Bank {
    fn from(alone: Cascade) -> Self {
        Self { filters: vec![alone], kind: Kind::One }
    }
}

impl From<&Cascade> for Bank {
    fn from(alone: &Cascade) -> Self {
        alone.clone().into()
    }
}

impl From<&Coefficients> for Bank {
    fn from(alone: &Coefficients) -> Self {
        Cascade::from(alone).into()
    }
}

impl From<&Self> for Bank {
    fn from(bank: &Self) -> Self {
        bank.clone()
    }
}
