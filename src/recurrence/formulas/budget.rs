//! The rounds of loops that a formula may take on a software driver, and the code that counts them.

use std::sync::Arc;

/// A function's body with counted rounds of loops.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub body: Arc<str>,
    kinds: Kinds,
}

impl Counted {
    /// For loops in lockstep or not, in the order of the text; `with_counts` inserts a statement at the start of each.
    pub fn new(lockstep: &[bool], with_counts: impl FnOnce(&[&str]) -> String) -> Self {
        let counts: Vec<_> =
            lockstep.iter().map(|&together| if together { COUNT_LOCKSTEP } else { COUNT_ALONE }).collect();
        let kinds = Kinds { lockstep: lockstep.contains(&true), alone: lockstep.contains(&false) };
        Self { body: with_counts(&counts).into(), kinds }
    }
}

/// Which kinds of loops there are.
#[derive(Debug, Clone, Copy, Default)]
struct Kinds {
    /// All threads take the same rounds at the same time.
    lockstep: bool,
    /// Any others.
    alone: bool,
}

/// Counts a round of a loop, and leaves the formula if its thread has none left.
const COUNT_LOCKSTEP: &str = " if (trisolve_is_spent(trisolve_lockstep)) { return trisolve_nothing(); }";
const COUNT_ALONE: &str = " if (trisolve_is_spent(trisolve_alone)) { return trisolve_nothing(); }";

/// Most rows that a thread takes one after the other where rounds are counted: the kernel takes up to five rounds per row.
pub(super) const MOST_ROWS_COUNTED: u32 = 4096;

/// What rounds of loops cost a thread on a software driver.
///
/// Mesa's llvmpipe silently ends loops after 65535 rounds in which any lane of the subgroup takes part, and kernels have loops of their
/// own: formulas get 40 000. Lanes that diverge take their rounds one after the other: each lane may take its share. In lockstep they
/// take rounds together, but kernels may call a formula in two branches, one of them for the last rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    most: u32,
    lockstep: u32,
    alone: u32,
}

impl Budget {
    /// For formulas, where subgroups have up to so many lanes; none without loops.
    pub fn of<'a>(formulas: impl Iterator<Item = &'a Counted>, lanes: u32) -> Option<Self> {
        let kinds = formulas.fold(Kinds::default(), |all, formula| Kinds {
            lockstep: all.lockstep || formula.kinds.lockstep,
            alone: all.alone || formula.kinds.alone,
        });
        let most = match kinds {
            Kinds { lockstep: false, alone: false } => return None,
            // One lane may use all of it in lockstep while the others use all of theirs alone: both totals together must fit.
            Kinds { lockstep: true, alone: true } => 22_000,
            _ => 40_000,
        };
        Some(Self { most, lockstep: 2, alone: lanes })
    }

    /// Counts the rounds of each thread over all rows that it evaluates, and ends formulas at the limit: so the driver never ends a loop.
    /// A result past the limit is NaN, and reported.
    ///
    /// Every lane counts for itself: llvmpipe also runs inactive lanes, whose loops may be long.
    pub fn counter(self) -> String {
        let Self { most, lockstep, alone } = self;
        format!(
            "const trisolve_lockstep: u32 = {lockstep}u;\nconst trisolve_alone: u32 = {alone}u;\n\
             var<private> trisolve_rounds: u32 = 0u;\n\
             fn trisolve_nothing() -> real {{\n    return real(0.0);\n}}\n\
             fn trisolve_is_spent(cost: u32) -> bool {{\n    \
             trisolve_rounds += cost;\n    return trisolve_rounds > {most}u;\n}}\n\
             fn trisolve_whole(value: real, sequence: u32, row: u32) -> real {{\n    \
             if (trisolve_rounds > {most}u) {{\n        report_input(sequence, row);\n        \
             return real(bitcast<f32>(0x7fc00000u | (trisolve_rounds & 1u)));\n    }}\n    return value;\n}}\n"
        )
    }
}
