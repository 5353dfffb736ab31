//! `trisolve generate`

use std::path::PathBuf;

use trisolve::matrix_market;

use crate::Failure;
use crate::output::tell;
use crate::output_file::OutputFile;
use crate::systems::SystemArguments;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    systems: SystemArguments,
    /// Where the matrix goes, Matrix Market
    matrix: PathBuf,
    /// Where a right-hand side goes
    rhs: Option<PathBuf>,
    /// Where the solution goes that the right-hand side was made of
    solution: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let wanted = arguments.systems.wanted()?;
    let [wanted] = &wanted[..] else {
        return Err(Failure::Input(format!("{} systems are asked for; one is written", wanted.len())));
    };
    let paths = [Some(&arguments.matrix), arguments.rhs.as_ref(), arguments.solution.as_ref()];
    let opened = paths.map(|path| path.map(|path| OutputFile::open(path)).transpose());
    let [matrix, rhs, solution] = opened;
    let (matrix, rhs, solution) = (matrix?, rhs?, solution?);
    let system = wanted.make()?;
    let rows = system.matrix.rows();
    if let Some(file) = matrix {
        file.write(|target| matrix_market::write_coordinate(target, &system.matrix))?;
    }
    for (file, values) in [(rhs, &system.rhs), (solution, &system.x)] {
        if let Some(file) = file {
            file.write(|target| matrix_market::write_array(target, rows, values))?;
        }
    }
    tell(&format!("{}: {rows} rows, {} entries", wanted.name, system.matrix.entries()));
    Ok(())
}
