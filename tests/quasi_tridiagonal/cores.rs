//! Iterative methods on CPU cores.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::cpu::{self, End, Iteration, PreparedIteration, Workers};
use trisolve::quasi_tridiagonal::{Csr, Outcome, solve_directly};
use trisolve::{Error, Real};
use trisolve_lab::{GAS_CASES, OffBand, SparseSystem, quasi_matrix, seed};

const ITERATIONS: [Iteration; 9] = [
    Iteration::Hisa,
    Iteration::Bhisa { block: 64 },
    Iteration::Jacobi,
    Iteration::GaussSeidel,
    Iteration::Gmres { restart: 5 },
    Iteration::Bicg,
    Iteration::Bicgstab,
    Iteration::Tfqmr,
    Iteration::Bicrstab,
];
const END: End = End { tolerance: 1e-10, most: 2000 };

fn solved<T: Real>(matrix: &Csr<T>, rhs: &[T], iteration: Iteration, threads: usize, end: End) -> cpu::Iterated<T> {
    let workers = Workers::new(threads).unwrap();
    PreparedIteration::new(matrix, iteration, &workers).unwrap().solve(rhs, end).unwrap()
}

/// Each method by one and several threads, beside elimination in wider arithmetic. More threads than rows have work for too.
#[test]
fn methods_on_cores_agree_with_elimination() {
    let seed = seed("methods_on_cores_agree_with_elimination");
    let mut random = SmallRng::seed_from_u64(seed);
    for n in [1, 2, 3, 63, 64, 65, 700] {
        let matrix = quasi_matrix::<f64>(n, OffBand::Irregular, false, seed).unwrap();
        let rhs: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
        let oracle = solve_directly(&matrix, &rhs).unwrap().x;
        let largest = oracle.iter().fold(0f64, |largest, x| largest.max(x.abs()));
        for iteration in ITERATIONS {
            for threads in [1, 2, 5] {
                if threads > 1 && iteration == Iteration::Hisa {
                    continue;
                }
                let result = solved(&matrix, &rhs, iteration, threads, END);
                assert_eq!(result.outcome, Outcome::Converged, "{iteration:?}, {n} rows, {threads} threads");
                // Of rows as they are; `relative_residual` scales them.
                let product = matrix.times(&result.x).unwrap();
                let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::hypot);
                let off = norm(&mut rhs.iter().zip(&product).map(|(right, own)| right - own));
                let residual = off / norm(&mut rhs.iter().copied());
                assert!(residual < 2e-10, "{iteration:?}, {n} rows, {threads} threads: {residual:e}");
                let error = result.x.iter().zip(&oracle).fold(0f64, |error, (x, want)| error.max((x - want).abs()));
                assert!(error < 1e-7 * largest, "{iteration:?}, {n} rows, {threads} threads: {error:e}");
            }
        }
    }
}

/// Methods end by b - A x, and not by the residual that they carry, which falls to 0 on systems of up to 5 rows.
#[test]
fn krylov_methods_end_by_the_residual_of_x() {
    let seed = seed("krylov_methods_end_by_the_residual_of_x");
    let is_krylov = |iteration: &Iteration| {
        !matches!(iteration, Iteration::Hisa | Iteration::Bhisa { .. } | Iteration::Jacobi | Iteration::GaussSeidel)
    };
    for at in 0..2000 {
        let seed = seed.wrapping_add(at);
        let mut random = SmallRng::seed_from_u64(seed);
        let n = random.random_range(1..6);
        let matrix = quasi_matrix::<f64>(n, OffBand::Irregular, false, seed).unwrap();
        let rhs: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
        for iteration in ITERATIONS.into_iter().filter(is_krylov) {
            let result = solved(&matrix, &rhs, iteration, 1, END);
            assert_eq!(
                result.outcome,
                Outcome::Converged,
                "{iteration:?}, {n} rows, seed {seed}: {:?}",
                result.history
            );
            let product = matrix.times(&result.x).unwrap();
            let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
            let off = squares(&mut rhs.iter().zip(&product).map(|(right, own)| right - own));
            let residual = off / squares(&mut rhs.iter().copied());
            let noted = *result.history.last().unwrap();
            assert!(
                noted <= END.tolerance && (noted - residual).abs() < 1e-14,
                "{iteration:?}, seed {seed}: {noted:e}, {residual:e}"
            );
        }
    }
}

/// A tolerance that rounding does not reach: methods keep the best x, and say that it is no better.
#[test]
fn krylov_methods_keep_the_best_x_where_rounding_stops_them() {
    let end = End { tolerance: 1e-16, most: 200 };
    // From the first x, BiCG restarts into a division by zero.
    let turned = Csr::from_triplets(2, [(0, 1, 2.0), (1, 0, 1.0), (1, 1, 3.0)]).unwrap();
    let result = solved::<f64>(&turned, &[-1.0, 2.0], Iteration::Bicg, 1, end);
    assert!(result.x.iter().zip([3.5f64, -0.5]).all(|(x, want)| (x - want).abs() < 1e-12), "{:?}", result.x);
    let seed = seed("krylov_methods_keep_the_best_x_where_rounding_stops_them");
    for at in 0..200 {
        let matrix = quasi_matrix::<f64>(40, OffBand::Irregular, false, seed.wrapping_add(at)).unwrap();
        let rhs: Vec<f64> = (0..40).map(|row| f64::from(row).sin()).collect();
        for iteration in [Iteration::Gmres { restart: 5 }, Iteration::Bicg, Iteration::Bicgstab, Iteration::Tfqmr] {
            let result = solved(&matrix, &rhs, iteration, 1, end);
            let last = *result.history.last().unwrap();
            // Restarted GMRES may be slow.
            if !(matches!(iteration, Iteration::Gmres { .. }) && result.outcome == Outcome::Exhausted) {
                // b - A x rounds by units of |A| |x|, and so do the sums of some tens of iterations.
                let size = |row| matrix.row(row).map(|(column, value)| (value * result.x[column]).abs()).sum::<f64>();
                let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::hypot);
                let sizes = norm(&mut (0..40).map(size)) / norm(&mut rhs.iter().copied());
                let bound = 64.0 * f64::EPSILON * (1.0 + sizes);
                assert!(last < bound, "{iteration:?}, {at}: {:?}, {last:e}, more than {bound:e}", result.outcome);
            }
            let ends = [Outcome::Stagnated, Outcome::Converged, Outcome::Exhausted];
            assert!(ends.contains(&result.outcome), "{iteration:?}, {at}: {:?}", result.outcome);
        }
    }
}

/// Threads change the order of sums alone, but for Gauss-Seidel, whose threads see old values of the others' rows.
#[test]
fn threads_change_no_iteration() {
    let seed = seed("threads_change_no_iteration");
    for case in GAS_CASES.into_iter().filter(|case| case.rows <= 10_000) {
        let system = case.system(seed).unwrap();
        let end = End { tolerance: 1e-7, most: 200 };
        let all = |iteration| [1, 3].map(|threads| solved(&system.matrix, &system.rhs, iteration, threads, end));
        for iteration in ITERATIONS.into_iter().filter(|&iteration| iteration != Iteration::Hisa) {
            let [one, three] = all(iteration).map(|result| result.iterations());
            let more = if iteration == Iteration::GaussSeidel { 4 } else { 1 };
            assert!(one.abs_diff(three) <= more, "{} {iteration:?}: {one}, {three}", case.name);
        }
        let again = all(Iteration::Jacobi).map(|result| result.x);
        assert_eq!(again[1], all(Iteration::Jacobi)[1].x, "bitwise repeatable");
    }
}

/// The sweeps of both references in natural order.
#[test]
fn gauss_seidel_on_cores_is_gauss_seidel() {
    let SparseSystem { matrix, rhs, .. } = GAS_CASES[0].system(seed("gauss_seidel_on_cores")).unwrap();
    let (x, history) = cpu::gauss_seidel(&matrix, &rhs, 1e-9, 1000).unwrap();
    let result = solved(&matrix, &rhs, Iteration::GaussSeidel, 1, End { tolerance: 1e-9, most: 1000 });
    assert_eq!(result.iterations(), history.len() - 1);
    for (x, want) in result.x.iter().zip(&x) {
        approx::assert_relative_eq!(x, want, max_relative = 1e-10, epsilon = 1e-12);
    }
}

/// Lemmas 1 and 2 of Li, Yang and Li: T x' = b - S x with S = s T, whose spectral radius is s.
#[test]
fn hisa_converges_if_the_spectral_radius_is_below_1() {
    let n = 200;
    let in_ring = |s: f64| {
        let row = move |i: usize| [(i, i, 1.0), (i, (i + n / 2) % n, s)];
        Csr::from_triplets(n, (0..n).flat_map(row)).unwrap()
    };
    let rhs = vec![1.0; n];
    let end = End { tolerance: 1e-8, most: 500 };
    for s in [0.5, -0.5, 0.9] {
        let result = solved(&in_ring(s), &rhs, Iteration::Hisa, 1, end);
        assert_eq!(result.outcome, Outcome::Converged);
        let last = result.history.len() - 1;
        approx::assert_relative_eq!(result.history[last] / result.history[last - 1], s.abs(), max_relative = 1e-6);
    }
    // The matrix is nonsingular, and the radius is 1.5.
    assert_eq!(solved(&in_ring(1.5), &rhs, Iteration::Hisa, 1, end).outcome, Outcome::Diverged);
    assert_eq!(solved(&in_ring(-1.5), &rhs, Iteration::Bhisa { block: 64 }, 2, end).outcome, Outcome::Diverged);
    // Lemma 2 needs strict dominance. Here T = 1, and S is a shift, with cube roots of 1 as eigenvalues; A is nonsingular.
    let shift = (0..6).flat_map(|i| [(i, i, 1.0), (i, (i + 2) % 6, 1.0)]);
    let shifted = Csr::from_triplets(6, shift).unwrap();
    let rhs: Vec<f64> = (1..=6).map(f64::from).collect();
    assert!(solve_directly(&shifted, &rhs).is_ok());
    let result = solved(&shifted, &rhs, Iteration::Hisa, 1, end);
    assert_eq!((result.outcome, result.iterations()), (Outcome::Exhausted, end.most));
}

#[test]
fn what_cores_refuse() {
    let matrix = quasi_matrix::<f64>(100, OffBand::Banded, false, 1).unwrap();
    let [one, two] = [1, 2].map(|threads| Workers::new(threads).unwrap());
    assert!(matches!(Workers::new(0), Err(Error::Options(_))));
    for iteration in [Iteration::Bhisa { block: 0 }, Iteration::Gmres { restart: 0 }] {
        assert!(matches!(PreparedIteration::new(&matrix, iteration, &one), Err(Error::Options(_))));
    }
    let threaded = PreparedIteration::new(&matrix, Iteration::Hisa, &two);
    assert!(matches!(threaded, Err(Error::Options(why)) if why.contains("bhisa")));
    let prepared = PreparedIteration::new(&matrix, Iteration::Jacobi, &one).unwrap();
    assert!(matches!(prepared.solve(&[1.0], END), Err(Error::Length { vector: "rhs", .. })));
    let no_diagonal = Csr::from_triplets(2, [(0, 1, 1.0), (1, 0, 1.0)]).unwrap();
    for iteration in [Iteration::Jacobi, Iteration::GaussSeidel] {
        let refused = PreparedIteration::new(&no_diagonal, iteration, &one);
        assert!(matches!(refused, Err(Error::ZeroOnDiagonal { row: 0, .. })));
    }
    assert!(matches!(
        PreparedIteration::new(&no_diagonal, Iteration::Hisa, &one),
        Err(Error::Breakdown { row: 0, .. })
    ));
    let few = solved(&matrix, &[1.0; 100], Iteration::Jacobi, 1, End { tolerance: 1e-15, most: 3 });
    assert_eq!((few.outcome, few.iterations()), (Outcome::Exhausted, 3));
}
