//! Thomas's algorithm as three scans (`shaders/tridiagonal/scan_*.wgsl`, and the launches of recurrences).

use super::{Divide, PlanRequest, WORKGROUPS};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{
    OFF_ON, Params, RowAccess, SequenceSlicing, Slot, WORKGROUP, check_memory, check_workgroup, policy, rows_each,
    sequence_slicing_over,
};
use crate::precision::Precision;
use crate::recurrence::launches::{Bindings, Filling, Launch, LaunchKernel, MapBytes, affine, check_digits, push};
use crate::recurrence::{kernels, moebius};
use crate::shader::{Permutation, parts};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::Gate;
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Gated, Kernel, Program, Properties};

policy! {
    /// How [`Algorithm::Scan`](super::Algorithm::Scan) divides its work.
    ///
    /// Gaussian elimination is three recurrences (H. S. Stone, "An Efficient Parallel Algorithm for the Solution of a Tridiagonal Linear
    /// System of Equations", 1973). Here p are the pivots, and x overwrites y:
    ///
    /// 1. p\[i\] = b\[i\] - a\[i\] c\[i-1\] / p\[i-1\]: a [Moebius recurrence](crate::recurrence::moebius), for all right-hand
    ///    sides of a system at once. A. Wakatani announces it as the next step of P-scheme ("Evaluation of P-Scheme/G
    ///    Algorithm for Solving Recurrence Equations", 2013, section V).
    /// 2. y\[i\] = -(a\[i\] / p\[i\]) y\[i-1\] + d\[i\] / p\[i\]: a [linear one](crate::recurrence).
    /// 3. x\[i\] = -(c\[i\] / p\[i\]) x\[i+1\] + y\[i\]: another, in reverse.
    ///
    /// Each recurrence takes three launches, or one if a system is one slice (of 2048 rows for the pivots, 4096 for the others; f64: half).
    ///
    /// | of a row, in one launch / in three | operations | of them divisions | numbers read, written |
    /// | --- | --- | --- | --- |
    /// | pivots | 25 / 44 | 2 / 2 | 3, 1 / 6, 1 |
    /// | right-hand side | 7 / 12 | 2 / 4 | 3, 1 / 6, 1 |
    /// | substitution | 6 / 10 | 1 / 2 | 3, 1 / 6, 1 |
    ///
    /// Powers of two and the threads' maps take as many operations again; Thomas's algorithm takes 8 per row. In one launch each, the
    /// recurrences move 12 numbers per row (f32: 48 bytes), otherwise 21 (84 bytes) and 1% more; each further right-hand side of a system
    /// moves 8 or 14. Steps per scan: twice the rows of a thread (8, 16 and 16), and log2 of the threads. Scratch: one pivot per entry that
    /// a diagonal spans, and a few per cent for slices.
    ///
    /// # Numbers
    ///
    /// As Thomas's algorithm it exchanges no rows. The first recurrence is not for c' itself but for the dominance: |c|/|p| and its
    /// complement to 1 as a quotient (`scan_matrix.wgsl`). For a diagonally dominant matrix it has no negative number, and pivots keep all
    /// their digits in any order of composition. The substitutions add at worst some units of roundoff per row: a relative error in
    /// proportion to n. The textbook's elimination of (-1 2 -1) has one in proportion to n^2.
    ScanPolicy {
        /// Threads per workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Compose with shuffles, if there are subgroups, rows lie closer than systems, and two rounds of shuffles cover a workgroup.
        shuffles: bool in OFF_ON;
    }
}

/// Binding of the pivots for reading.
const PIVOTS_AT: u32 = 9;

/// [`Error::Limit`](crate::Error::Limit) if a policy cannot run.
fn check(capabilities: &Capabilities, precision: Precision, policy: ScanPolicy, params: &Params) -> Result<()> {
    check_workgroup(capabilities, "the workgroup of scan's policy", policy.workgroup)?;
    // Linear recurrences need more memory: each thread's map in two forms, and one map per sequence. Some bytes are shared.
    let tree = sequence_slicing_over(rows_each(precision), policy.workgroup, params).tree;
    let numbers = u64::from(7 * tree.workgroup + 4 * tree.problems() + 16);
    check_memory(capabilities, "the maps of a workgroup of scan's policy", numbers * precision.bytes())
}

impl Divide for ScanPolicy {
    /// The workgroup of recurrences, or the largest that fits.
    fn default_for(request: &PlanRequest<'_>) -> Self {
        let policy = |workgroup| Self { workgroup, shuffles: true };
        let fits = |&policy: &Self| check(request.capabilities, request.precision, policy, &request.params).is_ok();
        [WORKGROUP, 128, 64].map(policy).into_iter().find(fits).unwrap_or(policy(32))
    }

    /// Three recurrences, in one launch each or in three. [`Error::Unsupported`](crate::Error::Unsupported) for f64 without 64-bit
    /// integers.
    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, precision, params, .. } = request;
        let Self { workgroup, shuffles } = self;
        check(capabilities, precision, self, &params)?;
        check_digits(capabilities, precision, "scan", "another algorithm")?;
        let bytes = precision.bytes();
        let of_matrix = params.of_matrix();
        let slicing = |rows, params: &Params| {
            let sliced = sequence_slicing_over(rows, workgroup, params);
            let shuffled = sliced.with_shuffles(capabilities);
            // Runs of lanes are composed by a run of lanes.
            let fits = shuffled.tree.workgroup.ilog2() <= 2 * shuffled.tree.log_run;
            if shuffles && fits { shuffled } else { sliced }
        };
        let pivots = slicing(moebius::rows_each(precision), &of_matrix);
        let solves = slicing(rows_each(precision), &params);
        let mut program = Program::default();
        let several = [(pivots, &of_matrix, moebius::MAP_VALUES, moebius::POINT_VALUES), (solves, &params, 4, 1)];
        let several = several.into_iter().filter(|(sliced, ..)| sliced.slices > 1);
        let sizes = several.map(|(sliced, params, map, value)| {
            let in_all = sliced.in_all(params) * bytes;
            (map * in_all, value * in_all)
        });
        // The recurrences run in sequence and share this scratch.
        let shared = sizes.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
        let shared = shared.map(|(maps, values)| (program.scratch(maps), program.scratch(values)));
        let kept = program.scratch(params.matrix_len() * bytes);
        let of = |sliced: SequenceSlicing| shared.filter(|_| sliced.slices > 1);
        let moved = |sliced: SequenceSlicing, map_values: f64| match sliced.slices {
            1 => 4.0,
            _ => 7.0 + map_values / f64::from(sliced.rows * sliced.tree.chunks()),
        };
        let columns = f64::from(params.problems / of_matrix.problems);
        program.values_per_row = moved(pivots, 22.0) / columns + 2.0 * moved(solves, 14.0);
        let read = Slot::Scratch { binding: PIVOTS_AT, index: kept };
        let kernel = |phase| move |launch| Gated::from(ScanKernel { phase, launch });
        let matrix = [0, 1, 2].map(Slot::Input);
        let values = [Slot::Status, Slot::Scratch { binding: 6, index: kept }];
        let groups = Some(MapBytes { map: moebius::MAP_VALUES * bytes, value: moebius::POINT_VALUES * bytes });
        let bindings = Bindings { rows: &matrix, initial: &[], values: &values, slices: of(pivots), groups };
        push(&mut program, kernel(Phase::Pivots), pivots, of_matrix, bindings);
        let rows = [Slot::Inputs, read];
        let groups = Some(MapBytes::affine(precision));
        let values = [Slot::Status, Slot::Output];
        let bindings = Bindings { rows: &rows, initial: &[], values: &values, slices: of(solves), groups };
        push(&mut program, kernel(Phase::Forward), solves, params, bindings);
        // y is read from the output vector.
        let rows = [Slot::Input(0), Slot::Input(2), Slot::Output, read];
        let bindings = Bindings { rows: &rows, initial: &[], values: &[Slot::Status], slices: of(solves), groups };
        push(&mut program, kernel(Phase::Backward), solves, params, bindings);
        Ok(program)
    }
}

parts! {
    SCAN_MATRIX = "tridiagonal/scan_matrix";
    SCAN_MATRIX_SCALAR = "tridiagonal/scan_matrix_scalar";
    SCAN_MATRIX_VECTOR = "tridiagonal/scan_matrix_vector";
    SCAN_PIVOTS = "tridiagonal/scan_pivots";
    SCAN_FORWARD_SCALAR = "tridiagonal/scan_forward_scalar";
    SCAN_FORWARD_VECTOR = "tridiagonal/scan_forward_vector";
    SCAN_BACKWARD_SCALAR = "tridiagonal/scan_backward_scalar";
    SCAN_BACKWARD_VECTOR = "tridiagonal/scan_backward_vector";
}

/// Which of the three recurrences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    Pivots,
    /// Of the right-hand side.
    Forward,
    /// The substitution.
    Backward,
}

impl Phase {
    pub fn filling(self, precision: Precision, access: Access) -> Filling {
        let whole = access.rows == RowAccess::Vector;
        let of = |scalar, vector| if whole { vector } else { scalar };
        let load = of(kernels::LOAD_SCALAR, kernels::LOAD_VECTOR);
        let store = of(STORE_SCALAR, STORE_VECTOR);
        let entries = of(ENTRIES_SCALAR, ENTRIES_VECTOR);
        let common = [load, GIVEN, entries];
        let rows = of(kernels::ROWS_SCALAR, kernels::ROWS_VECTOR);
        let of_numbers = [rows, kernels::LOAD_CHUNK, kernels::SLICE];
        let solves = [kernels::SOLVE_CHUNK];
        // The module that reads rows reports faults in them, and the substitution reads the vector that it writes.
        let (map, shuffle, own, solve) = match self {
            Self::Pivots => (
                moebius::map(precision),
                moebius::SHUFFLE,
                vec![SCAN_MATRIX, of(SCAN_MATRIX_SCALAR, SCAN_MATRIX_VECTOR), moebius::CHUNK],
                vec![store, SCAN_PIVOTS],
            ),
            Self::Forward => (
                affine(precision),
                kernels::SHUFFLE,
                [&of_numbers[..], &[of(SCAN_FORWARD_SCALAR, SCAN_FORWARD_VECTOR)]].concat(),
                [&[store][..], &solves].concat(),
            ),
            Self::Backward => (
                affine(precision),
                kernels::SHUFFLE,
                [&of_numbers[..], &[store, of(SCAN_BACKWARD_SCALAR, SCAN_BACKWARD_VECTOR)]].concat(),
                solves.to_vec(),
            ),
        };
        let mut overrides = access.overrides();
        if self == Self::Backward {
            overrides.push(("REVERSE", 1));
        }
        Filling {
            map,
            shuffle,
            initial: kernels::INITIAL_ZERO,
            rows: [&common[..], &own].concat(),
            solve,
            overrides,
            initial_constants: vec![],
            initial_overrides: vec![],
            writable_inputs: access.writable_inputs,
        }
    }
}

/// One of the launches of one of the recurrences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScanKernel {
    phase: Phase,
    launch: LaunchKernel,
}

impl Kernel for ScanKernel {
    fn properties(self) -> Properties {
        let LaunchKernel { launch, tree, .. } = self.launch;
        Properties::new(!matches!(launch, Launch::Propagate(_)), tree.log_run > 0, true)
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let writable_inputs = access.writable_inputs && self.properties().accesses_caller;
        let filling = self.phase.filling(precision, Access { writable_inputs, ..access });
        self.launch.permutation(precision, filling)
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let phases = [Phase::Pivots, Phase::Forward, Phase::Backward].into_iter();
        let kernels =
            phases.flat_map(|phase| LaunchKernel::all(8).into_iter().map(move |launch| Self { phase, launch }));
        kernels.map(|kernel| (kernel, vec![Gate::Open])).collect()
    }
}
