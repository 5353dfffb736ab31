//! P-scheme's policy, model and evaluation.

use std::fs;

use serde_json::Value;

use super::support::*;

const QUICK: [&str; 4] = ["--runs", "1", "--warm-up", "0"];

pub fn bench_takes_policies() {
    let bench = ["bench", "recurrence", "--rows", "3000", "--algorithm", "p-scheme"];
    let sweep =
        ["--policy", "groups=8,threads=16,rearranged=0", "--policy", "groups=1,threads=64,rearranged=1,tiled=0"];
    let table = trisolve(&[&bench[..], &sweep, &QUICK].concat()).solved().stdout;
    assert!(table.contains("p-scheme groups=8,threads=16,rearranged=0,tiled=1"), "{table}");
    assert!(table.contains("both, groups=1,threads=64,rearranged=1,tiled=0"), "{table}");
    let refused =
        |policy, parts: &[&str]| trisolve(&[&bench[..], &["--policy", policy], &QUICK].concat()).failed(2, parts);
    refused("groups=3", &["--policy groups=3", "should be one of"]);
    refused("slice=8", &["slice", "groups, threads, rearranged, tiled"]);
    let auto = ["bench", "recurrence", "--rows", "3000", "--policy", "groups=8"];
    trisolve(&[&auto[..], &QUICK].concat()).failed(2, &["--policy groups=8", "--algorithm p-scheme"]);
}

pub fn the_papers_evaluation() {
    let folder = Folder::new();
    let csv = folder.path("p-scheme.csv");
    let bench = ["bench", "p-scheme", "--rows", "1024", "--groups", "8,16", "--threads", "16,32", "--csv", &csv];
    let table = trisolve(&[&bench[..], &QUICK].concat()).solved().stdout;
    for part in ["| L ", "| M ", "| H ", "P_opt", "1024 numbers"] {
        assert!(table.contains(part), "{part:?} is not in {table}");
    }
    let csv = fs::read_to_string(&csv).expect("the CSV");
    // Three cases, with three arrangements of the arrays: the grid and the model's policy; two more places of the preceding value; and two
    // transpositions.
    assert_eq!(csv.lines().count(), 1 + 3 * 3 * (4 + 1) + 3 * 2 + 2, "{csv}");
    assert!(
        csv.starts_with("run,case,rows,groups,threads,rearranged,tiled,staged,grouped,preceding,median_us,"),
        "{csv}"
    );
    let one = ["bench", "p-scheme", "--rows", "4096", "--groups", "4", "--threads"];
    trisolve(&[&one[..], &["16"]].concat()).failed(2, &["at least two"]);
    trisolve(&[&one[..], &["16,48"]].concat()).failed(2, &["threads=48"]);
    trisolve(&[&one[..], &["16,32", "--warm-up", "nan"]].concat()).failed(2, &["--warm-up"]);
}

pub fn on_the_hosts_cores() {
    let folder = Folder::new();
    let csv = folder.path("host.csv");
    let bench = ["bench", "p-scheme", "--host", "--rows", "3001", "--csv", &csv];
    let table = trisolve(&[&bench[..], &QUICK].concat()).solved().stdout;
    for part in ["| L ", "| M ", "| H ", "substitution", "| p-scheme"] {
        assert!(table.contains(part), "{part:?} is not in {table}");
    }
    let csv = fs::read_to_string(&csv).expect("the CSV");
    assert!(csv.starts_with("method,case,rows,cores,chunks,median_us,"), "{csv}");
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(csv.lines().count(), 1 + 3 * (2 + usize::from(all > 1)), "{csv}");
    trisolve(&["bench", "p-scheme", "--host", "--groups", "4"]).failed(2, &["--host", "--groups"]);
}

pub fn the_model_is_kept_and_used() {
    let folder = Folder::new();
    let file = folder.path("tuned.json");
    let with_file = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.env("TRISOLVE_TUNING", &file);
        run(command)
    };
    let outcome = with_file(&["tune", "p-scheme", "--quick", "--precision", "f32"]).solved();
    assert!(outcome.stdout.contains("alpha ns"), "{}", outcome.stdout);
    let mut table: Value = serde_json::from_str(&fs::read_to_string(&file).expect("the file")).expect("JSON");
    let entry = &mut table["p_scheme"][0];
    assert_eq!(entry["precision"], "f32");
    // The next process visibly uses this model, whatever tune found: P_opt = sqrt(2 * 8192).
    for model in ["direct", "rearranged", "staged"] {
        for (cost, value) in [("alpha", 1e-9), ("beta", 1e-9), ("gamma", 1e-9), ("rearranging", 0.0)] {
            assert!(entry[model][cost].as_f64().is_some_and(|seconds| (0.0..1e-3).contains(&seconds)), "{entry}");
            entry[model][cost] = value.into();
        }
    }
    fs::write(&file, table.to_string()).expect("the file");
    let bench = ["bench", "recurrence", "--rows", "8192", "--algorithm", "p-scheme"];
    let outcome = with_file(&[&bench[..], &QUICK].concat()).solved();
    assert!(outcome.stdout.contains("groups=4,threads=32"), "{}", outcome.stdout);
    assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
    // A cost of 0 leads to no policy.
    table["p_scheme"][0]["direct"]["beta"] = 0.0.into();
    fs::write(&file, table.to_string()).expect("the file");
    let outcome = with_file(&[&bench[..], &QUICK].concat()).solved();
    assert!(outcome.stderr.contains("makes no sense"), "{}", outcome.stderr);
    with_file(&["tune", "p-scheme", "--seconds", "9"]).failed(2, &["--seconds"]);
}
