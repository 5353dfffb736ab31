//! `trisolve accuracy`: prints the accuracy tables of two papers for this adapter.

use clap::ValueEnum;
use trisolve::tridiagonal::Algorithm;
use trisolve_lab::{AccuracyTable, Measured, RPTS_MATRICES, figure_14, rpts_table, table_6, table_7_8};

use crate::output::{Table, progress, say};
use crate::output_file::{OutputFile, OutputPath};
use crate::precision::no_f64;
use crate::size::size;
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// From the TPR paper: 6, sizes up to 524288; 7 and 8, sixteen matrices in f32 and f64; figure-14, sizes of the slices.
    /// rpts: the twenty matrices of the RPTS paper and two more in f32 and f64, medians over seeds
    #[arg(long, value_enum, default_value = "all")]
    table: TableName,
    /// Precision of table 6 and figure 14 (default: f32), and of rpts (default: both). Table 7 is in f32 and table 8 in f64
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// Largest number of rows in table 6 and figure 14, from 1024: 524288 or 2^19
    #[arg(long, value_parser = size, default_value = "2^19")]
    largest: usize,
    /// Rows in table rpts, 512 in the paper; above 2048 its dense matrices are left out
    #[arg(long, value_parser = size, default_value = "512")]
    rows: usize,
    /// Random systems per matrix of table rpts; their seeds count up from --seed
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Seed of the random matrices and right-hand sides
    #[arg(long, default_value_t = 20260101)]
    seed: u64,
    /// Also write all errors as CSV
    #[arg(long)]
    csv: Option<OutputPath>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
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
    Rpts,
}

#[derive(serde::Serialize)]
struct Row<'a> {
    table: &'a str,
    row: &'a str,
    solver: &'a str,
    /// A number, or the reason why there is none.
    error: String,
    adapter: &'a str,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    use PrecisionName::{F32, F64};
    let Arguments { table, precision, largest, seed, .. } = arguments;
    for (own, needs) in [(TableName::Seven, F32), (TableName::Eight, F64)] {
        if *table == own && precision.is_some_and(|given| given != needs) {
            return Err(Failure::Input(format!(
                "table 7 is in f32 and table 8 in f64; leave --precision out, or use table {}",
                if needs == F32 { 8 } else { 7 }
            )));
        }
    }
    // The smallest sizes of the table and of the figure.
    let least = if *table == TableName::Six { 128 } else { 1024 };
    if !(least..=1 << 19).contains(largest) {
        return Err(Failure::Input(format!("--largest {largest}: should be {least} to 524288")));
    }
    if arguments.rows < 2 {
        return Err(Failure::Input("--rows 1: should be 2 at least".into()));
    }
    let csv = arguments.csv.as_ref().map(OutputFile::open).transpose()?;
    let gpu = open_gpu(arguments.device.as_deref())?;
    let has_f64 = gpu.capabilities().features.f64;
    if !has_f64 && (*table == TableName::Eight || *precision == Some(F64)) {
        return Err(no_f64(&gpu));
    }
    let wanted = |own| *table == own || *table == TableName::All;
    let (mut tables, mut said, mut legend) = (Vec::new(), Ok(()), "");
    // If stdout fails, the CSV is still written.
    let mut print = |more: Vec<AccuracyTable>| {
        for table in more {
            if said.is_ok() {
                said = say(&format!("{}\n\n{}\n", table.title, markdown(&table)));
            }
            if said.is_ok() && legend != table.legend {
                legend = table.legend;
                said = say(&format!("{legend}\n"));
            }
            if let (Ok(()), Some(verdict)) = (&said, &table.verdict) {
                said = say(&format!("{verdict}\n"));
            }
            tables.push(table);
        }
    };
    if wanted(TableName::Six) {
        match precision.unwrap_or(F32) {
            F32 => print(table_6::<f32>(&gpu, *largest, *seed)?),
            F64 => print(table_6::<f64>(&gpu, *largest, *seed)?),
        }
    }
    const ROWS: usize = 512;
    if wanted(TableName::Seven) && *precision != Some(F64) {
        print(table_7_8::<f32>(&gpu, ROWS, *seed)?);
    }
    if wanted(TableName::Eight) && *precision != Some(F32) && has_f64 {
        print(table_7_8::<f64>(&gpu, ROWS, *seed)?);
    }
    if wanted(TableName::Figure14) {
        match precision.unwrap_or(F32) {
            F32 => print(figure_14::<f32>(&gpu, *largest, *seed)?),
            F64 => print(figure_14::<f64>(&gpu, *largest, *seed)?),
        }
    }
    if *table == TableName::Rpts {
        let precisions = [(F32, true), (F64, has_f64)].into_iter();
        let precisions: Vec<_> = precisions.filter(|own| own.1 && precision.is_none_or(|only| only == own.0)).collect();
        let bar = progress(precisions.len() * RPTS_MATRICES.len());
        let turn = |name: &str| {
            bar.set_message(name.to_owned());
            bar.inc(1);
        };
        let named = Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Auto);
        let algorithms: Vec<_> = [Algorithm::Auto].into_iter().chain(named).collect();
        let (rows, seeds) = (arguments.rows, (*seed, arguments.seeds));
        for (precision, _) in precisions {
            let table = match precision {
                F32 => rpts_table::<f32>(&gpu, rows, 1..=RPTS_MATRICES.len(), &algorithms, seeds, turn)?,
                F64 => rpts_table::<f64>(&gpu, rows, 1..=RPTS_MATRICES.len(), &algorithms, seeds, turn)?,
            };
            bar.suspend(|| print(vec![table]));
        }
        bar.finish_and_clear();
    }
    let said = said.and_then(|()| say(&format!("{}, seed {seed}", gpu.info().name)));
    let Some(csv) = csv else {
        return said;
    };
    csv.write_csv(tables.iter().flat_map(|table| rows(table, &gpu.info().name)))?;
    said
}

/// The errors of a table, one per row of the CSV.
fn rows<'a>(table: &'a AccuracyTable, adapter: &'a str) -> impl Iterator<Item = Row<'a>> {
    table.rows.iter().flat_map(move |(row, errors)| {
        table.solvers.iter().zip(errors).map(move |(solver, error)| {
            let error = match error {
                Measured::Error(error) => error.to_string(),
                other => other.to_string(),
            };
            Row { table: &table.title, row, solver, error, adapter }
        })
    })
}

fn markdown(accuracy: &AccuracyTable) -> Table {
    let header: Vec<_> = std::iter::once(accuracy.row).chain(accuracy.solvers.iter().map(String::as_str)).collect();
    let mut table = Table::new(&header);
    for (name, errors) in &accuracy.rows {
        table.row(std::iter::once(name.clone()).chain(errors.iter().map(Measured::to_string)).collect());
    }
    table
}
