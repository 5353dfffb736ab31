//! One of each kernel, for the tests.

use super::kernels::{Bicg, Bicgstab, Gmres, Phase, QuasiKernel, Scalar, StepSettings, Tfqmr, split_permutation};
use crate::plan::Tree;
use crate::precision::Precision;
use crate::shader::Permutation;

/// All kernels, as plans may ask for them.
pub fn permutations() -> Vec<Permutation> {
    use Precision::{F32, F64};
    let mut all = vec![
        QuasiKernel::Largest { scaled: false },
        QuasiKernel::Largest { scaled: true },
        QuasiKernel::Start,
        QuasiKernel::Scale { guessed: false, scaled: true },
        QuasiKernel::Scale { guessed: false, scaled: false },
        QuasiKernel::Scale { guessed: true, scaled: true },
        QuasiKernel::Norm { cycled: true },
        QuasiKernel::Finish,
        QuasiKernel::LongRows { piece: 1024 },
        QuasiKernel::Residual,
        QuasiKernel::Jacobi,
        QuasiKernel::Fixed { by_step: true, exact: true },
        QuasiKernel::FixedResidual { exact: false, noted: true },
        QuasiKernel::Correct,
        QuasiKernel::StepTaken { exact: true },
        QuasiKernel::Verified,
        QuasiKernel::Close { cycled: true },
        QuasiKernel::BeginCycle { outer: F32 },
        QuasiKernel::Ready,
        QuasiKernel::Collect { outer: F32 },
        QuasiKernel::Dot,
        QuasiKernel::Copy,
        QuasiKernel::Shade,
        QuasiKernel::Add,
        QuasiKernel::ScaledAdd { scalar: Scalar::Eta, minus: true },
        QuasiKernel::Product,
        QuasiKernel::ProductDots,
        QuasiKernel::Divide,
        QuasiKernel::Sweep,
    ];
    use {Bicg as B, Bicgstab as S, Gmres as G, Tfqmr as Q};
    all.extend([S::Alpha, S::Omega, S::Beta, S::X, S::R, S::P].map(QuasiKernel::Bicgstab));
    all.extend([B::Alpha, B::Beta, B::Direction, B::R, B::Iterated].map(QuasiKernel::Bicg));
    all.extend([Q::Begin, Q::Alpha, Q::Half, Q::W, Q::Turn, Q::V].map(QuasiKernel::Tfqmr));
    all.extend([G::Begin, G::Dots, G::Column, G::Rescale, G::Solve].map(QuasiKernel::Gmres));
    all.extend([G::Entries(3), G::Subtract(2), G::Combine(4)].map(QuasiKernel::Gmres));
    let tree = Tree { workgroup: 64, log_chunks: 5, systems_first: false, log_run: 0 };
    all.extend([4, 8, 16].map(|rows| QuasiKernel::Block { block: 32 * rows, rows, tree }));
    all.push(QuasiKernel::Block { block: 128, rows: 4, tree: tree.with_shuffles(8) });
    all.push(QuasiKernel::Block { block: 64, rows: 1, tree });
    for rows in [1, 4, 8, 16] {
        all.extend([QuasiKernel::Factor { rows, tree }, QuasiKernel::Factored { rows, tree }]);
    }
    for tree in [tree, tree.with_shuffles(8)] {
        for rows in [4, 8, 12, 16] {
            all.extend([QuasiKernel::HisaReduce { rows, tree }, QuasiKernel::HisaSolve { rows, tree }]);
        }
    }
    let form = StepSettings { phases: [Phase::Run, Phase::Verify], rounds: 4, decision_threads: 256 };
    let mut permutations: Vec<_> =
        all.iter().flat_map(|kernel| [F32, F64].map(|precision| kernel.permutation(precision, form))).collect();
    // For an f64 system iterated in f32.
    let mixed = [QuasiKernel::BeginCycle { outer: F64 }, QuasiKernel::Collect { outer: F64 }];
    permutations.extend(mixed.map(|kernel| kernel.permutation(F32, form)));
    let splits = [(F32, F32), (F64, F64), (F32, F64)];
    permutations.extend(splits.map(|(precision, entries_in)| split_permutation(precision, entries_in)));
    permutations
}
