//! Charts as files: SVG or PNG, by the ending of the file's name.

use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{PathBufValueParser, TryMapValueParser, TypedValueParser, ValueParserFactory};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::Failure;
use crate::output_file::{OutputFile, OutputPath};

/// The file of a chart on the command line; `-` writes SVG to standard output.
#[derive(Clone)]
pub struct PlotPath {
    path: OutputPath,
    is_png: bool,
}

/// The file of a chart, opened before the work.
pub struct PlotFile {
    file: OutputFile,
    is_png: bool,
}

/// Pixels of a PNG per pixel of an SVG, along each axis: sharp text on displays with small pixels.
const SCALE: f32 = 2.0;

impl ValueParserFactory for PlotPath {
    type Parser = TryMapValueParser<PathBufValueParser, fn(PathBuf) -> Result<Self, String>>;
    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().try_map(Self::parse)
    }
}

impl PlotPath {
    fn parse(path: PathBuf) -> Result<Self, String> {
        let path = OutputPath::from(path);
        match &path.ending()[..] {
            "svg" => Ok(Self { path, is_png: false }),
            "png" => Ok(Self { path, is_png: true }),
            _ if path.is_standard() => Ok(Self { path, is_png: false }),
            "" => Err("the name has no ending; charts are written as .svg or .png".into()),
            other => Err(format!("the name ends in .{other}; charts are written as .svg or .png")),
        }
    }

    pub fn output(&self) -> &OutputPath {
        &self.path
    }

    pub fn open(&self) -> Result<PlotFile, Failure> {
        Ok(PlotFile { file: OutputFile::open(&self.path)?, is_png: self.is_png })
    }
}

impl PlotFile {
    /// Writes the chart of an SVG.
    pub fn write(self, svg: &str) -> Result<(), Failure> {
        if !self.is_png {
            return self.file.write_text(svg);
        }
        let png = png(svg)
            .map_err(|message| Failure::Solver(format!("--plot: the PNG cannot be drawn: {message}; write .svg")))?;
        self.file.write(|target| target.write_all(&png))
    }
}

/// Draws an SVG, with a font of the program: many servers have none.
fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.set_sans_serif_family("Noto Sans");
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("the chart has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("the chart is too large")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}
