//! The accuracy tables.

use std::fs;

use super::draw::{all_cases, some};
use super::support::*;

/// Each takes long: one per run.
#[test]
fn one_of_the_tables() {
    for table in some(&mut random(), &[table_6 as fn(), table_7, table_rpts, figure_14], 1) {
        table();
    }
}

/// The error of a solver in a row of a table, as printed.
#[track_caller]
fn printed(text: &str, row: &str, solver: &str) -> f64 {
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let header = text.lines().find(|line| line.starts_with("| N") || line.starts_with("| matrix")).expect("a table");
    let at = cells(header).iter().position(|cell| cell == solver).expect("the solver's column");
    let of_row =
        |line: &&str| line.strip_prefix(&format!("| {row}")).is_some_and(|rest| rest.starts_with([' ', ',', ':']));
    let line = text.lines().find(of_row).expect("the row");
    cells(line)[at].parse().expect("an error")
}

/// It has the paper's Thomas, and no error of ours.
fn table_6() {
    let folder = Folder::new();
    let csv = folder.path("accuracy.csv");
    // The paper's f32 Thomas and TPR-fastest.
    let all = [("128", 2.1e-6, 1.4e-6), ("256", 5.7e-6, 0.0), ("512", 4.4e-5, 0.0), ("1024", 2.3e-4, 3.9e-7)];
    let sizes = &all[..if all_cases() { 4 } else { 2 }];
    let largest = sizes.last().expect("sizes").0;
    let outcome = trisolve(&["accuracy", "--table", "6", "--largest", largest, "--csv", &csv]).solved();
    // Thomas depends on f32 only; the paper prints two digits. Our solvers keep the bound of Poisson systems with 2^19 rows.
    for (n, paper, fastest) in sizes {
        let thomas = printed(&outcome.stdout, n, "Thomas sequential");
        assert!((thomas / paper - 1.0).abs() < 0.03, "{n}: {thomas:e}, in the paper {paper:e}");
        if *fastest > 0.0 {
            assert_eq!(printed(&outcome.stdout, n, "paper: TPR-fastest"), *fastest);
        }
        for solver in ["TPR-stable", "TPR-fastest", "WM", "partition", "CR", "PCR", "CR-PCR", "scan"] {
            assert!(printed(&outcome.stdout, n, solver) < 1e-6, "{solver} {n}: {}", outcome.stdout);
        }
        // One rounding per row and step, times the condition number, which is n^2 / 2.
        for solver in ["TPR-stable, classic", "TPR-fastest, classic"] {
            assert!(printed(&outcome.stdout, n, solver) < 1e-2, "{solver} {n}: {}", outcome.stdout);
        }
    }
    let rows = csv::Reader::from_path(&csv).expect("the CSV").into_records().count();
    // Three tables with twelve solvers; one of them has three columns of the paper.
    assert_eq!(rows, sizes.len() * (3 * 12 + 3));
    assert_eq!(outcome.stdout.matches(&format!("| {largest} ")).count(), 3);
}

/// It has sixteen matrices twice.
fn table_7() {
    let outcome = trisolve(&["accuracy", "--table", "7"]).solved();
    for number in 1..=16 {
        assert_eq!(outcome.stdout.matches(&format!("\n| {number} ")).count(), 2, "{}", outcome.stdout);
    }
    let (_, forward) = outcome.stdout.split_once("true solution").expect("the second table");
    // The dominant matrices: 2 and 6 have large diagonals, 13 is ill-conditioned. One rounding per row, all in one direction,
    // would be 3e-5.
    for row in ["2 Toeplitz", "6 Toeplitz", "7 inverse", "13 dorr"] {
        for solver in ["TPR-stable", "WM", "partition", "CR", "PCR", "CR-PCR", "Thomas, GPU, carried", "scan"] {
            let error = printed(forward, row, solver);
            assert!(error < 1e-5, "{solver}, {row}: {error:e}");
        }
    }
    assert!(printed(forward, "13 dorr", "Thomas sequential") > 0.1);
    // With row exchanges, the random matrices too.
    for row in ["1 entries", "2 Toeplitz", "3 lesp", "4 entries", "5 diagonal", "6 Toeplitz", "7 inverse", "12 entries"]
    {
        for solver in ["auto", "pivoting"] {
            let error = printed(forward, row, solver);
            assert!(error < 1e-4, "{solver}, {row}: {error:e}");
        }
    }
    // Matrices without random numbers, and the paper's table 9.
    for (row, condition) in [("3 lesp", 3.5e2), ("7 inverse", 9.0), ("15 clement", 4.4e77)] {
        assert_eq!(printed(&outcome.stdout, row, "condition"), condition, "{row}");
    }
    assert_eq!(printed(&outcome.stdout, "15 clement", "paper: condition"), 6.0e24);
}

/// It has the classic formulas first, then the device.
fn figure_14() {
    let outcome = trisolve(&["accuracy", "--table", "figure-14", "--largest", "1024"]).solved();
    assert_eq!(outcome.stdout.matches("\n| 2048 ").count(), 4, "{}", outcome.stdout);
    assert!(outcome.stdout.starts_with("Toeplitz -1 2 -1, solution ones, classic formulas"), "{}", outcome.stdout);
}

#[test]
fn tables_that_are_not_there_are_refused() {
    for arguments in [
        &["--table", "5"][..],
        &["--table", "seven"],
        &["--table", "7", "--precision", "f64"],
        &["--table", "8", "--precision", "f32"],
        &["--table", "6", "--largest", "100"],
        &["--table", "6", "--largest", "1048576"],
        &["--device", "no such device"],
    ] {
        trisolve(&[&["accuracy"], arguments].concat()).failed(2, &[]);
    }
    let folder = Folder::new();
    let csv = folder.path("no/folder/a.csv");
    trisolve(&["accuracy", "--csv", &csv]).failed(2, &[&csv]);
    assert!(fs::read_dir(folder.path("no")).is_err());
}

/// It has every matrix and solver.
fn table_rpts() {
    let folder = Folder::new();
    let csv = folder.path("rpts.csv");
    let outcome =
        trisolve(&["accuracy", "--table", "rpts", "--rows", "64", "--seeds", "3", "--precision", "f32", "--csv", &csv])
            .solved();
    for number in 1..=22 {
        assert_eq!(outcome.stdout.matches(&format!("\n| {number} ")).count(), 1, "{}", outcome.stdout);
    }
    for row in ["6 b = 64; a", "17 (1, 1e8", "18 (-1, 4", "22 1, and then blocks (0 1; -1 U/4)"] {
        assert!(printed(&outcome.stdout, row, "pivoting") < 1e-6, "{}", outcome.stdout);
    }
    assert!(outcome.stdout.contains("64 rows, f32, 3 seeds from 20260101"), "{}", outcome.stdout);
    let rows = csv::Reader::from_path(&csv).expect("the CSV").into_records().count();
    // Auto's solve from the host, ten recorded algorithms, and two solvers on the CPU.
    assert_eq!(rows, 22 * 13);
}

#[test]
fn one_row_makes_none_of_the_matrices() {
    trisolve(&["accuracy", "--table", "rpts", "--rows", "1"]).failed(2, &["--rows 1", "2 at least"]);
}
