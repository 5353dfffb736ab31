//! Modules and sizes that kernels of all algorithms share: loads and stores of rows.

use super::parts::*;
use super::{Access, Level, Properties};
use crate::plan::{RowAccess, Tree};
use crate::precision::Precision;
use crate::shader::{Part, Permutation};
use crate::tridiagonal::options::MatrixForm;

/// A kernel before it becomes a permutation.
pub struct Assembly {
    properties: Properties,
    pub precision: Precision,
    pub access: Access,
    /// Modules that read single rows of the caller's vectors.
    pub caller: Vec<Part>,
    /// The module that loads a thread's rows.
    pub load: Part,
    /// The module that stores a thread's unknowns.
    pub store: Part,
    piece: Part,
}

impl Assembly {
    pub fn new(properties: Properties, precision: Precision, access: Access) -> Self {
        let periodic = access.matrix.periodic && !properties.closes_rings;
        let rows = if properties.has_vector_form { access.rows } else { RowAccess::Scalar };
        let access = Access { rows, matrix: MatrixForm { periodic, ..access.matrix }, ..access };
        let (own_rows, load, store) = match rows {
            RowAccess::Scalar => ([ROWS_SCALAR, ENTRIES_SCALAR], LOAD_SCALAR, STORE_SCALAR),
            RowAccess::Shifted => ([ROWS_VECTOR, ENTRIES_VECTOR], LOAD_SHIFTED, STORE_SCALAR),
            RowAccess::Vector => ([ROWS_VECTOR, ENTRIES_VECTOR], LOAD_VECTOR, STORE_VECTOR),
        };
        let piece = match precision {
            Precision::F32 => PIECE_F32,
            Precision::F64 => PIECE_F64,
        };
        Self {
            properties,
            precision,
            access,
            caller: [&[PROBLEM, GIVEN, HEADS_NONE][..], &own_rows].concat(),
            load,
            store,
            piece,
        }
    }

    /// The same for packed systems taken as one, whose first row lies at a unit unless the vectors have offsets.
    pub fn packed(properties: Properties, precision: Precision, access: Access) -> Self {
        let rows = match access.rows {
            RowAccess::Shifted if access.offsets => RowAccess::Scalar,
            RowAccess::Shifted => RowAccess::Vector,
            rows => rows,
        };
        let mut with = Self::new(properties, precision, Access { rows, ..access });
        with.caller.iter_mut().filter(|part| **part == HEADS_NONE).for_each(|part| *part = HEADS);
        with
    }

    /// Modules that read rows of a level.
    pub fn source(&self, level: Level) -> Vec<Part> {
        match level {
            Level::Caller => [&self.caller[..], &[SOURCE_EQUATIONS]].concat(),
            Level::Scratch => vec![PROBLEM, SOURCE_ROWS],
            Level::Joined => vec![PROBLEM, SOURCE_JOINED],
        }
    }

    /// The module that writes unknowns of a level.
    pub fn sink(&self, level: Level) -> Part {
        match level {
            Level::Caller => SINK_X,
            Level::Scratch | Level::Joined => SINK_LEVEL,
        }
    }

    /// Modules that store unknowns where lanes exchange data: they need neighbours of their problem.
    pub fn stores(&self, tree: Tree) -> Vec<Part> {
        match self.access.rows {
            _ if tree.log_run == 0 || tree.log_chunks == 0 => vec![self.store],
            RowAccess::Scalar => vec![STORE_SCALAR],
            RowAccess::Shifted => vec![self.piece, STORE_SHIFTED],
            RowAccess::Vector => vec![self.piece, STORE_PAIRS],
        }
    }

    /// Sizes for threads of `rows` rows, `loaded` of them loaded together.
    pub fn row_constants(&self, rows: u32, loaded: u32) -> Vec<(&'static str, u32)> {
        row_constants(self.precision, rows, loaded)
    }

    /// The kernel, from its own modules and sizes.
    pub fn permutation(
        &self,
        kernel: &'static str,
        parts: Vec<Part>,
        constants: Vec<(&'static str, u32)>,
        overrides: Vec<(&'static str, u32)>,
    ) -> Permutation {
        let Properties { accesses_caller, uses_subgroups, .. } = self.properties;
        let access = if accesses_caller { self.access.overrides() } else { vec![] };
        Permutation {
            kernel,
            precision: self.precision,
            writable_inputs: self.access.writable_inputs && accesses_caller,
            subgroups: uses_subgroups,
            parts,
            constants,
            overrides: [overrides, access].concat(),
            caller: None,
        }
    }
}

/// Sizes for threads of `rows` rows, `loaded` of them loaded together.
pub fn row_constants(precision: Precision, rows: u32, loaded: u32) -> Vec<(&'static str, u32)> {
    let piece = 16 / precision.bytes() as u32;
    vec![
        ("PIECE", piece),
        ("PIECES", rows / piece),
        ("PIECE_PAIRS", rows / piece / 2),
        ("ROWS_AND_PIECE", rows + piece),
        ("QUADS_SHIFTED", loaded / 4 + 1),
        ("LOADED_SHIFTED", loaded + 4),
        ("ROWS", rows),
        ("QUADS", rows / 4),
        ("LOADED", loaded),
        ("LOADED_LESS", loaded - 1),
        ("LOADED_QUADS", loaded / 4),
        ("PARTS", rows / loaded),
    ]
}

/// Rows loaded together: all, if enough registers remain for the work.
pub fn loaded(rows: u32) -> u32 {
    if rows > 16 { 8 } else { rows }
}
