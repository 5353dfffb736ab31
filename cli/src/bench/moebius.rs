//! `trisolve bench recurrence --moebius`: measures Moebius recurrences.

use trisolve::Real;
use trisolve::recurrence::Direction;
use trisolve::recurrence::moebius::{MoebiusPlan, Options};
use trisolve_lab::{MoebiusSample, OnDevice};

use super::kept::Kept;
use super::report::{Measured, Report, check_residual};
use super::session::{Session, Timed};
use super::shapes::Batch;
use crate::{Failure, PrecisionName};

pub fn run(session: Session, batches: &[Batch], direction: Direction) -> Result<(), Failure> {
    let mut report = Report::new(session, batches.len(), "coefficients");
    let mut kept = Kept::default();
    for batch in batches {
        report.add(batch, "moebius", |timed| match batch.precision {
            PrecisionName::F32 => measure::<f32>(timed, batch, direction, &mut kept),
            PrecisionName::F64 => measure::<f64>(timed, batch, direction, &mut kept),
        })?;
    }
    report.finish()
}

fn measure<T: Real>(
    timed: &Timed<'_>,
    batch: &Batch,
    direction: Direction,
    kept: &mut Kept,
) -> trisolve::Result<Measured> {
    let shape = batch.shape();
    kept.free_unless::<_, MoebiusSample<T>>(shape.n.checked_mul(shape.batch).as_ref());
    let plan = MoebiusPlan::<T>::new(timed.gpu, shape, Options::on_device().direction(direction))?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let sample = kept.sample(len, || MoebiusSample::<T>::new(timed.gpu, len, 7))?;
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.recurrence())?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, direction)?;
    check_residual(relative_residual, "moebius")?;
    Ok(Measured {
        family: "moebius recurrence".into(),
        algorithm: "moebius".into(),
        samples,
        bytes_per_row: plan.bytes_per_row(),
        relative_residual,
        divided: "four vectors".into(),
    })
}
