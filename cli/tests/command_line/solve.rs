//! `trisolve solve`: solutions and reports.

use std::fs;
use std::path::Path;

use rand::Rng;
use trisolve::cpu;

use super::draw::some;
use super::support::*;

#[test]
fn general_systems_of_every_size() {
    let mut random = random();
    let cases = some(&mut random, &[(1, "f64", 3), (2, "f32", 3), (17, "f32", 1), (4097, "f64", 1)], 2);
    for (n, precision, columns) in cases {
        solves(&Sample::new(&mut random, n, columns, false), precision, "auto");
    }
}

#[test]
fn symmetric_systems_of_every_size() {
    let mut random = random();
    for (n, precision, columns) in some(&mut random, &[(1, "f32", 2), (3, "f64", 1), (4097, "f32", 2)], 1) {
        solves(&Sample::new(&mut random, n, columns, true), precision, "auto");
    }
}

#[test]
fn a_large_system() {
    let mut random = random();
    for (columns, symmetric, precision) in some(&mut random, &[(2, false, "f32"), (1, true, "f64")], 1) {
        solves(&Sample::new(&mut random, 100_000, columns, symmetric), precision, "auto");
    }
}

#[test]
fn algorithms_by_name() {
    let mut random = random();
    let algorithms = ["auto", "thomas", "cr", "pcr", "cr-pcr", "partition", "scan", "cpu"];
    // The library's tests have every algorithm in both precisions.
    let drawn = some(&mut random, &algorithms, 2);
    for (algorithm, (precision, n)) in drawn.into_iter().zip([("f32", 4097), ("f64", 17)].into_iter().cycle()) {
        solves(&Sample::new(&mut random, n, 2, false), precision, algorithm);
    }
}

#[test]
fn integer_and_array_files() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", "%%MatrixMarket matrix array integer symmetric\n3 3\n4\n-1\n0\n4\n-1\n4\n");
    let b = folder.file("b.mtx", "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 3\n2 2 14\n");
    let x = folder.path("x.mtx");
    trisolve(&["solve", &a, &b, "-o", &x, "--precision", "f64"]).solved();
    let expected = [45.0 / 56.0, 12.0 / 56.0, 3.0 / 56.0, 1.0, 4.0, 1.0];
    for (x, expected) in read_array(&x, 3, 2).into_iter().zip(expected) {
        assert!((x - expected).abs() < 1e-14, "{x} is not {expected}");
    }
}

#[test]
fn without_a_right_hand_side_the_solution_is_ones() {
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 500, 1, false);
    let (a, x) = (folder.file("a.mtx", sample.matrix()), folder.path("x.mtx"));
    for (precision, algorithm, tolerance) in [("f32", "auto", 1e-4), ("f64", "auto", 1e-13), ("f64", "cpu", 1e-13)] {
        let arguments = ["solve", &a, "-o", &x, "--precision", precision];
        trisolve(&[&arguments[..], &way(algorithm)].concat()).solved();
        assert!(read_array(&x, 500, 1).iter().all(|x| (x - 1.0).abs() < tolerance), "{precision} {algorithm}");
    }
}

#[test]
fn json_has_exactly_the_keys_promised() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 5, 1, true).matrix());
    for place in ["device", "cpu"] {
        let outcome = trisolve(&["solve", &a, "--place", place, "--json"]).solved();
        assert_eq!(outcome.stdout.lines().count(), 1);
        let report = outcome.json();
        let keys = report.as_object().expect("an object");
        assert_eq!(keys.len(), KEYS.len());
        let places: Vec<_> = KEYS.iter().map(|key| outcome.stdout.find(&format!("\"{key}\":"))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", outcome.stdout);
        assert!(!outcome.stderr.contains("residual"), "{}", outcome.stderr);
    }
}

#[test]
fn people_are_told_on_stderr() {
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 17, 3, false);
    let (a, b) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()));
    let outcome = trisolve(&["solve", &a, &b, "--algorithm", "cr"]).solved();
    assert_eq!(outcome.stdout, "");
    for part in
        ["tridiagonal", "17 rows", "3 right-hand sides", "cr in f32 on ", " us", " Mrows/s", "relative residual"]
    {
        assert!(outcome.stderr.contains(part), "{part:?} is not in {}", outcome.stderr);
    }
    assert_eq!(folder.names(), ["a.mtx", "b.mtx"]);
}

#[test]
fn a_policy_is_taken_and_told_or_refused() {
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 300, 2, false);
    let (a, b, x) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()), folder.path("x.mtx"));
    let with = |more: &[&str]| trisolve(&[&["solve", &a, &b, "-o", &x], more].concat());
    let outcome = with(&["--algorithm", "tpr", "--policy", "slice=64,threads=32"]).solved();
    assert!(outcome.stderr.contains("policy slice=64,threads=32,"), "{}", outcome.stderr);
    sample.check(&read_array(&x, 300, 2), "f32");
    with(&["--policy", "slice=64"]).failed(2, &["--policy slice=64", "--algorithm names"]);
    with(&["--algorithm", "tpr", "--policy", "slice=99999999999"]).failed(2, &["slice=99999999999", "one of [4, 8"]);
    with(&["--algorithm", "tpr", "--policy", "slice=8,slice=16"]).failed(2, &["slice is given twice"]);
    with(&["--place", "cpu", "--policy", "slice=8"]).failed(2, &["--policy", "--place cpu"]);
    let stable = ["--algorithm", "tpr", "--policy", "slice=8", "--stability", "stable"];
    with(&stable).failed(2, &["--policy", "--stability stable"]);
}

/// Couplings over four decades, with an excess at the two ends only: f32 keeps every component if the diagonal is given by its
/// excess.
#[test]
fn the_diagonal_may_be_an_excess() {
    let mut random = random();
    let n = 4097;
    let coupling: Vec<f64> = (0..n).map(|_| f64::from(10f32.powf(random.random_range(-4.0..0.0)))).collect();
    let mut sample = Sample::new(&mut random, n, 1, true);
    for i in 0..n {
        sample.lower[i] = if i > 0 { -coupling[i - 1] } else { 0.0 };
        sample.upper[i] = if i + 1 < n { -coupling[i] } else { 0.0 };
        sample.diag[i] = if i == 0 || i + 1 == n { 0.125 } else { 0.0 };
        sample.rhs[i] = f64::from(sample.rhs[i].abs() as f32);
    }
    let folder = Folder::new();
    let (a, b, x) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()), folder.path("x.mtx"));
    let expected = cpu::thomas_excess(&sample.lower, &sample.diag, &sample.upper, &sample.rhs).expect("a solution");
    for (precision, algorithm, tolerance) in
        [("f32", "auto", 1e-4), ("f32", "cpu", 1e-4), ("f64", "partition", 1e-12), ("f64", "cpu", 1e-12)]
    {
        let options = ["--diagonal", "excess", "--precision", precision];
        trisolve(&[&["solve", &a, &b, "-o", &x][..], &options, &way(algorithm)].concat()).solved();
        for (row, (x, e)) in read_array(&x, n, 1).into_iter().zip(&expected).enumerate() {
            assert!((x - e).abs() <= tolerance * e.abs(), "row {row}: {x} is not {e} ({precision} {algorithm})");
        }
    }
    // Read as values, the same file is a nearly singular matrix with a diagonal of zeros: f32 holds x, or x leaves its range, or no
    // digit of x is determined.
    let values = trisolve(&["solve", &a, &b, "--place", "cpu"]);
    let explained = ["singular", "overflows f32"].iter().any(|reason| values.stderr.contains(reason));
    assert!(values.code == 0 || (values.code == 1 && explained), "{}", values.stderr);
    // Without a right-hand side, the solution is ones.
    trisolve(&["solve", &a, "-o", &x, "--diagonal", "excess"]).solved();
    assert!(read_array(&x, n, 1).iter().all(|x| (x - 1.0).abs() < 1e-4));
}

/// Rounded to f32, these matrices are far from singular: their condition numbers say nothing about the error of the rounding.
#[test]
fn rounding_the_files_counts() {
    let folder = Folder::new();
    let chain = [
        "1 1 0.007628031283701873",
        "1 2 -0.0076280312805102205",
        "2 2 0.008217095270691189",
        "2 1 -0.0076280312805102205",
        "2 3 -0.0005890639901809686",
        "3 3 3.8167128174260023",
        "3 2 -0.0005890639901809686",
        "3 4 -3.8161237534358214",
        "4 4 175.13858358987778",
        "4 3 -3.8161237534358214",
        "4 5 -171.32245983644196",
        "5 5 172.68311752495995",
        "5 4 -171.32245983644196",
        "5 6 -1.3606576885179922",
        "6 6 1.367423941810223",
        "6 5 -1.3606576885179922",
        "6 7 -0.006766253292230807",
        "7 7 0.006766253292230807",
        "7 6 -0.006766253292230807",
    ];
    let right = [0.013004151172935963, -0.0142519511282444, -3.814875841140747, 3.8161237239837646, 1.546128511428833];
    let right = [&right[..], &[53944928.0, -53944932.0]].concat();
    let matrix = |entries: &[&str], n: usize| {
        let head = format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {}\n", entries.len());
        head + &entries.join("\n") + "\n"
    };
    let (a, b) = (folder.file("a.mtx", matrix(&chain, 7)), folder.file("b.mtx", array(7, &right)));
    let beside = [
        "1 1 8393.8329379589",
        "2 2 14.722175567455336",
        "3 3 0.0007287324407495446",
        "4 4 0.020524782910060553",
        "4 3 -2.4687534528744627e-05",
        "3 2 -5.751329790603482",
        "1 4 0.005574587721718286",
        "3 1 3959.966149720276",
        "4 2 5.504421480641982",
        "2 1 5573.0490435458905",
        "2 3 0.0001113265277076202",
        "2 4 -0.002596008300929553",
        "4 1 4008.476156760722",
        "1 3 9.352610907786897e-05",
    ];
    let right = [-5082.0495522790825, -3374.2269145652726, -2397.5570168772515, -2426.931908126737];
    let (quasi, quasi_rhs) = (folder.file("q.mtx", matrix(&beside, 4)), folder.file("qb.mtx", array(4, &right)));
    for place in ["device", "cpu"] {
        trisolve(&["solve", &a, &b, "--place", place]).failed(1, &["leaves no digit", "--precision f64"]);
    }
    trisolve(&["solve", &quasi, &quasi_rhs]).failed(1, &["no correct digit", "--precision f64"]);
    // An excess of 0 and 1e-8, and a right-hand side that rounds to (1, 1).
    let excess = folder.file("e.mtx", matrix(&["1 2 -1", "2 1 -1", "2 2 1e-8"], 2));
    let ones = folder.file("eb.mtx", array(2, &[1.0, -1.000_000_01]));
    trisolve(&["solve", &excess, &ones, "--diagonal", "excess"]).failed(1, &["leaves no digit", "--precision f64"]);
    trisolve(&["solve", &excess, &ones, "--diagonal", "excess", "--precision", "f64"]).solved();
}

#[test]
fn a_right_hand_side_of_zeros() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    let b = folder.file("b.mtx", "%%MatrixMarket matrix array real general\n3 2\n0\n0\n0\n1\n0\n0\n");
    let x = folder.path("x.mtx");
    let outcome = trisolve(&["solve", &a, &b, "-o", &x, "--json"]).solved();
    assert_eq!(read_array(&x, 3, 2)[..3], [0.0; 3]);
    assert!(outcome.json()["relative_residual"].as_f64().is_some_and(|residual| residual < 1e-6));
}

#[test]
fn extreme_values() {
    let folder = Folder::new();
    let system = |value: &str| format!("%%MatrixMarket matrix array real general\n2 2\n{value}\n0\n0\n{value}\n");
    let (large, small) = (folder.file("large.mtx", system("1e300")), folder.file("small.mtx", system("1e-200")));
    let tiny = folder.file("tiny.mtx", "%%MatrixMarket matrix array real general\n2 1\n1e-60\n1e-50\n");
    let x = folder.path("x.mtx");
    for place in ["device", "cpu"] {
        let options = ["--place", place, "-o", &x];
        let with = |rest: &[&str]| trisolve(&[&["solve"], rest, &options].concat());
        with(&[&large]).failed(2, &["diag, row 1", "1e300", "range of f32", "--precision f64"]);
        with(&[&small]).failed(2, &["matrix, row 1", "below the range of f32"]);
        assert!(!Path::new(&x).exists());
        with(&[&small, &tiny, "--precision", "f64"]).solved();
        for (x, expected) in read_array(&x, 2, 1).into_iter().zip([1e140, 1e150]) {
            assert!((x - expected).abs() <= 4.0 * f64::EPSILON * expected, "{x:e}");
        }
        fs::remove_file(&x).expect("the output");
        with(&[&large, "--precision", "f64"]).solved();
        assert_eq!(read_array(&x, 2, 1), [1.0, 1.0]);
        fs::remove_file(&x).expect("the output");
    }
    let one = folder.file("one.mtx", system("1"));
    trisolve(&["solve", &one, &tiny]).failed(2, &["right-hand side 1", "below the range of f32"]);
    // A solution past the range.
    let right = folder.file("right.mtx", "%%MatrixMarket matrix array real general\n2 1\n1e30\n1\n");
    let small = folder.file("small.mtx", system("1e-30"));
    for place in ["device", "cpu"] {
        trisolve(&["solve", &small, &right, "-o", &x, "--place", place]).failed(1, &["overflows f32", "row 1"]);
        assert!(!Path::new(&x).exists());
    }
}
