//! The figures of Hogg's paper on triangular systems.

use std::path::Path;

use serde::Deserialize;
use trisolve_lab::chart::{Line, Names, Panel};

use super::failure::Failure;
use super::{Folder, add, read};

/// A line of `triangular-variants.csv`, `triangular-launches.csv` or `curves.csv`; the other columns are not drawn.
#[derive(Deserialize)]
struct Run {
    family: String,
    algorithm: String,
    precision: String,
    rows: f64,
    median_us: f64,
    /// The policy.
    divided: String,
    adapter: String,
}

/// What of a policy's text has to be there, and what its line is called.
type Variant = (&'static str, &'static [&'static str], &'static str);

/// Figure 6: where the next block is kept.
const CACHING: [Variant; 4] = [
    ("chained", &["block=64", "precache=0", "invert_from=1048576"], "nowhere"),
    ("chained", &["block=64", "precache=1", "invert_from=1048576"], "in workgroup memory"),
    ("chained", &["block=64", "precache=2", "invert_from=1048576"], "in registers"),
    ("launch-synced", &[], "launch-synced"),
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

const PRECISIONS: [(&str, f64); 2] = [("f32", 4.0), ("f64", 8.0)];

/// Gigabytes per second of half a matrix.
fn bandwidth(bytes: f64) -> impl Fn((f64, f64)) -> (f64, f64) {
    move |(rows, us)| (rows, bytes * rows * rows / 2.0 / us / 1e3)
}

/// The panels without empty lines, and without empty panels: an adapter may lack the memory for a variant.
fn drawn(panels: impl IntoIterator<Item = Panel>) -> Vec<Panel> {
    let with_points = |mut panel: Panel| {
        panel.lines.retain(|line| !line.points.is_empty());
        (!panel.lines.is_empty()).then_some(panel)
    };
    panels.into_iter().filter_map(with_points).collect()
}

/// Figure 6: gigabytes per second of half a matrix.
fn caching(runs: &[Run]) -> Vec<Panel> {
    let panel = |(precision, bytes): (&str, f64)| {
        let line = |variant: &Variant| Line {
            name: variant.2.into(),
            points: points(runs, precision, variant).into_iter().map(bandwidth(bytes)).collect(),
        };
        let lines = CACHING.iter().map(line).collect();
        let title = format!("{precision}: where the next block is kept");
        Panel { title, x: ("rows n", Some(2.0)), y: "GB/s", names: Names::BelowRight, lines }
    };
    drawn(PRECISIONS.map(panel))
}

/// Figure 7: how many times the speed without inverses.
fn inverting(runs: &[Run]) -> Vec<Panel> {
    let panel = |(precision, _): (&str, f64)| {
        let without = points(runs, precision, &CACHING[2]);
        let of = |rows: f64| without.iter().find(|point| point.0 == rows).map(|point| point.1);
        let line = |variant: &Variant| {
            let points = points(runs, precision, variant);
            let gains = points.into_iter().filter_map(|(rows, us)| Some((rows, of(rows)? / us)));
            Line { name: variant.2.into(), points: gains.collect() }
        };
        let lines = INVERTING.iter().map(line).collect();
        let title = format!("{precision}: diagonal blocks are inverted");
        Panel { title, x: ("rows n", Some(2.0)), y: "times the speed of substitution", names: Names::Above, lines }
    };
    drawn(PRECISIONS.map(panel))
}

/// Microseconds of small systems.
fn single(runs: &[Run]) -> Vec<Panel> {
    let panel = |precision: &str| {
        let line = |variant: &Variant| Line { name: variant.2.into(), points: points(runs, precision, variant) };
        let lines = SINGLE.iter().map(line).collect();
        Panel { title: precision.into(), x: ("rows n", Some(2.0)), y: "us", names: Names::BelowRight, lines }
    };
    drawn(["f32", "f64"].map(panel))
}

/// The number that a policy's text gives a parameter.
fn parameter(policy: &str, name: &str) -> Option<u32> {
    policy.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// Figure 2: rows that a step solves, from `triangular-launches.csv`, beside cuBLAS and the host's BLAS from `curves.csv`.
fn steps(launches: &[Run], curves: &[Run]) -> Vec<Panel> {
    let panel = |(precision, bytes): (&str, f64)| {
        let mut lines: Vec<Line> = Vec::new();
        let own = launches.iter().filter(|run| run.precision == precision);
        // Steps of blocks of 64 rows, and the smallest step.
        for run in own {
            let of = |name| parameter(&run.divided, name).unwrap_or(0);
            let (block, rows) = (of("block"), of("rows"));
            if block == 64 || block * rows == 32 {
                add(&mut lines, format!("nb = {}", block * rows), (run.rows, run.median_us));
            }
        }
        peers(&mut lines, curves, precision, "triangular lower N");
        lines.iter_mut().for_each(|line| line.points = line.points.drain(..).map(bandwidth(bytes)).collect());
        let title = format!("{precision}: rows that a step solves");
        Panel { title, x: ("rows n", Some(2.0)), y: "GB/s", names: Names::BelowRight, lines }
    };
    drawn(PRECISIONS.map(panel))
}

/// Times of the peers over the rows.
fn peers(lines: &mut Vec<Line>, curves: &[Run], precision: &str, family: &str) {
    for run in curves.iter().filter(|run| run.precision == precision && run.family == family) {
        let name = match run.algorithm.as_str() {
            "cublas trsv" => "cuBLAS trsv",
            "host BLAS trsv" => "the host's BLAS trsv",
            "host substitution" => "substitution on one core",
            _ => continue,
        };
        add(lines, name.into(), (run.rows, run.median_us));
    }
}

/// The forms of the curves: the family, and its name.
const FORMS: [(&str, &str); 2] = [("triangular lower N", "L x = b"), ("triangular lower T", "L^T x = b")];

/// trisolve and its peers: a panel per form and precision. `points` turns times into the values to draw.
fn curves_of(curves: &[Run], y: &'static str, points: impl Fn(Vec<Line>, f64) -> Vec<Line>) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (family, form) in FORMS {
        for (precision, bytes) in PRECISIONS {
            let mut lines = Vec::new();
            for run in curves.iter().filter(|run| run.precision == precision && run.family == family) {
                if run.algorithm.starts_with("auto") {
                    add(&mut lines, "trisolve".into(), (run.rows, run.median_us));
                }
            }
            peers(&mut lines, curves, precision, family);
            let (title, lines) = (format!("{form}, {precision}"), points(lines, bytes));
            panels.push(Panel { title, x: ("rows n", Some(2.0)), y, names: Names::BelowRight, lines });
        }
    }
    drawn(panels)
}

/// Figures 10, 11, 13 and 14: gigabytes per second of half a matrix.
fn bandwidths(curves: &[Run]) -> Vec<Panel> {
    curves_of(curves, "GB/s", |mut lines, bytes| {
        lines.iter_mut().for_each(|line| line.points = line.points.drain(..).map(bandwidth(bytes)).collect());
        lines
    })
}

/// Figure 15: how many times the speed of cuBLAS; without cuBLAS, of the host.
fn speed_ups(curves: &[Run]) -> Vec<Panel> {
    let has_cublas = curves.iter().any(|run| run.algorithm == "cublas trsv");
    let y = if has_cublas { "times the speed of cuBLAS" } else { "times the speed of the host" };
    curves_of(curves, y, |lines, _| {
        let is_base = |line: &&Line| match has_cublas {
            true => line.name == "cuBLAS trsv",
            false => line.name != "trisolve",
        };
        let Some(base) = lines.iter().find(is_base).map(|line| line.points.clone()) else { return vec![] };
        let of = |rows: f64| base.iter().find(|point| point.0 == rows).map(|point| point.1);
        let over = |line: Line| {
            let points = line.points.into_iter().filter_map(|(rows, us)| Some((rows, of(rows)? / us)));
            Line { points: points.collect(), name: line.name }
        };
        lines.into_iter().map(over).collect()
    })
}

/// A block row of `trace.csv`; the other columns are not drawn.
#[derive(Deserialize)]
struct Traced {
    precision: String,
    rows: u64,
    block_row: f64,
    start: f64,
    first_wait_over: f64,
    products: f64,
    end: f64,
    adapter: String,
}

/// Figure 5: the numbers of the events per block row.
fn events(rows: &[Traced]) -> Vec<Panel> {
    let panel = |(precision, _): (&str, f64)| {
        let line = |name: &str, event: fn(&Traced) -> f64| Line {
            name: name.into(),
            points: rows
                .iter()
                .filter(|row| row.precision == precision && event(row) > 0.0)
                .map(|row| (row.block_row, event(row)))
                .collect(),
        };
        let lines = [
            line("starts", |row| row.start),
            line("has waited for the first time", |row| row.first_wait_over),
            line("all products summed up", |row| row.products),
            line("solved", |row| row.end),
        ];
        let n = rows.iter().find(|row| row.precision == precision).map_or(0, |row| row.rows);
        let title = format!("{precision}, n = {n}: order of events");
        Panel { title, x: ("block row", None), y: "number of the event", names: Names::BelowRight, lines: lines.into() }
    };
    drawn(PRECISIONS.map(panel))
}

/// Figures 6 and 7, and table 2.2.
pub fn variants(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let adapter = runs.first().map_or("", |run| &run.adapter);
    folder.draw("triangular-caching.svg", &format!("Figure 6 of Hogg's paper, on {adapter}"), &caching(&runs))?;
    folder.draw("triangular-inversion.svg", &format!("Figure 7 of Hogg's paper, on {adapter}"), &inverting(&runs))?;
    folder.draw("triangular-single.svg", &format!("Table 2.2 of Hogg's paper, on {adapter}"), &single(&runs))
}

/// Figures 10, 11 and 13 to 15.
pub fn curves(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let adapter = runs.first().map_or("", |run| &run.adapter);
    let title = format!("Figures 10, 11, 13 and 14 of Hogg's paper, on {adapter}");
    folder.draw("triangular-bandwidth.svg", &title, &bandwidths(&runs))?;
    folder.draw("triangular-speed-up.svg", &format!("Figure 15 of Hogg's paper, on {adapter}"), &speed_ups(&runs))
}

/// Figure 2; `curves.csv` beside the file has the peers.
pub fn launches(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let curves = csv.with_file_name("curves.csv");
    let curves = if curves.exists() { read(&curves)? } else { vec![] };
    let title = format!("Figure 2 of Hogg's paper, on {}", runs.first().map_or("", |run| &run.adapter));
    folder.draw("triangular-steps.svg", &title, &steps(&runs, &curves))
}

/// Figure 5.
pub fn trace(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let rows: Vec<Traced> = read(csv)?;
    let title = format!("Figure 5 of Hogg's paper, on {}", rows.first().map_or("", |row| &row.adapter));
    folder.draw("triangular-trace.svg", &title, &events(&rows))
}
