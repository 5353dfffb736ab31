//! The kernels that factor matrices, and solve with what they give (`shaders/triangular/factor*.wgsl`).

use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};
use crate::triangular::kernels::TriangularAccess;

parts! {
    ENTRY = "shared/entry";
    PROBLEM = "triangular/problem";
    LOAD = "triangular/triangle_scalar";
    LOAD_PANELS = "triangular/load_scalar_panels";
    COPY = "triangular/factor_copy";
    SOLVED = "triangular/factor_solved";
    REDUCED = "triangular/factor_reduced";
    COPY_RIGHT = "triangular/factored_copy";
    FACTORED = "triangular/factored";
}

/// Threads of a workgroup.
pub(super) const THREADS: u32 = 256;
/// Units of a row that a thread loads at once.
const LOADS: u32 = 8;
/// Block rows and columns of which a matrix in two bindings is divided.
pub(super) const PANEL_BLOCK: u32 = 64;

/// How a factored solve divides its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Tiling {
    /// Rows of a block: a multiple of those of a tile.
    pub block: u32,
    /// Right-hand sides at once.
    pub columns: u32,
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FactoredKernel {
    /// Copies diagonal blocks, and the right-hand sides that give their inverses.
    Copy,
    /// Writes the tiles of block rows to solve.
    Solved,
    /// Writes the tiles of block rows to reduce.
    Reduced,
    /// Before a solve in place, copies the right-hand sides.
    CopyRight,
    /// A launch of a solve.
    Solve { is_copied: bool },
}

impl Tiling {
    /// Rows of a tile: more for several right-hand sides, of which a workgroup then holds fewer units.
    pub fn tile(self) -> u32 {
        4 * self.columns.max(2)
    }

    /// Units of the vectors that a workgroup holds.
    fn held(self) -> u32 {
        2 * LOADS * (THREADS / self.tile()) * self.columns
    }

    /// Bytes of workgroup memory of a solve.
    pub fn memory(self, precision: Precision) -> u64 {
        u64::from(16 * self.held()) + u64::from(THREADS + self.tile()) * precision.bytes()
    }

    /// Units of a tile's row in a block of columns.
    pub fn units(self, precision: Precision) -> u64 {
        u64::from(self.block) * precision.bytes() / 16
    }

    /// Units of the tiles of a launch, of one system of `blocks` block rows.
    pub fn launch_units(self, precision: Precision, blocks: u32, turn: u32) -> u64 {
        let (tile, tiles, units) = (u64::from(self.tile()), u64::from(self.tiles()), self.units(precision));
        let inverse = tile * tile * precision.bytes() / 16 * (tiles * (tiles + 1) / 2);
        let before = if turn == 0 { 0 } else { u64::from(blocks - turn) * tiles * tile * units };
        inverse + before
    }

    /// Tiles of a block row.
    pub fn tiles(self) -> u32 {
        self.block / self.tile()
    }

    pub fn permutation(self, precision: Precision, form: TriangularAccess, kernel: FactoredKernel) -> Permutation {
        let Self { block, columns } = self;
        let load = if form.panels { LOAD_PANELS } else { LOAD };
        let (name, own, overrides): (_, Vec<Part>, _) = match kernel {
            FactoredKernel::Copy => ("factor_copy", vec![load, COPY], form.overrides()),
            FactoredKernel::Solved => ("factor_solved", vec![SOLVED], vec![]),
            FactoredKernel::Reduced => ("factor_reduced", vec![load, REDUCED], form.overrides()),
            FactoredKernel::Solve { is_copied } => {
                ("factored", vec![FACTORED], vec![("REVERSED", form.reversed.into()), ("IS_COPIED", is_copied.into())])
            }
            FactoredKernel::CopyRight => ("factored_copy", vec![COPY_RIGHT], vec![("REVERSED", form.reversed.into())]),
        };
        Permutation {
            kernel: name,
            precision,
            writable_inputs: form.writable_inputs,
            subgroups: false,
            parts: [&[PROBLEM][..], &own, &[ENTRY]].concat(),
            constants: vec![
                ("BLOCK", block),
                ("COLUMNS", columns),
                ("THREADS", THREADS),
                ("TILE", self.tile()),
                ("LOADS", LOADS),
                ("HELD", self.held()),
                ("PANELS", 1 + u32::from(form.panels)),
                ("PANEL_BLOCK", PANEL_BLOCK),
            ],
            overrides: [vec![("WORKGROUP", THREADS)], overrides].concat(),
            caller: None,
        }
    }
}

/// One of each kernel in every form, for the tests.
#[cfg(feature = "internals")]
pub fn permutations() -> Vec<Permutation> {
    use FactoredKernel::{Copy, CopyRight, Reduced, Solve, Solved};
    let mut all = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        for (columns, across, panels) in [(1, false, false), (2, true, true), (4, true, false), (8, false, true)] {
            let tiling = Tiling { block: 16 * columns, columns };
            let form = TriangularAccess {
                across,
                reversed: across != panels,
                unit_diagonal: panels,
                panels,
                writable_inputs: across,
                ..TriangularAccess::default()
            };
            let kernels = [Copy, Solved, Reduced, CopyRight, Solve { is_copied: across }];
            all.extend(kernels.map(|kernel| tiling.permutation(precision, form, kernel)));
        }
    }
    all
}
