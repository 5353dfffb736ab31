//! Where the time of a run went: `--timing`.

use std::time::Instant;

use trisolve::Timing;

use crate::Failure;
use crate::output::tell;

/// Divides the time of a run into parts.
pub struct Clock {
    start: Instant,
    lap: Instant,
    /// In seconds; of the library's parts those of its calls and of the program itself.
    library: Timing,
    reading: f64,
    opening: f64,
    writing: f64,
    /// Making plans; also counted in planning and compiling.
    plans: f64,
}

/// Microseconds for reports, rounded to nanoseconds: further digits are roundings of sums.
pub fn microseconds(seconds: f64) -> f64 {
    (1e9 * seconds).round() / 1e3
}

/// Microseconds of each part, in the order of the work.
#[derive(Clone, Copy, serde::Serialize)]
pub struct TimeSpent {
    /// Files, and arranging their numbers.
    reading_us: f64,
    /// The device.
    opening_us: f64,
    planning_us: f64,
    compiling_us: f64,
    uploading_us: f64,
    solving_us: f64,
    /// Residuals, and the error from rounding the files' numbers.
    checking_us: f64,
    downloading_us: f64,
    writing_us: f64,
    /// Making the plan; also counted in planning and compiling, whose rest belongs to the first solve.
    plan_us: f64,
    /// Of the run up to its report.
    total_us: f64,
}

impl Clock {
    pub fn start() -> Self {
        let now = Instant::now();
        Self { start: now, lap: now, library: Timing::default(), reading: 0.0, opening: 0.0, writing: 0.0, plans: 0.0 }
    }

    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        (now - std::mem::replace(&mut self.lap, now)).as_secs_f64()
    }

    /// The time since the last part went into reading.
    pub fn read(&mut self) {
        self.reading += self.lap();
    }

    /// The time since the last part went into opening the device.
    pub fn opened(&mut self) {
        self.opening += self.lap();
    }

    /// The time since the last part went into a plan, which compiled as long as its timing says.
    pub fn planned(&mut self, timing: Timing) {
        let plan = self.lap();
        self.plans += plan;
        self.library.planning += (plan - timing.compiling).max(0.0);
        self.library.compiling += timing.compiling;
    }

    /// The time since the last part went into a call of the library.
    pub fn called(&mut self, timing: Timing) {
        self.lap();
        self.library += timing;
    }

    /// The time since the last part went into solving on the CPU.
    pub fn solved(&mut self) {
        self.library.solving += self.lap();
    }

    /// The time since the last part went into checking the answer.
    pub fn checked(&mut self) {
        self.library.checking += self.lap();
    }

    /// The time since the last part went into writing.
    pub fn wrote(&mut self) {
        self.writing += self.lap();
    }

    /// The parts so far, if `--timing` asks for them.
    pub fn spent(&self, is_asked: bool) -> Option<TimeSpent> {
        let Self { library, reading, opening, writing, plans, .. } = *self;
        is_asked.then(|| TimeSpent {
            reading_us: microseconds(reading),
            opening_us: microseconds(opening),
            planning_us: microseconds(library.planning),
            compiling_us: microseconds(library.compiling),
            uploading_us: microseconds(library.uploading),
            solving_us: microseconds(library.solving),
            checking_us: microseconds(library.checking),
            downloading_us: microseconds(library.downloading),
            writing_us: microseconds(writing),
            plan_us: microseconds(plans),
            total_us: microseconds(self.start.elapsed().as_secs_f64()),
        })
    }

    /// Tells the parts of a run whose solve failed, if `--timing` asks for them. The time since the last part counts as solving.
    pub fn tell_of_failure(&mut self, outcome: Result<(), Failure>, is_asked: bool) -> Result<(), Failure> {
        if let Err(Failure::Solver(_)) = outcome {
            self.solved();
            self.spent(is_asked).iter().for_each(TimeSpent::tell);
        }
        outcome
    }
}

impl TimeSpent {
    /// Tells the parts on stderr.
    pub fn tell(&self) {
        let parts = [
            ("reading", self.reading_us),
            ("opening the device", self.opening_us),
            ("planning", self.planning_us),
            ("compiling", self.compiling_us),
            ("uploading", self.uploading_us),
            ("solving", self.solving_us),
            ("checking", self.checking_us),
            ("downloading", self.downloading_us),
            ("writing", self.writing_us),
            ("total", self.total_us),
        ];
        tell("where the time went, in ms:");
        for (part, us) in parts {
            tell(&format!("  {part:<18} {:>10.3}", us / 1e3));
        }
    }
}
