//! The course project: its figures 1 and 2, which rows each step of CR and PCR reads, for 8 unknowns; and the three methods compared.

use std::fmt::Write as _;
use std::path::Path;

use trisolve_lab::{Method, Phase, communication};

use super::failure::Failure;
use super::tridiagonal::{Run, panels, panels_in};
use super::{Folder, read};

const ROWS: usize = 8;
const ACROSS: usize = 60;
const DOWN: usize = 62;
const TOP: usize = 78;
const LEFT: usize = 40;
/// Half a box of an equation.
const BOX: (usize, usize) = (20, 11);

/// Thomas, CR and PCR over rows and systems, and the patterns of their reads.
pub fn figures(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let title = format!("Thomas, CR and PCR, f32, on {}", runs.first().map_or("", |run| &run.adapter));
    let mut panels = panels(&runs, "f32", &[1, 64, 4096], |_| true);
    panels.extend(panels_in("interleaved", &runs, "f32", &[64, 4096], |_| true));
    folder.draw("course.svg", &title, &panels)?;
    folder.write("course-patterns.svg", &patterns()?)
}

/// The patterns side by side, as the text of an SVG.
fn patterns() -> Result<String, std::fmt::Error> {
    let methods = [(Method::Cr, "Figure 1: cyclic reduction"), (Method::Pcr, "Figure 2: parallel cyclic reduction")];
    let width = 2 * LEFT + (ROWS - 1) * ACROSS;
    let height = methods.iter().map(|(method, _)| TOP + method.steps(ROWS) as usize * DOWN + 30).max().unwrap_or(0);
    let mut svg = String::new();
    let whole = methods.len() * width;
    writeln!(
        svg,
        r#"<svg width="{whole}" height="{height}" viewBox="0 0 {whole} {height}" xmlns="http://www.w3.org/2000/svg">"#
    )?;
    writeln!(svg, r#"<rect width="{whole}" height="{height}" fill="white"/>"#)?;
    writeln!(svg, r#"<g font-family="sans-serif" font-size="12" text-anchor="middle">"#)?;
    for (panel, (method, title)) in methods.into_iter().enumerate() {
        writeln!(svg, r#"<g transform="translate({} 0)">"#, panel * width)?;
        writeln!(svg, r#"<text x="{}" y="26" font-size="16">{title}, {ROWS} unknowns</text>"#, width / 2)?;
        pattern(&mut svg, method)?;
        writeln!(svg, "</g>")?;
    }
    writeln!(svg, "</g>\n</svg>")?;
    Ok(svg)
}

/// Equations e and unknowns z as boxes, a line of boxes per step below those that it reads.
fn pattern(svg: &mut String, method: Method) -> std::fmt::Result {
    let x = |row: usize| LEFT + row * ACROSS;
    let y = |step: usize| TOP + step * DOWN;
    // The step that last changed a row, and how often it was reduced.
    let mut changed = [0; ROWS];
    let mut reduced = [0; ROWS];
    let mut boxes = String::new();
    for row in 0..ROWS {
        equation(&mut boxes, x(row), y(0), "white", &format!("e{}", row + 1))?;
    }
    for (at, step) in communication(method, ROWS).unwrap_or_default().into_iter().enumerate() {
        let at = at + 1;
        let (colour, fill) = match step.phase {
            Phase::Reduce => ("#0072b2", "#dcebf5"),
            Phase::Solve => ("#000000", "#e4e4e4"),
            Phase::Substitute => ("#d55e00", "#fae5d6"),
        };
        let before = changed;
        for (row, read) in &step.updates {
            for other in read.iter().chain([row]) {
                let (from, to) = (y(before[*other]) + BOX.1, y(at) - BOX.1);
                writeln!(
                    svg,
                    r#"<line x1="{}" y1="{from}" x2="{}" y2="{to}" stroke="{colour}" stroke-width="1.2"/>"#,
                    x(*other),
                    x(*row)
                )?;
            }
            let name = match step.phase {
                Phase::Reduce => {
                    reduced[*row] += 1;
                    format!("e{}{}", row + 1, "'".repeat(reduced[*row]))
                }
                Phase::Solve | Phase::Substitute => format!("z{}", row + 1),
            };
            equation(&mut boxes, x(*row), y(at), fill, &name)?;
            changed[*row] = at;
        }
    }
    svg.push_str(&boxes);
    Ok(())
}

fn equation(svg: &mut String, x: usize, y: usize, fill: &str, name: &str) -> std::fmt::Result {
    let (left, top, width, height) = (x - BOX.0, y - BOX.1, 2 * BOX.0, 2 * BOX.1);
    writeln!(
        svg,
        r##"<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="4" fill="{fill}" stroke="#555555"/><text x="{x}" y="{}">{name}</text>"##,
        y + 4
    )
}
