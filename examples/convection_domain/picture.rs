//! The picture: temperature, isotherms and streamlines, and below them the residuals over the iterations.

use std::path::Path;

use image::{Rgb, RgbImage};

use super::failure::Failure;
use super::{COLUMNS, Cell, ROWS, Solved, Stream, Unknowns, cell};

/// Pixels along a cell's side.
const SCALE: u32 = 3;
/// Pixels that the diagram is high.
const DIAGRAM: u32 = 280;

/// The river, and below it the diagram of residuals.
pub fn draw(cells: &Unknowns, stream: &Stream, solved: &[Solved], path: &Path) -> Result<(), Failure> {
    let (width, height) = (COLUMNS as u32 * SCALE, ROWS as u32 * SCALE);
    let mut image = RgbImage::from_pixel(width, height + DIAGRAM, Rgb([255; 3]));
    if let Some((_, solution)) = solved.first() {
        draw_river(&mut image, cells, stream, &solution.x);
    }
    draw_diagram(&mut image, solved);
    image.save(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn draw_river(image: &mut RgbImage, cells: &Unknowns, stream: &Stream, temperatures: &[f32]) {
    let (width, height) = (COLUMNS as u32 * SCALE, ROWS as u32 * SCALE);
    let in_water = |column: i32, row: i32| {
        let inside = (0..COLUMNS).contains(&column) && (0..ROWS).contains(&row);
        inside.then(|| cells.number(column, row)).flatten().map(|number| f64::from(temperatures[number]))
    };
    let streams = |column: i32, row: i32| Some(stream.at(column, row));
    for (right, down) in (0..height).flat_map(|down| (0..width).map(move |right| (right, down))) {
        // In cells, at the middle of the pixel.
        let [x, y] = [right, down].map(|pixel| (f64::from(pixel) + 0.5) / f64::from(SCALE));
        let pixel = match cell(x as i32, y as i32) {
            Cell::Land { temperature: Some(temperature), .. } => mixed(colour(temperature), Rgb([255; 3]), 0.15),
            Cell::Land { .. } => Rgb([168; 3]),
            _ => {
                // Temperatures are those of the middle of a cell.
                let temperature = |x: f64, y: f64| between(&in_water, x - 0.5, y - 0.5);
                let tens = |x: f64, y: f64| 10.0 * temperature(x, y);
                // Of the stream function a half more, so that no line follows the shore, where it is 0.
                let flow = |x: f64, y: f64| between(&streams, x, y) / 0.03 + 0.5;
                let water = mixed(colour(temperature(x, y)), Rgb([255; 3]), 0.35 * on_isoline(&flow, x, y));
                mixed(water, Rgb([0; 3]), 0.6 * on_isoline(&tens, x, y))
            }
        };
        image.put_pixel(right, down, pixel);
    }
}

/// Residuals over the iterations, on logarithmic and linear axes, with the methods' names and the scale of colours.
fn draw_diagram(image: &mut RgbImage, solved: &[Solved]) {
    // Powers of ten.
    const MOST: i32 = 1;
    const LEAST: i32 = -5;
    const SCALE_OF_COLOURS: i32 = 220;
    const GRID: [u8; 3] = [225; 3];
    const INK: [u8; 3] = [70; 3];
    let (width, height) = image.dimensions();
    let (left, right) = (80, width as i32 - 420);
    let (top, bottom) = ((height - DIAGRAM) as i32 + 30, height as i32 - 50);
    let most = solved.iter().map(|(_, solution)| solution.report.iterations).max().unwrap_or(0).max(1);
    let across = |iteration: usize| left + (iteration as f64 / most as f64 * f64::from(right - left)) as i32;
    let down = |residual: f64| {
        let power = residual.log10().clamp(LEAST.into(), MOST.into());
        top + ((f64::from(MOST) - power) / f64::from(MOST - LEAST) * f64::from(bottom - top)) as i32
    };
    for power in LEAST..=MOST {
        let y = down(10f64.powi(power));
        draw_line(image, (left, y), (right, y), GRID, 1);
        write(image, (10, y - 7), &format!("1e{power}"), INK);
    }
    for iteration in (0..=most).step_by(most.div_ceil(8).next_multiple_of(10)) {
        let x = across(iteration);
        draw_line(image, (x, top), (x, bottom), GRID, 1);
        write(image, (x - 15, bottom + 12), &iteration.to_string(), INK);
    }
    for (at, (method, solution)) in solved.iter().enumerate() {
        let points: Vec<_> =
            solution.report.history.iter().enumerate().map(|(at, &residual)| (across(at), down(residual))).collect();
        for pair in points.windows(2) {
            draw_line(image, pair[0], pair[1], method.colour, method.width);
        }
        let y = top + 20 + 40 * at as i32;
        draw_line(image, (right + 30, y), (right + 60, y), method.colour, method.width);
        write(image, (right + 75, y - 7), method.name, INK);
    }
    for x in 0..SCALE_OF_COLOURS {
        let own = colour(f64::from(x) / f64::from(SCALE_OF_COLOURS)).0;
        draw_line(image, (right + 90 + x, bottom - 20), (right + 90 + x, bottom), own, 1);
    }
    write(image, (right + 30, bottom - 17), "cold", INK);
    write(image, (right + 100 + SCALE_OF_COLOURS, bottom - 17), "hot", INK);
}

fn draw_line(image: &mut RgbImage, from: (i32, i32), to: (i32, i32), colour: [u8; 3], width: i32) {
    let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
    for step in 0..=steps {
        let (x, y) = (from.0 + (to.0 - from.0) * step / steps, from.1 + (to.1 - from.1) * step / steps);
        fill(image, (x - width / 2, y - width / 2), width, colour);
    }
}

/// A square; what lies outside of the picture is cut off.
fn fill(image: &mut RgbImage, (left, top): (i32, i32), side: i32, colour: [u8; 3]) {
    for (x, y) in (top..top + side).flat_map(|y| (left..left + side).map(move |x| (x, y))) {
        if let Some(pixel) = image.get_pixel_mut_checked(x as u32, y as u32) {
            *pixel = Rgb(colour);
        }
    }
}

/// Writes in letters of 3 x 5 dots, of which there are those that the diagram needs.
fn write(image: &mut RgbImage, (left, top): (i32, i32), text: &str, colour: [u8; 3]) {
    const DOT: i32 = 3;
    // Five rows of a letter, from the upper one, each an octal digit.
    const LETTERS: &str = "0123456789abcdeghilnorst-,";
    const DOTS: [u16; 26] = [
        0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71244, 0o75757, 0o75717, 0o25755, 0o65656,
        0o34443, 0o65556, 0o74647, 0o34553, 0o55755, 0o72227, 0o44447, 0o65555, 0o25552, 0o65655, 0o34216, 0o72222,
        0o00700, 0o00024,
    ];
    for (at, letter) in text.chars().enumerate() {
        let rows = LETTERS.chars().zip(DOTS).find_map(|(one, rows)| (one == letter).then_some(rows)).unwrap_or(0);
        for dot in (0..15).filter(|dot| rows >> (14 - dot) & 1 == 1) {
            let x = left + DOT * (4 * at as i32 + dot % 3);
            fill(image, (x, top + DOT * (dot / 3)), DOT, colour);
        }
    }
}

/// The mean of the four values around a place, weighted by how near they are; of those that there are.
fn between(value: &dyn Fn(i32, i32) -> Option<f64>, x: f64, y: f64) -> f64 {
    let (column, row) = (x.floor(), y.floor());
    let (right, down) = (x - column, y - row);
    let (mut sum, mut weights) = (0.0, 0.0);
    for (i, j, weight) in [
        (0, 0, (1.0 - right) * (1.0 - down)),
        (1, 0, right * (1.0 - down)),
        (0, 1, (1.0 - right) * down),
        (1, 1, right * down),
    ] {
        if let Some(value) = value(column as i32 + i, row as i32 + j) {
            sum += weight * value;
            weights += weight;
        }
    }
    sum / weights
}

/// How much of a pixel is covered by a line along which the values are a whole number.
fn on_isoline(value: &dyn Fn(f64, f64) -> f64, x: f64, y: f64) -> f64 {
    let pixel = 1.0 / f64::from(SCALE);
    let own = value(x, y);
    let slope = (value(x + pixel, y) - own).hypot(value(x, y + pixel) - own);
    // From the line, in pixels.
    let distance = (own - own.round()).abs() / slope.max(1e-6);
    (1.2 - distance).clamp(0.0, 1.0)
}

fn mixed(a: Rgb<u8>, b: Rgb<u8>, share: f64) -> Rgb<u8> {
    let channel = |c: usize| (f64::from(a[c]) + (f64::from(b[c]) - f64::from(a[c])) * share).round() as u8;
    Rgb([channel(0), channel(1), channel(2)])
}

/// From cold (0) to hot (1): blue, violet, red, orange, yellow, evenly brighter to the eye. Some colours of
/// matplotlib's "plasma" (Smith and van der Walt), mixed between.
fn colour(share: f64) -> Rgb<u8> {
    const STOPS: [[u8; 3]; 9] = [
        [13, 8, 135],
        [75, 3, 161],
        [125, 3, 168],
        [168, 34, 150],
        [203, 70, 121],
        [229, 107, 93],
        [248, 148, 65],
        [253, 195, 40],
        [240, 249, 33],
    ];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let stop = (place as usize).min(STOPS.len() - 2);
    mixed(Rgb(STOPS[stop]), Rgb(STOPS[stop + 1]), place - stop as f64)
}
