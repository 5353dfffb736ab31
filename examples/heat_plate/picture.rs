//! The picture of temperatures: fields side by side, and the scale of their colours.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{Rgb, RgbImage};

use super::failure::Failure;

/// Pictures of `side` pixels, whatever the grid's size, in rows of `columns`, and the scale of colours beside them.
pub fn draw(pictures: &[&[f32]], columns: usize, side: u32, m: usize, path: &Path) -> Result<(), Failure> {
    const GAP: u32 = 16;
    const SCALE: u32 = 24;
    let temperatures = pictures.iter().copied().flatten();
    let (least, most) = temperatures.fold((0f32, 0f32), |(low, high), &u| (low.min(u), high.max(u)));
    let colour = |u: f32| colour((u - least) / (most - least));
    let columns = columns as u32;
    let width = GAP + columns * (side + GAP);
    let height = GAP + (pictures.len() as u32).div_ceil(columns) * (side + GAP);
    let mut image = RgbImage::from_pixel(width + SCALE + GAP, height, Rgb([255; 3]));
    for (values, picture) in pictures.iter().zip(0u32..) {
        let left = GAP + (picture % columns) * (side + GAP);
        let top = GAP + (picture / columns) * (side + GAP);
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            let share = |pixel: u32| (pixel as f32 + 0.5) / side as f32;
            image.put_pixel(left + x, top + y, colour(between(values, m, share(x), share(y))));
        }
    }
    for (x, y) in (0..height - 2 * GAP).flat_map(|y| (0..SCALE).map(move |x| (x, y))) {
        let share = 1.0 - y as f32 / (height - 2 * GAP) as f32;
        image.put_pixel(width + x, GAP + y, colour(least + share * (most - least)));
    }
    let named = |error: String| format!("{}: {error}", path.display());
    let file = File::create(path).map_err(|error| named(error.to_string()))?;
    // A third of the bytes of the default compression.
    let encoder = PngEncoder::new_with_quality(BufWriter::new(file), CompressionType::Best, FilterType::Adaptive);
    image.write_with_encoder(encoder).map_err(|error| named(error.to_string()).into())
}

/// The temperature between nodes, linear in each direction, at shares of the sides; y = 0 is
/// the upper edge of the picture.
fn between(values: &[f32], m: usize, x: f32, y: f32) -> f32 {
    // Node 0 is the edge, then m inner ones, then the other edge.
    let node = |column: usize, row: usize| match (1..=m).contains(&column) && (1..=m).contains(&row) {
        true => values[(row - 1) * m + column - 1],
        false => 0.0,
    };
    let (x, y) = (x * (m + 1) as f32, y * (m + 1) as f32);
    let (column, row) = (x as usize, y as usize);
    let (right, down) = (x.fract(), y.fract());
    let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
    mix(
        mix(node(column, row), node(column + 1, row), right),
        mix(node(column, row + 1), node(column + 1, row + 1), right),
        down,
    )
}

/// From cold (0) to hot (1): dark violet, red, orange, pale yellow, evenly brighter to the eye.
/// Some colours of matplotlib's "inferno" (Smith and van der Walt), mixed between.
fn colour(share: f32) -> Rgb<u8> {
    const STOPS: [[u8; 3]; 9] = [
        [0, 0, 4],
        [31, 12, 72],
        [85, 15, 109],
        [136, 34, 106],
        [186, 54, 85],
        [227, 89, 51],
        [249, 140, 10],
        [249, 201, 50],
        [252, 255, 164],
    ];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let stop = (place as usize).min(STOPS.len() - 2);
    let channel = |c: usize| {
        let (low, high) = (f32::from(STOPS[stop][c]), f32::from(STOPS[stop + 1][c]));
        (low + (high - low) * (place - stop as f32)).round() as u8
    };
    Rgb([channel(0), channel(1), channel(2)])
}
