//! `trisolve recur`, compared with the recurrence in f64.

use rand::Rng;

use super::draw::some;
use super::support::*;

/// Coefficients that f32 holds exactly.
fn numbers(count: usize) -> Vec<f64> {
    let mut random = random();
    (0..count).map(|_| f64::from(random.random_range(-1.0f32..1.0))).collect()
}

fn values(s: impl Fn(usize) -> f64, t: impl Fn(usize) -> f64, w0: f64, n: usize, reverse: bool) -> Vec<f64> {
    let mut w = vec![0.0; n];
    let mut before = w0;
    for step in 0..n {
        let at = if reverse { n - 1 - step } else { step };
        w[at] = s(at) * before + t(at);
        before = w[at];
    }
    w
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], precision: &str) {
    let tolerance = if precision == "f32" { 1e-5 } else { 1e-13 };
    let size = expected.iter().fold(1.0, |size: f64, w| size.max(w.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= tolerance * size, "row {at}: {found:e}, not {expected:e}");
    }
}

#[test]
fn every_size_direction_and_kind_of_coefficient() {
    let folder = Folder::new();
    let w = folder.path("w.mtx");
    let mut random = random();
    let both = some(&mut random, &["f32", "f64"], 1);
    let sizes = some(&mut random, &[1usize, 33, 65_537], 1);
    for (n, precision) in sizes.into_iter().flat_map(|n| both.iter().map(move |own| (n, *own))) {
        let (s, t) = (numbers(n), numbers(n));
        let (s_file, t_file) = (folder.file("s.mtx", array(n, &s)), folder.file("t.mtx", array(n, &t)));
        let solved = |more: &[&str]| {
            trisolve(&[&["recur", "-o", &w, "--precision", precision], more].concat()).solved();
            read_array(&w, n, 1)
        };
        let found = solved(&["--s", &s_file, "--t", &t_file, "--w0", "0.5", "--place", "device"]);
        near(&found, &values(|i| s[i], |i| t[i], 0.5, n, false), precision);
        let found = solved(&["--s", &s_file, "--t", &t_file, "--reverse", "--algorithm", "three-launch"]);
        near(&found, &values(|i| s[i], |i| t[i], 0.0, n, true), precision);
        let found = solved(&["--s", &s_file, "--t", &t_file, "--reverse", "--algorithm", "p-scheme"]);
        near(&found, &values(|i| s[i], |i| t[i], 0.0, n, true), precision);
        let found = solved(&["--s", "-0.75", "--t", &t_file, "--w0", "-2", "--deterministic", "--place", "device"]);
        near(&found, &values(|_| -0.75, |i| t[i], -2.0, n, false), precision);
        let found = solved(&["--s", &s_file, "--t", "1", "--place", "cpu"]);
        near(&found, &values(|i| s[i], |_| 1.0, 0.0, n, false), precision);
    }
}

#[test]
fn columns_are_sequences_and_the_report_is_json() {
    let folder = Folder::new();
    let w = folder.path("w.mtx");
    let (n, columns) = (700, 3);
    let (s, t) = (numbers(n * columns), numbers(n * columns));
    let (s_file, t_file) = (folder.file("s.mtx", array(n, &s)), folder.file("t.mtx", array(n, &t)));
    let arguments = ["recur", "--s", &s_file, "--t", &t_file, "-o", &w, "--place", "device", "--json"];
    let outcome = trisolve(&arguments).solved();
    let found = read_array(&w, n, columns);
    for column in 0..columns {
        let at = column * n;
        near(&found[at..at + n], &values(|i| s[at + i], |i| t[at + i], 0.0, n, false), "f32");
    }
    let report = outcome.json();
    let keys: Vec<_> = report.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut expected = [&KEYS[..], &["infinite"]].concat();
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!((&report["rows"], &report["columns"]), (&n.into(), &columns.into()));
}

#[test]
fn formulas_are_computed() {
    let folder = Folder::new();
    let w = folder.path("w.mtx");
    let gain = folder.file("gain.mtx", array(4, &[0.5, 0.25, -0.5, 1.0]));
    let gains = [0.5, 0.25, -0.5, 1.0];
    let vector = format!("gain={gain}");
    let n = 300;
    let t = numbers(n);
    let t_file = folder.file("t.mtx", array(n, &t));
    for precision in some(&mut random(), &["f32", "f64"], 1) {
        let solved = |more: &[&str], columns: usize| {
            trisolve(&[&["recur", "-o", &w, "--precision", precision], more].concat()).solved();
            read_array(&w, n, columns)
        };
        let s_formula = "gain(i % 4u) * 0.5";
        let s = |i: usize| gains[i % 4] * 0.5;
        let body = "let k = i + sequence;\nif (k % 3u == 0u) { return 0.0; }\nreturn -real(k % 7u);";
        let both = ["--s-wgsl", s_formula, "--t-wgsl", body, "--vector", &vector, "--w0", "2"];
        let found = solved(&[&both[..], &["--rows", "300", "--sequences", "2"]].concat(), 2);
        for column in 0..2 {
            let t = |i: usize| if (i + column).is_multiple_of(3) { 0.0 } else { -(((i + column) % 7) as f64) };
            near(&found[column * n..][..n], &values(s, t, 2.0, n, false), precision);
        }
        // Two numbers are enough if --rows is given.
        let found = solved(&["--s", "0.5", "--t", "1", "--rows", "300", "--place", "cpu"], 1);
        near(&found, &values(|_| 0.5, |_| 1.0, 0.0, n, false), precision);
    }
    let s_formula = ["--s-wgsl", "gain(i % 4u) * 0.5", "--t", &t_file, "--vector", &vector];
    let report = trisolve(&[&["recur", "-o", &w, "--reverse", "--json"], &s_formula[..]].concat()).solved().json();
    near(&read_array(&w, n, 1), &values(|i| gains[i % 4] * 0.5, |i| t[i], 0.0, n, true), "f32");
    let t_formula = ["--s", "0.5", "--t-wgsl", "-real(i % 2u)", "--rows", "300", "--deterministic"];
    trisolve(&[&["recur", "-o", &w], &t_formula[..]].concat()).solved();
    near(&read_array(&w, n, 1), &values(|_| 0.5, |i| -((i % 2) as f64), 0.0, n, false), "f32");
    assert_eq!(report["rows"], n);
    assert!(report["relative_residual"].as_f64().expect("a residual") < 1e-6, "{report}");
}

/// 5000 rounds per row: right, or an error, whatever the driver does with long loops.
#[test]
fn long_loops_in_formulas_end_with_1_or_right() {
    let folder = Folder::new();
    let w = folder.path("w.mtx");
    let formula = "var x = 0.0; for (var k = 0u; k < 5000u; k++) { x += 1.0; } return real(x) * 0.0001;";
    for rows in [1, 300] {
        let count = rows.to_string();
        let outcome = trisolve(&["recur", "-o", &w, "--s-wgsl", formula, "--t", "1", "--rows", &count]);
        if outcome.code == 0 {
            near(&read_array(&w, rows, 1), &values(|_| 0.5, |_| 1.0, 0.0, rows, false), "f32");
        } else {
            outcome.failed(1, &["the formula of s", "65535 rounds", "use a GPU"]);
            assert!(!std::path::Path::new(&w).exists());
        }
    }
}

#[test]
fn formulas_that_are_wrong_end_with_2() {
    let folder = Folder::new();
    let w = folder.path("w.mtx");
    let two = folder.file("two.mtx", array(2, &[1.0, 2.0]));
    let large = format!("gain={}", folder.file("large.mtx", array(1, &[1e300])));
    let gain = format!("gain={two}");
    for (arguments, says) in [
        (
            &["--s-wgsl", "0.5 *\n  y", "--t", &two][..],
            &["the formula of s, line 2, column 3", "`y`", "\n    y\n    ^"][..],
        ),
        (&["--s", "0.5", "--t-wgsl", "exp(real(i))", "--precision", "f64", "--rows", "5"], &["no `exp` in f64"]),
        (&["--s-wgsl", "i } fn main() {", "--t", &two], &["column 3", "closes nothing"]),
        (&["--s-wgsl", "", "--t", &two], &["nothing in it"]),
        (&["--s-wgsl", "1.0 / real(i)", "--t", &two], &["s is not finite in row 1 of sequence 1"]),
        (&["--s", "0.5", "--s-wgsl", "0.5", "--t", &two], &["--s-wgsl"]),
        (&["--s-wgsl", "0.5", "--t", "1"], &["--rows"]),
        (&["--s-wgsl", "0.5", "--t", &two, "--rows", "3"], &["2 rows"]),
        (&["--s-wgsl", "0.5", "--t", "1", "--rows", "0"], &["--rows"]),
        (&["--s-wgsl", "0.5", "--t", "1", "--sequences", "2"], &["--rows"]),
        (&["--s", "0.5", "--t", "1", "--place", "cpu", "--rows", "2^40", "--sequences", "2^40"], &["2^31"]),
        (&["--s-wgsl", "0.5", "--t", &two, "--place", "cpu"], &["cpu"]),
        (&["--s-wgsl", "gain(i)", "--t", &two, "--vector", "gain"], &["--vector"]),
        (&["--s-wgsl", "gain(i)", "--t", &two, "--vector", "gain=no such file"], &["no such file"]),
        (&["--s-wgsl", "gain(i)", "--t", &two, "--vector", &large], &["--precision f64"]),
        (&["--s-wgsl", "gain(i)", "--t", &two, "--vector", &gain, "--vector", &gain], &["already"]),
        (&["--s", "0.5", "--t", &two, "--vector", &gain], &["no formula"]),
    ] {
        trisolve(&[&["recur", "-o", &w], arguments].concat()).failed(2, says);
        assert!(!std::path::Path::new(&w).exists());
    }
}

#[test]
fn growth_past_the_range_is_told() {
    let folder = Folder::new();
    let t = folder.file("t.mtx", array(3, &[1.0; 3]));
    let outcome = trisolve(&["recur", "--s", "1e30", "--t", &t]).solved();
    assert!(outcome.stderr.contains("1 value grew past the range and is infinite"), "{}", outcome.stderr);
}

#[test]
fn bad_input_ends_with_2() {
    let folder = Folder::new();
    let w = folder.path("w.mtx");
    let three = folder.file("three.mtx", array(3, &[1.0, 2.0, 3.0]));
    let two = folder.file("two.mtx", array(2, &[1.0, 2.0]));
    let sparse =
        folder.file("sparse.mtx", "%%MatrixMarket matrix coordinate real general\n1000000000000000000 1 1\n1 1 1\n");
    let large = folder.file("large.mtx", array(2, &[1.0, 1e300]));
    for (arguments, says) in [
        (&["--s", "1", "--t", "2"][..], "file"),
        (&["--s", &three, "--t", &two], "two.mtx"),
        (&["--s", "0.5", "--t", &sparse], "array"),
        (&["--s", "0.5", "--t", &large], "--precision f64"),
        (&["--s", "nan", "--t", &two], "--s"),
        (&["--s", "1", "--t", &two, "--w0", "inf"], "--w0"),
        (&["--s", "1e-50", "--t", &two], "below the range"),
        (&["--s", "1e-400", "--t", &two], "1e-400 is below the range of f64"),
        (&["--s", "1", "--t", &two, "--w0", "1e-400"], "1e-400 is below the range of f64"),
        (&["--s", "1", "--t", "no such file"], "no such file"),
        (&["--s", "0,5", "--t", &two], "neither a number nor a file"),
        (&["--s", "1", "--t", &two, "--algorithm", "partition"], "one-pass"),
        (&["--s", "1", "--t", &two, "--algorithm", "one-pass", "--deterministic"], "three-launch"),
        (&["--s", "1", "--t", &two, "--place", "cpu", "--device", "x"], "--device"),
        (&["--t", &two], "--s"),
    ] {
        trisolve(&[&["recur", "-o", &w], arguments].concat()).failed(2, &[says]);
        assert!(!std::path::Path::new(&w).exists());
    }
    trisolve(&["recur", "--s", "1", "--t", &two, "-o", "/no such folder/w.mtx"]).failed(2, &["/no such folder"]);
}

/// Rounding 0.9999999 to f32 changes the values of 200 000 rows.
#[test]
fn rounding_the_numbers_given_counts() {
    let run = |s, rows| trisolve(&["recur", "--rows", rows, "--place", "cpu", "--json", "--t", "1", "--s", s]);
    for (s, from, to) in [("0.9999999", 1e-3, 0.02), ("1.00000004", 2e-3, 0.02), ("0.5", 0.0, 1e-6)] {
        let error = run(s, "200000").solved().json()["forward_error"].as_f64().unwrap();
        assert!((from..to).contains(&error), "s = {s}: {error:e}");
    }
    // Numbers beside a formula are rounded too.
    let beside = ["recur", "--s", "0.9999999", "--t-wgsl", "1.0", "--rows", "100000", "--json"];
    let error = trisolve(&beside).solved().json()["forward_error"].as_f64().unwrap();
    assert!((9e-4..1e-2).contains(&error), "{error:e}");
    let first = ["recur", "--s", "10", "--t-wgsl", "select(0.0, -1.0, i == 0u)", "--w0", "0.1", "--rows", "12"];
    trisolve(&first).failed(1, &["rounding the numbers given to f32 leaves no digit"]);
    // Rounding t moves a value from 33 to 64, and the next one past the range.
    let folder = Folder::new();
    let (s, t) = (array(3, &[1.0, 1.0, 6e36]), array(3, &[0.0, -999_999_967.0, 0.0]));
    let (s, t) = (folder.file("s.mtx", s), folder.file("t.mtx", t));
    trisolve(&["recur", "--s", &s, "--t", &t, "--w0", "1e9", "--place", "cpu"])
        .failed(1, &["rounding the numbers given to f32 leaves no digit"]);
}

#[test]
fn a_first_value_past_the_range_is_infinite() {
    for place in ["cpu", "device"] {
        let arguments = ["recur", "--s", "1e30", "--w0", "1e30", "--t", "1", "--rows", "1", "--place", place];
        let outcome = trisolve(&arguments).solved();
        assert!(outcome.stderr.contains("1 value grew past the range and is infinite"), "{}", outcome.stderr);
    }
}
