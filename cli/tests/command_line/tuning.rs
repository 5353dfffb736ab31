//! Tuning, and the tuning file.

use std::fs;

use serde_json::{Value, json};

use super::draw::some;
use super::support::*;
use super::{p_scheme, quasi, trsv};

/// Runs the program with a tuning file.
fn with_file(file: &str, arguments: &[&str]) -> Outcome {
    let mut command = command(arguments);
    command.env("TRISOLVE_TUNING", file);
    run(command)
}

const BENCH: [&str; 8] = ["bench", "tridiagonal", "--rows", "512", "--runs", "1", "--warm-up", "0"];

/// The policy that a bench of one case prints.
#[track_caller]
fn policy(outcome: &Outcome) -> String {
    let line = outcome.stdout.lines().last().expect("a table");
    line.split('|').rev().nth(1).expect("the policy's column").trim().to_owned()
}

/// Each compiles many candidates: two per run.
#[test]
fn two_of_what_is_tuned() {
    let all = [
        tridiagonal_systems as fn(),
        quasi::tuning,
        trsv::tuning,
        trsv::the_model_is_fitted_and_drawn,
        p_scheme::the_model_is_kept_and_used,
    ];
    for one in some(&mut random(), &all, 2) {
        one();
    }
}

/// A second process uses what the first has tuned.
fn tridiagonal_systems() {
    let folder = Folder::new();
    let file = folder.path("tuned.json");
    let algorithm = ["--algorithm", "thomas"];
    let tune = ["tune", "tridiagonal", "--quick", "--precision", "f32", "--seconds", "20"];
    let outcome = with_file(&file, &[&tune[..], &algorithm].concat()).solved();
    assert!(outcome.stderr.contains(&file), "{}", outcome.stderr);
    let mut table: Value = serde_json::from_str(&fs::read_to_string(&file).expect("the file")).expect("JSON");
    let entries = table["entries"].as_array_mut().expect("entries");
    assert!(!entries.is_empty());
    for entry in entries.iter_mut() {
        assert_eq!(entry["algorithm"], "thomas");
        let (tuned, default) = (entry["tuned_us"].as_f64().unwrap(), entry["default_us"].as_f64().unwrap());
        assert!(0.0 < tuned && tuned <= default, "{entry}");
        // The next process visibly uses this policy, whatever tune found.
        entry["policy"] = "workgroup=32".into();
    }
    fs::write(&file, table.to_string()).expect("the file");
    let systems = ["--batch", "64", "--layout", "interleaved"];
    let outcome = with_file(&file, &[&BENCH[..], &algorithm, &systems].concat()).solved();
    assert_eq!(policy(&outcome), "workgroup=32");
    assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
    // If only one algorithm is tuned, the entries of the others stay.
    let auto = json!({ "algorithm": "auto", "precision": "f64", "systems_first": false, "n": 7, "problems": 1,
        "policy": "workgroup=64,rows=8,halo=8,shuffles=1", "tuned_us": 1.0, "default_us": 1.0 });
    table["entries"].as_array_mut().expect("entries").push(auto.clone());
    fs::write(&file, table.to_string()).expect("the file");
    with_file(&file, &[&tune[..], &algorithm].concat()).solved();
    let table: Value = serde_json::from_str(&fs::read_to_string(&file).expect("the file")).expect("JSON");
    assert!(table["entries"].as_array().expect("entries").contains(&auto), "{table}");
}

/// A table of one entry for this machine's software adapter, with changes.
fn table(change: impl FnOnce(&mut Value)) -> String {
    let device = trisolve(&["devices", "--json"]).solved().json()[0].clone();
    let class = if device["kind"] == "Cpu" { "software".into() } else { device["name"].clone() };
    let mut table = json!({ "version": env!("CARGO_PKG_VERSION"), "adapter": class, "entries": [
        { "algorithm": "auto", "precision": "f32", "systems_first": false, "n": 65536, "problems": 1,
            "policy": "workgroup=64,rows=16,halo=4,shuffles=1", "tuned_us": 1.0, "default_us": 2.0 },
        { "algorithm": "cr", "precision": "f32", "systems_first": false, "n": 512, "problems": 1,
            "policy": "threads=8,systems=1,parallel=16", "tuned_us": 1.0, "default_us": 2.0 },
    ] });
    change(&mut table);
    table.to_string()
}

fn crossover(family: &str, rows: u64) -> Value {
    json!({ "family": family, "precision": "f32", "rows": rows })
}

/// A file with a lower crossover lets the program look for a device sooner; one with a higher crossover lets it not.
#[cfg(target_os = "linux")]
#[test]
fn crossovers_of_the_file_count() {
    let folder = Folder::new();
    let single = Sample::new(&mut random(), 300, 1, false);
    let batch = Sample::new(&mut random(), 20, 16, false);
    let file = |name: &str, text| folder.file(name, text);
    let single = [file("a.mtx", single.matrix()), file("a_rhs.mtx", single.right())];
    let batch = [file("b.mtx", batch.matrix()), file("b_rhs.mtx", batch.right())];
    let of = |[a, rhs]: &[String; 2], rows: [u64; 2]| {
        let crossovers = [crossover("tridiagonal", rows[0]), crossover("tridiagonal batch", rows[1])];
        let text = json!({ "version": env!("CARGO_PKG_VERSION"), "adapter": "Voodoo 2", "entries": [],
            "crossovers": crossovers });
        let mut command = command(&["solve", a, rhs, "--json"]);
        command.env("TRISOLVE_TUNING", folder.file("t.json", text.to_string())).env("WGPU_ADAPTER_NAME", "no such one");
        run(command)
    };
    of(&single, [200, 400]).failed(2, &["no such one"]);
    assert_eq!(of(&single, [400, 200]).solved().json()["place"], "cpu");
    of(&batch, [400, 200]).failed(2, &["no such one"]);
    assert_eq!(of(&batch, [200, 400]).solved().json()["place"], "cpu");
}

#[test]
fn what_was_tuned_is_taken() {
    let folder = Folder::new();
    let file = folder.file("t.json", table(|table| table["crossovers"] = json!([crossover("tridiagonal", 5)])));
    let of = |more: &[&str]| policy(&with_file(&file, &[&BENCH[..], more].concat()).solved());
    assert!(of(&["--algorithm", "cr"]).starts_with("threads=8,systems=1,parallel=16,"));
    let mut long = BENCH;
    long[3] = "65536";
    assert_eq!(policy(&with_file(&file, &long).solved()), "workgroup=64,rows=16,halo=4,shuffles=1,fill=49152");
}

#[test]
fn files_of_no_use_are_ignored_with_a_warning() {
    let folder = Folder::new();
    let bench = [&BENCH[..], &["--algorithm", "cr"]].concat();
    let whole = table(|_| {});
    let useless = [
        ("empty", String::new(), "damaged"),
        ("cut off", whole[..whole.len() / 2].to_owned(), "damaged"),
        ("no table", "[1, 2]".into(), "damaged"),
        ("binary", "\u{0}\u{1}".into(), "damaged"),
        ("stale", table(|table| table["version"] = "0.0.1".into()), "0.0.1"),
        ("foreign", table(|table| table["adapter"] = "Voodoo 2".into()), "Voodoo 2"),
        ("negative", table(|table| table["entries"][0]["n"] = (-1).into()), "damaged"),
        ("more", table(|table| table["more"] = 1.into()), "damaged"),
        ("no rows", table(|table| table["crossovers"] = json!([crossover("tridiagonal", 0)])), "crossovers, number 1"),
        (
            "no such family",
            table(|table| table["crossovers"] = json!([crossover("filter", 5)])),
            "crossovers, number 1",
        ),
        ("crossover", table(|table| table["crossovers"] = json!([{ "family": "tridiagonal" }])), "damaged"),
        (
            "crossover without rows",
            table(|table| table["crossovers"] = json!([{ "family": "tridiagonal", "precision": "f32" }])),
            "damaged",
        ),
    ];
    for (name, text, says) in some(&mut random(), &useless, 5) {
        let file = folder.file("t.json", text);
        let outcome = with_file(&file, &bench).solved();
        assert!(outcome.stderr.contains("warning") && outcome.stderr.contains(says), "{name}: {}", outcome.stderr);
        assert!(!outcome.stdout.contains("threads=8,"), "{name}: {}", outcome.stdout);
    }
    // A folder is no tuning file, and a missing file is reported. So it is where the CPU solves.
    let a = folder.file("a.mtx", Sample::new(&mut random(), 300, 1, false).matrix());
    let (damaged, stale) = (folder.file("d.json", "[1, 2]"), table(|table| table["version"] = "0.0.1".into()));
    for (file, says) in [
        (folder.0.path().display().to_string(), "it is not a file"),
        (folder.path("none.json"), "there is no tuning file"),
        (damaged, "damaged"),
        (folder.file("s.json", stale), "0.0.1"),
    ] {
        for arguments in [&bench[..], &["solve", &a]] {
            let outcome = with_file(&file, arguments).solved();
            let is_warning = |line: &&str| line.starts_with("trisolve: warning") && line.contains(says);
            assert_eq!(outcome.stderr.lines().filter(is_warning).count(), 1, "{arguments:?}: {}", outcome.stderr);
        }
        let outcome = with_file(&file, &["solve", &a, "--json"]).solved();
        assert_eq!(outcome.json()["place"], "cpu");
    }
    // The program looks for the device, and finds that the file is of another one.
    let foreign = table(|table| {
        table["adapter"] = "Voodoo 2".into();
        table["crossovers"] = json!([crossover("tridiagonal", 5)]);
    });
    let outcome = with_file(&folder.file("f.json", foreign), &["solve", &a]).solved();
    assert!(outcome.stderr.contains("warning") && outcome.stderr.contains("Voodoo 2"), "{}", outcome.stderr);
}

#[test]
fn an_entry_of_the_file_beats_the_librarys_where_it_is_no_farther_away() {
    let folder = Folder::new();
    // The library's own table has an entry for 512 rows.
    let odd = "threads=2,systems=1,parallel=16";
    let at = |rows: u64| {
        let text = table(|table| {
            table["entries"][1]["n"] = rows.into();
            table["entries"][1]["policy"] = odd.into();
        });
        let file = folder.file("t.json", text);
        policy(&with_file(&file, &[&BENCH[..], &["--algorithm", "cr"]].concat()).solved())
    };
    assert!(at(512).starts_with(odd));
    assert!(!at(2048).starts_with(odd));
}

#[test]
fn entries_that_cannot_run_are_passed_over() {
    let folder = Folder::new();
    for policy_text in ["threads=33", "threads=1024,systems=1024", "rows=8", "", "nonsense"] {
        let file = folder.file("t.json", table(|table| table["entries"][1]["policy"] = policy_text.into()));
        let outcome = with_file(&file, &[&BENCH[..], &["--algorithm", "cr"]].concat()).solved();
        assert!(policy(&outcome).starts_with("threads="), "{policy_text}: {}", outcome.stdout);
        assert_eq!(outcome.stderr.contains("is ignored"), !policy_text.is_empty(), "{policy_text}: {}", outcome.stderr);
    }
    let file = folder.file("t.json", table(|table| table["entries"][0]["policy"] = "gauss".into()));
    let mut long = BENCH;
    long[3] = "65536";
    let outcome = with_file(&file, &long).solved();
    assert!(outcome.stderr.contains("gauss"), "{}", outcome.stderr);
}

#[test]
fn tune_refuses() {
    for arguments in [
        &["pentadiagonal"][..],
        &["--seconds", "0"],
        &["--precision", "f16"],
        &["--algorithm", "lu"],
        &["triangular", "--algorithm", "auto"],
        &["place", "--seconds", "5"],
        &["place", "--algorithm", "cr"],
        &["--algorithm", "scan"],
        &["--device", "no such device"],
        &["--output", "/no such folder/t.json"],
        // TRISOLVE_TUNING is empty.
        &["tridiagonal"],
    ] {
        trisolve(&[&["tune"], arguments].concat()).failed(2, &[]);
    }
    // The program does not overwrite a file that is not this adapter's table.
    let folder = Folder::new();
    for text in ["my notes", &table(|table| table["adapter"] = "Voodoo 2".into())] {
        let file = folder.file("t.json", text);
        trisolve(&["tune", "--quick", "-o", &file]).failed(2, &["t.json", "cannot be extended"]);
        assert_eq!(fs::read_to_string(&file).expect("the file"), *text);
    }
}
