//! The built program, from outside: what it answers, where, and with which exit code.
#![cfg(feature = "cli")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;
use tempfile::TempDir;
use trisolve::cpu;

const KEYS: [&str; 9] =
    ["structure", "rows", "rhs", "algorithm", "precision", "adapter", "relative_residual", "device_us", "iterations"];
const CSV_HEADER: &str = "family,algorithm,precision,layout,rows,batch,median_us,min_us,rows_per_s,bytes_per_row,\
                          gb_per_s,copy_gb_per_s,share_of_copy,relative_residual,adapter";

/// What a run left behind.
struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Outcome {
    #[track_caller]
    fn solved(self) -> Self {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Ended with this code and a message of the program's own, and printed nothing else.
    #[track_caller]
    fn failed(self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        assert_eq!(self.stdout, "");
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in {}", self.stderr);
        }
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {:?}", self.stdout))
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trisolve"));
    command.args(arguments);
    command
}

fn run(mut command: Command) -> Outcome {
    let output = command.output().expect("the program starts");
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("text on stdout"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn trisolve(arguments: &[&str]) -> Outcome {
    run(command(arguments))
}

/// With the Vulkan loader sent where there is no driver.
#[cfg(target_os = "linux")]
fn without_adapters(arguments: &[&str]) -> Outcome {
    let mut command = command(arguments);
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    run(command)
}

/// A random number generator that prints its seed, which a failing test then shows;
/// `TRISOLVE_SEED` gives one again.
fn random() -> SmallRng {
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let seed = std::env::var("TRISOLVE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(now);
    println!("TRISOLVE_SEED={seed}");
    SmallRng::seed_from_u64(seed)
}

/// A folder that goes away, and names in it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, text).expect("a file in the temporary folder");
        path
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the temporary folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
        names.sort();
        names
    }
}

/// A strictly dominant system with its right-hand sides, column by column, in f64.
#[derive(Clone)]
struct Sample {
    symmetric: bool,
    lower: Vec<f64>,
    diag: Vec<f64>,
    upper: Vec<f64>,
    rhs: Vec<f64>,
}

impl Sample {
    fn new(random: &mut SmallRng, n: usize, columns: usize, symmetric: bool) -> Self {
        let mut draw = |count: usize| (0..count).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>();
        let (mut lower, mut upper, margin, rhs) = (draw(n), draw(n), draw(n), draw(n * columns));
        (lower[0], upper[n - 1]) = (0.0, 0.0);
        if symmetric {
            lower[1..].copy_from_slice(&upper[..n - 1]);
        }
        let diag =
            (0..n).map(|i| (lower[i].abs() + upper[i].abs() + 0.5 + margin[i].abs()) * margin[i].signum()).collect();
        Self { symmetric, lower, diag, upper, rhs }
    }

    fn n(&self) -> usize {
        self.diag.len()
    }

    fn matrix(&self) -> String {
        let n = self.n();
        let mut lines = String::new();
        let mut count = 0;
        for i in 0..n {
            let mut entry = |row: usize, column: usize, value: f64| {
                count += 1;
                writeln!(lines, "{} {} {value:e}", row + 1, column + 1).expect("a string grows");
            };
            entry(i, i, self.diag[i]);
            if i + 1 < n {
                entry(i + 1, i, self.lower[i + 1]);
                if !self.symmetric {
                    entry(i, i + 1, self.upper[i]);
                }
            }
        }
        let symmetry = if self.symmetric { "symmetric" } else { "general" };
        format!("%%MatrixMarket matrix coordinate real {symmetry}\n% generated\n{n} {n} {count}\n{lines}")
    }

    fn right(&self) -> String {
        let mut text =
            format!("%%MatrixMarket matrix array real general\n{} {}\n", self.n(), self.rhs.len() / self.n());
        self.rhs.iter().for_each(|value| writeln!(text, "{value}").expect("a string grows"));
        text
    }

    /// The largest ||d - A x|| / ||d|| of all columns.
    fn residual(&self, x: &[f64]) -> f64 {
        let n = self.n();
        let norm = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
        let column = |(x, d): (&[f64], &[f64])| {
            let rest: Vec<_> = (0..n)
                .map(|i| {
                    let left = if i > 0 { self.lower[i] * x[i - 1] } else { 0.0 };
                    let right = if i + 1 < n { self.upper[i] * x[i + 1] } else { 0.0 };
                    d[i] - (left + self.diag[i] * x[i] + right)
                })
                .collect();
            norm(&rest) / norm(d)
        };
        x.chunks(n).zip(self.rhs.chunks(n)).map(column).fold(0.0, f64::max)
    }

    /// The oracle's answer.
    fn expected(&self) -> Vec<f64> {
        self.rhs
            .chunks(self.n())
            .flat_map(|column| cpu::gtsv(&self.lower, &self.diag, &self.upper, column).expect("a dominant system"))
            .collect()
    }

    /// Asserts that `x` is the answer in the precision named.
    #[track_caller]
    fn check(&self, x: &[f64], precision: &str) {
        let (residual, unit) = if precision == "f32" { (1e-5, f64::from(f32::EPSILON)) } else { (1e-13, f64::EPSILON) };
        assert_eq!(x.len(), self.rhs.len());
        assert!(self.residual(x) <= residual, "residual {:e} in {precision}", self.residual(x));
        // ||A|| ||A^-1|| <= (2 + 2 + 1.5) / 0.5 in the maximum norm; some roundings a row.
        let bound = 11.0 * 16.0 * unit;
        let expected = self.expected();
        for (x, expected) in x.chunks(self.n()).zip(expected.chunks(self.n())) {
            let size = expected.iter().fold(0f64, |size, value| size.max(value.abs()));
            let error = x.iter().zip(expected).fold(0f64, |error, (x, e)| error.max((x - e).abs()));
            assert!(error <= bound * size, "error {:e} of {size:e} in {precision}", error / size);
        }
    }
}

/// Reads array format without the library's reader.
#[track_caller]
fn read_array(path: &str, rows: usize, columns: usize) -> Vec<f64> {
    let text = fs::read_to_string(path).expect("the output");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("%%MatrixMarket matrix array real general"));
    assert_eq!(lines.next(), Some(format!("{rows} {columns}").as_str()));
    let values: Vec<f64> = lines.map(|line| line.parse().expect("a number a line")).collect();
    assert_eq!(values.len(), rows * columns);
    assert!(text.ends_with('\n'));
    values
}

/// Solves the sample and checks all that the program says of it.
#[track_caller]
fn solves(sample: &Sample, precision: &str, algorithm: &str) {
    let folder = Folder::new();
    let (n, columns) = (sample.n(), sample.rhs.len() / sample.n());
    let (a, b, x) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()), folder.path("x.mtx"));
    let outcome =
        trisolve(&["solve", &a, &b, "-o", &x, "--precision", precision, "--algorithm", algorithm, "--json"]).solved();
    sample.check(&read_array(&x, n, columns), precision);
    let report = outcome.json();
    assert_eq!(report["structure"], "tridiagonal");
    assert_eq!(report["rows"], n);
    assert_eq!(report["rhs"], columns);
    assert_eq!(report["precision"], precision);
    assert_eq!(report["iterations"], Value::Null);
    assert!(report["device_us"].as_f64().is_some_and(|time| time > 0.0), "{report}");
    let limit = if precision == "f32" { 1e-5 } else { 1e-13 };
    assert!(report["relative_residual"].as_f64().is_some_and(|residual| residual <= limit), "{report}");
    let named = report["algorithm"].as_str().expect("a name").to_owned();
    match algorithm {
        "auto" => assert!(["thomas", "cr", "pcr", "cr-pcr", "partition"].contains(&named.as_str()), "{named}"),
        "cpu" => assert!(named.starts_with("cpu"), "{named}"),
        _ => assert_eq!(named, algorithm),
    }
    assert_eq!(folder.names(), ["a.mtx", "b.mtx", "x.mtx"]);
}

#[test]
fn general_systems_of_every_size() {
    let mut random = random();
    for n in [1, 2, 3, 17, 1000, 4097] {
        for (precision, columns) in [("f32", 1), ("f64", 3)] {
            solves(&Sample::new(&mut random, n, columns, false), precision, "auto");
        }
    }
}

#[test]
fn symmetric_systems_of_every_size() {
    let mut random = random();
    for n in [1, 2, 3, 17, 1000, 4097] {
        for (precision, columns) in [("f32", 2), ("f64", 1)] {
            solves(&Sample::new(&mut random, n, columns, true), precision, "auto");
        }
    }
}

#[test]
fn a_large_system() {
    solves(&Sample::new(&mut random(), 300_000, 2, false), "f32", "auto");
    solves(&Sample::new(&mut random(), 300_000, 1, true), "f64", "auto");
}

#[test]
fn every_algorithm() {
    let mut random = random();
    for algorithm in ["auto", "thomas", "cr", "pcr", "cr-pcr", "partition", "cpu"] {
        for (precision, n) in [("f32", 17), ("f32", 4097), ("f64", 1000)] {
            solves(&Sample::new(&mut random, n, 2, false), precision, algorithm);
        }
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
        trisolve(&["solve", &a, "-o", &x, "--precision", precision, "--algorithm", algorithm]).solved();
        assert!(read_array(&x, 500, 1).iter().all(|x| (x - 1.0).abs() < tolerance), "{precision} {algorithm}");
    }
}

#[test]
fn json_has_exactly_the_keys_promised() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 5, 1, true).matrix());
    for algorithm in ["auto", "cpu"] {
        let outcome = trisolve(&["solve", &a, "--algorithm", algorithm, "--json"]).solved();
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

/// Couplings over four decades, nothing but the ends' conductance on top: f32 keeps every
/// component where the diagonal is given by its excess.
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
        let options = ["--diagonal", "excess", "--precision", precision, "--algorithm", algorithm];
        trisolve(&[&["solve", &a, &b, "-o", &x], &options[..]].concat()).solved();
        for (row, (x, e)) in read_array(&x, n, 1).into_iter().zip(&expected).enumerate() {
            assert!((x - e).abs() <= tolerance * e.abs(), "row {row}: {x} is not {e} ({precision} {algorithm})");
        }
    }
    // Read as values, the same file is a matrix with a diagonal of zeros and no inverse.
    trisolve(&["solve", &a, &b, "--algorithm", "cpu"]).solved_or_singular();
    // Without a right-hand side, ones.
    trisolve(&["solve", &a, "-o", &x, "--diagonal", "excess"]).solved();
    assert!(read_array(&x, n, 1).iter().all(|x| (x - 1.0).abs() < 1e-4));
}

impl Outcome {
    #[track_caller]
    fn solved_or_singular(self) {
        assert!(self.code == 0 || (self.code == 1 && self.stderr.contains("singular")), "{}", self.stderr);
    }
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
    for algorithm in ["auto", "cpu"] {
        let options = ["--algorithm", algorithm, "-o", &x];
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
    for algorithm in ["auto", "cpu"] {
        trisolve(&["solve", &small, &right, "-o", &x, "--algorithm", algorithm]).failed(1, &["not finite"]);
        assert!(!Path::new(&x).exists());
    }
}

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
        for options in [["--precision", "f32"], ["--precision", "f64"], ["--algorithm", "cpu"], ["--algorithm", "pcr"]]
        {
            let parts = [name, "singular", &format!("row {row}")];
            trisolve(&[&["solve", &a, "-o", &x], &options[..]].concat()).failed(1, &parts);
        }
    }
    assert!(!Path::new(&x).exists());
    // A matrix of 10^18 rows with one entry is one as well, and takes no memory to know.
    let huge = "%%MatrixMarket matrix coordinate real general\n1000000000000000000 1000000000000000000 1\n1 1 1\n";
    let start = Instant::now();
    trisolve(&["solve", &folder.file("huge.mtx", huge), "-o", &x]).failed(1, &["singular", "row 2"]);
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// Not singular, but without pivoting there is no answer: said, and the way out with it.
#[test]
fn a_zero_pivot_points_to_the_algorithm_that_exchanges_rows() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n");
    let (b, x) = (folder.file("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n3\n4\n"), folder.path("x.mtx"));
    trisolve(&["solve", &a, &b, "-o", &x]).failed(1, &["a.mtx", "pivot", "--algorithm cpu"]);
    assert!(!Path::new(&x).exists());
    trisolve(&["solve", &a, &b, "-o", &x, "--algorithm", "cpu"]).solved();
    assert_eq!(read_array(&x, 2, 1), [4.0, 3.0]);
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
    let bad: [(&str, Vec<u8>, &[&str]); 22] = [
        ("empty", vec![], &["line 1", "first line"]),
        ("junk", (0..4000).map(|i| (i * 31 % 251) as u8).collect(), &["line 1"]),
        ("header", b"%%MatrixMarket matrix coord".to_vec(), &["line 1", "first line"]),
        ("sizes", text(real, "").into(), &["before its sizes"]),
        ("few", text(real, "3 3 7\n1 1 1\n").into(), &["line 3", "7 entries are declared", "ends after 1"]),
        ("many", text(real, "1 1 1\n1 1 1\n1 1 1\n").into(), &["line 4", "there is more"]),
        ("number", text(real, "1 1 1\n1 1 x\n").into(), &["line 3", "should be a number"]),
        ("zero", text(real, "1 1 1\n0 1 1\n").into(), &["line 3", "outside"]),
        ("outside", text(real, "1 1 1\n1 2 1\n").into(), &["line 3", "outside"]),
        ("nan", text(real, "1 1 1\n1 1 nan\n").into(), &["line 3", "finite"]),
        ("inf", text(real, "1 1 1\n1 1 -inf\n").into(), &["line 3", "finite"]),
        ("huge", text(real, "9999999999 9999999999 29999999997\n1 1 1\n").into(), &["ends after 1"]),
        ("wide", text("array real general", "999999999 999999999\n1\n").into(), &["ends after 1"]),
        ("wider", text("array real general", "999999999999 999999999999\n1\n").into(), &["line 2"]),
        ("complex", text("coordinate complex general", "1 1 1\n1 1 1 1\n").into(), &["complex"]),
        ("pattern", text("coordinate pattern general", "1 1 1\n1 1\n").into(), &["pattern"]),
        ("skew", text("coordinate real skew-symmetric", "2 2 1\n2 1 1\n").into(), &["skew-symmetric"]),
        ("flat", text(real, "2 3 1\n1 1 1\n").into(), &["2 x 3", "square"]),
        ("full", text(real, "3 3 2\n1 1 1\n3 1 1\n").into(), &["line 4", "not tridiagonal", "(3, 1)"]),
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
        (vec!["solve", &good, "--algorithm", "magic"], vec!["magic", "cr-pcr", "cpu"]),
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

/// The device is unknown too, and named only where the output is in order.
#[test]
fn an_output_that_cannot_be_written_is_found_before_the_solve() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    let under_file = Path::new(&a).join("x.mtx").display().to_string();
    let outputs = [
        folder.path("no/folder/x.mtx"),
        under_file,
        folder.path(""),
        folder.path("new/"),
        folder.path(&"x".repeat(300)),
    ];
    for output in &outputs {
        trisolve(&["solve", &a, "-o", output, "--device", "no such device"]).failed(2, &[output, "cannot be written"]);
        trisolve(&["solve", &a, "-o", output, "--algorithm", "cpu"]).failed(2, &[output, "cannot be written"]);
    }
    let x = folder.path("x.mtx");
    trisolve(&["solve", &a, "-o", &x, "--device", "no such device"]).failed(2, &["no such device"]);
    trisolve(&["solve", &a, "-o", ""]).failed(2, &["-o"]);
    assert_eq!(folder.names(), ["a.mtx"]);
}

#[test]
fn an_existing_output_is_replaced_as_a_whole() {
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 3, 1, false);
    let (a, b) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()));
    let x = folder.file("x.mtx", "a longer text than the solution's\n".repeat(100));
    trisolve(&["solve", &a, &b, "-o", &x]).solved();
    sample.check(&read_array(&x, 3, 1), "f32");
    // Over its own input.
    trisolve(&["solve", &a, &b, "-o", &b]).solved();
    sample.check(&read_array(&b, 3, 1), "f32");
    assert_eq!(folder.names(), ["a.mtx", "b.mtx", "x.mtx"]);
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices_are_respected() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 3, 1, false);
    let (a, b) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()));
    let mode = |path: &str| fs::metadata(path).expect("the file").permissions().mode() & 0o777;
    // A new file is as any other new file.
    let (x, plain) = (folder.path("x.mtx"), folder.file("plain", ""));
    trisolve(&["solve", &a, &b, "-o", &x, "--algorithm", "cpu"]).solved();
    assert_eq!(mode(&x), mode(&plain));
    // An existing one keeps its permissions, a link its file.
    fs::set_permissions(&x, fs::Permissions::from_mode(0o640)).expect("a change of permissions");
    let link = folder.path("link.mtx");
    symlink("x.mtx", &link).expect("a link");
    trisolve(&["solve", &a, &b, "-o", &link, "--algorithm", "cpu"]).solved();
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(mode(&x), 0o640);
    sample.check(&read_array(&x, 3, 1), "f32");
    // A link to a file that is yet to be made makes it.
    let (made, dangling) = (folder.path("made.mtx"), folder.path("dangling.mtx"));
    std::os::unix::fs::symlink(&made, &dangling).expect("a link");
    trisolve(&["solve", &a, &b, "-o", &dangling, "--algorithm", "cpu"]).solved();
    assert!(fs::symlink_metadata(&dangling).expect("the link").is_symlink());
    sample.check(&read_array(&made, 3, 1), "f32");
    // A device is written into.
    trisolve(&["solve", &a, &b, "-o", "/dev/null", "--algorithm", "cpu"]).solved();
    let outcome = trisolve(&["solve", &a, &b, "-o", "/dev/stdout", "--algorithm", "cpu"]).solved();
    assert!(outcome.stdout.starts_with("%%MatrixMarket matrix array real general\n3 1\n"), "{}", outcome.stdout);
}

/// Where nobody listens the work is done all the same, and nothing panics.
#[cfg(target_os = "linux")]
#[test]
fn closed_outputs_are_no_panic() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let status = |arguments: &[&str], stdout: bool| {
        let mut command = command(arguments);
        match stdout {
            true => command.stdout(full()),
            false => command.stderr(full()),
        };
        let output = command.output().expect("the program starts");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
        output.status.code()
    };
    assert_eq!(status(&["solve", &a, "--algorithm", "cpu"], false), Some(0));
    assert_eq!(status(&["solve", &a, "--algorithm", "cpu", "--json"], true), Some(1));
    assert_eq!(status(&["solve", "missing.mtx"], false), Some(2));
    assert_eq!(status(&["devices"], true), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn without_any_adapter_the_cpu_still_solves() {
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 17, 2, false);
    let (a, b, x) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()), folder.path("x.mtx"));
    for arguments in [
        &["devices"][..],
        &["solve", &a, &b, "-o", &x],
        &["check"],
        &["check", "--json"],
        &["bench", "tridiagonal", "--rows", "16"],
    ] {
        without_adapters(arguments).failed(2, &["no GPU adapter found", "mesa-vulkan-drivers"]);
    }
    let outcome = without_adapters(&["devices", "--json"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, "[]\n"));
    assert!(!Path::new(&x).exists());
    for precision in ["f32", "f64"] {
        let options = ["--algorithm", "cpu", "--precision", precision, "--json"];
        let outcome = without_adapters(&[&["solve", &a, &b, "-o", &x], &options[..]].concat()).solved();
        sample.check(&read_array(&x, 17, 2), precision);
        assert_eq!(outcome.json()["adapter"], "cpu");
    }
}

#[test]
fn devices_are_listed() {
    let outcome = trisolve(&["devices", "--json"]).solved();
    let devices = outcome.json();
    let devices = devices.as_array().expect("an array");
    assert!(!devices.is_empty());
    for device in devices {
        let keys: Vec<_> = device.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut expected = [
            "name",
            "backend",
            "kind",
            "driver",
            "features",
            "subgroup_lanes",
            "max_binding_bytes",
            "max_buffer_bytes",
        ];
        expected.sort_unstable();
        assert_eq!(keys, expected);
        assert!(device["max_binding_bytes"].as_u64().is_some_and(|bytes| bytes >= 128 << 20), "{device}");
    }
    let name = devices[0]["name"].as_str().expect("a name");
    let table = trisolve(&["devices"]).solved().stdout;
    assert!(table.starts_with("| adapter"), "{table}");
    assert_eq!(table.lines().count(), devices.len() + 2);
    assert!(table.contains(name), "{table}");
    // By a part of the name, in any case.
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    let part = name.split_whitespace().next().expect("a word").to_uppercase();
    let report = trisolve(&["solve", &a, "--device", &part, "--json"]).solved().json();
    assert!(devices.iter().any(|device| device["name"] == report["adapter"]), "{report}");
}

#[test]
fn every_kernel_passes_the_check() {
    let outcome = trisolve(&["check", "--precision", "f32", "--json"]).solved();
    let report = outcome.json();
    assert_eq!(report["failed"], 0, "{report}");
    assert_eq!(report["failures"], Value::Array(vec![]));
    assert!(report["cases"].as_u64().is_some_and(|cases| cases > 100), "{report}");
    let groups = report["groups"].as_object().expect("groups");
    for algorithm in ["auto", "thomas", "cr", "pcr", "cr-pcr", "partition"] {
        for layout in ["contiguous", "interleaved"] {
            let name = format!("f32 {algorithm} {layout}");
            assert!(groups.get(&name).is_some_and(|group| group["cases"].as_u64() > Some(0)), "{name}");
        }
    }
    assert!(groups.keys().all(|name| name.starts_with("f32 ")));
}

#[test]
fn bench_writes_the_table_and_the_csv() {
    let folder = Folder::new();
    let csv = folder.path("bench.csv");
    let sweep = ["--rows", "1000", "2^12", "--batch", "1", "3", "--layout", "contiguous", "interleaved"];
    let quick = ["--runs", "3", "--warm-up", "0.01", "--csv", &csv];
    let outcome = trisolve(&[&["bench", "tridiagonal"], &sweep[..], &quick].concat()).solved();
    let text = fs::read_to_string(&csv).expect("the CSV");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(CSV_HEADER));
    let mut reader = csv::Reader::from_path(&csv).expect("the CSV");
    let mut cases = Vec::new();
    for record in reader.records() {
        let record = record.expect("a row");
        assert_eq!((&record[0], &record[2]), ("tridiagonal", "f32"));
        assert!(record[1].starts_with("auto"), "{record:?}");
        let number = |at: usize| record[at].parse::<f64>().unwrap_or_else(|_| panic!("{at} of {record:?}"));
        let [median, min, rows_per_s, bytes, gb_per_s, copy, share, residual] =
            [6, 7, 8, 9, 10, 11, 12, 13].map(number);
        assert!(0.0 < min && min <= median, "{record:?}");
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs();
        assert!(near(rows_per_s, number(4) * number(5) / median * 1e6), "{record:?}");
        assert!(near(gb_per_s, rows_per_s * bytes / 1e9), "{record:?}");
        assert!(near(share, gb_per_s / copy), "{record:?}");
        assert!((0.0..1e-5).contains(&residual), "{record:?}");
        assert!(!record[14].is_empty());
        cases.push((record[3].to_owned(), number(4), number(5)));
    }
    for layout in ["contiguous", "interleaved"] {
        for (rows, batch) in [(1000.0, 1.0), (1000.0, 3.0), (4096.0, 1.0), (4096.0, 3.0)] {
            let case = (layout.to_owned(), rows, batch);
            assert_eq!(cases.iter().filter(|&found| *found == case).count(), 1, "{case:?}");
        }
    }
    assert_eq!(cases.len(), 8);
    assert_eq!(outcome.stdout.lines().filter(|line| line.starts_with("| auto")).count(), 8, "{}", outcome.stdout);
}

#[test]
fn bench_refuses_bad_sizes_and_paths() {
    for size in ["0", "-1", "1.5", "many", "2^64", "18446744073709551616", "2^", "^2", "0^3", ""] {
        for option in ["--rows", "--batch"] {
            trisolve(&["bench", "tridiagonal", &format!("{option}={size}")]).failed(2, &[option, "whole number"]);
        }
    }
    let folder = Folder::new();
    let kept = folder.file("kept.csv", "kept");
    for arguments in [&["--warm-up=-1"][..], &["--runs", "18446744073709551615"], &["--policy", "256,8,32,foo"]] {
        let all = [&["bench", "tridiagonal", "--rows", "16", "--csv", &kept], arguments].concat();
        trisolve(&all).failed(2, &[arguments[0].split('=').next().unwrap_or_default()]);
        assert_eq!(fs::read_to_string(&kept).expect("the file"), "kept");
    }
    let csv = folder.path("no/folder/bench.csv");
    trisolve(&["bench", "tridiagonal", "--rows", "16", "--csv", &csv]).failed(2, &[&csv]);
    for arguments in [
        &["bench"][..],
        &["bench", "pentadiagonal"],
        &["bench", "tridiagonal", "--layout", "diagonal"],
        &["bench", "tridiagonal", "--algorithm", "cpu"],
        &["bench", "tridiagonal", "--precision", "f16"],
        &["bench", "tridiagonal", "--device", "no such device"],
        &["bench", "tridiagonal", "--rows", "16", "--runs", "0"],
        &["bench", "tridiagonal", "--rows", "16", "--warm-up", "nan"],
        &["check", "--precision", "f16"],
        &["check", "--device", "no such device"],
    ] {
        trisolve(arguments).failed(2, &[]);
    }
}

/// Past every device's memory: said, and no panic.
#[test]
fn bench_says_what_does_not_fit() {
    for (rows, batch) in [("2^40", "1"), ("1", "2^40"), ("2^62", "1"), ("2^63", "4"), ("2^33", "2^33")] {
        let outcome = trisolve(&["bench", "tridiagonal", "--warm-up", "0.01", "--rows", rows, "--batch", batch]);
        assert!([0, 2].contains(&outcome.code), "{rows} x {batch}: {} {}", outcome.code, outcome.stderr);
        assert!(!outcome.stderr.contains("panicked"), "{rows} x {batch}: {}", outcome.stderr);
        assert!(outcome.stderr.lines().any(|line| line.starts_with("skipped") || line.starts_with("trisolve:")));
    }
}

/// The shipped files hold what their comments say, and give the temperatures.
#[test]
fn the_heat_bar_of_the_demonstration() {
    let (dx, section, step) = (5e-4, 1e-4, 10.0);
    let layers = [(120, 401.0, 3.45e6), (80, 50.0, 3.85e6), (80, 0.7, 1.6e6), (80, 0.04, 4.2e4)];
    let cells: Vec<(f64, f64)> = layers.into_iter().flat_map(|(cells, k, c)| vec![(k, c); cells]).collect();
    let n = cells.len();
    let conductance = |resistance: f64| section / resistance;
    let (block, air) = (conductance(dx / (2.0 * cells[0].0)), conductance(dx / (2.0 * cells[n - 1].0) + 0.1));
    let between: Vec<_> =
        cells.windows(2).map(|pair| conductance(dx / (2.0 * pair[0].0) + dx / (2.0 * pair[1].0))).collect();
    let at_ends = |i: usize, first: f64, last: f64| match i {
        0 => first,
        i if i == n - 1 => last,
        _ => 0.0,
    };
    let excess: Vec<_> = (0..n).map(|i| section * dx * cells[i].1 / step + at_ends(i, block, air)).collect();
    let rhs: Vec<_> =
        (0..n).map(|i| section * dx * cells[i].1 / step * 20.0 + at_ends(i, 100.0 * block, 20.0 * air)).collect();
    let lower: Vec<_> = [0.0].into_iter().chain(between.iter().map(|g| -g)).collect();
    let upper: Vec<_> = between.iter().map(|g| -g).chain([0.0]).collect();
    let diag: Vec<_> = (0..n).map(|i| excess[i] - lower[i] - upper[i]).collect();
    let expected = cpu::thomas_excess(&lower, &excess, &upper, &rhs).expect("temperatures");
    assert!(expected.windows(2).all(|pair| pair[0] >= pair[1]) && expected[0] < 100.0);

    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let path = |name: &str| data.join(name).display().to_string();
    let near = |found: &[f64], wanted: &[f64]| found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= 1e-14 * b.abs());
    for (name, main) in [("heat_bar.mtx", &diag), ("heat_bar_excess.mtx", &excess)] {
        let entries = trisolve::matrix_market::read(&data.join(name)).expect("the shipped file");
        let matrix = trisolve::matrix_market::tridiagonal(&entries).expect("a tridiagonal matrix");
        assert!(near(&matrix.lower, &lower) && near(&matrix.diag, main) && near(&matrix.upper, &upper), "{name}");
    }
    let folder = Folder::new();
    let x = folder.path("x.mtx");
    for (name, diagonal, precision, tolerance) in [
        ("heat_bar.mtx", "value", "f32", 0.1),
        ("heat_bar.mtx", "value", "f64", 1e-9),
        ("heat_bar_excess.mtx", "excess", "f32", 1e-3),
    ] {
        let (a, b) = (path(name), path("heat_bar_rhs.mtx"));
        trisolve(&["solve", &a, &b, "-o", &x, "--diagonal", diagonal, "--precision", precision]).solved();
        for (found, expected) in read_array(&x, n, 1).into_iter().zip(&expected) {
            assert!((found - expected).abs() <= tolerance, "{found} is not {expected} ({name} in {precision})");
        }
    }
}

#[test]
fn help_and_version() {
    for arguments in [&["--help"][..], &["solve", "--help"], &["bench", "tridiagonal", "--help"], &["--version"]] {
        let outcome = trisolve(arguments).solved();
        assert!(!outcome.stdout.is_empty());
    }
    let version = trisolve(&["--version"]).solved().stdout;
    assert_eq!(version.trim(), concat!("trisolve ", env!("CARGO_PKG_VERSION")));
}

/// The program carries its shaders: any folder will do, and no source is looked at.
#[test]
fn the_program_runs_from_any_folder() {
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 3, 1, false);
    folder.file("a.mtx", sample.matrix());
    folder.file("b.mtx", sample.right());
    let moved = folder.path("program");
    fs::copy(env!("CARGO_BIN_EXE_trisolve"), &moved).expect("a copy of the program");
    let mut command = Command::new(PathBuf::from(moved));
    command.args(["solve", "a.mtx", "b.mtx", "-o", "x.mtx"]).current_dir(folder.0.path());
    run(command).solved();
    sample.check(&read_array(&folder.path("x.mtx"), 3, 1), "f32");
}
