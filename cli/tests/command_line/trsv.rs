//! `trisolve trsv`, and `trisolve solve` with triangular matrices.

use super::draw::some;
use super::support::{Folder, random, trisolve, way};

/// 2 x0 = 2; x0 + 4 x1 = 9; -x0 + x2 = 2.
const LOWER: &str = "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n2 1 1\n2 2 4\n3 1 -1\n3 3 1\n";

const TENTHS: &str = "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n2 1 0.1\n2 2 1e-9\n3 1 0.3\n3 3 1\n";

fn rhs(values: [f64; 3]) -> String {
    format!("%%MatrixMarket matrix array real general\n3 1\n{}\n{}\n{}\n", values[0], values[1], values[2])
}

#[test]
fn both_triangles_transposed_or_not_by_every_algorithm() {
    let folder = Folder::new();
    let lower = folder.file("l.mtx", LOWER);
    let both = folder.file("both.mtx", LOWER.replace("3 3 5", "3 3 6") + "1 3 7\n");
    let b = folder.file("b.mtx", rhs([2.0, 9.0, 2.0]));
    // The transposed system: 2 x0 + x1 - x2 = 2 + 2 - 3, 4 x1 = 8, x2 = 3.
    let transposed = folder.file("bt.mtx", rhs([1.0, 8.0, 3.0]));
    let x = folder.path("x.mtx");
    for algorithm in some(&mut random(), &["auto", "single", "launch-synced", "chained", "cpu"], 2) {
        for (arguments, verb) in [
            (&[&lower[..], &b][..], "trsv"),
            (&[&lower, &b], "solve"),
            (&[&both, &b, "--uplo", "lower"], "trsv"),
            (&[&lower, &transposed, "--trans", "t", "--precision", "f64"], "trsv"),
        ] {
            let own = verb == "trsv" || ["auto", "cpu"].contains(&algorithm);
            let algorithm = if own { algorithm } else { "auto" };
            let arguments = [&[verb][..], arguments, &["-o", &x, "--json"], &way(algorithm)].concat();
            let report = trisolve(&arguments).solved().json();
            assert_eq!(report["structure"], "triangular");
            assert_eq!(report["backward_error"], 0.0);
            let text = std::fs::read_to_string(&x).unwrap();
            let found: Vec<f64> = text.lines().skip(2).map(|line| line.parse().unwrap()).collect();
            assert_eq!(found, [1.0, 2.0, 3.0]);
        }
    }
    // --diag unit takes the diagonal as ones.
    let zero = folder.file("zero.mtx", LOWER.replace("2 2 4", "2 2 0"));
    let report = trisolve(&["trsv", &zero, &b, "--diag", "unit", "-o", &x, "--json"]).solved().json();
    assert_eq!((report["rows"].as_u64(), report["columns"].as_u64()), (Some(3), Some(1)));
    assert!(std::fs::read_to_string(&x).unwrap().ends_with("\n2e0\n7e0\n4e0\n"));
}

/// Two columns of four rows: a supernode, forward and backward.
#[test]
fn trapezoids() {
    let folder = Folder::new();
    let matrix = folder.file(
        "s.mtx",
        "%%MatrixMarket matrix coordinate real general\n4 2 6\n1 1 2\n2 1 1\n3 1 3\n2 2 4\n3 2 1\n4 2 5\n",
    );
    let column = |values: [f64; 4]| {
        let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
        format!("%%MatrixMarket matrix array real general\n4 1\n{lines}")
    };
    let (b, back) =
        (folder.file("b.mtx", column([4.0, 6.0, 7.0, 6.0])), folder.file("t.mtx", column([12.0, 9.0, 4.0, 1.0])));
    let x = folder.path("x.mtx");
    let algorithm = some(&mut random(), &["auto", "launch-synced", "chained", "cpu"], 1)[0];
    for (right, trans, expected) in [(&b, "n", [2.0, 1.0, 0.0, 1.0]), (&back, "t", [0.0, 0.0, 4.0, 1.0])] {
        let arguments = ["trsv", &matrix, right, "--trapezoid", "--trans", trans];
        let report = trisolve(&[&arguments[..], &["-o", &x, "--json"], &way(algorithm)].concat()).solved().json();
        assert_eq!(report["structure"], "trapezoid");
        let text = std::fs::read_to_string(&x).unwrap();
        let found: Vec<f64> = text.lines().skip(2).map(|line| line.parse().unwrap()).collect();
        assert_eq!(found, expected, "{algorithm} {trans}");
    }
    // Without right-hand sides, x is ones.
    trisolve(&["trsv", &matrix, "--trapezoid", "--place", "cpu"]).solved();
    trisolve(&["trsv", &matrix]).failed(2, &["4 x 2", "square"]);
    trisolve(&["trsv", &matrix, "--trapezoid", "--algorithm", "single"]).failed(2, &["single", "chained"]);
    let wide = folder.file("wide.mtx", LOWER.replace("3 3 5", "3 4 5"));
    trisolve(&["trsv", &wide, "--trapezoid"]).failed(2, &["3 x 4", "1 to 3 columns"]);
    trisolve(&["trsv", &matrix, "--trapezoid", "--uplo", "upper"]).failed(2, &["upper", "--uplo lower"]);
    trisolve(&["trsv", &matrix]).failed(2, &["--trapezoid"]);
}

/// The order of events, the times of dispatches, and trapezoids, as `benches/papers.sh trsv` measures them.
#[test]
fn what_the_papers_page_measures() {
    let folder = Folder::new();
    let csv = folder.path("trace.csv");
    let policy = ["--policy", "block=32,threads=128"];
    let trace = ["trace", "triangular", "--rows", "100", "--csv", &csv];
    let outcome = trisolve(&[&trace[..], &policy].concat()).solved();
    assert!(outcome.stdout.contains("4 block rows"), "{}", outcome.stdout);
    let text = std::fs::read_to_string(&csv).unwrap();
    assert!(
        text.starts_with("rows,precision,block_row,start,first_wait_over,products,end,waits,begun,at_once,"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 5);
    trisolve(&["trace", "triangular", "--rows", "0"]).failed(2, &["--rows", "at least 1"]);

    let bench =
        ["bench", "triangular", "--rows", "100", "--runs", "1", "--warm-up", "0", "--algorithm", "launch-synced"];
    let steps = ["--policy", "block=32,threads=64,rows=2", "--stages-csv", &csv];
    trisolve(&[&bench[..], &steps].concat()).solved();
    let text = std::fs::read_to_string(&csv).unwrap();
    // An inversion, then a solve and a subtraction, then a solve.
    let kernels: Vec<_> = text.lines().skip(1).filter_map(|line| line.split(',').nth(7)?.split(' ').next()).collect();
    assert_eq!(kernels, ["launch_invert", "launch_solve", "launch_subtract", "launch_solve"]);
    // Two of four block rows have stored columns: the other two are not solved.
    trisolve(&[&bench[..], &steps, &["--stored", "50"]].concat()).solved();
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 4);
    trisolve(&[&bench[..], &["--stored", "50", "--batch", "2"]].concat()).failed(2, &["--stored 50", "--batch"]);
    trisolve(&["bench", "quasi", "--rows", "100", "--stages-csv", &csv]).failed(2, &["--stages-csv"]);
}

#[test]
fn what_is_wrong_is_named() {
    let folder = Folder::new();
    let lower = folder.file("l.mtx", LOWER);
    let both = folder.file("both.mtx", LOWER.replace("3 3 5", "3 3 6") + "1 3 7\n");
    let zero = folder.file("zero.mtx", LOWER.replace("2 2 4", "2 2 0"));
    let large = folder.file("large.mtx", LOWER.replace("2 1 1", "2 1 1e39"));
    let wide = folder.file("wide.mtx", LOWER.replace("3 3 5", "3 4 5"));
    let two = folder.file("two.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
    let growing = folder.file("growing.mtx", LOWER.replace("1 1 2", "1 1 1e-30").replace("2 2 4", "2 2 1e-30"));
    let lost = folder.file("lost.mtx", LOWER.replace("2 2 4", "2 2 1e-50"));
    // x[2] is the difference of two tenths, which f32 rounds, over 1e-9.
    let tenths = folder.file("tenths.mtx", TENTHS);
    let sums = folder.file("sums.mtx", rhs([1.0, 0.100_000_01, 1.0]));
    let b = folder.file("b.mtx", rhs([2.0, 9.0, 2.0]));
    for (code, arguments, says) in [
        (2, &["trsv", &both][..], &["--uplo"][..]),
        (1, &["trsv", &zero], &["zero.mtx", "0 in row 2", "--diag unit"]),
        (1, &["trsv", &zero, "--place", "cpu"], &["0 in row 2"]),
        (2, &["trsv", &lost], &["entry (2, 2)", "below the range", "--precision f64"]),
        (1, &["trsv", &tenths, &sums], &["rounding", "cond(A, x)", "--precision f64"]),
        (2, &["trsv", &large], &["entry (2, 1)", "--precision f64"]),
        (2, &["trsv", &wide], &["3 x 4"]),
        (2, &["trsv", &lower, &two], &["2 rows"]),
        (1, &["trsv", &growing, &b], &["row 2", "--precision f64"]),
        (2, &["trsv", &lower, "--algorithm", "partition"], &["launch-synced"]),
        (
            2,
            &["trsv", &lower, "--algorithm", "chained", "--policy", "block=32,threads=512"],
            &["--policy", "64 or 128"],
        ),
        (2, &["trsv", &lower, "--algorithm", "chained", "--policy", "blocks=32"], &["--policy", "block"]),
        (2, &["trsv", &lower, "--policy", "block=32"], &["--policy", "auto takes single", "--algorithm"]),
        (2, &["trsv", &wide, "--uplo", "lower"], &["3 x 4"]),
        (2, &["trsv", &lower, "--place", "cpu", "--policy", "block=32"], &["--policy"]),
        (2, &["solve", &lower, "--algorithm", "thomas"], &["triangular", "trisolve trsv"]),
    ] {
        trisolve(arguments).failed(code, says);
    }
}

pub fn the_model_is_fitted_and_drawn() {
    let folder = Folder::new();
    let (plot, csv) = (folder.path("model.svg"), folder.path("model.csv"));
    let sizes = "16,32,48,64,80,96,112,128";
    let files = ["--plot", &plot, "--csv", &csv];
    let outcome = trisolve(&[&["model", "--rows", sizes, "triangular"][..], &files].concat()).solved();
    assert!(outcome.stdout.contains("block rows at once"), "{}", outcome.stdout);
    assert!(std::fs::read_to_string(&plot).unwrap().contains("</svg>"));
    let mut reader = csv::Reader::from_path(&csv).unwrap();
    let rows: Vec<_> = reader.records().map(|record| record.unwrap()[0].to_owned()).collect();
    assert_eq!(rows.join(","), sizes);
    trisolve(&["model", "triangular", "--rows", "16,32"]).failed(2, &["8 sizes"]);
    trisolve(&["model", "triangular", "--policy", "groups=1"]).failed(2, &["--policy", "chained"]);
}

pub fn tuning() {
    let folder = Folder::new();
    let table = folder.path("table.json");
    let quick = ["tune", "triangular", "--quick", "--precision", "f32"];
    let own = ["--algorithm", "single", "--seconds", "5", "-o", &table];
    trisolve(&[&quick[..], &own].concat()).solved();
    assert!(std::fs::read_to_string(&table).unwrap().contains("\"triangular single\""));
    trisolve(&[&quick[..], &["--algorithm", "partition", "-o", &table]].concat()).failed(2, &["single", "chained"]);
    trisolve(&[&quick[..], &["--algorithm", "auto", "-o", &table]].concat()).failed(2, &["single is not among"]);
}

/// The sum of a row loses its 1e-17, which determines an unknown.
#[test]
fn rounding_a_times_ones_counts() {
    let folder = Folder::new();
    let head = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 0.3\n2 2 ";
    let (lost, kept) = (folder.file("a.mtx", format!("{head}1e-17\n")), folder.file("b.mtx", format!("{head}1e-9\n")));
    trisolve(&["trsv", &lost, "--precision", "f64", "--place", "cpu"])
        .failed(1, &["A times ones", "a right-hand side"]);
    let report = trisolve(&["trsv", &kept, "--precision", "f64", "--place", "cpu", "--json"]).solved().json();
    assert!(report["forward_error"].as_f64().unwrap() > 1e-9, "{report}");
}

/// Numbers below the normal range of f32 lose more than a unit of roundoff.
#[test]
fn rounding_to_subnormal_numbers_counts() {
    let folder = Folder::new();
    let diagonal = |entries: &[f64]| -> String {
        let n = entries.len();
        let lines: String =
            entries.iter().enumerate().map(|(at, entry)| format!("{0} {0} {entry:e}\n", at + 1)).collect();
        format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {n}\n{lines}")
    };
    let column = |values: &[f64]| -> String {
        let lines: String = values.iter().map(|value| format!("{value:e}\n")).collect();
        format!("%%MatrixMarket matrix array real general\n{} 1\n{lines}", values.len())
    };
    for (entries, rhs, least) in [
        (&[3e-44][..], &[1e-10][..], 1e-2),
        (&[1e38, 1e-30], &[1.0, 3e-44], 1e-2),
        (&[1e9, 2e-38], &[1.0, 1.00001e-41], 2e-5),
        // Unknowns that vanish beside larger ones do not count.
        (&[1.0, 1.0], &[1.0, 3e-60], 0.0),
    ] {
        let (a, b) = (folder.file("a.mtx", diagonal(entries)), folder.file("b.mtx", column(rhs)));
        for place in ["device", "cpu"] {
            let report = trisolve(&["trsv", &a, &b, "--place", place, "--json"]).solved().json();
            let error = report["forward_error"].as_f64().unwrap();
            assert!(error >= least && error <= 10.0 * least + 1e-6, "{entries:?}: {report}");
        }
    }
}
