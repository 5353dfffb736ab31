//! The other verbs, and the program as a whole.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use rand::Rng;
use serde_json::Value;
use trisolve::cpu;

use super::draw::some;
use super::support::*;
use super::{filter, p_scheme, quasi};

#[cfg(target_os = "linux")]
#[test]
fn without_any_adapter_the_cpu_still_solves() {
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 17, 2, false);
    let (a, b, x) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()), folder.path("x.mtx"));
    // More rows than the crossover: the program looks for a device first.
    let large = Sample::new(&mut random(), 270_000, 1, false);
    let large = folder.file("large.mtx", large.matrix());
    for without in [without_adapters, without_loader] {
        for arguments in [
            &["devices"][..],
            &["check"],
            &["check", "--json"],
            &["bench", "tridiagonal", "--rows", "16"],
            &["tune", "-o", &x],
        ] {
            let outcome = without(arguments);
            // They have no such option.
            assert!(!outcome.stderr.contains("--place"), "{}", outcome.stderr);
            outcome.failed(2, &["no GPU adapter found", "mesa-vulkan-drivers"]);
        }
        without(&["solve", &a, &b, "-o", &x, "--place", "device"])
            .failed(2, &["no GPU adapter found", "mesa-vulkan-drivers", "--place cpu"]);
        let outcome = without(&["devices", "--json"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, "[]\n"));
        assert!(!Path::new(&x).exists());
        for precision in ["f32", "f64"] {
            let options = ["--precision", precision, "--json"];
            let outcome = without(&[&["solve", &a, &b, "-o", &x], &options[..]].concat()).solved();
            sample.check(&read_array(&x, 17, 2), precision);
            fs::remove_file(&x).expect("the solution");
            assert_eq!((&outcome.json()["place"], &outcome.json()["adapter"]), (&"cpu".into(), &"cpu".into()));
        }
        let said = without(&["solve", &large]).solved().stderr;
        assert!(said.contains("in f32 on cpu"), "{said}");
    }
}

/// Where the user names the file, once.
#[test]
fn a_file_of_kernels_that_cannot_be_written_is_reported() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 9, 1, false).matrix());
    let told = |file: &str| {
        let mut command = command(&["solve", &a, "--algorithm", "thomas"]);
        command.env("TRISOLVE_KERNELS", file);
        run(command).solved().stderr
    };
    let file = folder.path("kernels");
    let told_of_file = told(&file);
    assert!(!told_of_file.contains("warning"), "{told_of_file}");
    if !Path::new(&file).exists() {
        println!("left out: the adapter has no pipeline caches");
        return;
    }
    let told_of_folder = told(&folder.0.path().display().to_string());
    let is_warning = |line: &&str| line.starts_with("trisolve: warning: compiled kernels are not written");
    assert_eq!(told_of_folder.lines().filter(is_warning).count(), 1, "{told_of_folder}");
}

/// Each family, by default, on the device and on the CPU; `--device` is the device.
#[test]
fn places() {
    let folder = Folder::new();
    let numbers = "1\n0.5\n0.25\n";
    let [tridiagonal, vector, triangle] = [
        folder.file("a.mtx", Sample::new(&mut random(), 9, 1, false).matrix()),
        folder.file("x.txt", numbers),
        folder.file("l.txt", "1 0\n2 1\n"),
    ];
    let families = [
        &["solve", &tridiagonal][..],
        &["trsv", &triangle],
        &["recur", "--s", &vector, "--t", &vector],
        &["filter", &vector, "--b", "1", "--a", "1,-0.5"],
    ];
    let device = trisolve(&["devices", "--json"]).solved().json()[0]["name"].as_str().expect("a name").to_owned();
    for family in some(&mut random(), &families, 2) {
        let place_of = |options: &[&str]| {
            let report = trisolve(&[family, options, &["--json"]].concat()).solved().json();
            assert_eq!(report["adapter"] == "cpu", report["place"] == "cpu", "{report}");
            report["place"].clone()
        };
        assert_eq!(place_of(&[]), "cpu");
        assert_eq!(place_of(&["--place", "fastest"]), "cpu");
        assert_eq!(place_of(&["--place", "cpu"]), "cpu");
        assert_eq!(place_of(&["--place", "device"]), "device");
        assert_eq!(place_of(&["--device", &device]), "device");
        let refused = |options: &[&str], parts: &[&str]| trisolve(&[family, options].concat()).failed(2, parts);
        refused(&["--place", "cpu", "--device", &device], &["--device", "--place cpu"]);
        refused(&["--place", "moon"], &["fastest, device, cpu"]);
        refused(&["--algorithm", "cpu"], &["--place cpu"]);
        let named = if family[0] == "trsv" { "chained" } else { "three-launch" };
        let named = if family[0] == "solve" { "partition" } else { named };
        assert_eq!(place_of(&["--algorithm", named]), "device");
        refused(&["--place", "cpu", "--algorithm", named], &["--algorithm", named, "--place cpu"]);
        let told = trisolve(&[family, &["--place", "device"]].concat()).solved().stderr;
        let is_software = trisolve(&["devices", "--json"]).solved().json()[0]["kind"] == "Cpu";
        assert_eq!(told.contains("--place cpu solves faster"), is_software, "{told}");
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
            "missing",
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
    // --device takes a part of the name, in upper or lower case.
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    let part = name.split_whitespace().next().expect("a word").to_uppercase();
    let report = trisolve(&["solve", &a, "--device", &part, "--json"]).solved().json();
    assert!(devices.iter().any(|device| device["name"] == report["adapter"]), "{report}");
}

/// Two algorithms with few kernels; the library's tests sweep over all.
#[test]
fn the_check_says_what_passed() {
    for algorithm in some(&mut random(), &["thomas", "moebius"], 1) {
        let check = ["check", "--precision", "f32", "--every", "900", "--algorithm", algorithm, "--json"];
        let report = trisolve(&check).solved().json();
        assert_eq!(report["failed"], 0, "{report}");
        assert_eq!(report["failures"], Value::Array(vec![]));
        assert!(report["cases"].as_u64().is_some_and(|cases| cases > 5), "{report}");
        assert!(report["kernels"].as_u64().is_some_and(|kernels| kernels > 5), "{report}");
        let groups = report["groups"].as_object().expect("groups");
        assert!(groups.keys().all(|name| name.starts_with(&format!("f32 {algorithm} "))), "{report}");
        assert!(groups.values().all(|group| group["cases"].as_u64() > Some(0)), "{report}");
    }
}

/// Each takes long: two per run.
#[test]
fn two_of_the_benches() {
    let all = [
        bench_of_tridiagonal_systems as fn(),
        bench_of_recurrences,
        bench_of_host_solves,
        filter::bench,
        quasi::bench,
        p_scheme::bench_takes_policies,
        p_scheme::the_papers_evaluation,
        p_scheme::on_the_hosts_cores,
    ];
    for bench in some(&mut random(), &all, 2) {
        bench();
    }
}

fn bench_of_tridiagonal_systems() {
    let folder = Folder::new();
    let csv = folder.path("bench.csv");
    let sweep = ["--rows", "2^10", "--batch", "1,3", "--layout", "contiguous,interleaved"];
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
        for (rows, batch) in [(1024.0, 1.0), (1024.0, 3.0)] {
            let case = (layout.to_owned(), rows, batch);
            assert_eq!(cases.iter().filter(|&found| *found == case).count(), 1, "{case:?}");
        }
    }
    assert_eq!(cases.len(), 4);
    assert_eq!(outcome.stdout.lines().filter(|line| line.starts_with("| auto")).count(), 4, "{}", outcome.stdout);
    // (-1 2 -1): the solution stays small, so the residual is a matter of rounding in every layout.
    let sweep = ["--entries", "poisson", "--algorithm", "cr", "--rows", "1000", "--batch", "3"];
    let layouts = ["--layout", "contiguous,interleaved"];
    trisolve(&[&["bench", "tridiagonal"], &sweep[..], &layouts, &quick].concat()).solved();
    let mut reader = csv::Reader::from_path(&csv).expect("the CSV");
    let records: Vec<_> = reader.records().map(|record| record.expect("a row")).collect();
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!(&record[1], "cr, poisson");
        assert!((0.0..1e-6).contains(&record[13].parse::<f64>().expect("a residual")), "{record:?}");
    }
}

fn bench_of_recurrences() {
    let folder = Folder::new();
    let csv = folder.path("bench.csv");
    let sweep = ["--rows", "5000", "--batch", "2", "--algorithm", "one-pass,three-launch"];
    let quick = ["--coefficients", "both,constant-s,computed,case-m", "--runs", "1", "--warm-up", "0", "--csv", &csv];
    trisolve(&[&["bench", "recurrence"], &sweep[..], &quick].concat()).solved();
    let mut reader = csv::Reader::from_path(&csv).expect("the CSV");
    let records: Vec<_> = reader.records().map(|record| record.expect("a row")).collect();
    assert_eq!(records.len(), 8);
    for record in records {
        assert!(record[0].starts_with("recurrence"), "{record:?}");
        assert!((0.0..1e-6).contains(&record[13].parse::<f64>().expect("a residual")), "{record:?}");
    }
    let sweep = ["--rows", "1000", "--batch", "2", "--moebius", "--layout", "contiguous,interleaved"];
    let quick = ["--runs", "1", "--warm-up", "0", "--csv", &csv];
    trisolve(&[&["bench", "recurrence"], &sweep[..], &quick].concat()).solved();
    let mut reader = csv::Reader::from_path(&csv).expect("the CSV");
    let records: Vec<_> = reader.records().map(|record| record.expect("a row")).collect();
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!((&record[0], &record[1]), ("moebius recurrence", "moebius"), "{record:?}");
        assert!((0.0..1e-6).contains(&record[13].parse::<f64>().expect("a residual")), "{record:?}");
    }
    for arguments in [
        &["--algorithm", "partition"][..],
        &["--coefficients", "none"],
        &["--policy", "rows=8"],
        &["--moebius", "--algorithm", "one-pass"],
    ] {
        trisolve(&[&["bench", "recurrence", "--rows", "16"], arguments].concat()).failed(2, &[]);
    }
}

/// Single systems of two sizes, and a batch of each size.
fn bench_of_host_solves() {
    let folder = Folder::new();
    let (csv, plot) = (folder.path("host.csv"), folder.path("host.svg"));
    let mut random = random();
    let sizes = [random.random_range(1..200), random.random_range(200..3000)];
    let precision = if random.random() { "f32" } else { "f64,f32" };
    let rows = sizes.map(|rows| rows.to_string()).join(",");
    let sweep = ["bench", "host", "--rows", &rows, "--batch", "1,3", "--precision", precision];
    let quick = ["--runs", "1", "--warm-up", "0", "--csv", &csv, "--plot", &plot];
    let Outcome { stdout: table, stderr, .. } = trisolve(&[&sweep[..], &quick].concat()).solved();
    for part in ["| loop", "| device, factored", "ns per row", "f32: the device is", "f32, 3 systems: the device is"] {
        assert!(table.contains(part), "{part:?} is not in {table}");
    }
    let mut reader = csv::Reader::from_path(&csv).expect("the CSV");
    let header =
        "family,way,precision,rows,batch,median_us,min_us,ns_per_row,difference,upload,cores,processor,adapter";
    assert_eq!(reader.headers().expect("a header").iter().collect::<Vec<_>>().join(","), header);
    let records: Vec<_> = reader.records().map(|record| record.expect("a row")).collect();
    // One call solves single systems only.
    let of = |precision| records.iter().filter(|record| &record[2] == precision).count();
    assert_eq!(of("f32"), 2 * 8 + 2 * 7);
    // Adapters without f64 skip it.
    let expected = if precision == "f32" || stderr.contains("skipped f64") { 0 } else { of("f32") };
    assert_eq!(of("f64"), expected, "{stderr}");
    for record in &records {
        let number = |at: usize| record[at].parse::<f64>().unwrap_or_else(|_| panic!("{at} of {record:?}"));
        let [rows, batch, median, min, per_row] = [3, 4, 5, 6, 7].map(number);
        assert!(0.0 < min && min <= median, "{record:?}");
        assert!((per_row * rows * batch - median * 1e3).abs() <= 1e-6 * median * 1e3, "{record:?}");
        assert_eq!(["write_buffer", "staging"].contains(&&record[9]), &record[1] == "bus", "{record:?}");
        let is_transfer = record[1].starts_with("bus");
        assert!(is_transfer || (0.0..1e-5).contains(&number(8)), "{record:?}");
    }
    let drawn = fs::read_to_string(&plot).expect("the chart");
    for part in ["device, factored", "single systems", "3 systems", "</svg>"] {
        assert!(drawn.contains(part), "{part:?} is not in {drawn}");
    }
    let bench = ["bench", "host", "--runs", "1", "--warm-up", "0"];
    let outcome = trisolve(&[&bench[..], &["--rows", "64,2^40"]].concat()).solved();
    assert!(outcome.stderr.contains("skipped f32 1099511627776 x 1"), "{}", outcome.stderr);
    trisolve(&[&bench[..], &["--rows", "64", "--plot", &plot]].concat()).failed(2, &["--plot", "--rows"]);
    trisolve(&[&bench[..], &["--rows", "64", "--stages"]].concat()).failed(2, &["--stages"]);
    trisolve(&[&bench[..], &["--rows", "2^40"]].concat()).failed(2, &["no case could be measured"]);
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
    let tpr = ["bench", "tridiagonal", "--rows", "16", "--algorithm", "tpr", "--policy", "slice=8", "--stability"];
    trisolve(&[&tpr[..], &["stable"]].concat()).failed(2, &["slices of 8 rows", "2048"]);
    let stable = ["bench", "tridiagonal", "--rows", "16", "--algorithm", "cr", "--stability", "stable"];
    trisolve(&stable).failed(2, &["--stability", "tpr"]);
    // An impossible shape does not end a sweep.
    let sweep = ["bench", "tridiagonal", "--rows", "16,2^40", "--batch", "2^30,1", "--runs", "1"];
    let outcome = trisolve(&sweep).solved();
    assert!(outcome.stderr.contains("more entries than an address can say"), "{}", outcome.stderr);
    let csv = folder.path("no/folder/bench.csv");
    trisolve(&["bench", "tridiagonal", "--rows", "16", "--csv", &csv]).failed(2, &[&csv]);
    for arguments in [
        &["bench"][..],
        &["bench", "pentadiagonal"],
        &["bench", "tridiagonal", "--layout", "diagonal"],
        &["bench", "tridiagonal", "--place", "cpu"],
        &["bench", "tridiagonal", "--precision", "f16"],
        &["bench", "tridiagonal", "--device", "no such device"],
        &["bench", "tridiagonal", "--rows", "16", "--runs", "0"],
        &["bench", "tridiagonal", "--rows", "16", "--warm-up", "nan"],
        &["check", "--algorithm", "lu"],
        &["check", "--precision", "f16"],
        &["check", "--device", "no such device"],
    ] {
        trisolve(arguments).failed(2, &[]);
    }
}

/// Shapes too large for any device: a message, no panic.
#[test]
fn bench_says_what_does_not_fit() {
    for (rows, batch) in [("2^40", "1"), ("1", "2^40"), ("2^62", "1"), ("2^63", "4"), ("2^33", "2^33")] {
        let outcome = trisolve(&["bench", "tridiagonal", "--warm-up", "0.01", "--rows", rows, "--batch", batch]);
        assert!([0, 2].contains(&outcome.code), "{rows} x {batch}: {} {}", outcome.code, outcome.stderr);
        assert!(!outcome.stderr.contains("panicked"), "{rows} x {batch}: {}", outcome.stderr);
        assert!(outcome.stderr.lines().any(|line| line.starts_with("skipped") || line.starts_with("trisolve:")));
    }
}

/// The shipped files agree with their comments, and their solution is the temperatures.
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

    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
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

/// The program contains its shaders: it runs in any folder, without the sources.
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
