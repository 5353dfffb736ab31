//! The figures of Li, Yang and Li's paper on quasi-tridiagonal systems.

use std::path::Path;

use serde::Deserialize;
use trisolve_lab::chart::{Line, Names, Panel};

use super::failure::Failure;
use super::{Folder, read};

/// A line of `host.csv`; the other columns are not drawn.
#[derive(Deserialize)]
struct HostRun {
    algorithm: String,
    system: String,
    threads: u32,
    prepare_ms: f64,
    solve_ms: f64,
}

/// A line of `gas.csv`; the other columns are not drawn.
#[derive(Deserialize)]
struct DeviceRun {
    algorithm: String,
    system: String,
    wall_ms: f64,
    /// The policy.
    divided: Option<String>,
    adapter: String,
}

const CASES: [&str; 10] = [
    "Gas2000",
    "Gas10000a",
    "Gas10000b",
    "Gas100000a",
    "Gas100000b",
    "Gas1000000a",
    "Gas1000000b",
    "Gas10000000a",
    "Gas10000000b",
    "Gas10000000c",
];
/// The paper's seconds of HISA on one core, BHISA on all cores, and BHISA on a K20c: tables 7, 9 and 11.
const PAPER: [[f64; 10]; 3] = [
    [0.31, 0.58, 0.92, 1.23, 1.56, 1.69, 1.89, 16.86, 20.01, 25.92],
    [0.025, 0.053, 0.062, 0.121, 0.146, 1.274, 1.732, 11.914, 16.572, 22.175],
    [0.021, 0.031, 0.046, 0.103, 0.107, 1.220, 1.306, 8.166, 10.640, 12.939],
];

/// Milliseconds by case: HISA on one core, BHISA on all, BHISA on the device.
type Times = [Vec<(f64, f64)>; 3];

fn ours(host: &[HostRun], device: &[DeviceRun]) -> Times {
    let cases = || CASES.iter().enumerate().map(|(at, name)| (at as f64 + 1.0, *name));
    let threads = host.iter().map(|run| run.threads).max().unwrap_or(1);
    let on_host = |algorithm: &str, threads: u32| {
        let of =
            |name| host.iter().find(|run| (&*run.system, &*run.algorithm, run.threads) == (name, algorithm, threads));
        cases().filter_map(|(x, name)| of(name).map(|run| (x, run.prepare_ms + run.solve_ms))).collect()
    };
    let is_default = |run: &&DeviceRun| {
        run.algorithm == "bhisa" && run.divided.as_deref().is_some_and(|divided| divided.starts_with("block=256,"))
    };
    let of = |name| device.iter().filter(is_default).find(|run| run.system == name);
    let on_device = cases().filter_map(|(x, name)| of(name).map(|run| (x, run.wall_ms))).collect();
    [on_host("hisa", 1), on_host("bhisa", threads), on_device]
}

/// Figure 4, milliseconds, and figure 5, how many times the speed of HISA on one core; the paper's beside ours.
fn panels(host: &[HostRun], device: &[DeviceRun]) -> Vec<Panel> {
    let names = ["HISA, one core", "BHISA, all cores", "BHISA, the GPU"];
    let theirs = PAPER.map(|all| all.iter().enumerate().map(|(at, s)| (at as f64 + 1.0, 1e3 * s)).collect());
    let all: [(&str, Times); 2] = [("here", ours(host, device)), ("paper", theirs)];
    let of = |whose: &str, name: &str, points| Line { name: format!("{whose}: {name}"), points };
    let times = all
        .iter()
        .flat_map(|(whose, three)| three.iter().zip(names).map(move |(points, name)| of(whose, name, points.clone())));
    let gains = all.iter().flat_map(|(whose, three)| {
        let hisa = &three[0];
        three[1..].iter().zip(&names[1..]).map(move |(points, name)| {
            let base = |x: f64| hisa.iter().find(|point| point.0 == x).map(|point| point.1);
            let points = points.iter().filter_map(|&(x, ms)| Some((x, base(x)? / ms))).collect();
            of(whose, name, points)
        })
    });
    let panel = |title: &str, y, lines: Vec<Line>| Panel {
        title: title.into(),
        x: ("case, in the order of table 5", None),
        y,
        names: Names::Above,
        lines: lines.into_iter().filter(|line| !line.points.is_empty()).collect(),
    };
    vec![
        panel("Figure 4: the whole solve", "milliseconds", times.collect()),
        panel("Figure 5: speed-up over HISA on one core", "times the speed", gains.collect()),
    ]
}

/// Figures 4 and 5, if `gas.csv` is beside `host.csv`.
pub fn figures(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let gas = csv.with_file_name("gas.csv");
    if !gas.exists() {
        return Ok(());
    }
    let (host, device): (Vec<HostRun>, Vec<DeviceRun>) = (read(csv)?, read(&gas)?);
    let adapter = device.first().map_or("", |run| &run.adapter);
    let title = format!("Figures 4 and 5 of Li, Yang and Li, f64, on CPU cores and on {adapter}");
    folder.draw("figure-4-5.svg", &title, &panels(&host, &device))
}
