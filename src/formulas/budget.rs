//! The rounds of loops that a formula may take on a software driver, and the code that counts them.

use std::sync::Arc;

use super::words::LoopBody;

/// A function's body with counted rounds of loops.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub body: Arc<str>,
    kinds: Kinds,
}

impl Counted {
    /// For loops in lockstep or not, in the order of the text; `with_counts` inserts a statement at the start of each.
    ///
    /// llvmpipe also counts the check that ends a loop, and takes one round of loops that no lane enters. So a round costs one more per
    /// loop inside it, and a call of the formula one per loop.
    pub fn new(lockstep: &[bool], bodies: &[LoopBody], with_counts: impl FnOnce(&[String]) -> String) -> Self {
        // The rounds that loops cost, and the exit if none are left.
        let count = |own: Option<usize>, others: &mut dyn Iterator<Item = usize>, leave: &str| {
            let mut of = [0, 0];
            others.for_each(|at| of[usize::from(lockstep[at])] += 1);
            let [alone, together] = of;
            let own = own.map_or("0u", |at| if lockstep[at] { "trisolve_lockstep" } else { "trisolve_alone" });
            let cost = format!("{own} + {alone}u * trisolve_alone + {together}u * trisolve_lockstep");
            format!(" if (trisolve_is_spent({cost})) {{ {leave}; }}")
        };
        const LEAVE: &str = "return trisolve_nothing()";
        let per_round = |(at, body): (usize, &LoopBody)| {
            let leave = if body.in_continuing { "break" } else { LEAVE };
            count(Some(at), &mut body.inside.iter().copied(), leave)
        };
        let counts: Vec<_> = bodies.iter().enumerate().map(per_round).collect();
        let first = count(None, &mut (0..bodies.len()), LEAVE);
        let kinds = Kinds { lockstep: lockstep.contains(&true), alone: lockstep.contains(&false) };
        Self { body: [first, with_counts(&counts)].concat().into(), kinds }
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

/// Most rows that a thread takes one after the other where rounds are counted: the kernel takes up to five rounds per row.
pub(super) const MOST_ROWS_COUNTED: u32 = 4096;

/// What rounds of loops cost a thread on a software driver.
///
/// Mesa's llvmpipe silently ends loops after 65535 rounds in which any lane of the subgroup takes part, and kernels have loops of their
/// own, of up to five rounds per row: formulas get 44 000. Lanes that diverge take their rounds one after the other: each lane may
/// take its share. In lockstep they take rounds together, but kernels may call a formula in two branches, one of them for the last rows.
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
            _ => 44_000,
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
             fn trisolve_whole(value: real, problem: u32, row: u32) -> real {{\n    \
             if (trisolve_rounds > {most}u) {{\n        report_input(problem, row);\n        \
             return real(bitcast<f32>(0x7fc00000u | (trisolve_rounds & 1u)));\n    }}\n    return value;\n}}\n"
        )
    }
}
