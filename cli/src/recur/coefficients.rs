//! The coefficients s and t of `trisolve recur`: numbers, files or formulas.

use std::borrow::Cow;

use trisolve::Real;
use trisolve::recurrence::Coefficient;

use super::arguments::{Arguments, CoefficientSource};
use crate::Failure;
use crate::columns::{narrow, narrow_all};
use crate::formats::Columns;
use crate::rounding::is_exact;

/// Where a coefficient comes from.
pub struct Source {
    name: &'static str,
    given: CoefficientSource,
    file: Option<Columns>,
}

/// s and t, with rows and sequences.
pub struct Sources {
    pub s: Source,
    pub t: Source,
    pub rows: usize,
    pub columns: usize,
}

impl Sources {
    /// Reads the files.
    pub fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let [s, t] = arguments.sources();
        arguments.place.check(arguments.formulas.are_given().then_some("a formula"))?;
        let (s, t) = (Source::read("--s", s)?, Source::read("--t", t)?);
        let size = |source: &Source| source.file.as_ref().map(|file| (file.rows, file.columns));
        let (rows, columns) = arguments.formulas.size(size(&s).or(size(&t)))?;
        for source in [&s, &t] {
            if let (CoefficientSource::File(path), Some(found)) = (&source.given, size(source))
                && found != (rows, columns)
            {
                return Err(Failure::Input(format!(
                    "{} {}: {} rows and {} columns, but --s has {rows} and {columns}",
                    source.name,
                    path.display(),
                    found.0,
                    found.1
                )));
            }
        }
        Ok(Self { s, t, rows, columns })
    }
}

impl Source {
    fn read(name: &'static str, given: CoefficientSource) -> Result<Self, Failure> {
        let file = match &given {
            CoefficientSource::File(path) if !path.exists() => {
                let message = format!("{name} {}: neither a number nor a file that exists", path.display());
                return Err(Failure::Input(message));
            }
            CoefficientSource::File(path) => Some(path.read_sequences()?),
            CoefficientSource::Number(_) | CoefficientSource::Formula => None,
        };
        Ok(Self { name, given, file })
    }

    fn file_values(&self) -> &[f64] {
        self.file.as_ref().map_or(&[], |file| &file.values)
    }

    /// The numbers in the precision T. The numbers of a formula come later, from the device.
    pub fn narrow<T: Real>(&self, rows: usize) -> Result<Numbers<T>, Failure> {
        Ok(match &self.given {
            CoefficientSource::Number(number) => Numbers { constant: narrow(self.name, *number)?, values: vec![] },
            CoefficientSource::Formula => Numbers { constant: T::ZERO, values: vec![] },
            CoefficientSource::File(path) => {
                Numbers { constant: T::ZERO, values: narrow_all(path, self.file_values(), rows)? }
            }
        })
    }

    /// For the plan; a formula reads the `vectors`.
    pub fn coefficient<'a, T: Real>(
        &self,
        numbers: &'a Numbers<T>,
        vectors: &'a [(&'a str, &'a [T])],
    ) -> Coefficient<'a, T> {
        match self.given {
            CoefficientSource::Formula => Coefficient::Computed(vectors),
            CoefficientSource::Number(_) => Coefficient::Constant(numbers.constant),
            CoefficientSource::File(_) => Coefficient::Each(&numbers.values),
        }
    }

    /// The numbers as given. The numbers that a formula computed count as given.
    pub fn exact<T: Real>(&self, numbers: &Numbers<T>) -> Exact<'_> {
        match self.given {
            CoefficientSource::Number(number) => Exact::Constant(number),
            CoefficientSource::File(_) => Exact::Each(self.file_values().into()),
            CoefficientSource::Formula => Exact::Each(numbers.values.iter().map(|value| value.to_f64()).collect()),
        }
    }
}

/// A constant, or the values of all sequences.
pub struct Numbers<T> {
    constant: T,
    pub values: Vec<T>,
}

impl<T: Real> Numbers<T> {
    pub fn at(&self, at: usize) -> T {
        self.values.get(at).copied().unwrap_or(self.constant)
    }

    pub fn column(&self, column: usize, rows: usize) -> Vec<T> {
        (0..rows).map(|row| self.at(column * rows + row)).collect()
    }
}

/// The numbers as given, in f64.
pub enum Exact<'a> {
    Constant(f64),
    Each(Cow<'a, [f64]>),
}

impl Exact<'_> {
    /// Whether T holds all of them.
    pub fn is_exact<T: Real>(&self) -> bool {
        match self {
            Self::Constant(number) => is_exact::<T>(*number),
            Self::Each(values) => values.iter().all(|value| is_exact::<T>(*value)),
        }
    }

    pub fn column(&self, column: usize, rows: usize) -> Vec<f64> {
        match self {
            Self::Constant(number) => vec![*number; rows],
            Self::Each(values) => values[column * rows..][..rows].to_vec(),
        }
    }
}
