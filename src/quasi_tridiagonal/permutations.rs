//! One of each kernel, for the tests.

use super::kernels::{Bicg, Bicgstab, Form, Gmres, KernelId, Phase, Scalar, Tfqmr, split_permutation};
use crate::plan::Tree;
use crate::precision::Precision;
use crate::shader::Permutation;

/// All kernels, as plans may ask for them.
pub fn permutations() -> Vec<Permutation> {
    use Precision::{F32, F64};
    let mut all = vec![
        KernelId::Largest { scaled: false },
        KernelId::Largest { scaled: true },
        KernelId::Start,
        KernelId::Scale { guessed: false, scaled: true },
        KernelId::Scale { guessed: false, scaled: false },
        KernelId::Scale { guessed: true, scaled: true },
        KernelId::Norm { cycled: true },
        KernelId::Finish,
        KernelId::LongRows { piece: 1024 },
        KernelId::Residual,
        KernelId::Jacobi,
        KernelId::Fixed { by_step: true, exact: true },
        KernelId::FixedResidual { exact: false, noted: true },
        KernelId::Correct,
        KernelId::StepTaken { exact: true },
        KernelId::Verified,
        KernelId::Close { cycled: true },
        KernelId::BeginCycle { outer: F32 },
        KernelId::Ready,
        KernelId::Collect { outer: F32 },
        KernelId::Dot,
        KernelId::Copy,
        KernelId::Shade,
        KernelId::Add,
        KernelId::ScaledAdd { scalar: Scalar::Eta, minus: true },
        KernelId::Product,
        KernelId::ProductDots,
        KernelId::Divide,
        KernelId::Sweep,
    ];
    use {Bicg as B, Bicgstab as S, Gmres as G, Tfqmr as Q};
    all.extend([S::Alpha, S::Omega, S::Beta, S::X, S::R, S::P].map(KernelId::Bicgstab));
    all.extend([B::Alpha, B::Beta, B::Direction, B::R, B::Iterated].map(KernelId::Bicg));
    all.extend([Q::Begin, Q::Alpha, Q::Half, Q::W, Q::Turn, Q::V].map(KernelId::Tfqmr));
    all.extend([G::Begin, G::Dots, G::Column, G::Rescale, G::Solve].map(KernelId::Gmres));
    all.extend([G::Entries(3), G::Subtract(2), G::Combine(4)].map(KernelId::Gmres));
    let tree = Tree { workgroup: 64, log_chunks: 5, systems_first: false, log_run: 0 };
    all.extend([4, 8, 16].map(|rows| KernelId::Block { block: 32 * rows, rows, tree }));
    all.push(KernelId::Block { block: 128, rows: 4, tree: tree.with_shuffles(8) });
    all.push(KernelId::Block { block: 64, rows: 1, tree });
    let form = Form { phases: [Phase::Run, Phase::Verify], rounds: 4, decision_threads: 256 };
    let mut permutations: Vec<_> =
        all.iter().flat_map(|kernel| [F32, F64].map(|precision| kernel.permutation(precision, form))).collect();
    // Of an f64 system iterated in f32.
    let mixed = [KernelId::BeginCycle { outer: F64 }, KernelId::Collect { outer: F64 }];
    permutations.extend(mixed.map(|kernel| kernel.permutation(F32, form)));
    let splits = [(F32, F32), (F64, F64), (F32, F64)];
    permutations.extend(splits.map(|(precision, given)| split_permutation(precision, given)));
    permutations
}
