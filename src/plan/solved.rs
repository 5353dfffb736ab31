//! A solve of vectors on the device, and the way back of its results.

use std::time::{Duration, Instant};

use super::bound::Bound;
use crate::error::Result;
use crate::gpu::{DeviceVector, PassTimer, ReadBack, Stopwatch};
use crate::real::Real;
use crate::status::Status;

/// How a host solve runs on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    Once,
    /// For a millisecond, then once more for its time: a kernel's first run may still be compiling, and clocks rise.
    Timed,
}

/// What a host solve brings back.
pub(crate) struct Solved<T, const N: usize> {
    /// The numbers of the vectors that were asked for.
    pub values: [Vec<T>; N],
    pub status: Status,
    /// Of [`Runs::Timed`], the solve alone, by the device's timestamps if it has them. Of [`Runs::Once`], from submission to completion by the host's
    /// clock, with copies for the read-back.
    pub seconds: f64,
}

impl Bound {
    /// Solves, and reads vectors and the status words: in one submission, unless the solve is timed.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub(crate) fn solve_and_read<T: Real, const N: usize>(
        &self,
        vectors: [&DeviceVector<T>; N],
        runs: Runs,
        watch: &mut Stopwatch,
    ) -> Result<Solved<T, N>> {
        let gpu = self.gpu();
        let ranges = vectors.map(|vector| (vector.buffer(), 0, vector.len() as u64 * T::PRECISION.bytes()));
        let status = (self.status_buffer(), 0, self.status_buffer().size());
        let read_back = ReadBack::new(gpu, ranges.into_iter().chain([status]))?;
        let results = (&read_back, read_back.ranges());
        let (seconds, copies) = match runs {
            Runs::Once => {
                let start = Instant::now();
                let copies = gpu.submit_read("a solve", results, |pass| self.record(pass))?;
                gpu.wait()?;
                (start.elapsed().as_secs_f64(), copies)
            }
            Runs::Timed => {
                let warm_up = Duration::from_millis(1);
                let samples = PassTimer::new(gpu)?.measure(warm_up, 1, |pass| self.record(pass))?;
                (samples.median(), gpu.submit_read("a read-back", results, |_| {})?)
            }
        };
        watch.lap(|timing| &mut timing.solving);
        let received = read_back.received(gpu, copies, |received| {
            let values = std::array::from_fn(|at| received.values(at));
            (values, self.decode(&received.values(N)))
        });
        let (values, status) = pollster::block_on(received)?;
        watch.lap(|timing| &mut timing.downloading);
        Ok(Solved { values, status, seconds })
    }
}
