//! The figures of Hogg's paper on triangular systems.

use serde::Deserialize;

use trisolve_lab::chart::{Line, Names, Panel};

/// A line of `triangular-variants.csv`; the other columns are not drawn.
#[derive(Deserialize)]
pub struct Run {
    algorithm: String,
    precision: String,
    rows: f64,
    median_us: f64,
    /// The policy.
    divided: String,
    pub adapter: String,
}

/// What of a policy's text has to be there, and what its line is called.
type Variant = (&'static str, &'static [&'static str], &'static str);

/// Figure 6: where the next block is kept.
const CACHING: [Variant; 4] = [
    ("chained", &["block=64", "precache=0", "invert_from=1048576"], "nowhere"),
    ("chained", &["block=64", "precache=1", "invert_from=1048576"], "in workgroup memory"),
    ("chained", &["block=64", "precache=2", "invert_from=1048576"], "in registers"),
    ("launch-synced", &["block=64"], "launch-synced"),
];

/// Figure 7: whose diagonal blocks are inverted.
const INVERTING: [Variant; 3] = [
    ("chained", &["block=64", "precache=2", "invert_from=4"], "from the fifth block row on, of 64"),
    ("chained", &["block=64", "precache=2", "invert_from=1,"], "from the second on, of 64"),
    ("chained", &["block=32", "precache=2", "invert_from=1,"], "from the second on, of 32"),
];

/// Section 2: a system in one workgroup.
const SINGLE: [Variant; 4] = [
    ("single", &["groups=1,"], "one thread a row"),
    ("single", &["groups=4,", "precache=2", "run=1,"], "registers, variant A"),
    ("single", &["groups=4,", "precache=2", "run=4,"], "registers, variant B"),
    ("single", &["groups=4,", "precache=1"], "workgroup memory"),
];

fn points(runs: &[Run], precision: &str, (algorithm, words, _): &Variant) -> Vec<(f64, f64)> {
    // So that each number of the text ends with a comma.
    let has = |run: &Run| words.iter().all(|word| format!("{},", run.divided).contains(word));
    let own = runs.iter().filter(|run| run.precision == precision && run.algorithm == *algorithm && has(run));
    own.map(|run| (run.rows, run.median_us)).collect()
}

/// Gigabytes a second of half a matrix, f32.
pub fn caching(runs: &[Run]) -> Vec<Panel> {
    let speed = |(rows, us): (f64, f64)| (rows, 2.0 * rows * rows / us / 1e3);
    let line = |variant: &Variant| Line {
        name: variant.2.into(),
        points: points(runs, "f32", variant).into_iter().map(speed).collect(),
    };
    let lines = CACHING.iter().map(line).collect();
    let title = "the next block is kept".into();
    vec![Panel { title, x: ("rows n", Some(2.0)), y: "GB/s", names: Names::BelowRight, lines }]
}

/// How many times the speed without inverses, f32.
pub fn inverting(runs: &[Run]) -> Vec<Panel> {
    let without = points(runs, "f32", &CACHING[2]);
    let of = |rows: f64| without.iter().find(|point| point.0 == rows).map(|point| point.1);
    let line = |variant: &Variant| {
        let points = points(runs, "f32", variant);
        let gains = points.into_iter().filter_map(|(rows, us)| Some((rows, of(rows)? / us)));
        Line { name: variant.2.into(), points: gains.collect() }
    };
    let lines = INVERTING.iter().map(line).collect();
    let title = "diagonal blocks are inverted".into();
    vec![Panel { title, x: ("rows n", Some(2.0)), y: "times the speed of substitution", names: Names::Above, lines }]
}

/// Microseconds of small systems.
pub fn single(runs: &[Run]) -> Vec<Panel> {
    let panel = |precision: &str| {
        let line = |variant: &Variant| Line { name: variant.2.into(), points: points(runs, precision, variant) };
        let lines = SINGLE.iter().map(line).collect();
        Panel { title: precision.into(), x: ("rows n", Some(2.0)), y: "us", names: Names::BelowRight, lines }
    };
    ["f32", "f64"].map(panel).into()
}
