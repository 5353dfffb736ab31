//! Filters as solves take them: one in direct form, or a cascade of second-order sections.

use super::coefficients::Coefficients;
use super::error_bound::Sensitivity;
use super::sensitivity::step;
use super::{MAX_SECTIONS, SECTION_ORDER};
use crate::error::{Error, Result};
use crate::real::Real;

/// One filter in direct form, or 2 to 4 second-order sections one after the other: the outputs of a section are the inputs of the next, as in `sosfilt` of
/// SciPy.
///
/// A cascade rounds less than the same filter in direct form where poles lie close together, and reaches order 8. All its sections are computed
/// together: it moves as many bytes per row as one filter. A state has two numbers per section, one section after the other; in direct form, as many as the order.
#[derive(Debug, Clone, PartialEq)]
pub struct Cascade {
    /// Several all have the order 2.
    sections: Vec<Coefficients>,
}

impl Cascade {
    /// Filters of order 1 or 2, one after the other; or a single one of order 1 to 4, which stays in direct form.
    ///
    /// # Errors
    /// [`Error::Length`] for none or more than 4; [`Error::Options`] for several of which one has a higher order than 2.
    pub fn new(sections: &[Coefficients]) -> Result<Self> {
        if !(1..=MAX_SECTIONS).contains(&sections.len()) {
            let expected = format!("1 to {MAX_SECTIONS} (for more, filter the outputs again by the rest)");
            return Err(Error::Length { vector: "the sections", expected, found: sections.len() });
        }
        if let [alone] = sections {
            return Ok(alone.into());
        }
        if let Some(at) = sections.iter().position(|section| section.order() > SECTION_ORDER) {
            return Err(Error::Options(format!(
                "section {at} of {} has the order {}: the sections of a cascade have the order 1 or 2",
                sections.len(),
                sections[at].order()
            )));
        }
        Ok(Self { sections: sections.iter().map(|section| section.of_order(SECTION_ORDER)).collect() })
    }

    /// From second-order sections as signal libraries write them: per section `b[0], b[1], b[2], a[0], a[1], a[2]`.
    ///
    /// # Errors
    /// As [`Cascade::new`], and as [`Coefficients::new`] with the section's number.
    pub fn from_sections(sections: &[[f64; 6]]) -> Result<Self> {
        let made = sections.iter().enumerate().map(|(at, section)| {
            Coefficients::new(&section[..3], &section[3..]).map_err(|error| match error {
                Error::Options(why) => Error::Options(format!("section {at}: {why}")),
                other => other,
            })
        });
        Self::new(&made.collect::<Result<Vec<_>>>()?)
    }

    /// The sections; one, of order 1 to 4, for a filter in direct form.
    pub fn sections(&self) -> &[Coefficients] {
        &self.sections
    }

    /// The order of the filter, which is the number of numbers per state.
    pub fn order(&self) -> usize {
        self.sections.iter().map(Coefficients::order).sum()
    }

    /// The same filter with a state of so many numbers, at least its own.
    pub(super) fn of_order(self, order: usize) -> Self {
        match &self.sections[..] {
            [alone] => Self { sections: vec![alone.of_order(order)] },
            _ => self,
        }
    }

    /// The only section of a filter in direct form.
    pub(super) fn alone(&self) -> Option<&Coefficients> {
        match &self.sections[..] {
            [alone] => Some(alone),
            _ => None,
        }
    }

    /// Checks the coefficients' range in T, as [`Coefficients::numbers`].
    pub(super) fn check_range<T: Real>(&self) -> Result<()> {
        for (at, section) in self.sections.iter().enumerate() {
            section.numbers::<T>().map_err(|error| match error {
                Error::Options(why) if self.sections.len() > 1 => Error::Options(format!("section {at}: {why}")),
                other => other,
            })?;
        }
        Ok(())
    }

    /// One row in f64; returns the output, and appends those of all sections to `outputs`.
    pub(super) fn row(&self, mut z: &mut [f64], x: f64, outputs: &mut Vec<f64>) -> f64 {
        let mut signal = x;
        for section in &self.sections {
            let (own, rest) = z.split_at_mut(section.order());
            let (b, a) = (section.b(), section.a());
            let y = step(b, a, own, signal);
            outputs.push(y);
            (signal, z) = (y, rest);
        }
        signal
    }

    /// Estimates the error over `rows` rows in the precision T, relative to the largest output, as [`Coefficients::rounding_noise`]. Of a cascade, it is the sum
    /// of the sections' errors, each amplified by the sum of the absolute impulse response of every later section. Infinite if a response leaves the range of f64. Takes as long as
    /// that function per section.
    pub fn rounding_noise<T: Real>(&self, rows: usize) -> f64 {
        Sensitivity::new::<T>(self, rows).noise::<T>()
    }
}

impl From<&Coefficients> for Cascade {
    fn from(alone: &Coefficients) -> Self {
        Self { sections: vec![*alone] }
    }
}

impl From<&Self> for Cascade {
    fn from(cascade: &Self) -> Self {
        cascade.clone()
    }
}

/// The state in which the filter answers a constant input of 1 by a constant. Times the first value of a signal, it is the initial state
/// that avoids a step at the beginning.
///
/// With the gain g = sum(b) / sum(a) of a section, its z\[i\] is the sum of b\[j\] - a\[j\] g over j > i, times the gains of the sections before it.
///
/// Behind a section of gain 0 all states are 0.
///
/// # Errors
/// [`Error::Options`] if a section has a pole at 1 and an input other than 0, so that there is no such state; or if a state is past the range of f64.
pub fn steady_state(filter: impl Into<Cascade>) -> Result<Vec<f64>> {
    let mut states = Vec::new();
    let mut level = 1.0;
    for section in filter.into().sections() {
        if level == 0.0 {
            states.extend(vec![0.0; section.order()]);
            continue;
        }
        let (state, gain) = section.steady_state()?;
        states.extend(state.into_iter().map(|z| level * z));
        level *= gain;
    }
    match states.iter().all(|z| z.is_finite()) {
        true => Ok(states),
        false => Err(Error::Options("the gains of the sections multiply past the range of f64".into())),
    }
}
