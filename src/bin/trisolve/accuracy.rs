//! `trisolve accuracy`

use std::path::PathBuf;

use clap::ValueEnum;
use trisolve::testing::{AccuracyTable, figure_14, table_6, table_7_8};
use trisolve::{Gpu, Real};

use crate::output::{Table, say};
use crate::output_file::OutputFile;
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// Of the TPR paper: 6, sizes up to 524288; 7 and 8, sixteen matrices in f32 and f64; all three; figure-14, the
    /// slice's size
    #[arg(long, value_enum, default_value = "all")]
    table: TableName,
    /// Numbers to solve in; by default table 6 in f32, and all that the adapter has otherwise
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// Largest number of rows in table 6 and figure 14
    #[arg(long, value_parser = clap::value_parser!(u32).range(1024..=524288), default_value = "524288")]
    largest: u32,
    /// Of the random matrices and right-hand sides
    #[arg(long, default_value_t = 20260101)]
    seed: u64,
    /// Also write all errors as CSV
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Part of an adapter's name (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TableName {
    #[value(name = "6")]
    Six,
    #[value(name = "7")]
    Seven,
    #[value(name = "8")]
    Eight,
    All,
    #[value(name = "figure-14")]
    Figure14,
}

#[derive(serde::Serialize)]
struct Row<'a> {
    table: &'a str,
    row: &'a str,
    solver: &'a str,
    error: f64,
    adapter: &'a str,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    use PrecisionName::{F32, F64};
    let Arguments { table, precision, .. } = arguments;
    for (own, needs) in [(TableName::Seven, F32), (TableName::Eight, F64)] {
        if *table == own && precision.is_some_and(|given| given != needs) {
            return Err(Failure::Input(format!(
                "table 7 is of f32 and table 8 of f64: leave --precision out, or ask for table {}",
                if needs == F32 { 8 } else { 7 }
            )));
        }
    }
    let csv = arguments.csv.as_deref().map(OutputFile::open).transpose()?;
    let gpu = open_gpu(arguments.device.as_deref())?;
    let has_f64 = gpu.capabilities().features.f64;
    if !has_f64 && (*table == TableName::Eight || *precision == Some(F64)) {
        return Err(Failure::Input(format!("{} has no f64", gpu.info().name)));
    }
    let wanted = |own| *table == own || *table == TableName::All;
    let mut tables = Vec::new();
    let mut print = |more: Vec<AccuracyTable>| {
        for table in more {
            say(&format!("{}\n\n{}\n", table.title, markdown(&table)))?;
            tables.push(table);
        }
        Ok::<_, Failure>(())
    };
    if wanted(TableName::Six) {
        match precision.unwrap_or(F32) {
            F32 => print(six::<f32>(&gpu, arguments)?)?,
            F64 => print(six::<f64>(&gpu, arguments)?)?,
        }
    }
    if *table == TableName::Figure14 {
        let (largest, seed) = (arguments.largest as usize, arguments.seed);
        print(match precision.unwrap_or(F32) {
            F32 => figure_14::<f32>(&gpu, largest, seed)?,
            F64 => figure_14::<f64>(&gpu, largest, seed)?,
        })?;
    }
    const ROWS: usize = 512;
    if wanted(TableName::Seven) && *precision != Some(F64) {
        print(table_7_8::<f32>(&gpu, ROWS, arguments.seed)?)?;
    }
    if wanted(TableName::Eight) && *precision != Some(F32) && has_f64 {
        print(table_7_8::<f64>(&gpu, ROWS, arguments.seed)?)?;
    }
    say(&format!("{}, seed {}", gpu.info().name, arguments.seed))?;
    let Some(csv) = csv else {
        return Ok(());
    };
    csv.write(|target| {
        let mut writer = csv::Writer::from_writer(target);
        for table in &tables {
            for (row, errors) in &table.rows {
                for (solver, &error) in table.solvers.iter().zip(errors) {
                    let row = Row { table: &table.title, row, solver, error, adapter: &gpu.info().name };
                    writer.serialize(row).map_err(std::io::Error::other)?;
                }
            }
        }
        writer.flush()
    })
}

fn six<T: Real>(gpu: &Gpu, arguments: &Arguments) -> Result<Vec<AccuracyTable>, Failure> {
    Ok(table_6::<T>(gpu, arguments.largest as usize, arguments.seed)?)
}

fn markdown(accuracy: &AccuracyTable) -> Table {
    let header: Vec<_> = std::iter::once(accuracy.row).chain(accuracy.solvers.iter().map(String::as_str)).collect();
    let mut table = Table::new(&header);
    for (name, errors) in &accuracy.rows {
        let cell = |error: &f64| if error.is_nan() { "NaN".into() } else { format!("{error:.1e}") };
        table.row(std::iter::once(name.clone()).chain(errors.iter().map(cell)).collect());
    }
    table
}
