//! The algorithms: a file each, which turns a shape and a policy into dispatches, and lists its kernels. The tables below are all that
//! names them.

pub mod auto;
pub mod cyclic;
pub mod partition;
pub mod pivoting;
pub mod scan;
mod table;
pub mod thomas;
pub mod tpr;
pub mod wang_mou;

use self::auto::AutoPolicy;
use self::cyclic::{CyclicKernel, CyclicPolicy};
use self::partition::PartitionPolicy;
use self::partition::kernels::PartitionKernel;
use self::pivoting::{PivotingKernel, PivotingPolicy, Variant};
use self::scan::{ScanKernel, ScanPolicy};
use self::table::{algorithms, kernels};
use self::thomas::{ThomasKernel, ThomasPolicy};
use self::tpr::{TprKernel, TprPolicy};
use self::wang_mou::{WangMouKernel, WangMouPolicy};
use super::choice::Rivals;
#[cfg(feature = "internals")]
use super::kernels::Gate;
use super::kernels::gate::VerdictKernel;
use super::kernels::{Access, Kernel, Program, Properties};
use super::options::{Stability, Structure};
use super::periodic::RingKernel;
use super::refine::RefineKernel;
use super::residual::ResidualKernel;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{Params, named, policies};
use crate::precision::Precision;
use crate::shader::Permutation;

algorithms! {
    /// The algorithms. All give the same answer of a diagonally dominant system, up to rounding; costs are a right-hand side's.
    ///
    /// In all but [`Algorithm::Pivoting`], which exchanges rows, rows are normalised and carry their dominance, so that a
    /// diagonally dominant system loses no digit to cancellation. Bytes are f32's (f64: twice), on chip and otherwise.
    Algorithm {
        /// Decided on the device, in one submit, for each system: where rows are dominant (to within four units of roundoff),
        /// [`Algorithm::Partition`]; for all others [`Algorithm::Pivoting`]. Of long dominant systems each slice is first solved alone, with
        /// a halo of its neighbours' rows, at 20 bytes per row: as long as what reaches it through the halo, for which the carried
        /// complements are a bound, is below a quarter of a unit of roundoff; else the system goes on to the partition. What has
        /// nothing left to do costs a microsecond or so a dispatch. A diagonal given as its excess never goes on to
        /// pivoting; x in place of rhs, and systems that lie closer than rows, are not solved in slices alone.
        /// What it came to is in [`Status::pivoted`](crate::tridiagonal::Status::pivoted).
        #[default]
        Auto = "auto" by AutoPolicy,
        /// Gaussian elimination (Thomas 1949), a thread a system: 2n steps one after the other,
        /// 8n operations in the classic form ([`cpu::thomas`](crate::cpu::thomas)). Reads 32 bytes
        /// a row and writes 4; 20 in all for n <= 16. For many interleaved systems.
        Thomas = "thomas" by ThomasPolicy,
        /// Cyclic reduction (Hockney 1965), a workgroup per system: 2 log2 n steps, 17n operations in
        /// the classic form ([`cpu::cyclic_reduction`](crate::cpu::cyclic_reduction)). 20 bytes per
        /// row on chip; larger systems step through device memory, about 92 bytes per row in 2 log2 n
        /// dispatches, and 20n bytes of scratch.
        Cr = "cr" by CyclicPolicy,
        /// Parallel cyclic reduction (Hockney and Jesshope 1981), a workgroup per system: log2 n
        /// steps, 12 n log2 n operations in the classic form
        /// ([`cpu::parallel_cyclic_reduction`](crate::cpu::parallel_cyclic_reduction)). 20 bytes per
        /// row on chip; larger systems move 32 bytes per row in each of log2 n dispatches, and need
        /// 32n bytes of scratch.
        Pcr = "pcr" by CyclicPolicy,
        /// Cyclic reduction down to what a subgroup or workgroup holds with one row per thread, parallel
        /// cyclic reduction there (Zhang, Cohen, Owens 2010). Bytes as for CR.
        CrPcr = "cr-pcr" by CyclicPolicy,
        /// Blocks of rows reduced to two relations each, merged as a tree of workgroups: 20 bytes per
        /// row in one dispatch where a system fits a workgroup or its slices run at once (the policy's
        /// `together`); otherwise 36 in two passes and about 1% for the levels above. About 60 operations per row, one of them a division.
        Partition = "partition" by PartitionPolicy,
        /// Recursive partitions with scaled partial pivoting (Klein and Strzodka 2021), for any nonsingular matrix: the inner
        /// unknowns of each partition eliminated from above and from below, which leaves two rows, and again in the
        /// substitution; see [`cpu::pivoting_partition`](crate::cpu::pivoting_partition). 20 bytes per row in one dispatch where a
        /// system fits a workgroup; otherwise 36 in two passes, and about 1% for the levels above and the scratch. Does not carry
        /// the dominance, so that matrices like (-1 2 -1) lose as many digits as their condition has. For matrices of small integers
        /// see [`Stability`](crate::tridiagonal::Stability).
        Pivoting = "pivoting" by PivotingPolicy,
        /// Tree partitioning reduction (Diéguez, Amor, Doallo 2019): slices reduced on their own by two
        /// sub-systems of cyclic reduction at once, an overall reduction of the slices' last rows, and
        /// slices solved on their own; see [`TprPolicy`](crate::tridiagonal::TprPolicy), 29n operations. 20 bytes per row in one dispatch
        /// where a system is one slice; otherwise 48 in three stages, and 6 bytes per row of scratch.
        Tpr = "tpr" by TprPolicy,
        /// Wang and Mou's divide and conquer (1991): every row with its block's first and last row as a
        /// triad, blocks doubled in log2 n steps; see [`WangMouPolicy`](crate::tridiagonal::WangMouPolicy),
        /// 9 n log2 n operations. 20 bytes per row in one dispatch on chip; otherwise every row's own
        /// relation is kept between two passes, 44 bytes per row and 12 of scratch.
        WangMou = "wang-mou" by WangMouPolicy,
        /// Thomas's algorithm as three scans (Stone 1973; the next step that Wakatani 2013 announces): the pivots as a
        /// [Moebius recurrence](crate::recurrence::moebius), and two [linear ones](crate::recurrence); see
        /// [`ScanPolicy`](crate::tridiagonal::ScanPolicy). 48 bytes per row in three dispatches where a system fits a workgroup; otherwise 84 in nine; 4
        /// bytes per row of scratch. For comparison.
        Scan = "scan" by ScanPolicy,
    }
}

policies! {
    Auto(AutoPolicy),
    Partition(PartitionPolicy),
    Pivoting(PivotingPolicy),
    Thomas(ThomasPolicy),
    Cyclic(CyclicPolicy),
    Tpr(TprPolicy),
    WangMou(WangMouPolicy),
    Scan(ScanPolicy),
}

kernels! {
    Partition(PartitionKernel),
    Pivoting(PivotingKernel),
    Thomas(ThomasKernel),
    Cyclic(CyclicKernel),
    Tpr(TprKernel),
    WangMou(WangMouKernel),
    Scan(ScanKernel),
    // Around the algorithms.
    Verdict(VerdictKernel),
    Ring(RingKernel),
    Refine(RefineKernel),
    Residual(ResidualKernel),
}

/// Threads per workgroup that policies may ask for.
const WORKGROUPS: &[u32] = &[32, 64, 128, 256, 512, 1024];

/// What an algorithm has to know before it divides its work.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// What kernels may rely on.
    pub capabilities: &'a Capabilities,
    /// Of the numbers.
    pub precision: Precision,
    /// The shape.
    pub params: Params,
    /// The algorithm asked for.
    pub algorithm: Algorithm,
    /// What the caller favours.
    pub stability: Stability,
    /// What the matrix's vectors hold.
    pub structure: Structure,
    /// Periodic systems are to be solved as they are, without a correction.
    pub closed: bool,
    /// What auto decides between.
    pub rivals: &'a dyn Fn() -> Result<Rivals>,
}

impl<'a> Request<'a> {
    /// For default options, without rivals.
    #[cfg(feature = "internals")]
    pub fn plain(capabilities: &'a Capabilities, precision: Precision, params: Params) -> Self {
        let (stability, structure) = (Stability::default(), Structure::default());
        let rivals = &|| Err(Error::Options("this algorithm has no rivals".into()));
        Self {
            capabilities,
            precision,
            params,
            algorithm: Algorithm::default(),
            stability,
            structure,
            closed: false,
            rivals,
        }
    }

    fn variant(&self) -> Variant {
        Variant { mending: self.stability == Stability::Stable, closed: self.closed }
    }
}

/// What every algorithm's policy can do.
pub trait Divide: Copy + Into<Policy> {
    /// What is taken without a policy of the caller's or a tuned one.
    fn default_for(request: &Request<'_>) -> Self;

    /// The dispatches for a shape.
    ///
    /// # Errors
    /// [`Error::Options`], [`Error::Limit`] for a policy that cannot run.
    fn program(self, request: &Request<'_>) -> Result<Program>;
}

impl Policy {
    /// Fast only where it was measured: how many workgroups run at once differs from device to device.
    pub(crate) fn is_of_one_device(self) -> bool {
        matches!(self, Self::Partition(policy) if policy.together > 0)
    }
}
