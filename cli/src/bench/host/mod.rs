//! `trisolve bench host`: measures host solves of tridiagonal systems, beside the CPU and the transfers alone.

mod chart;
mod crossing;
mod rows;
mod ways;

use std::collections::BTreeSet;
use std::thread::available_parallelism;

use trisolve::Error;
use trisolve::tridiagonal::Shape;

use super::p_scheme_host::processor;
use super::session::{Measuring, Session};
use crate::output::{counted, progress, say, tell};
use crate::plot_file::PlotPath;
use crate::size::size;
use crate::{Failure, PrecisionName};
use crossing::Crossing;
use rows::{Row, tables};
use ways::{Measured, Way, measure};

#[derive(clap::Args)]
pub struct Arguments {
    /// Rows per system, as 1048576 or 2^20; several values sweep (default: 2^6 to 2^24, and 256 rows x 65536)
    #[arg(long, value_parser = size, value_delimiter = ',')]
    rows: Vec<usize>,
    /// Systems; several values sweep (default: 1)
    #[arg(long, value_parser = size, value_delimiter = ',')]
    batch: Vec<usize>,
    /// Precision of the solve; several values sweep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "f32")]
    precision: Vec<PrecisionName>,
    /// Draw the times over the rows, as .svg or .png; a panel per precision and number of systems
    #[arg(long)]
    plot: Option<PlotPath>,
    #[command(flatten)]
    measuring: Measuring,
}

/// Rows of single systems.
const ROWS: [usize; 10] = [1 << 6, 1 << 8, 1000, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24];
/// Rows and systems of a batch.
const BATCH: (usize, usize) = (256, 65536);

/// Systems to measure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Case {
    pub precision: PrecisionName,
    pub rows: usize,
    pub systems: usize,
}

impl Case {
    pub fn shape(&self) -> Shape {
        Shape::contiguous(self.rows, self.systems)
    }
}

impl Arguments {
    fn cases(&self) -> Vec<Case> {
        let rows = if self.rows.is_empty() { &ROWS[..] } else { &self.rows };
        let batch = if self.batch.is_empty() { &[1][..] } else { &self.batch };
        let mut shapes: Vec<_> =
            batch.iter().flat_map(|&systems| rows.iter().map(move |&rows| (rows, systems))).collect();
        if self.rows.is_empty() && self.batch.is_empty() {
            shapes.push(BATCH);
        }
        let of =
            |&precision: &PrecisionName| shapes.iter().map(move |&(rows, systems)| Case { precision, rows, systems });
        self.precision.iter().flat_map(of).collect()
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let cases = arguments.cases();
    if arguments.plot.is_some() && cases.iter().map(|case| case.rows).collect::<BTreeSet<_>>().len() < 2 {
        return Err(Failure::Input("--plot: a curve needs at least two numbers of --rows".into()));
    }
    // Opened first, so that a bad path is found before the measurements.
    let plot = arguments.plot.as_ref().map(PlotPath::open).transpose()?;
    let session = Session::open(&arguments.measuring)?.without_stages("host solves")?;
    let adapter = session.gpu.info().name.clone();
    let (processor, cores) = (processor(), available_parallelism().map_or(1, usize::from));
    let bar = progress(cases.len() * Way::ALL.len());
    let mut rows = vec![];
    for (at, case) in cases.iter().enumerate() {
        let mut begins = |way: Way| {
            bar.set_position((at * Way::ALL.len() + way as usize) as u64);
            bar.set_message(format!("{} {} x {}", way.name(), case.rows, case.systems));
        };
        let timed = session.timed();
        let measured = match case.precision {
            PrecisionName::F32 => measure::<f32>(&timed, case, &mut begins),
            PrecisionName::F64 => measure::<f64>(&timed, case, &mut begins),
        };
        match measured {
            Ok(measured) => rows.extend(
                measured
                    .into_iter()
                    .map(|measured: Measured| Row::new(case, measured, cores, [processor.clone(), adapter.clone()])),
            ),
            Err(
                error @ (Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Unsupported { .. } | Error::Shape(_)),
            ) => bar.suspend(|| {
                tell(&format!("skipped {} {} x {}: {error}", case.precision.name(), case.rows, case.systems));
            }),
            Err(error) => return Err(error.into()),
        }
    }
    bar.finish_and_clear();
    if rows.is_empty() {
        return Err(Failure::Input("no case could be measured".into()));
    }
    let crossings = Crossing::of_all(&rows);
    let found = crossings.iter().map(Crossing::to_string).collect::<Vec<_>>().join("\n");
    say(&format!(
        "{adapter}; {processor}, {}. Wall-clock time, of `recorded` the device's; median of {}\n\n{}\n\n{found}",
        counted(cores, "core"),
        session.runs,
        tables(&rows)
    ))?;
    if let Some(file) = plot {
        match chart::draw(&rows, &crossings, &format!("Host solves: {adapter}, {}", counted(cores, "core")))? {
            Some(text) => file.write(&text)?,
            None => tell("--plot: fewer than two numbers of rows could be measured, so there is no chart"),
        }
    }
    session.write_csv(&rows)
}
