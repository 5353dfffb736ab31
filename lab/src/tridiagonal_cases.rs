//! The cases of tridiagonal systems: sizes and layouts, with the policies that a plan chooses.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::layouts::{Placement, layouts, own_right, pick};
use trisolve::tridiagonal::{Algorithm, Diagonal, Form, Forms, Policy, Shape, Structure};

/// One comparison of a tridiagonal solve with its oracle.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckCase {
    /// The algorithm asked for.
    pub algorithm: Algorithm,
    /// The layout's name.
    pub layout: &'static str,
    /// The systems.
    pub shape: Shape,
    /// How the diagonal is given.
    pub diagonal: Diagonal,
    /// The structure of the matrix.
    pub structure: Structure,
    /// The forms of the matrix's vectors.
    pub forms: Forms,
    /// Whether a formula computes the right-hand side.
    pub computed_rhs: bool,
    /// Whether the system is cyclic.
    pub periodic: bool,
    /// The placement of the vectors.
    pub placement: Placement,
    /// A policy other than the tuned or the default one.
    pub policy: Option<Policy>,
    /// Whether the plan ignores the tuned policies.
    pub untuned: bool,
    /// Seed of the random input.
    pub seed: u64,
}

/// Sizes around the edges of chunks, workgroups and levels.
const SIZES: [usize; 25] =
    [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 255, 257, 1023, 1024, 1025, 2047, 2049, 4097, 20011];
const BATCHES: [usize; 5] = [1, 2, 7, 64, 1000];
/// The most rows of a case, in all systems.
const ROWS: usize = 200_000;

/// The cases; `thorough` adds combinations of sizes and batches.
pub fn cases(thorough: bool, seed: u64) -> Vec<CheckCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for algorithm in Algorithm::ALL {
        for (at, n) in SIZES.into_iter().enumerate() {
            let fitting: Vec<_> = BATCHES.into_iter().filter(|batch| n * batch <= ROWS).collect();
            for (turn, &batch) in fitting.iter().enumerate() {
                // A quick check takes one batch per size and algorithm; over the algorithms, every size meets every batch.
                if !thorough && turn != (at + algorithm as usize) % fitting.len() {
                    continue;
                }
                let own = own_right(n, batch, &mut random);
                for (layout, shape) in layouts(n, batch, &mut random).into_iter().chain([own]) {
                    let placement = pick(&mut random, &Placement::ALL);
                    let diagonal = diagonal(&mut random, algorithm);
                    let (untuned, seed) = random.random();
                    let (structure, forms, periodic) = matrix_form(&mut random, diagonal, n);
                    let computed_rhs = computed_rhs(&mut random, placement);
                    cases.push(CheckCase {
                        algorithm,
                        layout,
                        shape,
                        diagonal,
                        structure,
                        forms,
                        computed_rhs,
                        periodic,
                        placement,
                        policy: None,
                        untuned,
                        seed,
                    });
                }
            }
        }
    }
    cases
}

/// Draws structure, forms and cyclicity; every other time a general, not cyclic matrix with an entry per row.
pub(super) fn matrix_form(random: &mut SmallRng, diagonal: Diagonal, n: usize) -> (Structure, Forms, bool) {
    if random.random() {
        return (Structure::General, Forms::default(), false);
    }
    let all = [Structure::General, Structure::Symmetric, Structure::Transposed];
    let fitting = if diagonal == Diagonal::Excess { 2 } else { 3 };
    let structure = all[random.random_range(0..fitting)];
    (structure, forms_with_formulas(random, structure), n > 1 && random.random_range(0..3) == 0)
}

/// Draws whether a formula computes the right-hand side; not if the unknowns replace it.
pub(super) fn computed_rhs(random: &mut SmallRng, placement: Placement) -> bool {
    random.random_range(0..6) == 0 && placement != Placement::InPlace
}

/// Draws the forms of a matrix's vectors, formulas among them. A symmetric matrix has none of `lower`.
fn forms_with_formulas(random: &mut SmallRng, structure: Structure) -> Forms {
    let mut form = || pick(random, &[Form::Each, Form::Constant, Form::Ends, Form::Computed, Form::Computed]);
    let mixed = Forms { lower: form(), diag: form(), upper: form() };
    let mixed = match structure {
        Structure::Symmetric => Forms { lower: Form::Each, ..mixed },
        _ => mixed,
    };
    if random.random() { forms(random) } else { mixed }
}

/// Draws the forms of a matrix's vectors.
pub fn forms(random: &mut SmallRng) -> Forms {
    let mut form = || pick(random, &[Form::Each, Form::Constant, Form::Ends]);
    let mixed = Forms { lower: form(), diag: form(), upper: form() };
    pick(random, &[Forms::default(), Forms::ENDS, mixed, mixed])
}

/// Draws how the diagonal is given, if the algorithm leaves a choice.
pub(super) fn diagonal(random: &mut SmallRng, algorithm: Algorithm) -> Diagonal {
    let drawn = [Diagonal::Value, Diagonal::Excess][random.random_range(0..2)];
    if algorithm == Algorithm::Pivoting { Diagonal::Value } else { drawn }
}
