//! Files by hand: what is read, and what is refused on which line.

use super::*;

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
        ("0.00e-999", 0.0),
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
    // In any order, with no rounding on the way.
    for [a, b, c] in [["1e17", "1", "-1e17"], ["-1e17", "1e17", "1"], ["1", "1e17", "-1e17"]] {
        let text = format!("%%MatrixMarket matrix coordinate real general\n2 1 4\n1 1 {a}\n2 1 5\n1 1 {b}\n1 1 {c}\n");
        assert_eq!(columns(&parse(text).unwrap(), 2).unwrap(), [1.0, 5.0]);
    }
    let text =
        "%%MatrixMarket matrix coordinate real general\n1 1 5\n1 1 1e30\n1 1 1\n1 1 1.5e-16\n1 1 -1e30\n1 1 -1\n";
    assert_eq!(columns(&parse(text).unwrap(), 1).unwrap(), [1.5e-16]);
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
        (real("0 0 0\n"), 2, "empty (0 rows, 0 columns)"),
        (real("3 0 0\n"), 2, "empty (3 rows, 0 columns)"),
        (array("0 1\n"), 2, "empty (0 rows, 1 columns)"),
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
        ("coordinate real general\n3 2 1\n1 1 1\n", 2, "the matrix is 3 x 2"),
        ("array real general\n1 2\n1\n1\n", 2, "the matrix is 1 x 2"),
        ("coordinate real general\n4 4 3\n1 1 1\n% far\n2 4 0.5\n4 1 1\n", 5, "not tridiagonal: entry (2, 4)"),
        ("coordinate real symmetric\n4 4 2\n1 1 1\n4 1 0.5\n", 4, "not tridiagonal: entry (4, 1)"),
        ("array real general\n3 3\n1\n1\n9\n1\n1\n1\n0\n1\n1\n", 5, "not tridiagonal: entry (3, 1)"),
        ("coordinate real general\n1 1 2\n1 1 1e308\n1 1 1e308\n", 4, "entry (1, 1) add up past the range"),
    ] {
        let read = parse(format!("%%MatrixMarket matrix {text}")).and_then(|all| tridiagonal(&all));
        let (found, message) = refusal(read.unwrap_err());
        assert!(message.contains(part), "{message:?} does not say {part:?}");
        assert_eq!(found, line, "{message}");
    }
    let all = parse("%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n").unwrap();
    let (line, message) = refusal(columns(&all, 4).unwrap_err());
    assert_eq!((line, message.as_str()), (2, "the right-hand side has 3 rows, the matrix 4"));
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

#[test]
fn the_writer_writes_array_format() {
    let text = written(2, &[1.0, -0.1, 1e-300, 12345678.9f64]);
    assert_eq!(text, "%%MatrixMarket matrix array real general\n2 2\n1e0\n-1e-1\n1e-300\n1.23456789e7\n");
}

#[test]
fn a_full_target_is_an_error() {
    assert!(write_array(&mut [0u8; 50][..], 100, &[1.5f64; 100]).is_err());
}
