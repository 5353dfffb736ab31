//! The device to measure on, and the timing of one case.

use std::cell::{OnceCell, RefCell};
use std::time::Duration;

use trisolve::gpu::{PassTimer, Samples, copy_bandwidth};
use trisolve::tridiagonal::Bound;
use trisolve::{Error, Gpu};
use trisolve_lab::time_stages;

use crate::output::tell;
use crate::output_file::{OutputFile, OutputPath};
use crate::{Failure, open_gpu};

/// The options for measuring, and for the results.
#[derive(clap::Args)]
pub struct Measuring {
    /// Also write the table as CSV
    #[arg(long)]
    csv: Option<OutputPath>,
    /// Timed runs per case
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000), default_value = "15")]
    runs: u32,
    /// Seconds that each case runs before it is timed
    #[arg(long, default_value_t = 0.3)]
    warm_up: f64,
    /// Also time each dispatch alone, in a pass of its own
    #[arg(long)]
    stages: bool,
    /// Also time each dispatch alone, and write these times as CSV
    #[arg(long)]
    stages_csv: Option<OutputPath>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

/// An open device to measure on, and the CSV file for the results.
pub struct Session {
    pub gpu: Gpu,
    /// One for all cases: it keeps the device awake while the host prepares the next case.
    timer: PassTimer,
    csv: Option<OutputFile>,
    copy: OnceCell<f64>,
    warm_up: Duration,
    pub runs: usize,
    stages: bool,
    stages_csv: Option<OutputFile>,
    /// The dispatches of the case measured last: kernel and seconds.
    dispatches: RefCell<Vec<(String, f64)>>,
}

impl Session {
    pub fn open(measuring: &Measuring) -> Result<Self, Failure> {
        let warm_up = warm_up(measuring.warm_up)?;
        // Opened first, so that a bad path is found before the measurements.
        let csv = measuring.csv.as_ref().map(OutputFile::open).transpose()?;
        let stages_csv = measuring.stages_csv.as_ref().map(OutputFile::open).transpose()?;
        let gpu = open_gpu(measuring.device.as_deref())?;
        let (runs, stages) = (measuring.runs as usize, measuring.stages);
        let timer = PassTimer::keeping_awake(&gpu)?;
        Ok(Self {
            gpu,
            timer,
            csv,
            copy: OnceCell::new(),
            warm_up,
            runs,
            stages,
            stages_csv,
            dispatches: RefCell::default(),
        })
    }

    /// The copy bandwidth in GB/s, measured when it is first asked for.
    pub fn copy_bandwidth(&self) -> Result<f64, Failure> {
        if let Some(known) = self.copy.get() {
            return Ok(*known);
        }
        // In half a second a GPU reaches the clock that it holds.
        let warm_up = match self.gpu.info().device_type {
            wgpu::DeviceType::Cpu => self.warm_up,
            _ => self.warm_up.max(Duration::from_millis(500)),
        };
        let _rest = self.timer.rest();
        let measured = copy_bandwidth(&self.gpu, 1 << 30, warm_up, self.runs)? / 1e9;
        Ok(*self.copy.get_or_init(|| measured))
    }

    /// Refuses `--stages`, for solves whose dispatches depend on each other and are not timed alone.
    pub fn without_stages(self, family: &str) -> Result<Self, Failure> {
        match (self.stages, &self.stages_csv) {
            (true, _) => Err(Failure::Input(format!("--stages does not apply to {family}; leave it out"))),
            (_, Some(_)) => Err(Failure::Input(format!("--stages-csv does not apply to {family}; leave it out"))),
            _ => Ok(self),
        }
    }

    /// A timer for one case.
    pub fn timed(&self) -> Timed<'_> {
        let Self { gpu, timer, warm_up, runs, stages, dispatches, stages_csv, .. } = self;
        let dispatches = (*stages || stages_csv.is_some()).then_some(dispatches);
        Timed { gpu, timer, warm_up: *warm_up, runs: *runs, dispatches, prints: *stages }
    }

    /// The dispatches of the case measured last, kernel and seconds; none without `--stages` or `--stages-csv`.
    pub fn take_dispatches(&self) -> Vec<(String, f64)> {
        self.dispatches.take()
    }

    /// Writes the dispatches to the file of `--stages-csv`, if any.
    pub fn write_dispatches<R: serde::Serialize>(&mut self, rows: &[R]) -> Result<(), Failure> {
        self.stages_csv.take().map_or(Ok(()), |csv| csv.write_csv(rows))
    }

    /// Writes the rows to the CSV file, if any.
    pub fn write_csv<R: serde::Serialize>(self, rows: &[R]) -> Result<(), Failure> {
        match self.csv {
            Some(csv) => csv.write_csv(rows),
            None => Ok(()),
        }
    }
}

/// Parses `--warm-up`.
pub fn warm_up(seconds: f64) -> Result<Duration, Failure> {
    match (0.0..=3600.0).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(Failure::Input(format!("--warm-up {seconds:e}: should be 0 to 3600 seconds"))),
    }
}

/// A case is measured again while its median falls by more than this share.
const SETTLED: f64 = 0.02;
/// The most repetitions for this.
const SETTLING: usize = 10;

/// Times a case.
pub struct Timed<'a> {
    pub gpu: &'a Gpu,
    pub timer: &'a PassTimer,
    warm_up: Duration,
    runs: usize,
    /// Where the dispatches are noted, if they are timed alone.
    dispatches: Option<&'a RefCell<Vec<(String, f64)>>>,
    prints: bool,
}

impl Timed<'_> {
    pub fn warm_up(&self) -> Duration {
        self.warm_up
    }

    pub fn runs(&self) -> usize {
        self.runs
    }

    /// Times a bound solve, then checks its status.
    pub fn time(&self, bound: &Bound) -> trisolve::Result<Samples> {
        let samples = self.time_pass(|pass| bound.record(pass))?;
        match bound.read_status()?.check() {
            // Among hundreds of millions of random rows in f32 some partition is singular: that costs digits, not time.
            Ok(()) | Err(Error::SingularPartition { .. }) => {}
            Err(error) => return Err(error),
        }
        if let Some(dispatches) = self.dispatches {
            let timed = time_stages(bound, self.timer, self.warm_up, self.runs)?;
            for (name, seconds) in timed.iter().filter(|_| self.prints) {
                tell(&format!("{:10.1} us  {name}", seconds * 1e6));
            }
            dispatches.replace(timed);
        }
        Ok(samples)
    }

    /// Times the dispatches that `record` records.
    pub fn time_pass(&self, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> trisolve::Result<Samples> {
        // The first run compiles what the driver has left, and allocates.
        self.timer.measure(Duration::ZERO, 1, &record)?;
        let measure = || self.timer.measure(self.warm_up, self.runs, &record);
        let mut samples = measure()?;
        // The device may have lowered its clock during the uploads, and may still be raising it.
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
