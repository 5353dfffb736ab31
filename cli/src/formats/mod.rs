//! The formats of files of numbers beside Matrix Market, which the library reads and writes.

pub mod gzip;
pub mod npy;
pub mod plain;

/// Numbers in columns: one per sequence or right-hand side.
pub struct Columns {
    pub rows: usize,
    pub columns: usize,
    /// Column by column.
    pub values: Vec<f64>,
}

impl Columns {
    /// From values row by row.
    fn of_rows(columns: usize, values: Vec<f64>) -> Self {
        let rows = values.len() / columns.max(1);
        if columns == 1 {
            return Self { rows, columns, values };
        }
        let at = |at: usize| values[at % rows * columns + at / rows];
        Self { rows, columns, values: (0..values.len()).map(at).collect() }
    }
}
