//! The WGSL files that kernels of several algorithms are made of.

use crate::shader::parts;

parts! {
    PROBLEM = "shared/problem";
    ROWS_SCALAR = "tridiagonal/element_scalar";
    ROWS_VECTOR = "tridiagonal/element_vector";
    ENTRIES_SCALAR = "tridiagonal/entries_scalar";
    ENTRIES_VECTOR = "tridiagonal/entries_vector";
    GIVEN = "tridiagonal/given";
    LOWER_COMPUTED = "tridiagonal/computed@lower";
    DIAG_COMPUTED = "tridiagonal/computed@diag";
    UPPER_COMPUTED = "tridiagonal/computed@upper";
    RHS_COMPUTED = "tridiagonal/computed@rhs";
    HEADS = "tridiagonal/system_heads";
    HEADS_NONE = "tridiagonal/system_heads_none";
    FAULT = "tridiagonal/fault";
    LOAD_SCALAR = "tridiagonal/load_scalar";
    LOAD_VECTOR = "tridiagonal/load_vector";
    LOAD_SHIFTED = "tridiagonal/load_shifted";
    STORE_SCALAR = "shared/store_scalar";
    STORE_VECTOR = "shared/store_vector";
    STORE_PAIRS = "tridiagonal/store_pairs";
    STORE_SHIFTED = "tridiagonal/store_shifted";
    PIECE_F32 = "tridiagonal/piece_f32";
    PIECE_F64 = "tridiagonal/piece_f64";
    ENTRY = "shared/entry";
    VERDICT_OPEN = "tridiagonal/verdict_open";
    VERDICT_REPORT = "tridiagonal/verdict_report";
    SOURCE_EQUATIONS = "tridiagonal/source_equations";
    SOURCE_ROWS = "tridiagonal/source_rows";
    SOURCE_JOINED = "tridiagonal/source_joined";
    SINK_X = "tridiagonal/sink_x";
    SINK_LEVEL = "tridiagonal/sink_level";
    OWN_ROWS = "tridiagonal/own_rows";
    EACH_ROW = "tridiagonal/each_row";
}

/// The modules that compute an input by a formula, by its number.
pub const COMPUTED: [crate::shader::Part; 4] = [LOWER_COMPUTED, DIAG_COMPUTED, UPPER_COMPUTED, RHS_COMPUTED];
