//! NumPy's `.npy` (NEP 1): a header, which is a Python dictionary, and the numbers of one array.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use trisolve::{Precision, Real};

use super::Columns;

/// The first bytes of a file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// No sensible header is longer; a damaged length must not fill the memory.
const LONGEST_HEADER: usize = 1 << 16;

/// The sizes of headers are multiples of this many bytes.
const ALIGNMENT: usize = 64;

/// Values that are read at a time.
const BLOCK: usize = 1 << 16;

/// The fields of a header.
struct Header {
    dtype: Dtype,
    is_fortran: bool,
    rows: usize,
    columns: usize,
}

#[derive(Clone, Copy)]
struct Dtype {
    precision: Precision,
    is_big_endian: bool,
}

impl Dtype {
    /// From a type string, as `<f8`.
    fn parse(descr: &str) -> Result<Self, String> {
        let precision = match descr.trim_start_matches(['<', '>', '=', '|']) {
            "f4" => Precision::F32,
            "f8" => Precision::F64,
            other => {
                let named = match (other.get(..1), other.get(1..).map(str::parse::<u32>)) {
                    (Some("f"), Some(Ok(bytes))) => format!(" (float{})", 8 * bytes),
                    (Some("c"), Some(Ok(bytes))) => format!(" (complex{})", 8 * bytes),
                    (Some("i"), Some(Ok(bytes))) => format!(" (int{})", 8 * bytes),
                    (Some("u"), Some(Ok(bytes))) => format!(" (uint{})", 8 * bytes),
                    (Some("b"), _) => " (bool)".into(),
                    _ => String::new(),
                };
                return Err(format!(
                    "the dtype is {descr}{named}; float32 and float64 can be read: save array.astype(\"float64\")"
                ));
            }
        };
        let is_big_endian = descr.starts_with('>') || cfg!(target_endian = "big") && !descr.starts_with('<');
        Ok(Self { precision, is_big_endian })
    }

    fn bytes(self) -> usize {
        self.precision.bytes() as usize
    }

    /// Decodes one value from its bytes.
    fn value(self, bytes: &[u8]) -> f64 {
        let little = |at: usize| if self.is_big_endian { bytes[bytes.len() - 1 - at] } else { bytes[at] };
        match self.precision {
            Precision::F32 => f64::from(f32::from_le_bytes(std::array::from_fn(little))),
            Precision::F64 => f64::from_le_bytes(std::array::from_fn(little)),
        }
    }
}

/// The text after a key of the header's dictionary.
fn field<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let named = |quote: &str| header.split_once(&format!("{quote}{key}{quote}"));
    let value = named("'").or_else(|| named("\"")).and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    value.map(str::trim_start).ok_or_else(|| format!("damaged header: no {key} in {header:?}; save the array again"))
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let damaged = |key: &str| format!("damaged header: the {key} cannot be read in {text:?}; save the array again");
        let descr = field(text, "descr")?;
        let descr = match descr.chars().next() {
            Some(quote @ ('\'' | '"')) => descr[1..].split(quote).next().unwrap_or_default(),
            // A list of fields.
            _ => return Err("the dtype is structured; float32 and float64 can be read: save one of its fields".into()),
        };
        let dtype = Dtype::parse(descr)?;
        let is_fortran = match field(text, "fortran_order")? {
            order if order.starts_with("True") => true,
            order if order.starts_with("False") => false,
            _ => return Err(damaged("fortran_order")),
        };
        let shape = field(text, "shape")?.strip_prefix('(').and_then(|shape| shape.split_once(')'));
        let (shape, _) = shape.ok_or_else(|| damaged("shape"))?;
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        // Python 2 writes long integers with an L.
        let sizes: Result<Vec<usize>, _> = sizes.map(|size| size.trim_end_matches('L').parse()).collect();
        let (rows, columns) = match sizes.map_err(|_| damaged("shape"))?[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            ref sizes => {
                let dimensions = sizes.len();
                return Err(format!(
                    "the array has {dimensions} dimensions; give a vector, or a matrix with a column per vector"
                ));
            }
        };
        if rows == 0 || columns == 0 {
            return Err(format!("the array is empty ({rows} x {columns}): give at least one row and one column"));
        }
        Ok(Self { dtype, is_fortran, rows, columns })
    }

    /// Reads a header, with the file's first bytes.
    fn read(source: &mut impl BufRead) -> Result<Self, String> {
        let ended = |error: io::Error| match error.kind() {
            ErrorKind::UnexpectedEof => "the file ends within its header; save or copy it again".into(),
            _ => error.to_string(),
        };
        let mut start = [0; 8];
        source.read_exact(&mut start).map_err(ended)?;
        let major = start[MAGIC.len()];
        let mut length = [0; 4];
        match major {
            1 => source.read_exact(&mut length[..2]).map_err(ended)?,
            2 | 3 => source.read_exact(&mut length).map_err(ended)?,
            _ => return Err(format!("found version {major} of the format, not 1 to 3; save the array again")),
        }
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST_HEADER {
            return Err(format!("damaged header: its length is {length} bytes; save or copy the file again"));
        }
        let mut text = vec![0; length];
        source.read_exact(&mut text).map_err(ended)?;
        Self::parse(String::from_utf8_lossy(&text).trim())
    }
}

/// Reads an array; a vector is one column. Errors are messages: the caller knows the file.
pub fn read(mut source: impl BufRead) -> Result<Columns, String> {
    let Header { dtype, is_fortran, rows, columns } = Header::read(&mut source)?;
    let declared = rows
        .checked_mul(columns)
        .ok_or("damaged header: its shape has more values than can be counted; save the array again")?;
    // The memory grows with the file, not with the shape that it declares.
    let (mut values, mut block) = (vec![], vec![]);
    while values.len() < declared {
        block.clear();
        let wanted = (declared - values.len()).min(BLOCK) * dtype.bytes();
        let read = source.by_ref().take(wanted as u64).read_to_end(&mut block).map_err(|error| error.to_string())?;
        values.extend(block.chunks_exact(dtype.bytes()).map(|bytes| dtype.value(bytes)));
        if read < wanted {
            return Err(format!(
                "the array has {rows} x {columns} values, but the file ends after {}; save or copy it again",
                values.len()
            ));
        }
    }
    // At the end, gzip compares its checksum.
    if source.read(&mut [0]).map_err(|error| error.to_string())? > 0 {
        return Err(format!("data follow the array of {rows} x {columns} values; save one array per file"));
    }
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let (row, column) = if is_fortran { (at % rows, at / rows) } else { (at / columns, at % columns) };
        let value = values[at];
        return Err(format!("row {}, column {}: found {value}; give a finite number", row + 1, column + 1));
    }
    Ok(if is_fortran { Columns { rows, columns, values } } else { Columns::of_rows(columns, values) })
}

/// Writes `values`, which are column by column, in their precision; one column as a vector.
pub fn write<T: Real>(mut target: impl Write, rows: usize, values: &[T]) -> io::Result<()> {
    let shape = match values.len() / rows.max(1) {
        1 => format!("({rows},)"),
        columns => format!("({rows}, {columns})"),
    };
    let bytes = T::PRECISION.bytes();
    let mut header = format!("{{'descr': '<f{bytes}', 'fortran_order': True, 'shape': {shape}, }}");
    let before = MAGIC.len() + 4;
    let padded = (before + header.len() + 1).next_multiple_of(ALIGNMENT) - before - 1;
    header += &" ".repeat(padded - header.len());
    target.write_all(MAGIC)?;
    target.write_all(&[1, 0])?;
    target.write_all(&(header.len() as u16 + 1).to_le_bytes())?;
    writeln!(target, "{header}")?;
    values.iter().try_for_each(|value| match T::PRECISION {
        Precision::F32 => target.write_all(&(value.to_f64() as f32).to_le_bytes()),
        Precision::F64 => target.write_all(&value.to_f64().to_le_bytes()),
    })
}
