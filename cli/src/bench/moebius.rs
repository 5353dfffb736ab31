//! `trisolve bench recurrence --moebius`

use trisolve::Real;
use trisolve::recurrence::Direction;
use trisolve::recurrence::moebius::{MoebiusPlan, Options};
use trisolve_lab::MoebiusSample;

use super::report::{Lying, Measured, Session, Timed, check_residual};
use crate::{Failure, PrecisionName};

pub fn run(session: Session, shapes: Vec<Lying>, direction: Direction) -> Result<(), Failure> {
    let mut report = session.report(shapes.len(), "coefficients")?;
    let (mut single, mut double) = (None, None);
    for lying in shapes {
        report.add(&lying, "moebius", |timed| match lying.precision {
            PrecisionName::F32 => {
                double = None;
                measure::<f32>(timed, &lying, direction, &mut single)
            }
            PrecisionName::F64 => {
                single = None;
                measure::<f64>(timed, &lying, direction, &mut double)
            }
        })?;
    }
    report.finish()
}

/// `kept` is the last case's vectors, where those were as long.
fn measure<T: Real>(
    timed: &Timed<'_>,
    lying: &Lying,
    direction: Direction,
    kept: &mut Option<(usize, MoebiusSample<T>)>,
) -> trisolve::Result<Measured> {
    let shape = lying.shape();
    *kept = kept.take().filter(|kept| Some(kept.0) == shape.n.checked_mul(shape.batch));
    let plan = MoebiusPlan::<T>::new(timed.gpu, shape, Options::default().direction(direction))?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let (_, sample) = match kept {
        Some(sample) => sample,
        None => kept.insert((len, MoebiusSample::new(timed.gpu, len, 7)?)),
    };
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.recurrence())?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, direction)?;
    check_residual(relative_residual, "moebius")?;
    Ok(Measured {
        family: "moebius recurrence",
        algorithm: "moebius".into(),
        samples,
        bytes_per_row: plan.bytes_per_row(),
        relative_residual,
        divided: "four vectors".into(),
    })
}
