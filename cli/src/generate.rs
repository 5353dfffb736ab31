//! `trisolve generate`: writes a generated system to files.

use std::io::{self, Write};

use trisolve::quasi_tridiagonal::Csr;

use crate::options::file;
use crate::output::tell;
use crate::output_file::{OutputFile, OutputPath};
use crate::systems::SystemArguments;
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    systems: SystemArguments,
    /// Round the entries of a tpr system to this precision; the solution is that of the rounded system
    #[arg(long, value_enum, default_value = "f64")]
    precision: PrecisionName,
    /// Write the matrix to this file (Matrix Market)
    #[arg(value_parser = file::<OutputPath>())]
    matrix: OutputPath,
    /// Write the right-hand side to this file
    #[arg(value_parser = file::<OutputPath>())]
    rhs: Option<OutputPath>,
    /// Write the solution to this file. The right-hand side is computed from it; tpr systems have a random right-hand side and its exact
    /// solution
    #[arg(value_parser = file::<OutputPath>())]
    solution: Option<OutputPath>,
    /// Write raw little-endian numbers, whatever the files are called, for other programs. Vectors: f64. Matrix: its numbers of rows and
    /// entries (u64), the rows' starts (u32, one more than rows), the columns from 0 (u32), the entries (f64)
    #[arg(long)]
    binary: bool,
}

/// The matrix in the format of `--binary`.
fn write_binary(target: &mut dyn Write, matrix: &Csr<f64>) -> io::Result<()> {
    for count in [matrix.rows(), matrix.entries()] {
        target.write_all(&(count as u64).to_le_bytes())?;
    }
    let mut start = 0u32;
    target.write_all(&start.to_le_bytes())?;
    for row in 0..matrix.rows() {
        start += matrix.row(row).count() as u32;
        target.write_all(&start.to_le_bytes())?;
    }
    let entries = || (0..matrix.rows()).flat_map(|row| matrix.row(row));
    entries().try_for_each(|(column, _)| target.write_all(&(column as u32).to_le_bytes()))?;
    write_numbers(target, entries().map(|(_, value)| value))
}

fn write_numbers(target: &mut dyn Write, numbers: impl IntoIterator<Item = f64>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| target.write_all(&number.to_le_bytes()))
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let wanted = arguments.systems.wanted(0)?;
    let [wanted] = &wanted[..] else {
        return Err(Failure::Input(format!("{} systems are asked for, but generate writes only one", wanted.len())));
    };
    if !arguments.binary {
        arguments.matrix.check_for_matrix()?;
    }
    let paths = [Some(&arguments.matrix), arguments.rhs.as_ref(), arguments.solution.as_ref()];
    let opened = paths.map(|path| path.map(OutputFile::open).transpose());
    let [matrix, rhs, solution] = opened;
    let (matrix, rhs, solution) = (matrix?, rhs?, solution?);
    let system = match arguments.precision {
        PrecisionName::F32 => wanted.rounded::<f32>()?,
        PrecisionName::F64 => wanted.make()?,
    };
    let rows = system.matrix.rows();
    if arguments.solution.is_some() && system.x.is_empty() {
        return Err(Failure::Solver(format!(
            "{}: the matrix is singular to working precision, so its solution is not known; leave out the file of the solution",
            wanted.name
        )));
    }
    if let Some(file) = matrix {
        match arguments.binary {
            true => file.write(|target| write_binary(target, &system.matrix))?,
            false => file.write_matrix(&system.matrix)?,
        }
    }
    for (file, values) in [(rhs, &system.rhs), (solution, &system.x)] {
        if let Some(file) = file {
            match arguments.binary {
                true => file.write(|target| write_numbers(target, values.iter().copied()))?,
                false => file.write_vectors(rows, values)?,
            }
        }
    }
    tell(&format!("{}: {rows} rows, {} entries", wanted.name, system.matrix.entries()));
    Ok(())
}
