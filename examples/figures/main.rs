//! Draws figures from the CSV files of a folder, `benches/results` unless given, for example `benches/results/papers/tpr/nvidia-h200`:
//!
//!     cargo run --example figures [FOLDER]
//!
//! - `tridiagonal.svg`: rows per second of one system beside cuSPARSE, from `tridiagonal-sweep.csv`;
//! - `shapes.svg`, `recurrence-shapes.svg`, `filter-shapes.svg`: 2^24 rows in all over the rows per system, from the CSV files of the same names;
//! - `figure-12.svg`, `figure-13.svg`: the comparison in the TPR paper, f32 and f64, for 1, 8 and 64
//!   systems, and `figure-15-16.svg`: TPR's stable against its fastest slices, from `paper.csv`;
//! - `course.svg`: Thomas, CR and PCR over rows and systems, from `course.csv`, and `course-patterns.svg`: the rows that each step of CR and
//!   PCR reads;
//! - `figure-14.svg`: the slice's size against the error, from `accuracy.csv`;
//! - `p-scheme-host.svg`: figure 1 of P-scheme's paper, from `substitution.csv`; `p-scheme.svg` and `p-scheme-rearranging.svg`: its figures 4 to
//!   7, from `p-scheme.csv`; `p-scheme-grouped.svg`: figures 5 to 7 with the propagation over groups, from `p-scheme-grouped.csv`;
//! - `triangular-caching.svg`, `triangular-inversion.svg`, `triangular-single.svg`: figures 6 and 7 and table 2.2 of Hogg's
//!   paper, from `triangular-variants.csv`; `triangular-steps.svg`: its figure 2, from `triangular-launches.csv` and `curves.csv`;
//!   `triangular-bandwidth.svg` and `triangular-speed-up.svg`: its figures 10, 11 and 13 to 15, from `curves.csv`;
//!   `triangular-trace.svg`: its figure 5, from `trace.csv`;
//! - `figure-4-5.svg`: HISA and BHISA on CPU cores and on the device, the figures of Li, Yang and Li, from `host.csv` and `gas.csv`.
//!
//! `benches/papers.sh`, `benches/peers/compare.sh`, `trisolve accuracy` and `trisolve bench p-scheme` write those files.

mod course;
#[path = "../failure/mod.rs"]
mod failure;
mod hisa;
mod p_scheme;
mod shapes;
mod triangular;
mod tridiagonal;

use std::env;
use std::path::{Path, PathBuf};

use failure::Failure;
use serde::Deserialize;
use trisolve_lab::chart::{Line, Panel, draw};

/// Draws the figures of a CSV file.
type Figures = fn(&Path, &mut Folder) -> Result<(), Failure>;

const FIGURES: [(&str, Figures); 15] = [
    ("shapes.csv", shapes::systems),
    ("recurrence-shapes.csv", shapes::recurrences),
    ("filter-shapes.csv", shapes::filters),
    ("tridiagonal-sweep.csv", tridiagonal::sweep),
    ("paper.csv", tridiagonal::comparison),
    ("course.csv", course::figures),
    ("accuracy.csv", tridiagonal::slices),
    ("p-scheme.csv", p_scheme::evaluation),
    ("p-scheme-grouped.csv", p_scheme::grouped),
    ("substitution.csv", p_scheme::substitution),
    ("triangular-variants.csv", triangular::variants),
    ("curves.csv", triangular::curves),
    ("triangular-launches.csv", triangular::launches),
    ("trace.csv", triangular::trace),
    ("host.csv", hisa::figures),
];

/// The folder of the figures.
struct Folder {
    path: PathBuf,
    drawn: usize,
}

impl Folder {
    /// Draws panels, if there are any.
    fn draw(&mut self, name: &str, title: &str, panels: &[Panel]) -> Result<(), Failure> {
        if panels.is_empty() { Ok(()) } else { self.write(name, &draw(title, panels)?) }
    }

    fn write(&mut self, name: &str, svg: &str) -> Result<(), Failure> {
        let path = self.path.join(name);
        std::fs::write(&path, svg).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}", path.display());
        self.drawn += 1;
        Ok(())
    }
}

/// The lines of a CSV file.
fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Vec<T>, Failure> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(reader.deserialize().collect::<Result<_, _>>().map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Adds a point to the line of this name.
fn add(lines: &mut Vec<Line>, name: String, point: (f64, f64)) {
    match lines.iter_mut().find(|line| line.name == name) {
        Some(line) => line.points.push(point),
        None => lines.push(Line { name, points: vec![point] }),
    }
}

fn main() -> Result<(), Failure> {
    let path = env::args_os().nth(1).map_or_else(|| PathBuf::from("benches/results"), PathBuf::from);
    let mut folder = Folder { path, drawn: 0 };
    for (csv, figures) in FIGURES {
        let csv = folder.path.join(csv);
        if csv.exists() {
            figures(&csv, &mut folder)?;
        }
    }
    if folder.drawn == 0 {
        return Err(format!("{} has none of the files to draw", folder.path.display()).into());
    }
    Ok(())
}
