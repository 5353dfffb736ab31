//! `trisolve bench recurrence --moebius`: measures Moebius recurrences.

use trisolve::Real;
use trisolve::recurrence::moebius::{MoebiusPlan, Options};
use trisolve::recurrence::{Algorithm, Direction};
use trisolve_lab::{MoebiusSample, OnDevice};

use super::kept::Kept;
use super::report::{Measured, Report, check_residual};
use super::session::{Session, Timed};
use super::shapes::Batch;
use crate::{Failure, PrecisionName};

pub fn run(session: Session, batches: &[Batch], algorithms: &[Algorithm], direction: Direction) -> Result<(), Failure> {
    let cases: Vec<_> =
        batches.iter().flat_map(|batch| algorithms.iter().map(move |&algorithm| (batch, algorithm))).collect();
    let mut report = Report::new(session, cases.len(), "coefficients");
    let mut kept = Kept::default();
    for (batch, algorithm) in cases {
        let options = Options::on_device().algorithm(algorithm).direction(direction);
        report.add(batch, algorithm.name(), |timed| match batch.precision {
            PrecisionName::F32 => measure::<f32>(timed, batch, options, &mut kept),
            PrecisionName::F64 => measure::<f64>(timed, batch, options, &mut kept),
        })?;
    }
    report.finish()
}

fn measure<T: Real>(timed: &Timed<'_>, batch: &Batch, options: Options, kept: &mut Kept) -> trisolve::Result<Measured> {
    let shape = batch.shape();
    kept.free_unless::<_, MoebiusSample<T>>(shape.n.checked_mul(shape.batch).as_ref());
    let plan = MoebiusPlan::<T>::new(timed.gpu, shape, options)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let sample = kept.sample(len, || MoebiusSample::<T>::new(timed.gpu, len, 7))?;
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.recurrence())?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, options.direction)?;
    check_residual(relative_residual, plan.algorithm())?;
    Ok(Measured {
        family: "moebius recurrence".into(),
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row(),
        relative_residual,
        divided: "four vectors".into(),
    })
}
