//! Files at random, and what is written read again.

use super::*;

/// Whatever it is, it is read or refused at once; and what is read can be asked for what it is.
fn survives(bytes: &[u8]) {
    LARGEST.set(0);
    let start = Instant::now();
    if let Ok(all) = parse(bytes) {
        let _ = tridiagonal(&all);
        // The caller brings the number of rows, and has that much already.
        if all.rows < 10_000 {
            let _ = columns(&all, all.rows);
        }
    }
    assert!(start.elapsed() < Duration::from_secs(2), "{:?} for {:?}", start.elapsed(), String::from_utf8_lossy(bytes));
    assert!(LARGEST.get() <= 8 << 24, "{} bytes in one allocation", LARGEST.get());
}

/// Lines of words that such files have, or nearly.
fn almost_a_file() -> impl Strategy<Value = String> {
    let word = |words: &'static [&'static str]| proptest::sample::select(words);
    let header = (
        word(&["%%MatrixMarket", "%%MatrixMarket", "%%matrixmarket", "%MatrixMarket"]),
        word(&["matrix", "matrix", "matrix", "vector"]),
        word(&["coordinate", "array", "list"]),
        word(&["real", "integer", "complex", "pattern"]),
        word(&["general", "symmetric", "hermitian"]),
    )
        .prop_map(|(banner, object, format, field, symmetry)| format!("{banner} {object} {format} {field} {symmetry}"));
    let token = word(&[
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "-1",
        "0.5",
        "1e308",
        "-1e308",
        "1d2",
        "nan",
        "inf",
        "%",
        "",
        "x",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
    ]);
    let line = prop::collection::vec(token, 0..5).prop_map(|words| words.join(" "));
    (header, prop::collection::vec(line, 0..12), word(&["\n", "\r\n", "\n\n"]), word(&["", "\n"])).prop_map(
        |(header, lines, end, last)| std::iter::once(header).chain(lines).collect::<Vec<_>>().join(end) + last,
    )
}

#[derive(Debug, Clone)]
enum Change {
    Put(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Truncate(prop::sample::Index),
    /// A part once more, elsewhere.
    Copy(prop::sample::Index, prop::sample::Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    let byte = || prop_oneof![any::<u8>(), proptest::sample::select(&b"0123456789 \n\r\t%.-+eEdDnai"[..])];
    prop_oneof![
        4 => (at(), byte()).prop_map(|(at, byte)| Change::Put(at, byte)),
        4 => (at(), byte()).prop_map(|(at, byte)| Change::Insert(at, byte)),
        4 => at().prop_map(Change::Remove),
        1 => at().prop_map(Change::Truncate),
        2 => (at(), at(), 1usize..40).prop_map(|(from, to, len)| Change::Copy(from, to, len)),
    ]
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let len = bytes.len();
        match self {
            Self::Put(at, byte) => bytes[at.index(len)] = *byte,
            Self::Insert(at, byte) => bytes.insert(at.index(len), *byte),
            Self::Remove(at) => drop(bytes.remove(at.index(len))),
            Self::Truncate(at) => bytes.truncate(at.index(len)),
            Self::Copy(from, to, count) => {
                let from = from.index(len);
                let part = bytes[from..len.min(from + count)].to_vec();
                let to = to.index(len);
                bytes.splice(to..to, part);
            }
        }
    }
}

/// Any finite number, of any size.
fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

/// Three diagonals; no row is empty, the corners are zero.
fn diagonals(symmetric: bool) -> impl Strategy<Value = Tridiagonal> {
    prop::collection::vec((finite(), finite(), finite()), 1..60).prop_map(move |rows| {
        let n = rows.len();
        let mut matrix = Tridiagonal { lower: vec![], diag: vec![], upper: vec![] };
        for (row, (a, b, c)) in rows.into_iter().enumerate() {
            matrix.lower.push(match (row, symmetric) {
                (0, _) => 0.0,
                (_, true) => matrix.upper[row - 1],
                (_, false) => a,
            });
            matrix.diag.push(if b == 0.0 { 1.0 } else { b });
            matrix.upper.push(if row + 1 < n { c } else { 0.0 });
        }
        matrix
    })
}

/// (row, column, value) of all entries, or of the lower triangle, counted from 1.
fn listed(matrix: &Tridiagonal, symmetric: bool) -> Vec<(usize, usize, f64)> {
    let n = matrix.diag.len();
    let mut entries = Vec::new();
    for row in 1..=n {
        if row > 1 {
            entries.push((row, row - 1, matrix.lower[row - 1]));
        }
        entries.push((row, row, matrix.diag[row - 1]));
        if row < n && !symmetric {
            entries.push((row, row + 1, matrix.upper[row - 1]));
        }
    }
    entries
}

fn coordinate_file(n: usize, symmetry: &str, entries: &[(usize, usize, f64)]) -> String {
    let mut text =
        format!("%%MatrixMarket matrix coordinate real {symmetry}\n% generated\n{n} {n} {}\n", entries.len());
    for (row, column, value) in entries {
        writeln!(text, "{row} {column} {value:e}").unwrap();
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        survives(&bytes);
        survives(&[b"%%MatrixMarket matrix array real general\n", &bytes[..]].concat());
    }

    #[test]
    fn nearly_valid_files_are_survived(text in almost_a_file()) {
        survives(text.as_bytes());
    }

    #[test]
    fn changed_files_are_survived(
        matrix in diagonals(true),
        form in 0..4,
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let n = matrix.diag.len();
        let mut bytes = match form {
            0 => coordinate_file(n, "general", &listed(&matrix, false)),
            1 => coordinate_file(n, "symmetric", &listed(&matrix, true)),
            2 => written(n, &[matrix.diag, matrix.lower].concat()),
            _ => written(n, &matrix.diag).replace("general", "symmetric"),
        }
        .into_bytes();
        for change in &changes {
            change.apply(&mut bytes);
        }
        survives(&bytes);
    }

    #[test]
    fn a_matrix_comes_back_from_its_coordinates(
        (matrix, entries) in diagonals(false).prop_flat_map(|matrix| {
            let entries = listed(&matrix, false);
            (Just(matrix), Just(entries).prop_shuffle())
        }),
    ) {
        let text = coordinate_file(matrix.diag.len(), "general", &entries);
        prop_assert_eq!(tridiagonal(&parse(text).unwrap()).unwrap(), matrix);
    }

    #[test]
    fn a_symmetric_matrix_comes_back_from_its_lower_triangle(
        (matrix, entries) in diagonals(true).prop_flat_map(|matrix| {
            let entries = listed(&matrix, true);
            (Just(matrix), Just(entries).prop_shuffle())
        }),
    ) {
        let text = coordinate_file(matrix.diag.len(), "symmetric", &entries);
        prop_assert_eq!(tridiagonal(&parse(text).unwrap()).unwrap(), matrix);
    }

    #[test]
    fn a_matrix_comes_back_from_its_array(matrix in diagonals(false)) {
        let n = matrix.diag.len();
        let mut values = vec![0.0; n * n];
        for (row, column, value) in listed(&matrix, false) {
            values[(column - 1) * n + row - 1] = value;
        }
        prop_assert_eq!(tridiagonal(&parse(written(n, &values)).unwrap()).unwrap(), matrix);
    }

    #[test]
    fn written_columns_come_back_exactly(rows in 1usize..20, values in prop::collection::vec(finite(), 1..100)) {
        let whole = values.len().next_multiple_of(rows);
        let values: Vec<f64> = values.iter().copied().cycle().take(whole).collect();
        let back = columns(&parse(written(rows, &values)).unwrap(), rows).unwrap();
        prop_assert_eq!(back, values);
    }

    #[test]
    fn written_f32_come_back_exactly(bits in prop::collection::vec(any::<u32>(), 1..100)) {
        let values: Vec<_> = bits.into_iter().map(f32::from_bits).map(|v| if v.is_finite() { v } else { 0.1 }).collect();
        let back = columns(&parse(written(1, &values)).unwrap(), 1).unwrap();
        prop_assert_eq!(back.iter().map(|&value| value as f32).collect::<Vec<_>>(), values);
    }
}
