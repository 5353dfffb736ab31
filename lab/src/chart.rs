//! Charts: panels of lines over a logarithmic axis, side by side in one SVG.

use std::error::Error;
use std::ops::Range;

use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;

/// A line of a panel.
pub struct Line {
    /// The name in the legend.
    pub name: String,
    /// x and y of each point.
    pub points: Vec<(f64, f64)>,
}

/// One diagram.
pub struct Panel {
    /// The title above the panel.
    pub title: String,
    /// The label of the x axis, and the base of its logarithm if the axis is logarithmic.
    pub x: (&'static str, Option<f64>),
    /// The label of the y axis, which is logarithmic.
    pub y: &'static str,
    /// The place of the legend.
    pub names: Names,
    /// The lines.
    pub lines: Vec<Line>,
}

/// The place of the legend.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// In the lower right corner, where the lines leave room.
    BelowRight,
    /// Above the lines, where the panel gets more room.
    Above,
}

/// The colours of the lines, distinguishable with colour blindness too (Okabe and Ito 2008).
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 60),
];

const SIZE: (u32, u32) = (520, 430);

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// The range of the values, with room at both ends.
fn span(values: impl Iterator<Item = f64>, room: f64, room_above: f64) -> Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, 0f64), |(low, high), v| (low.min(v), high.max(v)));
    low / room..high * room_above
}

fn number(value: &f64) -> String {
    // Ticks are sums of rounded steps.
    let value = format!("{value:.5e}").parse().unwrap_or(*value);
    if value == 0.0 || (1e-2..1e6).contains(&value) { format!("{value}") } else { format!("{value:.0e}") }
}

fn power(value: &f64) -> String {
    let power = value.log2();
    if (power - power.round()).abs() < 1e-6 { format!("2^{power:.0}") } else { String::new() }
}

/// Draws axes, lines and legend of a panel.
fn fill<'a, X: Ranged<ValueType = f64> + ValueFormatter<f64>>(
    mut chart: ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, LogCoord<f64>>>,
    panel: &Panel,
    x_label: &dyn Fn(&f64) -> String,
) -> Result<(), Box<dyn Error>> {
    chart
        .configure_mesh()
        .x_desc(panel.x.0)
        .y_desc(panel.y)
        .x_label_formatter(&x_label)
        .y_label_formatter(&number)
        .light_line_style(RGBColor(240, 240, 240))
        .draw()?;
    for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), style).point_size(3))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    chart
        .configure_series_labels()
        .position(match panel.names {
            Names::BelowRight => SeriesLabelPosition::LowerRight,
            Names::Above => SeriesLabelPosition::UpperRight,
        })
        .background_style(WHITE.mix(0.8))
        .border_style(RGBColor(200, 200, 200))
        .label_font(("sans-serif", 12))
        .draw()?;
    Ok(())
}

/// Draws the panels side by side. Returns the text of the SVG.
///
/// # Errors
/// The errors of plotters.
pub fn draw(title: &str, panels: &[Panel]) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    draw_on(&SVGBackend::with_string(&mut text, size(panels)).into_drawing_area(), title, panels)?;
    Ok(text)
}

fn size(panels: &[Panel]) -> (u32, u32) {
    (SIZE.0 * panels.len() as u32, SIZE.1 + 40)
}

fn draw_on(root: &Area<'_>, title: &str, panels: &[Panel]) -> Result<(), Box<dyn Error>> {
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 20))?;
    for (area, panel) in root.split_evenly((1, panels.len())).iter().zip(panels) {
        let all = || panel.lines.iter().flat_map(|line| line.points.iter().copied());
        let across = span(all().map(|point| point.0), 1.1, 1.1);
        let up =
            span(all().map(|point| point.1), 1.4, if panel.names == Names::Above { 30.0 } else { 1.4 }).log_scale();
        let mut builder = ChartBuilder::on(area);
        builder.caption(&panel.title, ("sans-serif", 16)).margin(8).x_label_area_size(36).y_label_area_size(58);
        match panel.x.1 {
            Some(base) => fill(builder.build_cartesian_2d(across.log_scale().base(base), up)?, panel, &power)?,
            None => fill(builder.build_cartesian_2d(0.0..across.end, up)?, panel, &number)?,
        }
    }
    root.present()?;
    Ok(())
}
