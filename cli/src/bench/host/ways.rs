//! The ways to solve a case, and their times.

use std::hint::black_box;
use std::time::Instant;

use trisolve::tridiagonal::{self, DeviceSystem, Options, System, TridiagonalPlan, solve_batch_on_cpu};
use trisolve::{DeviceVector, Error, Real};
use trisolve_lab::{Bus, OnDevice, Upload, dominant_vectors, wall_clock};

use super::super::session::Timed;
use super::Case;

/// A way from the vectors of a system to its unknowns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Thomas's algorithm on one core, without a check, into memory that is kept.
    Loop,
    /// `solve_batch_on_cpu`, on all cores.
    Cpu,
    /// `TridiagonalPlan::solve` of a plan that is kept.
    Device,
    /// `Factored::solve` of factors that are kept.
    Factored,
    /// `tridiagonal::solve`, which plans; of single systems.
    OneCall,
    /// The device alone: the plan's recorded solve.
    Recorded,
    /// The upload of the four vectors and the download of one.
    Bus,
    /// The same from and to memory that the device maps, which the host neither fills nor reads: a lower bound.
    Mapped,
}

impl Way {
    pub const ALL: [Self; 8] =
        [Self::Loop, Self::Cpu, Self::Device, Self::Factored, Self::OneCall, Self::Recorded, Self::Bus, Self::Mapped];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Cpu => "cpu",
            Self::Device => "device",
            Self::Factored => "device, factored",
            Self::OneCall => "one call",
            Self::Recorded => "recorded",
            Self::Bus => "bus",
            Self::Mapped => "bus, mapped",
        }
    }
}

/// The time of a way. Seconds.
pub struct Measured {
    pub way: Way,
    pub median: f64,
    pub min: f64,
    /// The largest difference of the unknowns from those of the CPU, relative to the largest unknown; `None` without unknowns.
    pub difference: Option<f64>,
    /// The faster upload; of the bus.
    pub upload: Option<Upload>,
}

/// The largest difference that is accepted, as of two answers that are right.
const TOLERATED: f64 = 1e-4;

/// Vectors that the measurements hold, device memory of software adapters included.
const VECTORS: usize = 24;

/// Measures all ways; `begins` hears of each.
pub fn measure<T: Real>(
    timed: &Timed<'_>,
    case: &Case,
    begins: &mut impl FnMut(Way),
) -> trisolve::Result<Vec<Measured>> {
    let (gpu, shape) = (timed.gpu, case.shape());
    let plan = TridiagonalPlan::<T>::new(gpu, shape, Options::on_device())?;
    // The plan has checked that the product exists.
    let len = case.rows * case.systems;
    let room = Vec::<[T; VECTORS]>::new().try_reserve_exact(len);
    room.map_err(|_| Error::Shape(format!("no memory on the host for {VECTORS} vectors of {len} numbers")))?;
    let vectors = dominant_vectors::<T>(len, 7);
    let [lower, diag, upper, rhs] = vectors.each_ref().map(|vector| &vector[..]);
    let system = System::new(lower, diag, upper);
    let expected = solve_batch_on_cpu(&shape, &system, rhs)?.x;
    let mut all = vec![];
    let mut add = |way, [median, min]: [f64; 2], x: &[T]| {
        let difference = Some(checked(way, x, &expected)?);
        all.push(Measured { way, median, min, difference, upload: None });
        Ok::<_, Error>(())
    };

    begins(Way::Loop);
    let (mut scaled, mut x) = (vec![T::ZERO; case.rows], vec![T::ZERO; len]);
    let (seconds, ()) = wall(timed, || {
        thomas(black_box([lower, diag, upper, rhs]), &mut scaled, black_box(&mut x));
        Ok(())
    })?;
    add(Way::Loop, seconds, &x)?;
    drop((scaled, x));

    begins(Way::Cpu);
    let (seconds, solution) = wall(timed, || solve_batch_on_cpu(&shape, &system, rhs))?;
    add(Way::Cpu, seconds, &solution.x)?;

    begins(Way::Device);
    let (seconds, x) = wall(timed, || plan.solve(&system, rhs))?;
    add(Way::Device, seconds, &x)?;

    begins(Way::Factored);
    let factored = plan.factor(&system)?;
    let (seconds, x) = wall(timed, || factored.solve(rhs))?;
    add(Way::Factored, seconds, &x)?;
    drop(factored);

    if case.systems == 1 {
        begins(Way::OneCall);
        let (seconds, x) = wall(timed, || tridiagonal::solve_with(gpu, &system, rhs, Options::on_device()))?;
        add(Way::OneCall, seconds, &x)?;
    }

    begins(Way::Recorded);
    let [lower, diag, upper, right] =
        vectors.each_ref().map(|vector| DeviceVector::from_slice(gpu, "a vector", vector));
    let (lower, diag, upper, right, x) = (lower?, diag?, upper?, right?, DeviceVector::<T>::new(gpu, "x", len)?);
    let [lower, diag, upper, right, unknowns] = [&lower, &diag, &upper, &right, &x].map(DeviceVector::as_slice);
    let bound = plan.bind(&DeviceSystem { lower, diag, upper, rhs: right, x: Some(unknowns) })?;
    let samples = timed.time(&bound)?;
    add(Way::Recorded, [samples.median(), samples.min()], &x.read(gpu)?)?;
    drop(bound);

    begins(Way::Bus);
    let vectors = vectors.each_ref().map(|vector| &vector[..]);
    let mut transfers = Bus::new(gpu, vectors.len(), len)?;
    all.push(bus(timed, &mut transfers, &vectors)?);

    begins(Way::Mapped);
    transfers.transfer(Upload::Staging, &vectors)?;
    let ([median, min], ()) = wall(timed, || transfers.transfer_mapped())?;
    all.push(Measured { way: Way::Mapped, median, min, difference: None, upload: None });
    Ok(all)
}

/// Runs once, then for the duration of the warm-up, then the timed runs. Returns the median, the minimum and the first result. Results are
/// dropped after the clock is read.
fn wall<R>(timed: &Timed<'_>, mut run: impl FnMut() -> trisolve::Result<R>) -> trisolve::Result<([f64; 2], R)> {
    let _rest = timed.timer.rest();
    // It compiles and allocates.
    let result = run()?;
    let ([median], min) = wall_clock(timed.warm_up(), timed.runs(), || {
        let begun = Instant::now();
        let result = run()?;
        let seconds = begun.elapsed().as_secs_f64();
        drop(result);
        Ok([seconds])
    })?;
    Ok(([median, min], result))
}

/// The transfers by the faster upload.
fn bus<T: Real>(timed: &Timed<'_>, bus: &mut Bus<T>, vectors: &[&[T]; 4]) -> trisolve::Result<Measured> {
    let of_upload = |upload| {
        let ([median, min], ()) = wall(timed, || bus.transfer(upload, vectors))?;
        if bus.received() != vectors[3] {
            return Err(Error::Device { what: "a transfer".into(), message: "other numbers came back".into() });
        }
        Ok(Measured { way: Way::Bus, median, min, difference: None, upload: Some(upload) })
    };
    let [a, b] = Upload::ALL.map(of_upload);
    let (a, b) = (a?, b?);
    Ok(if a.median < b.median { a } else { b })
}

/// The difference from the CPU's unknowns; refuses wrong ones, whose times say nothing.
fn checked<T: Real>(way: Way, x: &[T], expected: &[T]) -> trisolve::Result<f64> {
    let largest = expected.iter().fold(0.0, |most: f64, x| most.max(x.to_f64().abs()));
    let differences = x.iter().zip(expected).map(|(x, expected)| (x.to_f64() - expected.to_f64()).abs());
    // Unlike `max`, it keeps a NaN.
    let difference = differences.fold(0.0, |most: f64, next| if next <= most { most } else { next }) / largest;
    match difference <= TOLERATED {
        true => Ok(difference),
        false => Err(Error::Device {
            what: format!("way `{}`", way.name()),
            message: format!("the unknowns differ from the CPU's by {difference:.1e} of the largest"),
        }),
    }
}

/// Thomas's algorithm, one system after the other. `scaled` has the rows of one system.
fn thomas<T: Real>(vectors: [&[T]; 4], scaled: &mut [T], x: &mut [T]) {
    let n = scaled.len();
    for (system, x) in x.chunks_exact_mut(n).enumerate() {
        let [lower, diag, upper, rhs] = vectors.map(|vector| &vector[system * n..][..n]);
        (scaled[0], x[0]) = (upper[0] / diag[0], rhs[0] / diag[0]);
        for row in 1..n {
            let pivot = diag[row] - lower[row] * scaled[row - 1];
            scaled[row] = upper[row] / pivot;
            x[row] = (rhs[row] - lower[row] * x[row - 1]) / pivot;
        }
        for row in (0..n - 1).rev() {
            x[row] = x[row] - scaled[row] * x[row + 1];
        }
    }
}
