//! `trisolve solve`, `generate`, `bench` and `tune` with quasi-tridiagonal systems.

use super::draw::some;
use super::support::{Folder, random, trisolve, way};

/// A convection-diffusion system in two files, and its solution.
fn exported(folder: &Folder, more: &[&str]) -> [String; 3] {
    let [a, b, x] = ["a.mtx", "b.mtx", "x.mtx"].map(|name| folder.path(name));
    let generate = ["generate", &a, &b, &x, "--system", "convection-diffusion", "--grid", "40x30"];
    trisolve(&[&generate[..], more].concat()).solved();
    [a, b, x]
}

/// The numbers of an array file.
fn numbers(path: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(2).map(|line| line.parse().unwrap()).collect()
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::hypot)
}

#[test]
fn an_exported_matrix_agrees_with_a_sparse_direct_solver() {
    let folder = Folder::new();
    let mut random = random();
    let named = ["hisa", "bhisa", "jacobi", "gauss-seidel", "gmres", "bicg", "bicgstab", "tfqmr", "cpu"];
    for line in ["x", "y"] {
        let [a, b, x] = exported(&folder, &["--velocity", "2,-1", "--loss", "0.5", "--line", line]);
        // By columns, as rsparse takes them.
        let text = std::fs::read_to_string(&a).unwrap();
        let mut triplets = rsparse::data::Trpl::new();
        for entry in text.lines().skip(2) {
            let words: Vec<_> = entry.split(' ').collect();
            let [row, column] = [words[0], words[1]].map(|word| word.parse::<usize>().unwrap() - 1);
            triplets.append(row, column, words[2].parse::<f64>().unwrap());
        }
        let mut matrix = rsparse::data::Sprs::new();
        matrix.from_trpl(&triplets);
        let mut direct = numbers(&b);
        rsparse::lusol(&matrix, &mut direct, 1, 1e-3).unwrap();
        let apart = |values: &[f64]| {
            norm(values.iter().zip(&direct).map(|(ours, theirs)| ours - theirs)) / norm(direct.iter().copied())
        };
        assert!(apart(&numbers(&x)) < 1e-12);
        let found = folder.path("found.mtx");
        // Each run takes some of them.
        for algorithm in ["auto"].into_iter().chain(some(&mut random, &named, 3)) {
            let solve = ["solve", &a, &b, "-o", &found, "--precision", "f64"];
            let options = ["--tolerance", "1e-9", "--json"];
            let report = trisolve(&[&solve[..], &options, &way(algorithm)].concat()).solved().json();
            assert_eq!(report["structure"], "quasi-tridiagonal");
            assert_eq!(report["outcome"], "converged");
            assert!(report["relative_residual"].as_f64().unwrap() <= 1e-9, "{algorithm}");
            // The condition number of the matrix is some hundred.
            let apart = apart(&numbers(&found));
            assert!(apart < 1e-7, "{algorithm}: {apart:e}");
        }
        let options = ["--algorithm", "bicrstab", "--preconditioner", "jacobi", "--mixed", "--precision", "f64"];
        trisolve(&[&["solve", &a, &b, "-o", &found][..], &options].concat()).solved();
        assert!(apart(&numbers(&found)) < 1e-5);
    }
}

/// A matrix with 4 on the diagonal and -1 next to it and at distance 5, all times `scale`; and columns of right-hand sides.
fn scaled(folder: &Folder, scale: f64, columns: &[f64]) -> [String; 2] {
    let mut entries = vec![];
    for row in 0..40usize {
        entries.push(format!("{} {} {:e}\n", row + 1, row + 1, 4.0 * scale));
        for column in [row.wrapping_sub(1), row + 1, row + 5].into_iter().filter(|&column| column < 40) {
            entries.push(format!("{} {} {:e}\n", row + 1, column + 1, -scale));
        }
    }
    let matrix =
        format!("%%MatrixMarket matrix coordinate real general\n40 40 {}\n{}", entries.len(), entries.concat());
    let values: String = columns.iter().flat_map(|value| (0..40).map(move |_| format!("{value:e}\n"))).collect();
    let rhs = format!("%%MatrixMarket matrix array real general\n40 {}\n{values}", columns.len());
    [folder.file("scaled.mtx", matrix), folder.file("scaled_rhs.mtx", rhs)]
}

#[test]
fn solutions_that_leave_the_range_are_no_solutions() {
    let folder = Folder::new();
    let output = folder.path("x.mtx");
    for algorithm in some(&mut random(), &["auto", "hisa", "jacobi", "bicgstab", "gmres"], 2) {
        let solve = |[a, b]: [String; 2], more: &[&str]| {
            let common = ["solve", &a, &b, "-o", &output, "--algorithm", algorithm];
            trisolve(&[&common[..], more].concat())
        };
        solve(scaled(&folder, 1e-20, &[1e25]), &[]).failed(1, &["range of f32"]);
        solve(scaled(&folder, 1e20, &[1e-25]), &[]).failed(1, &["f32", "f64"]);
        solve(scaled(&folder, 1.0, &[1.0, 1e-50]), &[]).failed(2, &["f32"]);
        assert!(!std::path::Path::new(&output).exists());
        solve(scaled(&folder, 1e-20, &[1e15]), &[]).solved();
        solve(scaled(&folder, 1e200, &[1e-50]), &["--precision", "f64"]).solved();
        solve(scaled(&folder, 1e60, &[1.0]), &["--precision", "f64", "--mixed"]).failed(2, &["row 1", "--mixed"]);
        // A chart without points is no failure.
        solve(scaled(&folder, 1.0, &[0.0]), &["--plot", &folder.path("p.svg")]).solved();
        std::fs::remove_file(&output).unwrap();
    }
}

/// A cyclic matrix with 1 on the diagonal and this number at distance 3.
fn ring(rows: usize, beside: f64) -> String {
    let mut text = format!("%%MatrixMarket matrix coordinate real general\n{rows} {rows} {}\n", 2 * rows);
    for row in 0..rows {
        text += &format!("{} {} 1\n{} {} {beside}\n", row + 1, row + 1, row + 1, (row + 3) % rows + 1);
    }
    text
}

#[test]
fn what_does_not_converge_ends_with_its_reason() {
    let folder = Folder::new();
    let growing = folder.file("growing.mtx", ring(50, 2.0));
    let standing = folder.file("standing.mtx", ring(50, 1.0));
    let rhs: String = (0..50).map(|row| format!("{}\n", [1.0, -0.5, -0.5][row % 3])).collect();
    let rhs = folder.file("rhs.mtx", format!("%%MatrixMarket matrix array real general\n50 1\n{rhs}"));
    for algorithm in ["hisa", "bhisa", "jacobi"] {
        let solve = |file: &str, more: &[&str]| {
            trisolve(&[&["solve", file, &rhs, "--algorithm", algorithm][..], more].concat())
        };
        solve(&growing, &[]).failed(1, &["growing.mtx", algorithm, "diverged", "spectral radius", "bicgstab", "row 1"]);
        solve(&standing, &[]).failed(1, &["standing.mtx", algorithm, "stagnated"]);
        solve(&growing, &["--max-iterations", "3"]).failed(1, &["has not converged", "3 iterations"]);
    }
    // Auto solves it by GMRES, whose basis may be as large as the matrix.
    let small = folder.file("small.mtx", ring(25, 2.0));
    let short: String = (0..25).map(|row| format!("{}\n", [1.0, -0.5, 0.25][row % 3])).collect();
    let of_small = folder.file("of_small.mtx", format!("%%MatrixMarket matrix array real general\n25 1\n{short}"));
    let outcome = trisolve(&["solve", &small, &of_small]).solved();
    assert!(outcome.stderr.contains("gmres"), "{}", outcome.stderr);
    // A failed solve still prints the JSON object and draws the chart.
    let plot = folder.path("plot.svg");
    let outcome = trisolve(&["solve", &growing, &rhs, "--algorithm", "jacobi", "--json", "--plot", &plot]);
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.json()["outcome"], "diverged");
    // Elimination on the CPU, where the device would come to it too.
    let report = trisolve(&["solve", &growing, &rhs, "--place", "cpu", "--json"]).solved().json();
    assert_eq!([&report["outcome"], &report["algorithm"]], ["eliminated on the CPU", "cpu (elimination)"]);
    assert!(report["relative_residual"].as_f64() < Some(1e-6), "{report}");
    assert!(std::fs::read_to_string(&plot).unwrap().contains("relative residual"));
    let plot = folder.path("plot.PNG");
    trisolve(&["solve", &growing, &rhs, "--algorithm", "jacobi", "--plot", &plot]).failed(1, &["diverge"]);
    let png = std::fs::read(&plot).unwrap();
    assert_eq!((&png[..8], &png[12..16]), (&b"\x89PNG\r\n\x1a\n"[..], &b"IHDR"[..]));
    // A chart on stdout; the ending is refused before the files are read.
    let outcome = trisolve(&["solve", &growing, &rhs, "--algorithm", "jacobi", "--json", "--plot", "-"]);
    assert!(outcome.stdout.starts_with("<svg") && outcome.stderr.starts_with('{'), "{}", outcome.stderr);
    for (name, ending) in [("plot.jpg", ".jpg"), ("plot", "no ending")] {
        trisolve(&["solve", "missing.mtx", "--plot", name]).failed(2, &["--plot", ending, ".svg or .png"]);
    }
}

#[test]
fn refusals_of_iterations() {
    let folder = Folder::new();
    let [a, b, _] = exported(&folder, &[]);
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let tridiagonal = folder.file("t.mtx", format!("{header}2 2 2\n1 1 2\n2 2 2\n"));
    let no_diagonal = folder.file("d.mtx", format!("{header}4 4 6\n1 1 2\n1 4 1\n2 3 1\n3 2 1\n4 4 2\n4 1 1\n"));
    let empty = folder.file("e.mtx", format!("{header}4 4 5\n1 1 2\n1 4 1\n2 2 1\n4 4 2\n4 1 1\n"));
    let large = folder.file("l.mtx", format!("{header}4 4 5\n1 1 2e60\n1 4 1\n2 2 1\n3 3 1\n4 1 2\n"));
    for (code, arguments, parts) in [
        (2, &["solve", &tridiagonal, "--tolerance", "1e-3"][..], &["--tolerance", "tridiagonal"][..]),
        (2, &["solve", &a, &b, "--tolerance", "1e-12"], &["1e-12", "f32", "f64"]),
        (2, &["solve", &a, &b, "--tolerance", "1e-7", "--place", "cpu"], &["1e-7 is below", "f32", "f64"]),
        (2, &["solve", &a, &b, "--explain", "--place", "cpu"], &["--explain", "--place cpu"]),
        (2, &["solve", &a, &b, "--algorithm", "hisa", "--preconditioner", "jacobi"], &["preconditioner", "gmres"]),
        (2, &["solve", &a, &b, "--algorithm", "bicg", "--restart", "5"], &["restart", "gmres"]),
        (2, &["solve", &a, &b, "--mixed"], &["mixed", "f64"]),
        (2, &["solve", &a, &b, "--algorithm", "cr"], &["beside its three diagonals", "hisa"]),
        (2, &["solve", &a, &b, "--diagonal", "excess"], &["--diagonal excess"]),
        (2, &["solve", &a, &b, "--algorithm", "bhisa", "--policy", "block=65"], &["block=65"]),
        (2, &["solve", &a, &b, "--algorithm", "jacobi", "--policy", "block=64"], &["jacobi has no policy"]),
        (2, &["solve", &a, &b, "--algorithm", "jacobi", "--tridiagonal", "cr"], &["cr as the solver of T"]),
        (2, &["solve", &a, &b, "--algorithm", "gmres", "--stop", "step"], &["the step is a criterion of hisa"]),
        (2, &["solve", &a, &b, "--algorithm", "chained"], &["trisolve trsv"]),
        (1, &["solve", &no_diagonal, "--algorithm", "jacobi"], &["d.mtx", "row 2", "gmres"]),
        (1, &["solve", &empty], &["e.mtx", "row 3", "no entries"]),
        (2, &["solve", &large], &["l.mtx", "row 1", "f64"]),
        (2, &["generate", &folder.path("g.mtx"), "--system", "gas"], &["gas2000", "banded"]),
        (2, &["generate", &folder.path("g.mtx"), &folder.path("./g.mtx")], &["MATRIX", "RHS", "g.mtx", "another file"]),
        (2, &["generate", &folder.path("g.mtx"), "--grid", "10x10"], &["--grid", "convection-diffusion"]),
        (2, &["bench", "quasi", "--rows", "1000", "--stages"], &["--stages"]),
        (2, &["tune", "quasi", "--algorithm", "jacobi", "-o", &folder.path("t.json")], &["bhisa"]),
    ] {
        trisolve(arguments).failed(code, parts);
    }
}

pub fn bench() {
    let folder = Folder::new();
    let csv = folder.path("rows.csv");
    let methods = ["--algorithm", "hisa,auto,gmres", "--preconditioner", "jacobi", "--precision", "f32"];
    let brief = ["--runs", "1", "--warm-up", "0", "--lu", "5000", "--csv", &csv];
    let outcome = trisolve(&[&["bench", "quasi", "--system", "gas2000"][..], &methods, &brief].concat()).solved();
    for part in ["Gas2000", "hisa", "bhisa", "gmres", "sparse LU", "the paper's"] {
        assert!(outcome.stdout.contains(part), "{part} is not in {}", outcome.stdout);
    }
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 5);
}

#[test]
fn cores() {
    let folder = Folder::new();
    let csv = folder.path("rows.csv");
    let host = ["bench", "quasi-host", "--system", "gas2000", "--threads", "1,2", "--runs", "1", "--csv", &csv];
    let outcome = trisolve(&[&host[..], &["--lu", "5000"]].concat()).solved();
    for part in ["Gas2000", "hisa", "bicrstab", "sparse LU", "the paper's"] {
        assert!(outcome.stdout.contains(part), "{part} is not in {}", outcome.stdout);
    }
    // Nine methods by one thread, all but hisa by two, and the LU.
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 1 + 9 + 8 + 1);
    let unfinished = trisolve(&[&host[..], &["--max-iterations", "5", "--algorithm", "jacobi"]].concat());
    assert_eq!(unfinished.code, 1);
    assert!(unfinished.stderr.contains("Gas2000, jacobi: has not converged"), "{}", unfinished.stderr);
    trisolve(&["bench", "quasi-host", "--threads", "2", "--block", "0", "--algorithm", "bhisa"])
        .failed(2, &["--block"]);
    trisolve(&["bench", "quasi-host", "--threads", "2", "--algorithm", "hisa"]).failed(2, &["hisa", "--threads 1"]);
}

/// The format that `generate --help` describes.
#[test]
fn binary_files() {
    let folder = Folder::new();
    let [matrix, rhs] = ["a.bin", "b.bin"].map(|name| folder.path(name));
    trisolve(&["generate", &matrix, &rhs, "--system", "gas2000", "--binary"]).solved();
    let bytes = std::fs::read(&matrix).unwrap();
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let short = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (rows, entries) = (2000, 9989);
    assert_eq!((word(0), word(8)), (rows as u64, entries as u64));
    assert_eq!(bytes.len(), 16 + 4 * (rows + 1) + 12 * entries);
    assert_eq!((short(16), short(16 + 4 * rows)), (0, entries as u32));
    // Row 0 begins with its diagonal, then its neighbour.
    let columns = 16 + 4 * (rows + 1);
    assert_eq!((short(columns), short(columns + 4)), (0, 1));
    let diagonal = f64::from_le_bytes(bytes[columns + 4 * entries..][..8].try_into().unwrap());
    assert!((0.9..1.1).contains(&diagonal), "{diagonal}");
    assert_eq!(std::fs::read(&rhs).unwrap().len(), 8 * rows);
}

pub fn tuning() {
    let folder = Folder::new();
    let table = folder.path("table.json");
    // One at a time: on a busy machine, the first could take the seconds of both.
    for algorithm in ["hisa", "bhisa"] {
        let tune = ["tune", "quasi", "--quick", "--precision", "f32", "--seconds", "5", "-o", &table];
        trisolve(&[&tune[..], &["--algorithm", algorithm]].concat()).solved();
        let entry = format!("quasi-tridiagonal {algorithm}");
        assert!(std::fs::read_to_string(&table).unwrap().contains(&entry), "{entry}");
    }
}
