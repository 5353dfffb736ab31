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
    /// The label of the y axis, which is logarithmic. Zeros are drawn at least a decade below all other values; the tick there reads 0.
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
    /// In the upper left corner, where rising lines leave room.
    AboveLeft,
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

/// The height of a value, for zeros at the height `zero`.
fn drawn(y: f64, zero: Option<f64>) -> f64 {
    zero.filter(|_| y == 0.0).unwrap_or(y)
}

/// The power of ten at which the zeros of a panel are drawn; `None` without zeros.
fn height_of_zero(heights: impl Iterator<Item = f64>) -> Option<f64> {
    let mut has_zeros = false;
    let least = heights.fold(f64::INFINITY, |least, y| {
        has_zeros |= y == 0.0;
        if y > 0.0 { least.min(y) } else { least }
    });
    let least = if least.is_finite() { least } else { 1.0 };
    has_zeros.then(|| 10f64.powf(least.log10().floor() - 1.0))
}

/// Draws axes, lines and legend of a panel. Zeros are drawn at the height `zero`.
fn fill<'a, X: Ranged<ValueType = f64> + ValueFormatter<f64>>(
    mut chart: ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, LogCoord<f64>>>,
    panel: &Panel,
    x_label: &dyn Fn(&f64) -> String,
    zero: Option<f64>,
) -> Result<(), Box<dyn Error>> {
    let y_label = |y: &f64| match zero {
        Some(zero) if *y < 1.5 * zero => "0".into(),
        _ => number(y),
    };
    chart
        .configure_mesh()
        .x_desc(panel.x.0)
        .y_desc(panel.y)
        .x_label_formatter(&x_label)
        .y_label_formatter(&y_label)
        .light_line_style(RGBColor(240, 240, 240))
        .draw()?;
    for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
        let style = colour.stroke_width(2);
        let points = line.points.iter().map(|&(x, y)| (x, drawn(y, zero)));
        chart
            .draw_series(LineSeries::new(points, style).point_size(3))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    chart
        .configure_series_labels()
        .position(match panel.names {
            Names::BelowRight => SeriesLabelPosition::LowerRight,
            Names::AboveLeft => SeriesLabelPosition::UpperLeft,
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
        let zero = height_of_zero(all().map(|point| point.1));
        let heights = all().map(|point| drawn(point.1, zero));
        let up = span(heights, 1.4, if panel.names == Names::Above { 30.0 } else { 1.4 }).log_scale();
        let mut builder = ChartBuilder::on(area);
        builder.caption(&panel.title, ("sans-serif", 16)).margin(8).x_label_area_size(36).y_label_area_size(58);
        match panel.x.1 {
            Some(base) => fill(builder.build_cartesian_2d(across.log_scale().base(base), up)?, panel, &power, zero)?,
            None => fill(builder.build_cartesian_2d(0.0..across.end, up)?, panel, &number, zero)?,
        }
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of an SVG.
    fn texts(svg: &str) -> Vec<&str> {
        svg.split("<text").skip(1).filter_map(|text| Some(text.split_once('>')?.1.split('<').next()?.trim())).collect()
    }

    fn drawn(points: &[(f64, f64)]) -> String {
        with_names(Names::Above, points)
    }

    fn with_names(names: Names, points: &[(f64, f64)]) -> String {
        let lines = vec![Line { name: "error".into(), points: points.to_vec() }];
        let x = ("S", Some(2.0));
        draw("a figure", &[Panel { title: "a panel".into(), x, y: "relative error", names, lines }]).unwrap()
    }

    /// The corner of the legend, which is the second rectangle after the background's.
    #[test]
    fn legends_stand_in_their_corners() {
        for (names, is_left, is_above) in
            [(Names::AboveLeft, true, true), (Names::Above, false, true), (Names::BelowRight, false, false)]
        {
            let svg = with_names(names, &[(8.0, 3e-9), (16.0, 2e-7)]);
            let legend = svg.split("<rect ").nth(2).unwrap();
            let [x, y] = ["x=\"", "y=\""].map(|name| {
                let value = legend.split(name).nth(1).unwrap().split('"').next().unwrap();
                value.parse::<u32>().unwrap()
            });
            assert_eq!((x < SIZE.0 / 2, y < SIZE.1 / 2), (is_left, is_above), "{x}, {y}");
        }
    }

    #[test]
    fn small_numbers_keep_their_labels() {
        let svg = drawn(&[(8.0, 3e-9), (16.0, 2e-7)]);
        let texts = texts(&svg);
        assert!(texts.contains(&"1e-8") && texts.contains(&"1e-7"), "{texts:?}");
        assert!(!texts.contains(&"0e0") && !texts.contains(&"0"), "{texts:?}");
    }

    #[test]
    fn zeros_stand_at_a_tick_of_their_own() {
        let svg = drawn(&[(8.0, 0.0), (16.0, 3e-9), (32.0, 2e-7)]);
        let texts = texts(&svg);
        assert_eq!(texts.iter().filter(|text| **text == "0").count(), 1, "{texts:?}");
        assert!(texts.contains(&"1e-9") && !texts.contains(&"1e-10"), "{texts:?}");
        // Zeros alone.
        assert!(drawn(&[(8.0, 0.0), (16.0, 0.0)]).contains("</svg>"));
    }
}
