//! Runs of the program, its input systems, and its output files.

use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::process::Command;
use std::thread;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;
use tempfile::TempDir;
use trisolve::cpu;

use trisolve_lab::seed;

use super::server;

/// The keys of each report in JSON.
pub const KEYS: [&str; 16] = [
    "structure",
    "rows",
    "columns",
    "algorithm",
    "policy",
    "precision",
    "place",
    "adapter",
    "iterations",
    "relative_residual",
    "backward_error",
    "forward_error",
    "condition",
    "replaced",
    "solve_us",
    "timing",
];
/// The algorithms on the device.
pub const ALGORITHMS: [&str; 8] = ["thomas", "cr", "pcr", "cr-pcr", "partition", "tpr", "wang-mou", "scan"];
pub const CSV_HEADER: &str = "family,algorithm,precision,layout,rows,batch,median_us,min_us,rows_per_s,bytes_per_row,\
                          gb_per_s,copy_gb_per_s,share_of_copy,relative_residual,adapter,divided";

/// The results of a run.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    #[track_caller]
    pub fn solved(self) -> Self {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that the run ended with this code and a message, and printed nothing on stdout.
    #[track_caller]
    pub fn failed(self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        assert_eq!(self.stdout, "");
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in {}", self.stderr);
        }
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {:?}", self.stdout))
    }
}

/// The built program with these arguments.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trisolve"));
    // The tests ignore the tuning file of this machine's user.
    command.args(arguments).env("TRISOLVE_TUNING", "");
    command
}

pub fn run(mut command: Command) -> Outcome {
    // A copy of the program is busy while a process that another test forked still holds the file that was written.
    let mut attempts = 0;
    let output = loop {
        match command.output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && attempts < 100 => {
                attempts += 1;
                thread::sleep(Duration::from_millis(50));
            }
            output => break output.expect("the program starts"),
        }
    };
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("text on stdout"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs the program's command line, in a process that does so for all tests.
pub fn trisolve(arguments: &[&str]) -> Outcome {
    server::run(arguments)
}

/// Runs the program with a Vulkan loader that finds no driver.
#[cfg(target_os = "linux")]
pub fn without_adapters(arguments: &[&str]) -> Outcome {
    let mut command = command(arguments);
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    run(command)
}

/// The options of a way to solve: "auto" or another algorithm on the device, or "cpu".
pub fn way(name: &str) -> [&str; 2] {
    match name {
        "auto" => ["--place", "device"],
        "cpu" => ["--place", "cpu"],
        algorithm => ["--algorithm", algorithm],
    }
}

/// Runs the program where the Vulkan loader cannot be loaded: another file has its name.
#[cfg(target_os = "linux")]
pub fn without_loader(arguments: &[&str]) -> Outcome {
    let folder = Folder::new();
    for name in ["libvulkan.so.1", "libvulkan.so"] {
        folder.file(name, "no library");
    }
    let mut command = command(arguments);
    command.env("LD_LIBRARY_PATH", folder.0.path());
    run(command)
}

/// A random number generator whose seed a failing test shows.
pub fn random() -> SmallRng {
    SmallRng::seed_from_u64(seed("the program"))
}

/// A temporary folder with files.
pub struct Folder(pub TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, text).expect("a file in the temporary folder");
        path
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the temporary folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
        names.sort();
        names
    }
}

/// A strictly dominant system with its right-hand sides, column by column, in f64.
#[derive(Clone)]
pub struct Sample {
    pub symmetric: bool,
    pub lower: Vec<f64>,
    pub diag: Vec<f64>,
    pub upper: Vec<f64>,
    pub rhs: Vec<f64>,
}

impl Sample {
    pub fn new(random: &mut SmallRng, n: usize, columns: usize, symmetric: bool) -> Self {
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

    pub fn n(&self) -> usize {
        self.diag.len()
    }

    pub fn matrix(&self) -> String {
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

    pub fn right(&self) -> String {
        let mut text =
            format!("%%MatrixMarket matrix array real general\n{} {}\n", self.n(), self.rhs.len() / self.n());
        self.rhs.iter().for_each(|value| writeln!(text, "{value}").expect("a string grows"));
        text
    }

    /// The largest ||d - A x|| / ||d|| of all columns.
    pub fn residual(&self, x: &[f64]) -> f64 {
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

    /// The oracle's solution.
    pub fn expected(&self) -> Vec<f64> {
        self.rhs
            .chunks(self.n())
            .flat_map(|column| cpu::gtsv(&self.lower, &self.diag, &self.upper, column).expect("a dominant system"))
            .collect()
    }

    /// Asserts that `x` is the solution in this precision.
    #[track_caller]
    pub fn check(&self, x: &[f64], precision: &str) {
        let (residual, unit) = if precision == "f32" { (1e-5, f64::from(f32::EPSILON)) } else { (1e-13, f64::EPSILON) };
        assert_eq!(x.len(), self.rhs.len());
        assert!(self.residual(x) <= residual, "residual {:e} in {precision}", self.residual(x));
        // ||A|| ||A^-1|| <= (2 + 2 + 1.5) / 0.5 in the maximum norm; some roundings per row.
        let bound = 11.0 * 16.0 * unit;
        let expected = self.expected();
        for (x, expected) in x.chunks(self.n()).zip(expected.chunks(self.n())) {
            let size = expected.iter().fold(0f64, |size, value| size.max(value.abs()));
            let error = x.iter().zip(expected).fold(0f64, |error, (x, e)| error.max((x - e).abs()));
            assert!(error <= bound * size, "error {:e} of {size:e} in {precision}", error / size);
        }
    }
}

/// A dense file.
pub fn array(rows: usize, values: &[f64]) -> String {
    let mut text = format!("%%MatrixMarket matrix array real general\n{rows} {}\n", values.len() / rows);
    values.iter().for_each(|value| text.push_str(&format!("{value:e}\n")));
    text
}

/// Reads array format without the library's reader.
#[track_caller]
pub fn read_array(path: &str, rows: usize, columns: usize) -> Vec<f64> {
    let text = fs::read_to_string(path).expect("the output");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("%%MatrixMarket matrix array real general"));
    assert_eq!(lines.next(), Some(format!("{rows} {columns}").as_str()));
    let values: Vec<f64> = lines.map(|line| line.parse().expect("a number a line")).collect();
    assert_eq!(values.len(), rows * columns);
    assert!(text.ends_with('\n'));
    values
}

/// Solves the sample by a way, and checks the solution and the report.
#[track_caller]
pub fn solves(sample: &Sample, precision: &str, algorithm: &str) {
    let folder = Folder::new();
    let (n, columns) = (sample.n(), sample.rhs.len() / sample.n());
    let (a, b, x) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()), folder.path("x.mtx"));
    let arguments = ["solve", &a, &b, "-o", &x, "--precision", precision, "--json"];
    let outcome = trisolve(&[&arguments[..], &way(algorithm)].concat()).solved();
    sample.check(&read_array(&x, n, columns), precision);
    let report = outcome.json();
    let structure = report["structure"].as_str().expect("a name");
    assert!(structure.ends_with("tridiagonal") && !structure.contains("cyclic"), "{structure}");
    assert_eq!(report["rows"], n);
    assert_eq!(report["columns"], columns);
    assert_eq!(report["precision"], precision);
    assert_eq!(report["iterations"], Value::Null);
    assert!(report["solve_us"].as_f64().is_some_and(|time| time > 0.0), "{report}");
    let limit = if precision == "f32" { 1e-5 } else { 1e-13 };
    assert!(report["relative_residual"].as_f64().is_some_and(|residual| residual <= limit), "{report}");
    assert_eq!(report["place"], if algorithm == "cpu" { "cpu" } else { "device" });
    let named = report["algorithm"].as_str().expect("a name").to_owned();
    match algorithm {
        "auto" => assert!(named != "scan" && ALGORITHMS.contains(&named.as_str()), "{named}"),
        "cpu" => assert!(named.starts_with("cpu"), "{named}"),
        _ => assert_eq!(named, algorithm),
    }
    assert_eq!(folder.names(), ["a.mtx", "b.mtx", "x.mtx"]);
}
