//! `--timing`: where the time of a run went.

use serde_json::Value;

use super::draw::some;
use super::support::*;

const PARTS: [&str; 9] =
    ["reading", "opening", "planning", "compiling", "uploading", "solving", "checking", "downloading", "writing"];

/// Runs in a process of its own, which has to open the device, and asserts that the parts make up the total; returns the milliseconds of each.
#[track_caller]
fn parts_of(arguments: &[&str]) -> [f64; 9] {
    let report = run(command(&[arguments, &["--timing", "--json"]].concat())).solved().json();
    let ms = |part: &str| {
        let us = report["timing"][format!("{part}_us")].as_f64().unwrap_or_else(|| panic!("{part} of {report}"));
        // Whole nanoseconds, without noise behind them.
        assert_eq!((us * 1e3).round() / 1e3, us, "{part} of {report}");
        us / 1e3
    };
    let (parts, total) = (PARTS.map(ms), ms("total"));
    assert!(parts.iter().all(|part| *part >= 0.0), "{report}");
    let sum: f64 = parts.iter().sum();
    assert!(sum <= total && total - sum < 0.05 * total + 3.0, "{sum} of {total} ms: {report}");
    parts
}

#[test]
fn every_verb_says_where_its_time_went() {
    let folder = Folder::new();
    let [a, b, x] = ["a.mtx", "b.mtx", "x.mtx"].map(|name| folder.path(name));
    trisolve(&["generate", &a, &b, "--rows", "50000"]).solved();
    let quasi = folder.path("q.mtx");
    trisolve(&["generate", &quasi, "--system", "convection-diffusion", "--grid", "40x30"]).solved();
    let lower: String = (1..=60)
        .flat_map(|row| (1..=row).map(move |column| (row, column)))
        .fold("%%MatrixMarket matrix coordinate real general\n60 60 1830\n".into(), |text, (row, column)| {
            text + &format!("{row} {column} {}\n", if row == column { 2.0 } else { 0.01 })
        });
    let lower = folder.file("l.mtx", lower);
    let signal = folder.file("s.txt", "1\n".repeat(20_000));
    let device: [&[&str]; 6] = [
        &["solve", &a, &b, "-o", &x],
        &["solve", &a, &b, "-o", &x, "--factored", "--precision", "f64"],
        &["solve", &quasi, "-o", &x],
        &["trsv", &lower, "-o", &x],
        &["recur", "--s", "0.5", "--t", &signal, "-o", &x],
        &["filter", &signal, "--b", "0.5", "--a", "1,-0.5", "-o", &x],
    ];
    for arguments in some(&mut random(), &device, 3) {
        let parts = parts_of(&[arguments, &["--place", "device"]].concat());
        let spent = PARTS.iter().zip(parts).filter(|(_, ms)| *ms > 0.0).map(|(part, _)| *part);
        assert_eq!(spent.collect::<Vec<_>>(), PARTS, "{arguments:?}");
        // The CPU opens, plans and compiles nothing.
        if !arguments.contains(&"--factored") {
            let [reading, opening, planning, compiling, _, solving, ..] =
                parts_of(&[arguments, &["--place", "cpu"]].concat());
            assert!(reading > 0.0 && solving > 0.0, "{arguments:?}");
            assert_eq!([opening, planning, compiling], [0.0; 3], "{arguments:?}");
        }
    }
    // As text, and only where it is asked for.
    let told = trisolve(&["solve", &a, "--timing"]).solved().stderr;
    for part in PARTS.iter().chain(&["total"]) {
        assert!(told.contains(&format!("\n  {part}")), "{part} is not in {told}");
    }
    assert_eq!(trisolve(&["solve", &a, "--json"]).solved().json()["timing"], Value::Null);
    assert!(!trisolve(&["solve", &a]).solved().stderr.contains("where the time went"));
}

/// What was spent until a solve failed; nothing of bad input.
#[test]
fn failed_solves_say_where_their_time_went() {
    let folder = Folder::new();
    let triangle = folder.file("l.txt", "1 0\n2 0\n");
    let one = folder.file("one.txt", "1\n1\n");
    let coordinates = "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n";
    let singular = folder.file("s.mtx", coordinates);
    for arguments in [
        &["solve", &singular][..],
        &["solve", &singular, "--algorithm", "gmres"],
        &["trsv", &triangle],
        &["filter", &one, "--b", "3e38", "--a", "1,-1"],
    ] {
        trisolve(&[arguments, &["--timing"]].concat()).failed(1, &["where the time went", "\n  reading", "\n  total"]);
    }
    let outcome = trisolve(&["solve", &singular, &folder.path("none.mtx"), "--timing"]);
    assert_eq!((outcome.code, outcome.stderr.contains("where the time went")), (2, false), "{}", outcome.stderr);
}
