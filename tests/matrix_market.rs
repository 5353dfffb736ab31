//! The Matrix Market reader and writer, through the public API: what they take, what they
//! refuse and where, and that no input makes them panic, linger or take memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use trisolve::matrix_market::{self, Entries, Format, Tridiagonal, columns, read_from, tridiagonal, write_array};
use trisolve::{Error, Real, Result};

/// Notes the largest allocation of each thread.
struct Watched;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(size: usize) {
    // A thread that is ending has no more business here.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

fn parse(text: impl AsRef<[u8]>) -> Result<Entries> {
    read_from(text.as_ref(), "A.mtx")
}

/// All entries, row by row, duplicates added.
fn dense(all: &Entries) -> Vec<Vec<f64>> {
    let mut dense = vec![vec![0.0; all.columns]; all.rows];
    for &(row, column, value, _) in &all.entries {
        dense[row][column] += value;
    }
    dense
}

fn dense_of(text: &str) -> Vec<Vec<f64>> {
    dense(&parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// Line and message of a parse error that names the file.
#[track_caller]
fn refusal(error: Error) -> (u64, String) {
    match error {
        Error::Parse { path, line, message } => {
            assert_eq!(path, "A.mtx");
            (line, message)
        }
        other => panic!("{other:?} is no parse error"),
    }
}

#[test]
fn coordinate_and_array_real_and_integer_general_and_symmetric() {
    let expected = vec![vec![2.0, -1.0, 0.0], vec![-1.0, 2.0, -1.0], vec![0.0, -1.0, 2.0]];
    for field in ["real", "integer", "double"] {
        for text in [
            format!(
                "%%MatrixMarket matrix coordinate {field} general\n3 3 7\n\
                 1 1 2\n2 2 2\n3 3 2\n1 2 -1\n2 3 -1\n2 1 -1\n3 2 -1\n"
            ),
            format!("%%MatrixMarket matrix coordinate {field} symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n"),
            format!("%%MatrixMarket matrix array {field} general\n3 3\n2\n-1\n0\n-1\n2\n-1\n0\n-1\n2\n"),
            format!("%%MatrixMarket matrix array {field} symmetric\n3 3\n2\n-1\n0\n2\n-1\n2\n"),
        ] {
            assert_eq!(dense_of(&text), expected, "{text}");
        }
    }
}

#[test]
fn array_files_go_column_by_column() {
    let all = parse("%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n0\n6\n").unwrap();
    assert_eq!((all.format, all.rows, all.columns), (Format::Array, 3, 2));
    assert_eq!(columns(&all, 3).unwrap(), [1.0, 2.0, 3.0, 4.0, 0.0, 6.0]);
}

#[test]
fn a_square_block_of_zeros_is_a_right_hand_side() {
    let all = parse("%%MatrixMarket matrix array real general\n2 2\n0\n0\n0\n-0\n").unwrap();
    assert_eq!(columns(&all, 2).unwrap(), [0.0; 4]);
}

#[test]
fn a_sparse_right_hand_side_is_filled_with_zeros() {
    let all = parse("%%MatrixMarket matrix coordinate real general\n3 3 2\n3 1 5\n1 3 7\n").unwrap();
    assert_eq!(columns(&all, 3).unwrap(), [0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0]);
}

#[test]
fn comments_blank_lines_and_line_ends_do_not_matter() {
    let plain = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n";
    let expected = dense_of(plain);
    assert_eq!(expected, [[4.0, 0.0], [1.0, 3.0]]);
    for text in [
        "%%MatrixMarket matrix coordinate real general\n% about\n%\n\n  % indented\n2 2 3\n%between\n\n1 1 4\n2 1 1\n \t\n2 2 3\n\n%end\n\n",
        "%%MatrixMarket matrix coordinate real general\r\n% about\r\n2 2 3\r\n1 1 4\r\n2 1 1\r\n2 2 3\r\n",
        "%%MatrixMarket\tmatrix   coordinate real general \n  2\t2 3\n1  1\t4\n 2 1 1 \n2 2 3",
        "%%MATRIXMARKET Matrix COORDINATE Real General\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n",
    ] {
        assert_eq!(dense_of(text), expected, "{text:?}");
    }
}

#[test]
fn comments_may_be_in_any_encoding() {
    let text = b"%%MatrixMarket matrix array real general\n% A. Ge\xdfner, Z\xfcrich\n1 1\n5\n";
    assert_eq!(dense(&parse(text).unwrap()), [[5.0]]);
}

#[test]
fn numbers_as_c_and_fortran_write_them() {
    for (word, value) in [
        ("1", 1.0),
        ("+1.", 1.0),
        (".5", 0.5),
        ("-2.5e3", -2500.0),
        ("1.5E-3", 0.0015),
        ("1.5D-3", 0.0015),
        ("1.5d+03", 1500.0),
        ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
        ("5e-324", 5e-324),
        ("1e-999", 0.0),
        ("1.7976931348623157e308", f64::MAX),
    ] {
        let text = format!("%%MatrixMarket matrix array real general\n1 1\n{word}\n");
        assert_eq!(dense_of(&text), [[value]], "{word}");
    }
    for (word, value) in
        [("7", 7.0), ("-7", -7.0), ("+7", 7.0), ("123456789012345678901234", 123456789012345678901234.0)]
    {
        let text = format!("%%MatrixMarket matrix array integer general\n1 1\n{word}\n");
        assert_eq!(dense_of(&text), [[value]], "{word}");
    }
}

#[test]
fn duplicates_add_up() {
    let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 5\n1 1 1\n1 1 2\n2 1 5\n2 1 -1\n2 2 9\n";
    let matrix = tridiagonal(&parse(text).unwrap()).unwrap();
    assert_eq!(matrix, Tridiagonal { lower: vec![0.0, 4.0], diag: vec![3.0, 9.0], upper: vec![4.0, 0.0] });
    let all = parse("%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1\n1 1 2\n").unwrap();
    assert_eq!(columns(&all, 1).unwrap(), [3.0]);
}

#[test]
fn zeros_off_the_diagonals_are_no_entries() {
    let text = "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n1 3 0\n2 2 1\n3 3 1\n";
    assert_eq!(tridiagonal(&parse(text).unwrap()).unwrap().diag, [1.0; 3]);
    let text = "%%MatrixMarket matrix array real general\n3 3\n1\n2\n0\n3\n4\n5\n0\n6\n7\n";
    let matrix = tridiagonal(&parse(text).unwrap()).unwrap();
    assert_eq!(
        matrix,
        Tridiagonal { lower: vec![0.0, 2.0, 5.0], diag: vec![1.0, 4.0, 7.0], upper: vec![3.0, 6.0, 0.0] }
    );
}

#[test]
fn a_file_on_disk_is_read_and_a_missing_one_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let all = matrix_market::read(&folder.join("fortran.mtx")).unwrap();
    assert_eq!(dense(&all), [[2.5, -0.5, 0.0], [-0.5, 2.5, -0.5], [0.0, -0.5, 1500.0]]);
    for (path, part) in [(folder.join("missing.mtx"), "missing.mtx"), (folder.clone(), "data")] {
        let error = matrix_market::read(&path).unwrap_err();
        assert!(matches!(&error, Error::File { path, .. } if path.contains(part)), "{error:?}");
    }
}

/// What is no Matrix Market file of the kinds read here, with the line and a part of the message.
#[test]
fn malformed_files_are_refused_with_their_line() {
    const REAL: &str = "%%MatrixMarket matrix coordinate real general\n";
    const ARRAY: &str = "%%MatrixMarket matrix array real general\n";
    let real = |rest: &str| format!("{REAL}{rest}");
    let array = |rest: &str| format!("{ARRAY}{rest}");
    let head = |rest: &str| format!("%%MatrixMarket {rest}\n1 1 1\n1 1 1\n");
    let cases: Vec<(String, u64, &str)> = vec![
        // Headers.
        (String::new(), 1, "the first line should be"),
        ("\n".into(), 1, "the first line should be"),
        ("%%MatrixMarket".into(), 1, "the first line should be"),
        ("%%MatrixMarket matrix coordinate real".into(), 1, "the first line should be"),
        (head("matrix coordinate real general more"), 1, "the first line should be"),
        (format!("% about\n{}", head("matrix coordinate real general")), 1, "the first line should be"),
        ("%MatrixMarket matrix array real general\n1 1\n1\n".into(), 1, "start with"),
        (head("vector coordinate real general"), 1, "start with"),
        (head("matrix list real general"), 1, "\"list\""),
        (head("matrix coordinate complex general"), 1, "complex"),
        (head("matrix coordinate complex hermitian"), 1, "complex"),
        (head("matrix coordinate pattern general"), 1, "pattern"),
        (head("matrix coordinate quaternion general"), 1, "\"quaternion\""),
        (head("matrix coordinate real skew-symmetric"), 1, "\"skew-symmetric\""),
        (head("matrix coordinate real hermitian"), 1, "\"hermitian\""),
        (head("matrix coordinate real diagonal"), 1, "\"diagonal\""),
        // Sizes.
        (REAL.into(), 1, "ends before its sizes"),
        (real("% only\n% comments\n"), 3, "ends before its sizes"),
        (real("3 3\n"), 2, "rows columns entries"),
        (real("3 3 1 1\n"), 2, "rows columns entries"),
        (array("3 3 9\n"), 2, "rows columns"),
        (array("3\n"), 2, "rows columns"),
        (real("three 3 1\n"), 2, "the number of rows should be a whole number, found \"three\""),
        (real("3 3.0 1\n"), 2, "the number of columns should be a whole number, found \"3.0\""),
        (real("3 3 -1\n"), 2, "the number of entries should be a whole number, found \"-1\""),
        (real("18446744073709551616 3 1\n"), 2, "too large"),
        (real("0 0 0\n"), 2, "empty (0 x 0)"),
        (real("3 0 0\n"), 2, "empty (3 x 0)"),
        (array("0 1\n"), 2, "empty (0 x 1)"),
        ("%%MatrixMarket matrix coordinate real symmetric\n3 2 0\n".into(), 2, "square"),
        ("%%MatrixMarket matrix array integer symmetric\n1 2\n1\n".into(), 2, "square"),
        // Counts, both ways.
        (real("2 2 3\n1 1 1\n2 2 1\n"), 4, "3 entries are declared, but the file ends after 2"),
        (real("2 2 1\n1 1 1\n\n2 2 1\n"), 5, "1 entries are declared, but there is more: \"2 2 1\""),
        (real("2 2 0\n1 1 1\n"), 3, "0 entries are declared, but there is more"),
        (array("2 1\n1\n% end\n"), 4, "2 values are declared, but the file ends after 1"),
        (array("2 1\n1\n2\n3\n"), 5, "2 entries are declared, but there is more: \"3\""),
        ("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n".into(), 6, "3 entries are declared"),
        ("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n".into(), 7, "ends after 5"),
        // Entries.
        (real("2 2 2\n1 1 1\n1 1\n"), 4, "row column value"),
        (real("2 2 1\n1 1 1 0\n"), 3, "row column value"),
        (real("2 2 1\n1,1,5\n"), 3, "row column value"),
        (real("2 2 1\n0 1 5\n"), 3, "entry (0, 1) lies outside the matrix of 2 x 2"),
        (real("2 2 1\n1 0 5\n"), 3, "entry (1, 0) lies outside"),
        (real("2 2 1\n3 1 5\n"), 3, "entry (3, 1) lies outside"),
        (real("2 2 1\n% x\n1 3 5\n"), 4, "entry (1, 3) lies outside"),
        (real("2 2 1\n-1 1 5\n"), 3, "a row should be a whole number, found \"-1\""),
        (real("2 2 1\n1 1e0 5\n"), 3, "a column should be a whole number"),
        (real("2 2 1\n1 99999999999999999999999 5\n"), 3, "too large"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 5\n".into(), 3, "above the diagonal"),
        (array("2 1\n1 2\n"), 3, "one value a line"),
        // Values.
        (real("1 1 1\n1 1 one\n"), 3, "a value should be a number, found \"one\""),
        (real("1 1 1\n1 1 1.2.3\n"), 3, "a value should be a number"),
        (real("1 1 1\n1 1 0x10\n"), 3, "a value should be a number"),
        (real("1 1 1\n1 1 1_000\n"), 3, "a value should be a number"),
        (real("1 1 1\n1 1 --1\n"), 3, "a value should be a number"),
        (real("1 1 1\n1 1 e5\n"), 3, "a value should be a number"),
        (array("1 1\n1+i\n"), 3, "a value should be a number"),
        (real("1 1 1\n1 1 nan\n"), 3, "not a finite"),
        (real("1 1 1\n1 1 -inf\n"), 3, "not a finite"),
        (real("1 1 1\n1 1 Infinity\n"), 3, "not a finite"),
        (array("1 1\nNaN\n"), 3, "not a finite"),
        (array("1 1\n1e309\n"), 3, "not a finite"),
        ("%%MatrixMarket matrix array integer general\n1 1\n1.0\n".into(), 3, "integer file has the value \"1.0\""),
        ("%%MatrixMarket matrix array integer general\n1 1\n1e3\n".into(), 3, "integer file"),
        ("%%MatrixMarket matrix array integer general\n1 1\nnan\n".into(), 3, "integer file"),
        ("%%MatrixMarket matrix array integer general\n1 1\n-\n".into(), 3, "a value should be a number"),
        // A few megabytes on one line.
        (real(&"1 ".repeat(2_000_000)), 2, "a line of more than 4096 bytes"),
        (format!("{}\n", "%".repeat(5000)), 1, "a line of more than 4096 bytes"),
    ];
    for (text, line, part) in cases {
        let error = parse(&text).expect_err(&text[..text.len().min(200)]);
        let (found, message) = refusal(error);
        assert!(message.contains(part), "{message:?} does not say {part:?} of {:?}", &text[..text.len().min(200)]);
        assert_eq!(found, line, "{message}");
        assert!(message.len() < 300, "{message}");
    }
}

#[test]
fn junk_is_refused() {
    let zeros = vec![0u8; 3000];
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    let utf16: Vec<u8> = "\u{feff}%%MatrixMarket matrix array real general\n1 1\n1\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for bytes in [zeros, png, gzip, utf16] {
        assert_eq!(refusal(parse(bytes).unwrap_err()).0, 1);
    }
    let (line, message) =
        refusal(parse(b"%%MatrixMarket matrix array real general\n2 1\n1\n\xff\xfe\x00\n").unwrap_err());
    assert_eq!(line, 4);
    assert!(message.contains("should be a number"), "{message}");
}

#[test]
fn the_longest_line_may_end_the_file() {
    let mut text = String::from("%%MatrixMarket matrix array real general\n1 1\n1\n%");
    text.push_str(&"x".repeat(4095));
    assert!(parse(&text).is_ok());
    text.push('x');
    assert_eq!(refusal(parse(&text).unwrap_err()).0, 4);
}

/// Sizes alone cost neither memory nor time.
#[test]
fn declared_sizes_are_not_believed() {
    type Case = (&'static str, fn(&Error) -> bool);
    let ends: fn(&Error) -> bool = |e| matches!(e, Error::Parse { message, .. } if message.contains("file ends after"));
    let many: fn(&Error) -> bool = |e| matches!(e, Error::Parse { message, .. } if message.contains("counted"));
    let read: [Case; 8] = [
        ("coordinate real general\n3 3 1000000000000000000\n1 1 1\n", ends),
        ("coordinate real symmetric\n1000000000000000000 1000000000000000000 18446744073709551615\n1 1 1\n", ends),
        ("array real general\n1000000000000000000 1\n1\n", ends),
        ("array real general\n1 1000000000000000000\n1\n", ends),
        ("array real general\n1000000000000000000 1000000000000000000\n1\n", many),
        ("array real symmetric\n1000000000000000000 1000000000000000000\n1\n", many),
        ("array real symmetric\n18446744073709551615 18446744073709551615\n1\n", many),
        ("array real symmetric\n18446744073709551614 18446744073709551614\n1\n", many),
    ];
    let singular = |row: usize| move |e: &Error| matches!(e, Error::Singular { system: 0, row: r } if *r == row);
    LARGEST.set(0);
    let start = Instant::now();
    for (text, expected) in read {
        let error = parse(format!("%%MatrixMarket matrix {text}")).unwrap_err();
        assert!(expected(&error), "{error:?} for {text}");
    }
    for (text, row) in [
        ("1000000000000000000 1000000000000000000 0\n", 0),
        ("1000000000000000000 1000000000000000000 1\n1 1 5\n", 1),
        ("18446744073709551615 18446744073709551615 2\n18446744073709551615 18446744073709551615 5\n2 1 1\n", 0),
    ] {
        let all = parse(format!("%%MatrixMarket matrix coordinate real general\n{text}")).unwrap();
        let error = tridiagonal(&all).unwrap_err();
        assert!(singular(row)(&error), "{error:?} for {text}");
    }
    for sizes in ["1 1000000000000000000 1", "1 1000000000 1", "1 18446744073709551615 1"] {
        let all = parse(format!("%%MatrixMarket matrix coordinate real general\n{sizes}\n1 1 5\n")).unwrap();
        let (_, message) = refusal(columns(&all, 1).unwrap_err());
        assert!(message.contains("right-hand sides"), "{message}");
    }
    let all =
        parse("%%MatrixMarket matrix coordinate real general\n1000000000000000000 1000000000000000000 1\n1 1 5\n");
    assert!(columns(&all.unwrap(), 1000000000000000000).is_err());
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert!(LARGEST.get() < 1 << 20, "{} bytes in one allocation", LARGEST.get());
}

#[test]
fn matrices_of_another_kind_are_refused() {
    for (text, line, part) in [
        ("coordinate real general\n3 2 1\n1 1 1\n", 1, "the matrix is 3 x 2"),
        ("array real general\n1 2\n1\n1\n", 1, "the matrix is 1 x 2"),
        ("coordinate real general\n4 4 3\n1 1 1\n% far\n2 4 0.5\n4 1 1\n", 5, "not tridiagonal: entry (2, 4)"),
        ("coordinate real symmetric\n4 4 2\n1 1 1\n4 1 0.5\n", 4, "not tridiagonal: entry (4, 1)"),
        ("array real general\n3 3\n1\n1\n9\n1\n1\n1\n0\n1\n1\n", 5, "not tridiagonal: entry (3, 1)"),
        ("coordinate real general\n1 1 2\n1 1 1e308\n1 1 1e308\n", 4, "entry (1, 1) add up past the range"),
    ] {
        let all = parse(format!("%%MatrixMarket matrix {text}")).unwrap();
        let (found, message) = refusal(tridiagonal(&all).unwrap_err());
        assert!(message.contains(part), "{message:?} does not say {part:?}");
        assert_eq!(found, line, "{message}");
    }
    let all = parse("%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n").unwrap();
    let (line, message) = refusal(columns(&all, 4).unwrap_err());
    assert_eq!((line, message.as_str()), (1, "the right-hand side has 3 rows, the matrix 4"));
}

#[test]
fn a_row_without_entries_is_singular() {
    for text in
        ["4 4 3\n1 1 1\n2 2 1\n4 4 1\n", "4 4 4\n1 1 1\n2 2 1\n2 1 1\n4 4 1\n", "4 4 4\n1 1 1\n2 2 1\n3 3 0\n4 4 1\n"]
    {
        let all = parse(format!("%%MatrixMarket matrix coordinate real general\n{text}")).unwrap();
        assert_eq!(tridiagonal(&all).unwrap_err(), Error::Singular { system: 0, row: 2 }, "{text}");
    }
}

fn written<T: Real>(rows: usize, values: &[T]) -> String {
    let mut bytes = Vec::new();
    write_array(&mut bytes, rows, values).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_writer_writes_array_format() {
    let text = written(2, &[1.0, -0.1, 1e-300, 12345678.9f64]);
    assert_eq!(text, "%%MatrixMarket matrix array real general\n2 2\n1e0\n-1e-1\n1e-300\n1.23456789e7\n");
}

#[test]
fn a_full_target_is_an_error() {
    assert!(write_array(&mut [0u8; 50][..], 100, &[1.5f64; 100]).is_err());
}

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
