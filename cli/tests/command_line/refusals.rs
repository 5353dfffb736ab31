//! Input that `trisolve solve` refuses, and its messages.

use std::fs;
use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use super::support::*;

#[test]
fn singular_matrices_are_named() {
    let folder = Folder::new();
    let x = folder.path("x.mtx");
    let neumann = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 5\n1 1 1\n2 1 -1\n2 2 2\n3 2 -1\n3 3 1\n";
    let zero_row = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 3 1\n";
    let cancelled = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 5\n2 2 -5\n";
    let zero = "%%MatrixMarket matrix array real general\n1 1\n0\n";
    for (name, text, row) in
        [("neumann", neumann, 3), ("zero_row", zero_row, 2), ("cancelled", cancelled, 2), ("zero", zero, 1)]
    {
        let a = folder.file(&format!("{name}.mtx"), text);
        for options in [
            ["--precision", "f32"],
            ["--precision", "f64"],
            ["--place", "cpu"],
            ["--place", "device"],
            ["--algorithm", "pcr"],
        ] {
            let parts = [name, "singular", &format!("row {row}")];
            trisolve(&[&["solve", &a, "-o", &x], &options[..]].concat()).failed(1, &parts);
        }
    }
    // Singular, although no pivot is 0: an error, not a huge multiple of the null vector.
    let a = folder.file("rounded.mtx", format!("%%MatrixMarket matrix array real general\n8 8\n{}", rounded()));
    let b = "%%MatrixMarket matrix array real general\n8 1\n-4\n3\n8\n-4\n-9\n-9\n2\n8\n";
    let b = folder.file("b.mtx", b);
    for algorithm in ["auto", "pcr", "tpr", "cpu"] {
        for precision in ["f32", "f64"] {
            let arguments = ["solve", &a, &b, "-o", &x, "--precision", precision];
            let says = ["rounded.mtx", "is singular"];
            trisolve(&[&arguments[..], &way(algorithm)].concat()).failed(1, &says);
        }
    }
    assert!(!Path::new(&x).exists());
    // A matrix of 10^18 rows with one entry is singular too, and is refused without using memory.
    let huge = "%%MatrixMarket matrix coordinate real general\n1000000000000000000 1000000000000000000 1\n1 1 1\n";
    let start = Instant::now();
    trisolve(&["solve", &folder.file("huge.mtx", huge), "-o", &x]).failed(1, &["singular", "row 2"]);
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// The columns of a singular matrix of integers whose elimination rounds.
fn rounded() -> String {
    let lower = [-3, -1, 2, -2, 2, -1, 2];
    let diag = [1, 4, 4, -5, 3, -3, -1, -2];
    let upper = [-1, -1, -3, 3, -1, 1, 2];
    let entry = |row: usize, column: usize| match (row + 1).checked_sub(column) {
        Some(0) => upper[row],
        Some(1) => diag[row],
        Some(2) => lower[column],
        _ => 0,
    };
    (0..64).map(|at| format!("{}\n", entry(at % 8, at / 8))).collect()
}

/// A nonsingular matrix that needs pivoting. By default the program exchanges rows; algorithms without pivoting fail, and the message
/// names --algorithm auto.
#[test]
fn a_zero_pivot_points_to_the_algorithm_that_exchanges_rows() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n");
    let (b, x) = (folder.file("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n3\n4\n"), folder.path("x.mtx"));
    trisolve(&["solve", &a, &b, "-o", &x, "--algorithm", "partition"])
        .failed(1, &["a.mtx", "pivot", "--algorithm auto"]);
    assert!(!Path::new(&x).exists());
    for algorithm in [&[][..], &["--place", "cpu"], &["--place", "device"], &["--algorithm", "pivoting"]] {
        trisolve(&[&["solve", &a, &b, "-o", &x], algorithm].concat()).solved();
        assert_eq!(read_array(&x, 2, 1), [4.0, 3.0]);
    }
}

#[test]
fn what_a_precision_cannot_hold_is_named() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n3e38\n3e38\n3e38\n3e38\n");
    trisolve(&["solve", &a]).failed(2, &["A times ones", "row 1", "--precision f64"]);
    let b = folder.file("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
    let by_excess = ["solve", &a, &b, "--diagonal", "excess"];
    trisolve(&[&by_excess[..], &["--place", "device"]].concat())
        .failed(2, &["a.mtx", "row 1", "past the range of f32", "--precision f64"]);
    trisolve(&[&by_excess[..], &["--place", "cpu"]].concat()).failed(1, &["largest value", "f32"]);
}

/// Division by an infinite pivot gives 0, which is finite; the program still checks the answer.
#[test]
fn overflow_inside_an_elimination_is_no_answer() {
    let folder = Folder::new();
    for (precision, size) in [("f32", "3e38"), ("f64", "1e308")] {
        let header = "%%MatrixMarket matrix array real general\n2";
        let a = folder.file("a.mtx", format!("{header} 2\n{size}\n-{size}\n{size}\n{size}\n"));
        let (b, x) = (folder.file("b.mtx", format!("{header} 1\n{size}\n0\n")), folder.path("x.mtx"));
        for algorithm in ["cpu", "auto", "cr"] {
            let arguments = ["solve", &a, &b, "-o", &x, "--precision", precision];
            let outcome = trisolve(&[&arguments[..], &way(algorithm)].concat());
            if outcome.code == 0 {
                let x = read_array(&x, 2, 1);
                assert!(x.iter().all(|x| (x - 0.5).abs() < 1e-6), "{algorithm} {precision}: {x:?}");
            } else {
                outcome.failed(1, &["a.mtx", "overflow"]);
            }
        }
    }
}

#[test]
fn the_cpu_takes_no_device() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    trisolve(&["solve", &a, "--place", "cpu", "--device", "some"]).failed(2, &["--device some", "cpu"]);
}

#[test]
fn bad_input_ends_with_2_and_leaves_no_output() {
    let folder = Folder::new();
    let good = folder.file("good.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    let b4 = folder.file("b4.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n1\n1\n1\n");
    let missing = folder.path("missing.mtx");
    let inside = folder.path("");
    let text = |kind: &str, rest: &str| format!("%%MatrixMarket matrix {kind}\n{rest}");
    let real = "coordinate real general";
    let bad: [(&str, Vec<u8>, &[&str]); 20] = [
        ("header", b"%%MatrixMarket matrix coord".to_vec(), &["line 1", "first line"]),
        ("sizes", text(real, "").into(), &["before its sizes"]),
        ("few", text(real, "3 3 7\n1 1 1\n").into(), &["line 3", "7 entries are declared", "ends after 1"]),
        ("many", text(real, "1 1 1\n1 1 1\n1 1 1\n").into(), &["line 4", "there is more"]),
        ("number", text(real, "1 1 1\n1 1 x\n").into(), &["line 3", "should be a number"]),
        ("zero", text(real, "1 1 1\n0 1 1\n").into(), &["line 3", "outside"]),
        ("outside", text(real, "1 1 1\n1 2 1\n").into(), &["line 3", "outside"]),
        ("nan", text(real, "1 1 1\n1 1 nan\n").into(), &["line 3", "finite"]),
        ("inf", text(real, "1 1 1\n1 1 -inf\n").into(), &["line 3", "finite"]),
        ("tiny", text(real, "1 1 1\n1 1 1e-999\n").into(), &["line 3", "below the range of f64"]),
        ("huge", text(real, "9999999999 9999999999 29999999997\n1 1 1\n").into(), &["ends after 1"]),
        ("wide", text("array real general", "999999999 999999999\n1\n").into(), &["ends after 1"]),
        ("wider", text("array real general", "999999999999 999999999999\n1\n").into(), &["line 2"]),
        ("complex", text("coordinate complex general", "1 1 1\n1 1 1 1\n").into(), &["complex"]),
        ("pattern", text("coordinate pattern general", "1 1 1\n1 1\n").into(), &["pattern"]),
        ("skew", text("coordinate real skew-symmetric", "2 2 1\n2 1 1\n").into(), &["skew-symmetric"]),
        ("flat", text(real, "2 3 1\n1 1 1\n").into(), &["2 x 3", "square"]),
        ("none", text(real, "0 0 0\n").into(), &["empty"]),
        ("sum", text(real, "1 1 2\n1 1 1e308\n1 1 1e308\n").into(), &["line 4", "range of f64"]),
        ("line", [&text(real, "").into_bytes()[..], &vec![b'1'; 10_000_000]].concat(), &["line 2", "4096 bytes"]),
    ];
    let existing = folder.file("existing.mtx", "as it was\n");
    for (name, bytes, parts) in &bad {
        let a = folder.file(&format!("{name}.mtx"), bytes);
        let file = format!("{name}.mtx");
        let parts: Vec<_> = [&file[..]].into_iter().chain(parts.iter().copied()).collect();
        trisolve(&["solve", &a, "-o", &existing]).failed(2, &parts);
    }
    let x = folder.path("x.mtx");
    let before = folder.names();
    let start = Instant::now();
    for (arguments, parts) in [
        (vec!["solve", &missing], vec!["missing.mtx"]),
        (vec!["solve", &inside], vec![&inside]),
        (vec!["solve", &good, &missing], vec!["missing.mtx"]),
        (vec!["solve", &good, &b4], vec!["b4.mtx", "4 rows", "3"]),
        (vec!["solve", &good, &good, &b4], vec!["unexpected argument"]),
        (vec!["solve", &good, "--device", "no such device"], vec!["no such device", "there are:"]),
        (vec!["solve", &good, "--algorithm", "magic"], vec!["magic", "cr-pcr", "hisa"]),
        (vec!["solve", &good, "--precision", "f16"], vec!["f16", "f32", "f64"]),
        (vec!["solve", &good, "--diagonal", "none"], vec!["none", "excess"]),
        (vec!["solve", &good, "--fast"], vec!["--fast"]),
        (vec!["solve"], vec!["MATRIX"]),
    ] {
        trisolve(&[&arguments[..], &["-o", &x]].concat()).failed(2, &parts);
    }
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(folder.names(), before);
    assert_eq!(fs::read_to_string(&existing).expect("the file"), "as it was\n");
    trisolve(&[]).failed(2, &["Usage"]);
    trisolve(&["polish"]).failed(2, &["polish"]);
}

#[test]
fn bad_right_hand_sides_end_with_2() {
    let folder = Folder::new();
    let good = folder.file("good.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    for (name, text, part) in [
        ("array", "%%MatrixMarket matrix array real general\n3 1\n1\n1\n", "ends after 2"),
        ("nan", "%%MatrixMarket matrix array real general\n3 1\n1\n1\nnan\n", "finite"),
        ("wide", "%%MatrixMarket matrix coordinate real general\n3 1000000000000000000 1\n1 1 1\n", "right-hand sides"),
        ("zero", "%%MatrixMarket matrix coordinate real general\n3 0 0\n", "empty"),
        ("large", "%%MatrixMarket matrix array real general\n3 1\n1\n1e39\n1\n", "right-hand side, row 2: 1e39"),
    ] {
        let b = folder.file(&format!("{name}.mtx"), text);
        trisolve(&["solve", &good, &b]).failed(2, &[part]);
    }
}
