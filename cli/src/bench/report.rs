//! What the benchmarks of all families share: shapes to sweep, timing, the table and the CSV.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::ProgressBar;
use trisolve::gpu::{PassTimer, Samples, copy_bandwidth};
use trisolve::tridiagonal::{Bound, Shape};
use trisolve::{Error, Gpu};
use trisolve_lab::time_stages;

use crate::output::{Table, progress, say, tell};
use crate::output_file::OutputFile;
use crate::size::size;
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Common {
    /// Rows of a system or sequence: 1048576 or 2^20; several sweep. By default 1024 and 2^20, of dense systems 1024 and 4096
    #[arg(long, value_parser = size, num_args = 1..)]
    rows: Vec<usize>,
    /// Systems or sequences; several sweep
    #[arg(long, value_parser = size, num_args = 1.., default_values = ["1"])]
    batch: Vec<usize>,
    /// Numbers to solve in
    #[arg(long, value_enum, num_args = 1.., default_values = ["f32"])]
    precision: Vec<PrecisionName>,
    /// How a batch lies
    #[arg(long, value_enum, num_args = 1.., default_values = ["contiguous"])]
    layout: Vec<LayoutName>,
    #[command(flatten)]
    pub measuring: Measuring,
}

/// How to measure, and where the results go.
#[derive(clap::Args)]
pub struct Measuring {
    /// Also write the table as CSV
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Timed runs of each case
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000), default_value = "15")]
    runs: u32,
    /// Seconds of the same work before a case's first timed run
    #[arg(long, default_value_t = 0.3)]
    warm_up: f64,
    /// Also time each dispatch on its own
    #[arg(long)]
    stages: bool,
    /// Part of an adapter's name (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    Contiguous,
    Interleaved,
}

/// A shape to measure, in a precision.
#[derive(Clone, Copy)]
pub struct Lying {
    pub precision: PrecisionName,
    layout: LayoutName,
    rows: usize,
    batch: usize,
}

impl Lying {
    /// Whether rows of different systems lie side by side.
    pub fn is_interleaved(&self) -> bool {
        self.layout == LayoutName::Interleaved
    }

    pub fn shape(&self) -> Shape {
        match self.layout {
            LayoutName::Contiguous => Shape::contiguous(self.rows, self.batch),
            LayoutName::Interleaved => Shape::interleaved(self.rows, self.batch),
        }
    }
}

impl Common {
    pub fn shapes(&self) -> impl Iterator<Item = Lying> {
        self.shapes_or(&[1 << 10, 1 << 20])
    }

    /// Of so many rows where the caller names none.
    pub fn shapes_or(&self, rows: &[usize]) -> impl Iterator<Item = Lying> {
        let rows = if self.rows.is_empty() { rows } else { &self.rows };
        let mut all = Vec::new();
        for &precision in &self.precision {
            for &layout in &self.layout {
                for &batch in &self.batch {
                    all.extend(rows.iter().map(|&rows| Lying { precision, layout, rows, batch }));
                }
            }
        }
        all.into_iter()
    }
}

/// A device to measure on, and where the results go.
pub struct Session {
    pub gpu: Gpu,
    csv: Option<OutputFile>,
    warm_up: Duration,
    runs: usize,
    stages: bool,
}

impl Session {
    pub fn open(common: &Measuring) -> Result<Self, Failure> {
        if !(0.0..=3600.0).contains(&common.warm_up) {
            return Err(Failure::Input(format!("--warm-up {:e}: should be 0 to 3600 seconds", common.warm_up)));
        }
        // Opened first, so that a bad path does not cost a run.
        let csv = common.csv.as_deref().map(OutputFile::open).transpose()?;
        let gpu = open_gpu(common.device.as_deref())?;
        let warm_up = Duration::from_secs_f64(common.warm_up);
        Ok(Self { gpu, csv, warm_up, runs: common.runs as usize, stages: common.stages })
    }

    /// Bytes a second of a copy.
    pub fn copy_bandwidth(&self) -> Result<f64, Failure> {
        let warm_up = self.warm_up.max(Duration::from_millis(500));
        Ok(copy_bandwidth(&self.gpu, 1 << 30, warm_up, self.runs)?)
    }

    /// For solves whose dispatches depend on each other, and are not timed alone.
    pub fn without_stages(self, family: &str) -> Result<Self, Failure> {
        match self.stages {
            true => Err(Failure::Input(format!("--stages is not for {family}; leave it out"))),
            false => Ok(self),
        }
    }

    /// Times a case.
    pub fn timed(&self) -> Timed<'_> {
        let Self { gpu, warm_up, runs, stages, .. } = self;
        Timed { gpu, warm_up: *warm_up, runs: *runs, stages: *stages }
    }

    /// Writes rows where `--csv` says.
    pub fn write_csv<R: serde::Serialize>(self, rows: &[R]) -> Result<(), Failure> {
        let Some(csv) = self.csv else {
            return Ok(());
        };
        csv.write(|target| {
            let mut writer = csv::Writer::from_writer(target);
            rows.iter().try_for_each(|row| writer.serialize(row)).map_err(std::io::Error::other)?;
            writer.flush()
        })
    }

    /// Measures the copy bandwidth; cases follow. `divided` names the last column.
    pub fn report(self, cases: usize, divided: &str) -> Result<Report, Failure> {
        let copy = self.copy_bandwidth()? / 1e9;
        let table = Table::new(&[
            "algorithm",
            "precision",
            "layout",
            "rows",
            "batch",
            "median us",
            "Grows/s",
            "B/row",
            "GB/s",
            "of copy",
            "residual",
            divided,
        ]);
        Ok(Report { session: self, copy, table, rows: vec![], skipped: vec![], bar: progress(cases) })
    }
}

/// Measured again while the median falls by more than this, so often at the most.
const SETTLED: f64 = 0.02;
const SETTLING: usize = 10;

/// Times a case.
pub struct Timed<'a> {
    pub gpu: &'a Gpu,
    warm_up: Duration,
    runs: usize,
    stages: bool,
}

impl Timed<'_> {
    pub fn warm_up(&self) -> Duration {
        self.warm_up
    }

    pub fn runs(&self) -> usize {
        self.runs
    }

    /// A bound solve, whose status is checked afterwards.
    pub fn time(&self, bound: &Bound) -> trisolve::Result<Samples> {
        let samples = self.time_pass(|pass| bound.record(pass))?;
        match bound.read_status()?.check() {
            // Of hundreds of millions of random rows in f32 some always are: a matter of digits, not of time.
            Ok(()) | Err(trisolve::Error::SingularPartition { .. }) => {}
            Err(error) => return Err(error),
        }
        if self.stages {
            for (name, seconds) in time_stages(bound, self.warm_up, self.runs)? {
                tell(&format!("{:10.1} us  {name}", seconds * 1e6));
            }
        }
        Ok(samples)
    }

    /// What is recorded into a pass.
    pub fn time_pass(&self, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> trisolve::Result<Samples> {
        let timer = PassTimer::new(self.gpu)?;
        let measure = || timer.measure(self.warm_up, self.runs, &record);
        let mut samples = measure()?;
        // While vectors were uploaded the device may have lowered its clock, and may still be raising it.
        let rests = self.gpu.info().device_type != wgpu::DeviceType::Cpu;
        for _ in 0..if rests { SETTLING } else { 0 } {
            let before = std::mem::replace(&mut samples, measure()?);
            if samples.median() > (1.0 - SETTLED) * before.median() {
                break;
            }
        }
        Ok(samples)
    }
}

/// What a family says of a case.
pub struct Measured {
    pub family: &'static str,
    pub algorithm: String,
    pub samples: Samples,
    pub bytes_per_row: f64,
    pub relative_residual: f64,
    /// How the work was divided.
    pub divided: String,
}

#[derive(serde::Serialize)]
struct Row {
    family: &'static str,
    algorithm: String,
    precision: &'static str,
    layout: &'static str,
    rows: usize,
    batch: usize,
    median_us: f64,
    min_us: f64,
    rows_per_s: f64,
    bytes_per_row: f64,
    gb_per_s: f64,
    copy_gb_per_s: f64,
    share_of_copy: f64,
    relative_residual: f64,
    adapter: String,
    /// How the work was divided: the policy, for most.
    divided: String,
}

/// The results so far.
pub struct Report {
    session: Session,
    copy: f64,
    table: Table,
    rows: Vec<Row>,
    skipped: Vec<String>,
    bar: ProgressBar,
}

impl Report {
    /// Measures a case; what this device cannot hold is left out.
    pub fn add(
        &mut self,
        lying: &Lying,
        name: &str,
        measure: impl FnOnce(&Timed<'_>) -> trisolve::Result<Measured>,
    ) -> Result<(), Failure> {
        let Lying { precision, layout, rows, batch } = *lying;
        self.bar.set_message(format!("{name} {rows} x {batch}"));
        let gpu = &self.session.gpu;
        let measured = measure(&self.session.timed());
        self.bar.inc(1);
        let Measured { family, algorithm, samples, bytes_per_row, relative_residual, divided } = match measured {
            Ok(measured) => measured,
            Err(
                error @ (Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Unsupported { .. } | Error::Shape(_)),
            ) => {
                self.skipped.push(format!("skipped {} {name} {rows} x {batch}: {error}", precision.name()));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let rows_per_s = (rows * batch) as f64 / samples.median();
        let gb_per_s = rows_per_s * bytes_per_row / 1e9;
        let row = Row {
            family,
            algorithm,
            precision: precision.name(),
            layout: if layout == LayoutName::Interleaved { "interleaved" } else { "contiguous" },
            rows,
            batch,
            median_us: samples.median() * 1e6,
            min_us: samples.min() * 1e6,
            rows_per_s,
            bytes_per_row,
            gb_per_s,
            copy_gb_per_s: self.copy,
            share_of_copy: gb_per_s / self.copy,
            relative_residual,
            adapter: gpu.info().name.clone(),
            divided,
        };
        self.table.row(vec![
            row.algorithm.clone(),
            row.precision.into(),
            row.layout.into(),
            row.rows.to_string(),
            row.batch.to_string(),
            digits(row.median_us),
            digits(row.rows_per_s / 1e9),
            digits(row.bytes_per_row),
            digits(row.gb_per_s),
            format!("{:.0}%", 100.0 * row.share_of_copy),
            format!("{:.1e}", row.relative_residual),
            row.divided.clone(),
        ]);
        self.rows.push(row);
        Ok(())
    }

    /// Prints the table, and writes the CSV.
    pub fn finish(self) -> Result<(), Failure> {
        let Self { session, copy, table, rows, skipped, bar } = self;
        bar.finish_and_clear();
        for line in &skipped {
            tell(line);
        }
        if rows.is_empty() {
            return Err(Failure::Input("no case could be measured".into()));
        }
        let name = &session.gpu.info().name;
        let copy = digits(copy);
        say(&format!("{name}, copy {copy} GB/s, device time, median of {}\n\n{table}", session.runs))?;
        session.write_csv(&rows)
    }
}

/// Four significant digits.
pub fn digits(value: f64) -> String {
    let before = if value > 0.0 && value.is_finite() { value.log10().floor() as i32 + 1 } else { 1 };
    format!("{value:.*}", usize::try_from(4 - before).unwrap_or(0))
}

/// A relative residual that no rounding explains.
const WRONG: f64 = 1e-3;

/// Whether what was timed is the answer: a bench of wrong ones says nothing.
pub fn check_residual(relative_residual: f64, algorithm: impl std::fmt::Display) -> Result<(), Error> {
    if !relative_residual.is_finite() {
        return Err(Error::Options(format!("{algorithm} left rows unsolved")));
    }
    if relative_residual > WRONG {
        return Err(Error::Options(format!(
            "{algorithm} gave a wrong answer (relative residual {relative_residual:.1e}): drivers may cut long loops off, \
             Mesa's llvmpipe after 65535 rounds a thread; take more threads, or a shorter formula"
        )));
    }
    Ok(())
}
