//! The algorithms. Each file turns a shape and a policy into dispatches, and lists its kernels. Only the tables below name the algorithms.

pub mod auto;
pub mod cyclic;
pub mod partition;
pub mod pivoting;
pub mod scan;
mod table;
pub mod thomas;
pub mod tpr;
pub mod twisted;
pub mod wang_mou;

use self::auto::AutoPolicy;
use self::cyclic::CyclicPolicy;
use self::cyclic::kernels::CyclicKernel;
use self::partition::PartitionPolicy;
use self::partition::kernels::PartitionKernel;
use self::pivoting::{PivotingKernel, PivotingPolicy, Variant};
use self::scan::{ScanKernel, ScanPolicy};
use self::table::{algorithms, kernels};
use self::thomas::{ThomasKernel, ThomasPolicy};
use self::tpr::{TprKernel, TprPolicy};
use self::twisted::TwistedKernel;
use self::wang_mou::{WangMouKernel, WangMouPolicy};
use super::choice::Rivals;
#[cfg(feature = "internals")]
use super::kernels::Gate;
use super::kernels::gate::VerdictKernel;
use super::kernels::{Access, Kernel, Program, Properties};
use super::options::{Forms, Stability};
use super::periodic::RingKernel;
use super::refine::RefineKernel;
use super::residual::ResidualKernel;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{Params, named, policies};
use crate::precision::Precision;
use crate::shader::Permutation;

algorithms! {
    /// The algorithms. For diagonally dominant systems all give the same answer, up to rounding. Costs are per right-hand side.
    ///
    /// All except [`Algorithm::Pivoting`] normalise rows and carry their dominance: a diagonally dominant system loses no digit to
    /// cancellation. [`Algorithm::Pivoting`] exchanges rows. Bytes are for f32, on chip too (f64: twice).
    Algorithm {
        /// Decides on the device, per system, in one submission: [`Algorithm::Partition`] for dominant rows (to within four units of
        /// roundoff), [`Algorithm::Pivoting`] for all others. Long dominant systems, and many short ones without gaps, are first solved slice by slice, each slice with a halo
        /// of its neighbours' rows, at 20 bytes per row. The carried complements bound the influence of rows beyond the halo. If this bound
        /// is not below a quarter of a unit of roundoff, the partition solves the system. A dispatch without work costs about a
        /// microsecond. A diagonal given as its excess never goes on to pivoting. Slices are not solved alone if x replaces rhs.
        ///
        /// Systems that lie closer than rows are eliminated from both ends, by two threads per system or slice (a twisted factorisation: van
        /// der Vorst 1987), in f32 and where this measured faster than the partition. In systems of more than 80 rows a thread keeps
        /// 40 rows: it solves the oldest 8 as soon as it has eliminated 32 more. If the bound on their influence is not below a quarter of a
        /// unit of roundoff, the partition solves the system. [`Status::pivoted`](crate::tridiagonal::Status::pivoted) tells which algorithm
        /// ran.
        #[default]
        Auto = "auto" by AutoPolicy,
        /// Gaussian elimination (Thomas 1949), one thread per system: 2n - 1 sequential steps, 8n - 7 operations in the classic form
        /// ([`cpu::thomas`](crate::cpu::thomas)). Reads 32 bytes per row and writes 4; 20 in all for n <= 16. For many interleaved systems.
        Thomas = "thomas" by ThomasPolicy,
        /// Cyclic reduction (Hockney 1965), one workgroup per system: 2 log2 n + 1 steps, 17n operations in the classic form
        /// ([`cpu::cyclic_reduction`](crate::cpu::cyclic_reduction)). 20 bytes per row on chip. Larger systems step through device memory:
        /// about 92 bytes per row, in two dispatches per step until the rows left fit on chip, and 20n bytes of scratch.
        Cr = "cr" by CyclicPolicy,
        /// Parallel cyclic reduction (Hockney and Jesshope 1981), one workgroup per system: log2 n + 1 steps, 12 n log2 n operations in the
        /// classic form ([`cpu::parallel_cyclic_reduction`](crate::cpu::parallel_cyclic_reduction)). 20 bytes per row on chip. Larger
        /// systems move 32 bytes per row in each of log2 n dispatches, and need 32n bytes of scratch.
        Pcr = "pcr" by CyclicPolicy,
        /// Cyclic reduction until a subgroup or workgroup holds the remaining rows, one per thread; then parallel cyclic reduction (Zhang,
        /// Cohen, Owens 2010): 2 log2 n - log2 Q + 1 steps, 17 n + 12 Q log2 Q operations in the classic form with Q rows left
        /// ([`cpu::cr_pcr`](crate::cpu::cr_pcr)). Bytes as for CR.
        CrPcr = "cr-pcr" by CyclicPolicy,
        /// Reduces blocks of rows to two relations each, and merges them as a tree of workgroups. 20 bytes per row in one dispatch if a
        /// system fits a workgroup or its slices run at once (the policy's `together`); otherwise 36 in two passes, and about 1% for the
        /// levels above. About 60 operations per row, one of them a division. In the classic form
        /// ([`cpu::partition`](crate::cpu::partition)) 2 log2(n / R) + 2R steps with R rows per thread, and about 20n operations.
        Partition = "partition" by PartitionPolicy,
        /// Recursive partitions with scaled partial pivoting (Klein and Strzodka 2021), for any nonsingular matrix. Elimination from above
        /// and from below removes the inner unknowns of each partition and leaves two rows; the substitution eliminates again. See
        /// [`cpu::pivoting_partition`](crate::cpu::pivoting_partition): 2(R - 2) steps per level of partitions of R rows, and 44n
        /// operations. 20 bytes per row in one dispatch if a system fits a workgroup; otherwise 36 in two passes, and about 1% for the
        /// levels above and the scratch. It does not carry the dominance: matrices like (-1 2 -1) lose as many digits as their condition
        /// number has. For matrices of small integers see [`Stability`](crate::tridiagonal::Stability).
        Pivoting = "pivoting" by PivotingPolicy,
        /// Tree partitioning reduction (Diéguez, Amor, Doallo 2019). Two interleaved sub-systems of cyclic reduction reduce each slice on
        /// its own; an overall reduction solves the slices' last rows; then each slice is solved on its own. See
        /// [`TprPolicy`](crate::tridiagonal::TprPolicy). 2 log2 n + 2 steps, 29n operations in the classic form
        /// ([`cpu::tree_partitioning_reduction`](crate::cpu::tree_partitioning_reduction)). 20 bytes per row in one dispatch if a system is
        /// one slice; otherwise 48 in three stages, and 6 bytes per row of scratch.
        Tpr = "tpr" by TprPolicy,
        /// Wang and Mou's divide and conquer (1991): each row forms a triad with its block's first and last row, and blocks double in log2
        /// n steps, after which one divides; see [`WangMouPolicy`](crate::tridiagonal::WangMouPolicy). 9 n log2 n operations in the classic
        /// form ([`cpu::wang_mou`](fn@crate::cpu::wang_mou)). 20 bytes per row in one dispatch on chip. Otherwise the relation of each row
        /// is kept between two passes: 44 bytes per row, and 12 of scratch.
        WangMou = "wang-mou" by WangMouPolicy,
        /// Thomas's algorithm as three scans (Stone 1973; Wakatani 2013 announces it as the next step): the pivots as a [Moebius
        /// recurrence](crate::recurrence::moebius), and two [linear ones](crate::recurrence); see
        /// [`ScanPolicy`](crate::tridiagonal::ScanPolicy). 48 bytes per row in three dispatches if a system fits a workgroup; otherwise 84
        /// in nine; 4 bytes per row of scratch. For comparison.
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
    // Within auto.
    Twisted(TwistedKernel),
    // Around the algorithms.
    Verdict(VerdictKernel),
    Ring(RingKernel),
    Refine(RefineKernel),
    Residual(ResidualKernel),
}

impl Algorithm {
    /// Whether the algorithm carries the dominance of rows.
    pub(crate) fn carries_dominance(self) -> bool {
        self != Self::Pivoting
    }
}

/// Threads per workgroup that policies may ask for.
const WORKGROUPS: &[u32] = &[32, 64, 128, 256, 512, 1024];

/// The input of an algorithm that divides its work.
#[derive(Clone, Copy)]
pub struct PlanRequest<'a> {
    /// Device features and limits that kernels may use.
    pub capabilities: &'a Capabilities,
    /// Precision of the numbers.
    pub precision: Precision,
    /// The shape.
    pub params: Params,
    /// The algorithm asked for.
    pub algorithm: Algorithm,
    /// The caller's preference.
    pub stability: Stability,
    /// Forms of the matrix's vectors.
    pub forms: Forms,
    /// Whether a formula computes the right-hand side.
    pub computed_rhs: bool,
    /// Whether the systems are periodic.
    pub periodic: bool,
    /// Solve periodic systems directly, without a correction.
    pub closed: bool,
    /// The programs that auto decides between.
    pub rivals: &'a dyn Fn() -> Result<Rivals>,
}

impl<'a> PlanRequest<'a> {
    /// For default options, without rivals.
    pub fn plain(capabilities: &'a Capabilities, precision: Precision, params: Params) -> Self {
        let (stability, forms) = (Stability::default(), Forms::default());
        let rivals = &|| Err(Error::Options("this algorithm has no rivals".into()));
        Self {
            capabilities,
            precision,
            params,
            algorithm: Algorithm::default(),
            stability,
            forms,
            computed_rhs: false,
            periodic: false,
            closed: false,
            rivals,
        }
    }

    fn variant(&self) -> Variant {
        Variant { mending: self.stability == Stability::Stable, closed: self.closed }
    }
}

/// The operations of every algorithm's policy.
pub trait Divide: Copy + Into<Policy> {
    /// The policy used if neither the caller nor tuning gives one.
    fn default_for(request: &PlanRequest<'_>) -> Self;

    /// The dispatches for a shape.
    ///
    /// # Errors
    /// [`Error::Options`], [`Error::Limit`] for a policy that cannot run.
    fn program(self, request: &PlanRequest<'_>) -> Result<Program>;
}

impl Policy {
    /// Whether the policy is fast only on the device that measured it: the number of workgroups that run at once differs per device.
    pub(crate) fn is_of_one_device(self) -> bool {
        matches!(self, Self::Partition(policy) if policy.together > 0)
    }
}
