//! Auto: decides on the device, in one submission (`shaders/tridiagonal/partition_halo.wgsl`, `verdict_*.wgsl`).
//!
//! The first dispatch reads the rows and tests the dominance of each problem. It solves whole systems that fit a workgroup. It solves
//! slices of longer systems with a halo of their neighbours' rows (20 bytes per row in f32), if influence from beyond the halo is below
//! rounding. Short systems without gaps are solved in such slices too. Systems that lie closer than rows are eliminated from both ends
//! ([`twisted`](super::twisted)). Later dispatches solve the
//! remaining problems by verdict: the partition solves dominant problems with coupled slices, pivoting solves all others.

use super::partition::kernels::PartitionKernel;
use super::partition::policies::filling_rows;
use super::partition::{self, Slicing};
use super::twisted::{self, BLOCK_ROWS, Division};
use super::{Divide, PlanRequest, WORKGROUPS};
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, Params, Slot, Tree, check_workgroup, policy};
use crate::precision::Precision;
use crate::tridiagonal::choice::Rivals;
use crate::tridiagonal::kernels::gate::{BOTH, Behind, COUPLED, Follower, NOT_DOMINANT, SOUND, judged};
use crate::tridiagonal::kernels::{Gate, Gated, KernelId, Program, Step};
use crate::tridiagonal::options::{Form, Forms};

policy! {
    /// How [`Algorithm::Auto`](super::Algorithm::Auto) divides its first pass, which solves systems that lie closer than rows, and the slices
    /// of long systems alone. The partition and pivoting follow, with policies of their own.
    AutoPolicy {
        /// Threads per workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Rows per thread; if systems lie closer than rows, rows that a thread loads together: 4 or 8.
        rows: u32 in &partition::ROWS;
        /// Halo per side, in units of `rows` rows; outside influence must decay below rounding. 0 disables this pass. If systems lie closer
        /// than rows: also the window, the rows that a thread eliminates beyond a block before it solves the block; at most 64 rows.
        halo: u32 in &[0, 2, 4, 6, 8, 12, 16, 32];
        /// Merge with shuffles, if there are subgroups and rows lie closer than systems.
        shuffles: bool in OFF_ON;
        /// If systems lie closer than rows: target number of threads over all slices, two per slice. Fewer threads make longer slices, with fewer
        /// halos. A slice has at least two halos. With more than `fill / 2` systems, each system is one slice.
        fill: u32 in &[1 << 13, 1 << 14, 3 << 13, 1 << 15, 3 << 14, 1 << 16, 3 << 15, 1 << 17, 1 << 18];
    }
}

/// Workgroup, rows and halo for systems of n rows that lie closer than rows.
fn interleaved(precision: Precision, n: u32) -> (u32, u32, u32) {
    // The partition is as fast or faster for very short systems, and for short ones if at least 4/5 of the rows for which its threads have
    // room exist.
    let fills_partition = n <= 16 || (n <= 128 && 5 * n >= 4 * filling_rows(n).1);
    match (precision, n) {
        // In f64, unknowns reach farther than registers hold rows.
        (Precision::F64, _) => (64, 8, 0),
        (Precision::F32, _) if fills_partition => (64, 8, 0),
        (Precision::F32, ..=40) => (64, 4, 4),
        (Precision::F32, _) => (64, 8, 4),
    }
}

/// Workgroup, rows and halo for systems of n rows that lie one after the other: the division whose slices, padding included, take the least time.
/// `MEASURED` has microseconds of 2^24 rows in long systems that begin anywhere (H200, f32; benches/results/tridiagonal-log.md). 128, 16, 6 took 130; with 132
/// long systems keep 128, 12, 8, which was tuned for them.
fn fastest_slices(n: u32) -> (u32, u32, u32) {
    const MEASURED: [(u32, u32, u32, u64); 4] =
        [(128, 12, 8, 131), (128, 16, 6, 132), (64, 16, 6, 136), (64, 12, 8, 135)];
    let time = |&(workgroup, rows, halo, us): &(u32, u32, u32, u64)| {
        let slice = (workgroup - 2 * halo) * rows;
        u64::from(n.div_ceil(slice)) * u64::from(slice) * us
    };
    let (workgroup, rows, halo, _) = MEASURED.into_iter().min_by_key(time).unwrap_or(MEASURED[0]);
    (workgroup, rows, halo)
}

/// Up to this many rows, one workgroup per system is faster than slices with halos on a busy device.
const WHOLE_ROWS: u32 = 2896;
/// From this many rows in all, bandwidth limits a device, not the latency of a workgroup.
const BUSY_ROWS: u64 = 1 << 22;

/// Up to this many rows per system, packing is faster.
const SHORT_ROWS: u32 = 48;

/// Most rows of a halo; a thread keeps a block more, in registers.
const MOST_HALO_ROWS: u32 = 64;
impl Divide for AutoPolicy {
    /// The policy that measured best on an H200 (benches/results/auto-log.md; interleaved: tridiagonal-log.md).
    fn default_for(request: &PlanRequest<'_>) -> Self {
        let &PlanRequest { capabilities, precision, forms, ref params, .. } = request;
        let limits = &capabilities.limits;
        let (workgroup, rows, halo) = match forms {
            _ if params.systems_first() => interleaved(precision, params.n),
            // Only right-hand sides take registers: larger slices, so fewer halos.
            Forms::ENDS | Forms::CONSTANT => (128, 16, 8),
            // Each halo, of 24 or 48 rows, holds the end of a system.
            _ if params.n <= SHORT_ROWS && packed(request).is_some() => (128, 12, if params.n <= 24 { 2 } else { 4 }),
            _ if precision == Precision::F32 => fastest_slices(packed(request).map_or(params.n, |packed| packed.n)),
            _ => (128, 12, 8),
        };
        let workgroup = workgroup.min(limits.max_compute_invocations_per_workgroup);
        // An H200 runs 132 times 6 workgroups of 64 threads at once: 50688 threads. This is the legal value below.
        Self { workgroup, rows, halo, shuffles: true, fill: 3 << 14 }
    }

    /// The program, made from the programs of the partition and pivoting.
    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, params, .. } = request;
        check_workgroup(capabilities, "the auto policy's workgroup", self.workgroup)?;
        let Rivals { partition, pivoting, promised } = (request.rivals)()?;
        let mut dominant = self.or_whole(request, partition)?;
        if promised && let Some(last) = dominant.steps.last_mut() {
            // The last step reads all rows that are left to the partition.
            last.kernel.gate = Gate::Reports;
        }
        let alone = self.slices_alone(request, &dominant, packed(request))?;
        let exchanging = pivoting.is_some();
        if alone.is_none() && !exchanging {
            return Ok(dominant);
        }
        let most = capabilities.limits.max_compute_workgroups_per_dimension;
        let mut program = Program { values_per_row: dominant.values_per_row, ..Program::default() };
        let exact = program.adopt(dominant).steps;
        let exchanges = pivoting.map_or(vec![], |pivoting| program.adopt(pivoting).steps);
        let follower = |verdicts| move |step| (step, verdicts);
        let exchanges: Vec<Follower<'_>> = exchanges.iter().map(follower(&[NOT_DOMINANT, BOTH][..])).collect();
        let by_partition = |program: &mut Program| {
            let rest: Vec<Follower<'_>> = exact[1..].iter().map(follower(&[SOUND, COUPLED][..])).collect();
            let behind = Behind { always: &rest, woken: &exchanges, ..Behind::default() };
            judged(program, params.problems, most, &exact[0], behind)
        };
        let Some(alone) = alone else {
            program.steps = by_partition(&mut program);
            return Ok(program);
        };
        // This pass stops at coupled slices, perhaps before it has read later rows.
        let coupled: Vec<Follower<'_>> = exact.iter().map(follower(&[COUPLED][..])).collect();
        let left: Vec<Follower<'_>> = exact.iter().map(follower(&[COUPLED, NOT_DOMINANT, BOTH][..])).collect();
        let behind = match exchanging {
            true => Behind { chained: &coupled, woken: &exchanges, ..Behind::default() },
            false => Behind { woken: &left, ..Behind::default() },
        };
        program.steps = judged(&mut program, params.problems, most, &alone, behind);
        program.values_per_row = 5.0;
        // In place, a neighbour may overwrite its rows before a slice has read them.
        program.in_place = Some(if exchanging { by_partition(&mut program) } else { exact.clone() });
        Ok(program)
    }
}

impl AutoPolicy {
    /// For systems that lie closer than rows.
    fn twisted(self, request: &PlanRequest<'_>) -> Result<Option<Division>> {
        let Self { workgroup, rows, halo, fill, .. } = self;
        if !request.params.systems_first() || halo == 0 {
            return Ok(None);
        }
        if !BLOCK_ROWS.contains(&rows) || rows * halo > MOST_HALO_ROWS {
            return Err(Error::Options(format!(
                "the auto policy has rows={rows}, halo={halo} for systems or right-hand sides that lie closer than rows: set rows to 4 or 8, and halo so that \
                 rows * halo is at most {MOST_HALO_ROWS}"
            )));
        }
        let limits = &request.capabilities.limits;
        let workgroup = twisted::fitting(limits.max_compute_workgroup_storage_size, request.precision, workgroup);
        Ok(Some(Division { workgroup, rows, window: halo, fill }))
    }

    /// The program for dominant systems: one dispatch that takes them whole if they lie closer than rows and fit; otherwise the partition's.
    pub(crate) fn or_whole(self, request: &PlanRequest<'_>, partition: Program) -> Result<Program> {
        let &PlanRequest { params, .. } = request;
        let whole = self.twisted(request)?.and_then(|division| division.whole(&params));
        Ok(match whole {
            Some(step) => Program { steps: vec![step], values_per_row: 5.0, ..Program::default() },
            None => partition,
        })
    }

    /// The dispatch that solves slices alone; `None` if one dispatch solves whole systems as fast.
    fn slices_alone(
        self,
        request: &PlanRequest<'_>,
        dominant: &Program,
        packed: Option<Params>,
    ) -> Result<Option<Step>> {
        let &PlanRequest { capabilities, precision, params, .. } = request;
        if let Some(division) = self.twisted(request)? {
            let whole = matches!(dominant.steps[..], [Step { kernel: Gated { kernel: KernelId::Twisted(_), .. }, .. }]);
            return Ok((!whole).then(|| division.sliced(&params)));
        }
        let all_rows = u64::from(params.n) * u64::from(params.problems);
        let long_or_short = params.n > WHOLE_ROWS || packed.is_some() && params.n <= SHORT_ROWS;
        let slices_pay = precision == Precision::F32 && long_or_short && all_rows >= BUSY_ROWS;
        if self.halo == 0 || params.systems_first() || dominant.steps.len() == 1 && !slices_pay {
            return Ok(None);
        }
        let divided = packed.unwrap_or(params);
        let base = slicing(capabilities, precision, self, &divided)?;
        let (here, workgroups) = base.params(&divided);
        let kernel =
            PartitionKernel::Halo { rows: self.rows, tree: base.tree, halo: self.halo, packed: packed.is_some() };
        let mut program = Program::default();
        program.push(kernel, here, workgroups, &[Slot::Inputs, Slot::Status, Slot::Output]);
        Ok(Some(program.steps.remove(0)))
    }
}

/// Systems without gaps that do not all begin at a multiple of four rows, as one system that does.
fn packed(request: &PlanRequest<'_>) -> Option<Params> {
    let &PlanRequest { forms, computed_rhs, periodic, ref params, .. } = request;
    // Other coefficients in the first and last rows, and formulas, which tell the systems apart.
    let alike = |form| matches!(form, Form::Each | Form::Constant);
    let ends_alike = forms.named().iter().all(|(_, form)| alike(*form)) && !computed_rhs && !periodic;
    params.packed().filter(|_| ends_alike && !params.n.is_multiple_of(4))
}

/// Slices of a system, with halos.
fn slicing(capabilities: &Capabilities, precision: Precision, policy: AutoPolicy, params: &Params) -> Result<Slicing> {
    let AutoPolicy { workgroup, rows, halo, shuffles, .. } = policy;
    let tree = Tree { workgroup, log_chunks: workgroup.ilog2(), systems_first: false, log_run: 0 };
    if !partition::fits(&capabilities.limits, precision, tree) || 4 * halo > workgroup {
        return Err(Error::Options(format!(
            "a halo of {halo} threads on either side and a workgroup of {workgroup}: halos should take no more than half of \
             it, and it no more memory than the device has"
        )));
    }
    let tree = if shuffles { tree.merged_by_shuffles(capabilities.subgroup_lanes) } else { tree };
    Ok(Slicing { tree, slices: params.n.div_ceil((workgroup - 2 * halo) * rows) })
}

/// Auto's program if it is known that slices may be solved alone: one dispatch. If x replaces rhs: the dispatches for dominant matrices.
///
/// # Errors
/// As [`plan`](crate::tridiagonal::TridiagonalPlan::new).
pub(crate) fn alone(request: &PlanRequest<'_>, policy: AutoPolicy) -> Result<Program> {
    let &PlanRequest { capabilities, params, .. } = request;
    let dominant = policy.or_whole(request, (request.rivals)()?.partition)?;
    // Nothing follows that could solve packed systems which a right-hand side spoils.
    let Some(alone) = policy.slices_alone(request, &dominant, None)? else {
        return Ok(dominant);
    };
    let mut program = Program { values_per_row: 5.0, ..Program::default() };
    program.in_place = Some(program.adopt(dominant).steps);
    let most = capabilities.limits.max_compute_workgroups_per_dimension;
    program.steps = judged(&mut program, params.problems, most, &alone, Behind::default());
    // There are no verdicts to clear.
    program.steps.truncate(1);
    Ok(program)
}
