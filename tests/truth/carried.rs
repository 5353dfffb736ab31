//! Dominance that falls below the range and comes back, roundings that add up, pivots that grow out of zeros.

use super::*;
use trisolve_lab::OnDevice;

/// Rows of the tridiagonal systems, whose kernels the tests share.
const ROWS: usize = 64;

/// A dominant system, given by its excess.
struct Dominant {
    lower: Vec<f64>,
    excess: Vec<f64>,
    upper: Vec<f64>,
    rhs: Vec<f64>,
}

impl Dominant {
    fn sample<T: Real>(&self) -> Sample<T> {
        let Self { lower, excess, upper, rhs } = self;
        let diag = (0..rhs.len()).map(|i| excess[i] + lower[i].abs() + upper[i].abs()).collect();
        Sample::new([lower.clone(), diag, upper.clone(), rhs.clone()], false)
    }

    fn exact(&self) -> Vec<f64> {
        cpu::thomas_excess(&self.lower, &self.excess, &self.upper, &self.rhs).unwrap()
    }

    /// Off-diagonals that pull to the right by 2^power over `rows` rows, and then back; the first row and the last, which has the right-hand
    /// side, have an excess.
    fn barrier(power: i32, rows: usize) -> Self {
        let (n, weak) = (2 * rows + 2, -2f64.powi(-power));
        let [mut lower, mut upper, mut excess, mut rhs] = [0.0; 4].map(|zero| vec![zero; n]);
        for i in 0..n - 1 {
            (lower[i + 1], upper[i]) = match i {
                i if i < rows => (weak, -1.0),
                i if i == rows => (-1.0, -1.0),
                _ => (-1.0, weak),
            };
        }
        (excess[0], excess[n - 1], rhs[n - 1]) = (1.0, 2f64.powi(-20), 1.0);
        Self { lower, excess, upper, rhs }
    }
}

/// Solves by each algorithm: the error of every answer is within its estimate. Returns whether `auto` answered.
fn keeps_its_word<T: Real>(gpu: &Gpu, sample: &Sample<T>, exact: &[f64], what: &str) -> bool {
    let [lower, diag, upper, rhs] = &sample.vectors;
    let size = exact.iter().fold(0f64, |most, x| most.max(x.abs()));
    let off = |x: &[T]| x.iter().zip(exact).map(|(x, exact)| (x.to_f64() - exact).abs()).fold(0.0, f64::max) / size;
    let system = System::new(lower, diag, upper);
    let on_cpu = tridiagonal::solve_on_cpu_reported(&system, rhs);
    if let Ok(found) = on_cpu {
        assert!(off(&found.x) <= 10.0 * found.forward_error, "{what}, CPU: {:e}, {found:?}", off(&found.x));
    }
    let mut answered = false;
    for algorithm in [Algorithm::Auto, Algorithm::Thomas, Algorithm::Pcr, Algorithm::Partition] {
        let options = Options::on_device().algorithm(algorithm);
        let plan = TridiagonalPlan::<T>::new(gpu, Shape::single(diag.len()), options).unwrap();
        if let Ok(found) = plan.solve_reported(&system, rhs) {
            let stated = found.forward_error.unwrap();
            assert!(off(&found.x) <= 10.0 * stated, "{what}, {algorithm}: {:e}, stated {stated:e}", off(&found.x));
            answered |= algorithm == Algorithm::Auto;
        }
    }
    answered
}

/// The complement of the dominance falls below the range of f32, or of f64, and has to grow again.
#[test]
fn complements_that_underflow_and_come_back() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let barrier = Dominant::barrier(10, ROWS / 2 - 1);
    assert!(keeps_its_word::<f32>(&gpu, &barrier.sample(), &barrier.exact(), "f32"));
    if gpu.capabilities().features.f64 {
        let barrier = Dominant::barrier(40, ROWS / 2 - 1);
        // The rows in between decide nothing: a barrier of 18 rows has the same unknowns at its ends, and one value up to the middle.
        let few = Dominant::barrier(40, 8).exact();
        let middle = ROWS / 2 - 9;
        let exact = [&few[..9], &vec![few[8]; middle], &vec![few[9]; middle], &few[9..]].concat();
        assert!(keeps_its_word::<f64>(&gpu, &barrier.sample(), &exact, "f64"));
    }
}

/// Layers of two conductances, held at one end: the roundings of a row have the same sign in every period.
#[test]
fn roundings_of_one_sign() {
    let n = 4000;
    let couplings = [22.0, 7.0];
    let [mut lower, mut upper, mut excess] = [0.0; 3].map(|zero| vec![zero; n]);
    for i in 0..n - 1 {
        upper[i] = -couplings[i % 2];
        lower[i + 1] = -couplings[i % 2];
    }
    excess[0] = 2f64.powi(-13);
    let layers = Dominant { lower, excess, upper, rhs: vec![1.0; n] };
    let [lower, excess, upper, rhs] = [&layers.lower, &layers.excess, &layers.upper, &layers.rhs]
        .map(|values| values.iter().map(|value| DoubleDouble::new(*value)).collect::<Vec<_>>());
    let exact = cpu::thomas_excess(&lower, &excess, &upper, &rhs).unwrap();
    let exact: Vec<_> = exact.into_iter().map(Wide::to_f64).collect();
    assert!(keeps_its_word::<f32>(&gpu(false, FeatureSwitches::ALL), &layers.sample(), &exact, "layers"));
}

/// Zeros on the diagonal: the pivots after them come from the neighbours alone, and may leave the range where unknowns do not.
#[test]
fn chains_without_a_diagonal() {
    let n = 32;
    for weak in [2f64.powi(-60), 2f64.powi(-40)] {
        let coupling = |i: usize| if i.is_multiple_of(2) { 1.5 } else { weak };
        let upper: Vec<_> = (0..n).map(|i| if i + 1 < n { coupling(i) } else { 0.0 }).collect();
        let lower: Vec<_> = (0..n).map(|i| if i > 0 { -coupling(i - 1) } else { 0.0 }).collect();
        // x is (1, 1, 0, ..., 0).
        let rhs: Vec<_> = (0..n).map(|i| [1.5, -1.5, -weak].get(i).copied().unwrap_or(0.0)).collect();
        let found = tridiagonal::solve_on_cpu_reported(&System::new(&lower, &vec![0.0; n], &upper), &rhs).unwrap();
        assert!((found.x[0] - 1.0).abs() < 1e-12 && (found.x[1] - 1.0).abs() < 1e-12, "{found:?}");
    }
}

/// A right-hand side carried through small complements falls below the range, though the unknowns do not.
#[test]
fn right_hand_sides_that_underflow_and_come_back() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let barrier = |power: i32, size: i32| {
        let mut barrier = Dominant::barrier(power, ROWS / 2 - 1);
        (barrier.excess[ROWS - 1], barrier.rhs[ROWS - 1], barrier.rhs[0]) = (0.0, 0.0, 2f64.powi(size));
        barrier
    };
    // All unknowns are rhs[0].
    keeps_its_word::<f32>(&gpu, &barrier(2, -100).sample(), &[2f64.powi(-100); ROWS], "f32");
    if gpu.capabilities().features.f64 {
        keeps_its_word::<f64>(&gpu, &barrier(20, -600).sample(), &[2f64.powi(-600); ROWS], "f64");
    }
}

/// Every second unknown of a chain without a diagonal falls below the range of f64, and grows back: no residual shows it.
#[test]
fn unknowns_that_underflow_and_come_back() {
    let (steps, n, weak) = (108, 218, 2f64.powi(-20));
    let [mut lower, mut upper, mut rhs] = [0.0; 3].map(|zero| vec![zero; n]);
    for row in 0..n {
        // x[row + 1] = -lower / upper x[row - 1].
        let fall = row % 2 == 0 && row > 0 && row <= steps;
        let rise = row % 2 == 0 && row > steps;
        lower[row] = if row == 0 {
            0.0
        } else if fall {
            weak
        } else {
            1.0
        };
        upper[row] = if row + 1 == n {
            0.0
        } else if rise {
            weak
        } else {
            1.0
        };
    }
    rhs[0] = 1.0;
    let found = tridiagonal::solve_on_cpu(&System::new(&lower, &vec![0.0; n], &upper), &rhs);
    let x = found.unwrap();
    assert!(x[1] == 1.0 && (x[n - 1].abs() - 1.0).abs() < 1e-12, "{:e}", x[n - 1]);
}

/// The same in triangular matrices.
#[test]
fn triangular_products_that_underflow_and_come_back() {
    for (n, ratio) in [(10, 2f64.powi(-290)), (110, 2f64.powi(-20))] {
        // x falls by the ratio per row in the first half, and grows by its inverse in the second.
        let mut t = vec![0.0; n * n];
        let falls = n / 2;
        for row in 0..n {
            let (own, before) = if row < falls { (1.0, ratio) } else { (ratio, 1.0) };
            t[row * n + row] = own;
            if row > 0 {
                t[(row - 1) * n + row] = -before;
            }
        }
        let rhs: Vec<_> = (0..n).map(|row| if row == 0 { 1.0 } else { 0.0 }).collect();
        let exact = 2f64.powi((falls as i32 - 1) * ratio.log2() as i32 - (n - falls) as i32 * ratio.log2() as i32);
        let (shape, options) = (triangular::Shape::single(n), triangular::Options::on_device());
        let x = triangular::solve_on_cpu(&shape, &options, &t, &rhs).unwrap().x;
        assert!((x[n - 1] / exact - 1.0).abs() < 1e-9, "{n} rows: {:e}, not {exact:e}", x[n - 1]);
    }
}

/// 480 rows are subtracted from one: their roundings have one sign, and come to more than its pivot.
#[test]
fn many_rows_that_are_subtracted_from_one() {
    for leaves in [480, 700] {
        let unit = 2f64.powi(-52);
        let links = (0.49 * leaves as f64 * 1.02).ceil();
        let link = links * unit / 1.02 / leaves as f64;
        let (hub, last) = (leaves, leaves + 1);
        let mut all: Vec<_> =
            (0..leaves).flat_map(|leaf| [(leaf, leaf, 1.0), (leaf, hub, 1.0), (hub, leaf, link)]).collect();
        all.extend([(hub, hub, 1.0 + links * unit), (hub, last, 1.0), (last, hub, 1.0), (last, last, 1.0)]);
        let matrix = Csr::from_triplets(leaves + 2, all).unwrap();
        // x is (0, ..., 0, 1, -1).
        let rhs: Vec<_> = (0..leaves).map(|_| 1.0).chain([links * unit, 0.0]).collect();
        match quasi_tridiagonal::solve_on_cpu(&matrix, &rhs, 1e-10, 1000) {
            Ok(found) => {
                let off = found.x.iter().enumerate().map(|(i, x)| (x - [0.0, 1.0, -1.0][(i + 1).max(hub) - hub]).abs());
                let off = off.fold(0.0, f64::max);
                assert!(off < 1e-6, "{leaves} leaves: off by {off:e}");
            }
            Err(error) => assert!(matches!(error, Error::NearlySingular { .. }), "{leaves} leaves: {error}"),
        }
    }
}
