//! The options of `trisolve recur` for coefficients by formula.

use std::path::PathBuf;
use std::str::FromStr;

use trisolve::Real;
use trisolve::recurrence::Formulas;

use crate::Failure;
use crate::columns::narrow;
use crate::input_file::InputPath;
use crate::output::tell;
use crate::rounding::is_exact;
use crate::size::size;

#[derive(clap::Args)]
pub struct FormulaArguments {
    /// Compute s by a formula in WGSL: an expression of i, n, sequence and sequences, such as "exp(-0.5 * real(i))", or the
    /// body of a function with `return`
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub s_wgsl: Option<String>,
    /// Compute t by a formula in WGSL
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub t_wgsl: Option<String>,
    /// A vector that the formulas read as NAME(k); it holds the columns of the file one after the other. A read past its end
    /// gives its last number
    #[arg(long, value_name = "NAME=FILE")]
    vector: Vec<NamedVector>,
    /// Rows per sequence; required if no coefficient comes from a file
    #[arg(long, value_parser = size)]
    rows: Option<usize>,
    /// Sequences, if no coefficient comes from a file
    #[arg(long, value_parser = size, default_value = "1", requires = "rows")]
    sequences: usize,
}

/// A vector's name and its file.
#[derive(Clone)]
pub struct NamedVector {
    name: String,
    path: InputPath,
}

impl FromStr for NamedVector {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, path) = text.split_once('=').ok_or("should be a name, = and a file")?;
        Ok(Self { name: name.into(), path: PathBuf::from(path).into() })
    }
}

impl NamedVector {
    pub fn path(&self) -> &InputPath {
        &self.path
    }
}

impl FormulaArguments {
    /// Whether a formula, or a vector for one, is given. Only a device evaluates formulas.
    pub fn are_given(&self) -> bool {
        self.s_wgsl.is_some() || self.t_wgsl.is_some() || !self.vector.is_empty()
    }

    pub fn formulas(&self) -> Formulas {
        let mut formulas = Formulas::new();
        if let Some(s) = &self.s_wgsl {
            formulas = formulas.s(s);
        }
        if let Some(t) = &self.t_wgsl {
            formulas = formulas.t(t);
        }
        self.vector.iter().fold(formulas, |formulas, vector| formulas.vector(&vector.name))
    }

    /// Rows and sequences: those of the files, if any, or of the options.
    pub fn size(&self, files: Option<(usize, usize)>) -> Result<(usize, usize), Failure> {
        let said = self.rows.map(|rows| (rows, self.sequences));
        if said.is_some_and(|(rows, sequences)| rows.checked_mul(sequences).is_none_or(|all| all > 1 << 31)) {
            return Err(Failure::Input(
                "--rows times --sequences: a plan has at most 2^31 rows in all; use smaller numbers".into(),
            ));
        }
        match (files, said) {
            (Some(size), None) | (None, Some(size)) => Ok(size),
            (Some(size), Some(said)) if size == said => Ok(size),
            (Some((rows, columns)), Some(_)) => Err(Failure::Input(format!(
                "--rows and --sequences: the files have {rows} rows and {columns} columns; leave these options out"
            ))),
            (None, None) => Err(Failure::Input(
                "the number of rows is unknown, since neither --s nor --t is a file; pass --rows".into(),
            )),
        }
    }

    /// The vectors that the formulas read.
    pub fn vectors<T: Real>(&self) -> Result<Vec<(&str, Vec<T>)>, Failure> {
        let vector = |NamedVector { name, path }: &'_ NamedVector| -> Result<Vec<T>, Failure> {
            let values = path.read_sequences()?.values;
            if !values.iter().all(|value| is_exact::<T>(*value)) {
                tell(&format!(
                    "--vector {name}={}: its numbers are rounded to {}; the forward error does not include this rounding",
                    path.display(),
                    T::PRECISION
                ));
            }
            values.iter().map(|value| narrow(&format!("--vector {name}={}", path.display()), *value)).collect()
        };
        self.vector.iter().map(|named| Ok((named.name.as_str(), vector(named)?))).collect()
    }
}
