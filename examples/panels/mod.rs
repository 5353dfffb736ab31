//! Panels of lines over one axis, one below the other in one SVG.

use std::path::Path;

use plotters::prelude::*;
use trisolve_lab::chart::COLOURS;

use crate::failure::Failure;

/// A line of a panel.
pub struct Line<'a> {
    pub name: &'a str,
    pub points: Vec<(f64, f64)>,
    /// In pixels: a wide line shows below a narrow one.
    pub width: u32,
}

/// One diagram.
pub struct Panel<'a> {
    pub y: &'a str,
    pub lines: Vec<Line<'a>>,
}

const SIZE: (u32, u32) = (900, 300);

/// Draws panels below each other.
pub fn draw(path: &Path, title: &str, x: &str, panels: &[Panel]) -> Result<(), Failure> {
    let root = SVGBackend::new(path, (SIZE.0, SIZE.1 * panels.len() as u32 + 40)).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 20))?;
    for (area, panel) in root.split_evenly((panels.len(), 1)).iter().zip(panels) {
        let all = || panel.lines.iter().flat_map(|line| line.points.iter().copied());
        let span = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (left, right) = span(&mut all().map(|point| point.0));
        let (low, high) = span(&mut all().map(|point| point.1));
        // Room for the names above; a line that is 0 everywhere has a height too.
        let room = (0.1 * (high - low)).max(1e-30);
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(70)
            .build_cartesian_2d(left..right, low - room..high + 2.5 * room)?;
        // Ticks are sums of steps that no float holds.
        let tick = |value: &f64| match value.abs() {
            size if size < 1e-6 * (high - low) => "0".into(),
            size if size < 1e-3 => format!("{value:.1e}"),
            _ => format!("{}", (value * 1e6).round() / 1e6),
        };
        chart
            .configure_mesh()
            .x_desc(x)
            .y_desc(panel.y)
            .y_label_formatter(&tick)
            .light_line_style(RGBColor(240, 240, 240))
            .draw()?;
        for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
            let style = colour.stroke_width(line.width);
            chart
                .draw_series(LineSeries::new(line.points.iter().copied(), style))?
                .label(line.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .border_style(RGBColor(200, 200, 200))
            .label_font(("sans-serif", 12))
            .draw()?;
    }
    root.present()?;
    Ok(())
}
