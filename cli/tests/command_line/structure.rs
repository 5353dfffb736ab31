//! `trisolve solve`: the detected structure, cyclic matrices, and the matrices of the RPTS paper.

use std::fmt::Write;
use std::path::Path;

use rand::Rng;
use trisolve::{cpu, matrix_market};
use trisolve_lab::RPTS_MATRICES;

use super::draw::some;
use super::support::*;

/// A coordinate file of a cyclic matrix with rows (lower, diag, upper), without zeros.
fn ring(rows: &[[f64; 3]]) -> String {
    let n = rows.len();
    let mut lines = String::new();
    let mut count = 0;
    for (row, entries) in rows.iter().enumerate() {
        for (column, value) in [(row + n - 1) % n, row, (row + 1) % n].into_iter().zip(entries) {
            if *value != 0.0 {
                count += 1;
                writeln!(lines, "{} {} {value:e}", row + 1, column + 1).expect("a string grows");
            }
        }
    }
    format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {count}\n{lines}")
}

fn solved_by_cpu(rows: &[[f64; 3]], rhs: &[f64]) -> Vec<f64> {
    let [lower, diag, upper] = [0, 1, 2].map(|at| rows.iter().map(|row| row[at]).collect::<Vec<_>>());
    cpu::periodic_gtsv(&lower, &diag, &upper, rhs).expect("a solution")
}

#[test]
fn structure_is_detected_and_solved() {
    let mut random = random();
    let n = random.random_range(2000..3000);
    let folder = Folder::new();
    let rhs: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
    let b = folder.file("b.mtx", array(n, &rhs));
    let off: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
    let symmetric = |row: usize| [off[(row + n - 1) % n], 4.0, off[row]];
    let constant = |row: usize| match row {
        0 => [0.5, 3.0, -1.5],
        _ if row + 1 == n => [-0.5, 2.0, 0.25],
        _ => [-1.0, 2.5, 0.75],
    };
    let general = |row: usize| [off[row], 4.0, 0.5];
    let kinds: [&dyn Fn(usize) -> [f64; 3]; 3] = [&general, &symmetric, &constant];
    let names = ["tridiagonal", "symmetric tridiagonal", "constant-coefficient tridiagonal"];
    for (kind, name) in kinds.into_iter().zip(names) {
        // One of the two per run.
        let cyclic = random.random::<bool>();
        let mut rows: Vec<_> = (0..n).map(kind).collect();
        if !cyclic {
            (rows[0][0], rows[n - 1][2]) = (0.0, 0.0);
        }
        let (a, x) = (folder.file("a.mtx", ring(&rows)), folder.path("x.mtx"));
        // Given by --cyclic, or detected.
        let said = if random.random() { &["--cyclic"][..] } else { &[] };
        // Only a few cases use f64: software Vulkan compiles it slowly.
        let both = [("f32", 1e-5), ("f64", 1e-13)];
        for (precision, limit) in &both[..if random.random_range(0..4) == 0 { 2 } else { 1 }] {
            let options = [&["solve", &a, &b, "-o", &x, "--precision", precision, "--json"], said].concat();
            let report = trisolve(&options).solved().json();
            let name = if cyclic { format!("cyclic {name}") } else { name.to_owned() };
            assert_eq!(report["structure"], name.as_str());
            for (x, want) in read_array(&x, n, 1).into_iter().zip(solved_by_cpu(&rows, &rhs)) {
                assert!((x - want).abs() < *limit, "{name} in {precision}: {x}, not {want}");
            }
        }
    }
}

#[test]
fn cyclic_by_every_way() {
    let folder = Folder::new();
    let n = 50;
    let rows: Vec<_> = (0..n).map(|row| [-1.0, 3.0 + (row % 3) as f64, 1.0]).collect();
    let (a, x) = (folder.file("a.mtx", ring(&rows)), folder.path("x.mtx"));
    // The default right-hand side is A times ones.
    let mut random = random();
    let drawn = ["thomas", "partition", "pivoting", "scan"][random.random_range(0..4)];
    for algorithm in some(&mut random, &["auto", drawn, "cpu"], 2) {
        trisolve(&[&["solve", &a, "--cyclic", "-o", &x], &way(algorithm)[..]].concat()).solved();
        assert!(read_array(&x, n, 1).iter().all(|x| (x - 1.0).abs() < 1e-5), "{algorithm}");
    }
    // Options of iterative methods select an iterative method.
    for options in some(&mut random, &[&["--algorithm", "bicgstab"][..], &["--tolerance", "1e-5"]], 1) {
        let report = trisolve(&[&["solve", &a, "--json"], options].concat()).solved().json();
        assert_eq!(report["structure"], "quasi-tridiagonal");
    }
    let excess: Vec<_> = rows.iter().map(|row| [row[0], 0.25, row[2]]).collect();
    let e = folder.file("e.mtx", ring(&excess));
    for place in ["device", "cpu"] {
        trisolve(&["solve", &e, "--diagonal", "excess", "--place", place, "-o", &x]).solved();
        assert!(read_array(&x, n, 1).iter().all(|x| (x - 1.0).abs() < 1e-4), "{place}");
    }
    // A matrix that is triangular except for one corner, and too large to be stored densely.
    let mut large = vec![[-1.0, 2.0, 0.0]; 9000];
    (large[0][0], large[8999][2]) = (0.0, -1.0);
    let report = trisolve(&["solve", &folder.file("large.mtx", ring(&large)), "--factored", "--json"]).solved().json();
    assert!(report["structure"].as_str().is_some_and(|name| name.starts_with("cyclic")), "{report}");
    // A cyclic shift has the best condition number, but is singular without its corners.
    let shift = folder.file("shift.mtx", ring(&[[1.0, 0.0, 0.0]; 33]));
    for algorithm in ["auto", "pivoting"] {
        let outcome = trisolve(&[&["solve", &shift, "-o", &x, "--cyclic"], &way(algorithm)[..]].concat()).solved();
        assert!(!outcome.stderr.contains("more accurately"), "{}", outcome.stderr);
        assert!(read_array(&x, 33, 1).iter().all(|x| (x - 1.0).abs() < 1e-6));
    }
    trisolve(&["solve", &shift, "--cyclic", "--algorithm", "partition"]).failed(1, &["shift.mtx", "--algorithm auto"]);
    // A partition of 8 rows that is singular without its first and last row.
    let outer = [
        [0., 1., -1.],
        [-1., 2., 2.],
        [2., 2., -1.],
        [-1., -1., -1.],
        [-1., 2., 2.],
        [2., 1., -1.],
        [-1., -1., -1.],
        [-1., -1., 0.],
    ];
    trisolve(&["solve", &folder.file("outer.mtx", ring(&outer)), "-o", &x, "--place", "device"]).solved();
    assert!(read_array(&x, 8, 1).iter().all(|x| (x - 1.0).abs() < 1e-5));
    // Three rows or fewer.
    for n in [2, 3] {
        let a = folder.file("small.mtx", ring(&rows[..n]));
        trisolve(&["solve", &a, "--cyclic", "-o", &x, "--place", "device"]).solved();
        assert!(read_array(&x, n, 1).iter().all(|x| (x - 1.0).abs() < 1e-6));
    }
}

#[test]
fn transposed_and_factored() {
    let mut random = random();
    let folder = Folder::new();
    let n = random.random_range(2000..3000);
    let x = folder.path("x.mtx");
    // One of the two per run.
    let cyclic = random.random::<bool>();
    let mut rows: Vec<[f64; 3]> =
        (0..n).map(|_| [random.random_range(-1.0..1.0), 4.0, random.random_range(-1.0..1.0)]).collect();
    if !cyclic {
        (rows[0][0], rows[n - 1][2]) = (0.0, 0.0);
    }
    let transpose: Vec<_> = (0..n).map(|i| [rows[(i + n - 1) % n][2], rows[i][1], rows[(i + 1) % n][0]]).collect();
    let rhs: Vec<f64> = (0..2 * n).map(|_| random.random_range(-1.0..1.0)).collect();
    let (a, b) = (folder.file("a.mtx", ring(&rows)), folder.file("b.mtx", array(n, &rhs)));
    let all = [
        (&["--transpose"][..], &transpose),
        (&["--factored"], &rows),
        (&["--transpose", "--factored"], &transpose),
        (&["--transpose", "--place", "cpu"], &transpose),
    ];
    // For a cyclic matrix, the third set of options covers the first two.
    for (options, matrix) in &all[if cyclic { 2 } else { 0 }..] {
        trisolve(&[&["solve", &a, &b, "-o", &x], *options].concat()).solved();
        let want: Vec<_> = rhs.chunks(n).flat_map(|rhs| solved_by_cpu(matrix, rhs)).collect();
        for (x, want) in read_array(&x, n, 2).into_iter().zip(want) {
            assert!((x - want).abs() < 1e-5, "{options:?}, cyclic {cyclic}: {x}, not {want}");
        }
    }
    // The right-hand side is the transpose times ones.
    trisolve(&["solve", &a, "-o", &x, "--transpose"]).solved();
    assert!(read_array(&x, n, 1).iter().all(|x| (x - 1.0).abs() < 1e-5));
    trisolve(&["solve", &a, "--transpose", "--diagonal", "excess"]).failed(2, &["columns"]);
    trisolve(&["solve", &a, "--factored", "--place", "cpu"]).failed(2, &["--factored"]);

    let lower = folder.file("l.mtx", array(3, &[1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 0.0, 0.0, 6.0]));
    trisolve(&["solve", &lower, "--transpose"]).failed(2, &["--transpose", "triangular"]);
}

#[test]
fn what_is_not_cyclic_is_refused() {
    let folder = Folder::new();
    let rows = [[-1.0, 3.0, 1.0]; 6];
    let text = ring(&rows);
    let more = text.replace("6 6 18\n", "6 6 19\n2 5 0.5\n");
    let (a, more) = (folder.file("a.mtx", text), folder.file("more.mtx", more));
    trisolve(&["solve", &more, "--cyclic"]).failed(2, &["more.mtx", "not cyclic", "(2, 5)"]);
    trisolve(&["solve", &a, "--cyclic", "--algorithm", "hisa"]).failed(2, &["--cyclic", "hisa"]);
    trisolve(&["solve", &a, "--cyclic", "--tolerance", "1e-4"]).failed(2, &["--tolerance", "cyclic"]);
    // The rows sum to 0.
    let singular = folder.file("singular.mtx", ring(&[[-1.0, 2.0, -1.0]; 30]));
    let ones = folder.file("ones.mtx", array(30, &[1.0; 30]));
    for place in ["device", "cpu"] {
        trisolve(&["solve", &singular, &ones, "--place", place]).failed(1, &["singular.mtx"]);
    }
}

/// The relative error in the 2-norm; infinite without a solution.
fn distance(found: &[f64], want: &[f64]) -> f64 {
    let difference = found.iter().zip(want).fold(0f64, |error, (x, want)| error.hypot(x - want));
    let size = want.iter().fold(0f64, |size, want| size.hypot(*want));
    if found.is_empty() { f64::INFINITY } else { difference / size }
}

/// The RPTS matrices, and two that need pivoting: solved without options, or rightly refused as singular to working precision.
#[test]
fn matrices_that_are_hard_in_one_way_or_another() {
    let mut random = random();
    let folder = Folder::new();
    let [a, b, truth, x] = ["a.mtx", "b.mtx", "truth.mtx", "x.mtx"].map(|name| folder.path(name));
    let n = 512;
    let rows = n.to_string();
    // Each run takes a quarter of them.
    for number in (1..=RPTS_MATRICES.len()).skip(random.random_range(0..4)).step_by(4) {
        let (name, seed) = (format!("rpts-{number}"), random.random_range(0..1000).to_string());
        let generate = ["generate", "--system", &name, "--rows", &rows, "--seed", &seed, &a, &b, &truth];
        trisolve(&generate).solved();
        let want = read_array(&truth, n, 1);
        // In f32 the program solves the rounded matrix.
        let precisions = if random.random_range(0..3) == 0 { &["f64", "f32"][..] } else { &["f64"] };
        for precision in precisions {
            let outcome = trisolve(&["solve", &a, &b, "-o", &x, "--precision", precision, "--json"]);
            if outcome.code != 0 {
                assert!(outcome.stderr.contains("singular to working precision"), "{name}: {}", outcome.stderr);
                // LAPACK's elimination has hardly a digit either.
                let entries = matrix_market::read(Path::new(&a)).expect("the matrix");
                let matrix = matrix_market::tridiagonal(&entries).expect("tridiagonal");
                let rhs = read_array(&b, n, 1);
                let error = if *precision == "f64" {
                    distance(&cpu::gtsv(&matrix.lower, &matrix.diag, &matrix.upper, &rhs).unwrap_or_default(), &want)
                } else {
                    let [lower, diag, upper, rhs] = [&matrix.lower, &matrix.diag, &matrix.upper, &rhs]
                        .map(|values| values.iter().map(|&value| value as f32).collect::<Vec<_>>());
                    let x = cpu::gtsv(&lower, &diag, &upper, &rhs).unwrap_or_default();
                    distance(&x.into_iter().map(f64::from).collect::<Vec<_>>(), &want)
                };
                println!("{name} in {precision}: singular; gtsv's error {error:.1e}");
                assert!(error > 1e-3, "{name} in {precision}: gtsv {error:.1e}, but {}", outcome.stderr);
                continue;
            }
            let residual = outcome.json()["relative_residual"].as_f64().expect("a number");
            let found = read_array(&x, n, 1);
            let error = distance(&found, &want);
            println!("{name} in {precision}: residual {residual:.1e}, error {error:.1e}");
            // The well-conditioned matrices.
            if [2, 3, 5, 6, 7, 17, 18, 19, 20, 21, 22].contains(&number) {
                let limit = if *precision == "f32" { 0.05 } else { 1e-9 };
                assert!(error < limit, "{name} in {precision}: {error:e}");
            }
        }
    }
}

/// By default, `generate` writes a tridiagonal system.
#[test]
fn generated_systems_are_tridiagonal_by_default() {
    let folder = Folder::new();
    let [a, b] = ["a.mtx", "b.mtx"].map(|name| folder.path(name));
    for (options, structure) in [(&[][..], "tridiagonal"), (&["--beside", "1"], "quasi-tridiagonal")] {
        trisolve(&[&["generate", &a, &b, "--rows", "50"], options].concat()).solved();
        assert_eq!(trisolve(&["solve", &a, &b, "--json"]).solved().json()["structure"], structure);
    }
}

/// The TPR matrices: the exact solution for a random right-hand side; a singular one has none.
#[test]
fn matrices_of_the_tpr_paper_are_written() {
    let mut random = random();
    let folder = Folder::new();
    let [a, b, truth, x] = ["a.mtx", "b.mtx", "truth.mtx", "x.mtx"].map(|name| folder.path(name));
    let n = 128;
    let number = random.random_range(1..8);
    let name = format!("tpr-{number}");
    trisolve(&["generate", &a, &b, &truth, "--system", &name, "--rows", "128"]).solved();
    assert!(read_array(&b, n, 1).iter().all(|value| value.abs() <= 1.0));
    trisolve(&["solve", &a, &b, "-o", &x, "--precision", "f64"]).solved();
    let error = distance(&read_array(&x, n, 1), &read_array(&truth, n, 1));
    assert!(error < 1e-8, "{name}: {error:e}");
    // Rounded to f32, and the solution of that system.
    trisolve(&["generate", &a, &b, &truth, "--system", &name, "--rows", "128", "--precision", "f32"]).solved();
    let rounded = read_array(&b, n, 1);
    assert!(rounded.iter().all(|&value| f64::from(value as f32) == value), "{name}: {rounded:?}");
    trisolve(&["solve", &a, &b, "-o", &x, "--precision", "f64"]).solved();
    let error = distance(&read_array(&x, n, 1), &read_array(&truth, n, 1));
    assert!(error < 1e-8, "{name} in f32: {error:e}");
    trisolve(&["generate", &a, "--precision", "f32"]).failed(2, &["--precision f32", "tpr"]);
    // Diagonals of 0: singular with an odd number of rows.
    trisolve(&["generate", &a, &b, "--system", "tpr-16", "--rows", "17"]).solved();
    trisolve(&["generate", &a, &b, &truth, "--system", "tpr-16", "--rows", "17"]).failed(1, &["tpr-16", "singular"]);
    trisolve(&["generate", &a, "--system", "tpr-17"]).failed(2, &["tpr-17", "tpr-1 to tpr-16"]);
    trisolve(&["generate", &a, "--system", "tpr-8", "--rows", "2049"]).failed(2, &["tpr-8", "at most 2048"]);
}
