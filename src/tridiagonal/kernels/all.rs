//! Every permutation, for the tests.

use super::{Access, Gated, Kernel, KernelId};
use crate::plan::{RowAccess, Tree};
use crate::precision::Precision;
use crate::shader::Permutation;
use crate::tridiagonal::formulas::{Formulas, permutation};
use crate::tridiagonal::options::{Form, Forms, MatrixForm, Structure};

/// A typical workgroup.
pub const WORKGROUP: u32 = 64;
/// A typical tree.
pub const TREE: Tree = Tree { workgroup: WORKGROUP, log_chunks: 4, systems_first: false, log_run: 0 };

/// Trees through workgroup memory, with shuffles, and for systems no longer than a thread's rows.
pub fn trees() -> [Tree; 3] {
    [TREE, TREE.with_shuffles(8), Tree { log_chunks: 0, ..TREE }.with_shuffles(8)]
}

/// Every kernel with each constant that changes its text, each gate and each access; parts that know nothing of each other are not all combined.
pub fn permutations() -> Vec<Permutation> {
    let mut all = Vec::new();
    for (kernel, gates) in KernelId::all() {
        for gate in gates {
            for precision in [Precision::F32, Precision::F64] {
                // Writable inputs are the stricter: no compiler takes for uniform what it reads from them.
                for (rows, writable_inputs) in [
                    (RowAccess::Scalar, false),
                    (RowAccess::Scalar, true),
                    (RowAccess::Shifted, true),
                    (RowAccess::Vector, true),
                ] {
                    let access = Access { rows, writable_inputs, ..Access::default() };
                    all.push(Gated { gate, ..kernel.into() }.permutation(precision, access));
                }
            }
        }
    }
    // Structure and forms only change overrides: each once per row access.
    let form = |structure, forms, periodic| MatrixForm { structure, forms, periodic, ..MatrixForm::default() };
    for (rows, matrix, correcting) in [
        (RowAccess::Scalar, form(Structure::Transposed, Forms { lower: Form::Ends, ..Forms::default() }, false), false),
        (
            RowAccess::Shifted,
            form(Structure::Symmetric, Forms { upper: Form::Constant, ..Forms::default() }, true),
            false,
        ),
        (RowAccess::Shifted, form(Structure::General, Forms { diag: Form::Each, ..Forms::ENDS }, false), false),
        (RowAccess::Vector, form(Structure::General, Forms::ENDS, true), true),
        (RowAccess::Vector, form(Structure::General, Forms { diag: Form::Constant, ..Forms::default() }, false), false),
    ] {
        let access = Access { rows, matrix, ..Access::default() };
        let kernels = KernelId::all().into_iter().filter(|(kernel, _)| kernel.properties().accesses_caller);
        let first = |(kernel, gates): (KernelId, Vec<_>)| Gated { gate: gates[0], correcting, ..kernel.into() };
        all.extend(kernels.map(|kernel| first(kernel).permutation(Precision::F32, access)));
    }
    // Formulas replace loads in the kernels that read rows: of every input, and of some beside vectors.
    let several = [
        Formulas::new().lower("real(i)").diag("depth(i)").upper("real(system)").rhs("depth(column)").vector("depth"),
        Formulas::new().diag("depth(i) * real(n)").rhs("image(i, system, column)").vector("depth").texture("image"),
    ];
    for (formulas, rows) in several.iter().zip([RowAccess::Scalar, RowAccess::Shifted]) {
        // Other tests report faults of a formula.
        let Ok(fused) = formulas.fused(Precision::F32) else { continue };
        for rows in [rows, RowAccess::Vector] {
            let access = Access { rows, writable_inputs: rows == RowAccess::Vector, ..Access::default() };
            let kernels = KernelId::all().into_iter().filter(|(kernel, _)| kernel.properties().accesses_caller);
            let correcting = rows == RowAccess::Shifted;
            let first = |(kernel, gates): (KernelId, Vec<_>)| Gated { gate: gates[0], correcting, ..kernel.into() };
            all.extend(kernels.map(|kernel| permutation(&fused, first(kernel).permutation(Precision::F32, access))));
        }
    }
    all.extend(crate::tridiagonal::texels::permutations());
    all.sort();
    all.dedup();
    all
}
