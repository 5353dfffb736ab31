//! The shapes that a benchmark sweeps.

use clap::ValueEnum;
use trisolve::tridiagonal::Shape;

use crate::PrecisionName;
use crate::size::size;

/// The options for the shapes.
#[derive(clap::Args)]
pub struct ShapeArguments {
    /// Rows per system or sequence, as 1048576 or 2^20; several values sweep. The default is 1024 and 2^20, for dense systems
    /// 1024 and 4096
    #[arg(long, value_parser = size, value_delimiter = ',')]
    rows: Vec<usize>,
    /// Systems or sequences; several values sweep
    #[arg(long, value_parser = size, value_delimiter = ',', default_value = "1")]
    batch: Vec<usize>,
    /// Rows of all systems or sequences together, instead of --batch: the batch is this number divided by --rows, rounded
    #[arg(long, value_parser = size, conflicts_with = "batch")]
    total: Option<usize>,
    /// Precision of the solve; several values sweep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "f32")]
    precision: Vec<PrecisionName>,
    /// Layout of the batch; several values sweep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "contiguous")]
    layout: Vec<LayoutName>,
}

/// How the systems of a batch lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    Contiguous,
    Interleaved,
}

impl LayoutName {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contiguous => "contiguous",
            Self::Interleaved => "interleaved",
        }
    }
}

/// A batch of systems or sequences to measure: its shape and its precision.
#[derive(Clone, Copy)]
pub struct Batch {
    pub precision: PrecisionName,
    pub layout: LayoutName,
    pub rows: usize,
    pub systems: usize,
}

impl Batch {
    pub fn shape(&self) -> Shape {
        match self.layout {
            LayoutName::Contiguous => Shape::contiguous(self.rows, self.systems),
            LayoutName::Interleaved => Shape::interleaved(self.rows, self.systems),
        }
    }
}

impl ShapeArguments {
    /// All combinations.
    pub fn batches(&self) -> Vec<Batch> {
        self.batches_or(&[1 << 10, 1 << 20])
    }

    /// All combinations, with these rows if the command line has none.
    pub fn batches_or(&self, rows: &[usize]) -> Vec<Batch> {
        let rows = if self.rows.is_empty() { rows } else { &self.rows };
        let mut all = Vec::new();
        for &precision in &self.precision {
            for &layout in &self.layout {
                for &batch in &self.batch {
                    let systems = |rows: usize| self.total.map_or(batch, |total| systems_of(total, rows));
                    all.extend(rows.iter().map(|&rows| Batch { precision, layout, rows, systems: systems(rows) }));
                }
            }
        }
        all
    }
}

/// The number of systems whose rows come nearest to `total`; at least 1.
fn systems_of(total: usize, rows: usize) -> usize {
    let rows = rows.max(1);
    (total / rows + usize::from(total % rows >= rows.div_ceil(2))).max(1)
}
