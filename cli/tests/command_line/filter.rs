//! `trisolve filter`, compared with the difference equation.

use rand::Rng;

use super::draw::some;
use super::support::*;

/// Inputs that f32 holds exactly.
fn numbers(count: usize) -> Vec<f64> {
    let mut random = random();
    (0..count).map(|_| f64::from(random.random_range(-1.0f32..1.0))).collect()
}

/// The outputs by the difference equation, with the state's share in the first rows; and the final state.
fn filtered(b: &[f64], a: &[f64], x: &[f64], zi: &[f64], reverse: bool) -> (Vec<f64>, Vec<f64>) {
    let n = x.len();
    let order = b.len().max(a.len()) - 1;
    let place = |step: usize| if reverse { n - 1 - step } else { step };
    let mut y = vec![0.0; n];
    // What rows before `step` add to the one `ahead` of it.
    let carried = |y: &[f64], step: usize, ahead: usize| {
        let mut sum = if step + ahead < order { zi.get(step + ahead).copied().unwrap_or(0.0) } else { 0.0 };
        for back in ahead + 1..=order.min(step + ahead) {
            let at = place(step + ahead - back);
            sum += b.get(back).unwrap_or(&0.0) * x[at] - a.get(back).unwrap_or(&0.0) * y[at];
        }
        sum
    };
    for step in 0..n {
        let at = place(step);
        y[at] = b[0] * x[at] + carried(&y, step, 0);
    }
    let state = (0..order).map(|i| carried(&y, n, i)).collect();
    (y, state)
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], precision: &str) {
    let tolerance = if precision == "f32" { 1e-4 } else { 1e-12 };
    let size = expected.iter().fold(1.0, |size: f64, y| size.max(y.abs()));
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= tolerance * size, "row {at}: {found:e}, not {expected:e}");
    }
}

#[test]
fn every_size_and_direction() {
    let folder = Folder::new();
    let y = folder.path("y.mtx");
    // Butterworth filters of order 2 and 4, and differences.
    let cases: [(&str, &str, &str); 3] = [
        ("0.09763107,0.19526215,0.09763107", "1,-0.94280904,0.33333333", "0.5,-0.25"),
        (
            "0.00482434,0.01929737,0.02894606,0.01929737,0.00482434",
            "1,-2.36951301,2.31398841,-1.05466541,0.18737949",
            "",
        ),
        ("1,-1", "1", "-2"),
    ];
    let split = |text: &str| text.split(',').filter_map(|word| word.parse().ok()).collect::<Vec<f64>>();
    let sizes: Vec<_> = [1usize, 33, 9001].into_iter().enumerate().collect();
    for (at, n) in some(&mut random(), &sizes, 1) {
        let x = numbers(n);
        let file = folder.file("x.mtx", array(n, &x));
        for (case, (b, a, zi)) in cases.into_iter().enumerate() {
            // A process per solve takes most of the time, so sizes take directions and precisions in turn.
            let reverse = (at + case).is_multiple_of(2);
            for precision in &["f32", "f64"][if at == 2 { 0..2 } else { case % 2..case % 2 + 1 }] {
                let mut arguments =
                    vec!["filter", "--b", b, "--a", a, &file, "-o", &y, "--precision", precision, "--json"];
                if reverse {
                    arguments.push("--reverse");
                }
                if !zi.is_empty() {
                    arguments.extend(["--zi", zi]);
                }
                let (expected, state) = filtered(&split(b), &split(a), &x, &split(zi), reverse);
                for place in ["device", "cpu"] {
                    arguments.extend(["--place", place]);
                    let report = trisolve(&arguments).solved().json();
                    arguments.truncate(arguments.len() - 2);
                    near(&read_array(&y, n, 1), &expected, precision);
                    let last: Vec<f64> =
                        serde_json::from_value(report["final_states"][0].clone()).expect("the final state");
                    near(&last, &state, precision);
                }
            }
        }
    }
}

#[test]
fn reports_say_what_ran() {
    let folder = Folder::new();
    let x = folder.file("x.mtx", array(5000, &numbers(10_000)));
    let solve = ["filter", "--b", "0.5", "--a", "2,-1,0.25", &x];
    let report = trisolve(&[&solve[..], &["--place", "device", "--json"]].concat()).solved().json();
    for (key, value) in [("rows", 5000), ("columns", 2), ("order", 2)] {
        assert_eq!(report[key], value, "{report}");
    }
    assert_eq!((&report["structure"], &report["algorithm"]), (&"filter".into(), &"one-pass".into()));
    let same_bits =
        trisolve(&[&solve[..], &["--place", "device", "--deterministic", "--json"]].concat()).solved().json();
    assert_eq!(same_bits["algorithm"], "three-launch");
    assert_eq!(report["place"], "device");
    assert_eq!(report["final_states"].as_array().map(Vec::len), Some(2));
    assert!(report["relative_residual"].as_f64().is_some_and(|off| off < 1e-6), "{report}");
    let said = trisolve(&solve).solved().stderr;
    assert!(said.contains("filter of order 2, 5000 rows, 2 sequences"), "{said}");
    // By default on the CPU.
    let outcome = without_adapters(&[&solve[..], &["--json"]].concat()).solved();
    assert_eq!((&outcome.json()["place"], &outcome.json()["adapter"]), (&"cpu".into(), &"cpu".into()));
}

/// As the program runs it section by section.
#[test]
fn sections_take_the_outputs_of_the_previous_one() {
    let folder = Folder::new();
    let x = folder.file("x.mtx", array(3000, &numbers(3000)));
    let sections = ["0.25,0.5,0.25,1,-0.5,0.125", "1,-0.5,0,2,-1,0.5"];
    let [between, apart, together] = ["between.txt", "apart.txt", "together.txt"].map(|name| folder.path(name));
    let f64 = ["--precision", "f64"];
    for (section, x, y) in [(sections[0], &x, &between), (sections[1], &between, &apart)] {
        trisolve(&[&["filter", x, "--section", section, "-o", y][..], &f64].concat()).solved();
    }
    let cascade = ["filter", &x, "--section", sections[0], "--section", sections[1]];
    let apart = std::fs::read_to_string(&apart).unwrap();
    for place in ["cpu", "device"] {
        let report = trisolve(&[&cascade[..], &["-o", &together, "--place", place, "--json"], &f64].concat());
        let report = report.solved().json();
        assert_eq!(
            (&report["structure"], &report["order"], &report["sections"]),
            (&"cascade".into(), &4.into(), &2.into())
        );
        let together = std::fs::read_to_string(&together).unwrap();
        for (y, apart) in together.lines().zip(apart.lines()) {
            let [y, apart] = [y, apart].map(|line| line.trim().parse::<f64>().unwrap());
            assert!((y - apart).abs() < 1e-13, "{place}: {y} and {apart}");
        }
    }
    for (arguments, says) in [
        (&["--section", "1,2,3,4,5"][..], "5 numbers, but a section has 6"),
        (&["--section", "1,2,3,0,5,6"], "section 0: a[0] is 0"),
        (&["--section", sections[0], "--b", "1", "--a", "1,1"], "--section"),
        (&["--section", sections[0]].repeat(5), "1 to 4"),
        (&[&["--section", sections[0]].repeat(2)[..], &["--zi", "1,2"]].concat(), "state has 4"),
    ] {
        trisolve(&[&["filter", &x], arguments].concat()).failed(2, &[says]);
    }
}

#[test]
fn bad_input_ends_with_2() {
    let folder = Folder::new();
    let y = folder.path("y.mtx");
    let x = folder.file("x.mtx", array(300, &numbers(300)));
    let large = folder.file("large.mtx", array(2, &[1.0, 1e300]));
    let sparse = folder.file("sparse.mtx", "%%MatrixMarket matrix coordinate real general\n3 1 1\n1 1 1\n");
    let one = ["--b", "1", "--a", "1,-0.5"];
    for (arguments, says) in [
        (&["--b", "1", "--a", "1,2,3,4,5,6", &x][..], "second-order sections"),
        (&["--b", "1", "--a", "0,1", &x], "a[0] is 0"),
        (&["--b", "1", "--a", "1", &x], "no filter"),
        (&["--b", "nan", "--a", "1,1", &x], "finite"),
        (&["--b", "1e-400", "--a", "1,-0.5", &x], "1e-400 is below the range of f64"),
        (&["--b", "1", "--a", "1,-2", "--algorithm", "three-launch", &x], "127"),
        (&["--b", "1", "--a", "one", &x], "one"),
        (&["--b", "1", "--a", "1", "-0.5", &x], "commas"),
        (&["--b", "1", &x], "--a"),
        (&one, "<X>"),
        (&[&one[..], &[&large]].concat(), "--precision f64"),
        (&[&one[..], &[&sparse]].concat(), "array"),
        (&[&one[..], &["no such file"]].concat(), "no such file"),
        (&[&one[..], &[&x, "--zi", "1,2"]].concat(), "--zi"),
        (&[&one[..], &[&x, "--zi", "inf"]].concat(), "--zi"),
        (&[&one[..], &[&x, "--algorithm", "one-pass", "--deterministic"]].concat(), "three-launch"),
        (&[&one[..], &[&x, "--algorithm", "p-scheme"]].concat(), "three-launch"),
        (&[&one[..], &[&x, "--place", "cpu", "--device", "x"]].concat(), "--device"),
    ] {
        trisolve(&[&["filter", "-o", &y], arguments].concat()).failed(2, &[says]);
        assert!(!std::path::Path::new(&y).exists());
    }
}

#[test]
fn rounding_the_numbers_given_counts() {
    let folder = Folder::new();
    // y[0] = 0.1, then 0: the rounding error of 10 (0.1) - 1 grows tenfold per row.
    let cancelling: Vec<_> = [0.1, -1.0].into_iter().chain([0.0; 10]).collect();
    let cancelling = folder.file("cancelling.mtx", array(12, &cancelling));
    let zeros = folder.file("zeros.mtx", array(12, &[0.0; 12]));
    let large = folder.file("large.mtx", array(1, &[100000001.7]));
    let subnormal: Vec<_> = [3e-44].into_iter().chain([0.0; 10]).chain([2e-38]).collect();
    let subnormal = folder.file("subnormal.mtx", array(12, &subnormal));
    for place in ["device", "cpu"] {
        let run = |rest: &[&str]| trisolve(&[&["filter", "--b", "1", "--place", place, "--json"], rest].concat());
        let leaves_no_digit = ["rounding the numbers given to f32 leaves no digit"];
        run(&["--a", "1,-10", &cancelling]).failed(1, &leaves_no_digit);
        run(&["--a", "1,-10,0", "--zi=1.00000000001,-10", &zeros]).failed(1, &leaves_no_digit);
        // The final state is 0 in f32, 1.4 exactly.
        trisolve(&["filter", "--b", "0,1,0", "--a", "1,0,0", "--zi=1,-100000000.3", "--place", place, &large])
            .failed(1, &leaves_no_digit);
        let error = run(&["--a", "1,-10", &subnormal]).solved().json()["forward_error"].as_f64().unwrap();
        assert!((1e-2..0.1).contains(&error), "{place}: {error:e}");
        let error = run(&["--a", "1,-10", "--precision", "f64", &cancelling]).solved().json()["forward_error"].as_f64();
        assert!(error.unwrap() < 1e-14, "{place}: {error:?}");
    }
}

/// An impulse late enough that the outputs stay in the range, though the filter's powers over all rows leave it.
#[test]
fn zeros_before_the_first_input_do_not_count() {
    let folder = Folder::new();
    let impulse =
        |rows: usize, at: usize| -> Vec<f64> { (0..rows).map(|row| f64::from(u8::from(row == at))).collect() };
    let late = folder.file("late.mtx", array(1100, &impulse(1100, 600)));
    let two_poles = ["filter", "--b", "1", "--a", "1,-3,2", "--precision", "f64", "--json"];
    for place in ["device", "cpu"] {
        let report = trisolve(&[&two_poles[..], &["--place", place, &late]].concat()).solved().json();
        assert!(report["forward_error"].as_f64().unwrap() < 1e-14, "{report}");
        assert_eq!(report["algorithm"], "cpu", "{report}");
    }
    let last = folder.file("last.mtx", array(130, &impulse(130, 129)));
    let said = trisolve(&["filter", "--b", "1", "--a", "1,-2", "--place", "device", &last]).solved().stderr;
    assert!(said.contains("the CPU filters instead"), "{said}");
}

#[test]
fn outputs_past_the_range_end_with_1() {
    let folder = Folder::new();
    let y = folder.path("y.mtx");
    let x = folder.file("x.mtx", array(100, &[3e38; 100]));
    for place in ["device", "cpu"] {
        let arguments = ["filter", "--b", "1", "--a", "1,-1", &x, "-o", &y, "--place", place];
        trisolve(&arguments).failed(1, &["column 1, row 2", "f64"]);
        assert!(!std::path::Path::new(&y).exists());
        trisolve(&[&arguments[..], &["--precision", "f64"]].concat()).solved();
        std::fs::remove_file(&y).expect("the outputs");
    }
}

pub fn bench() {
    let folder = Folder::new();
    let csv = folder.path("bench.csv");
    let sweep = ["--rows", "1000,5000", "--batch", "2", "--order", "1,4", "--layout", "interleaved"];
    let quick = ["--runs", "1", "--warm-up", "0", "--csv", &csv];
    trisolve(&[&["bench", "filter"], &sweep[..], &quick].concat()).solved();
    let mut reader = csv::Reader::from_path(&csv).expect("the CSV");
    let records: Vec<_> = reader.records().map(|record| record.expect("a row")).collect();
    assert_eq!(records.len(), 4);
    for record in records {
        assert!(["filter of order 1", "filter of order 4"].contains(&&record[0]), "{record:?}");
        assert_eq!(&record[1], "auto (three-launch)");
        let number = |at: usize| record[at].parse::<f64>().unwrap_or_else(|_| panic!("{at} of {record:?}"));
        assert!((0.0..1e-5).contains(&number(13)), "{record:?}");
        assert!((8.0..13.0).contains(&number(9)), "{record:?}");
    }
}
