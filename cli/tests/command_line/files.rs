//! Standard input and output in place of files, and the formats of files.

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::support::*;

/// Runs the program in a folder, with this standard input.
fn piped(folder: &Folder, arguments: &[&str], input: &[u8]) -> Outcome {
    let mut command = command(arguments);
    command.current_dir(folder.0.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // The program may refuse its arguments, and read nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("text on stdout"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn packed(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(bytes.as_ref()).expect("memory");
    encoder.finish().expect("memory")
}

/// A file as `numpy.save` writes it.
fn npy(descr: &str, is_fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 11;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((padded as u16 + 1).to_le_bytes());
    bytes.extend(format!("{header:padded$}\n").bytes());
    bytes.extend(data);
    bytes
}

fn little(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Two right-hand sides of three rows: numbers that f32 holds too.
const RHS: [f64; 6] = [1.5, -2.0, 0.25, 4.0, 0.0, -8.0];
/// The same, row by row.
const BY_ROWS: [f64; 6] = [1.5, 4.0, -2.0, 0.0, 0.25, -8.0];

const MATRIX: &str =
    "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 4\n1 2 1\n2 1 -1\n2 2 5\n2 3 2\n3 2 1\n3 3 3\n";
const DIAGONALS: &str = "# lower diag upper\n0 4 1\n-1 5 2\n\n1 3 0\n";
/// A cyclic matrix of four rows.
const CYCLIC: &str = "1,4,1\n1,4,1\n1,4,1\n1,4,1\n";

#[test]
fn standard_streams_stand_for_files() {
    let folder = Folder::new();
    folder.file("a.mtx", MATRIX);
    folder.file("b.mtx", array(3, &RHS));
    let cpu = ["--place", "cpu", "--precision", "f64"];
    piped(&folder, &[&["solve", "a.mtx", "b.mtx", "-o", "x.mtx"], &cpu[..]].concat(), b"").solved();
    let x = fs::read_to_string(folder.path("x.mtx")).expect("the solution");
    // The matrix, or the right-hand sides, come from a pipe; the solution alone goes to stdout.
    for (arguments, input) in [(["-", "b.mtx"], MATRIX.to_owned()), (["a.mtx", "-"], array(3, &RHS))] {
        let outcome =
            piped(&folder, &[&["solve"], &arguments[..], &["-o", "-"], &cpu].concat(), input.as_bytes()).solved();
        assert_eq!(outcome.stdout, x);
        assert!(outcome.stderr.contains("tridiagonal system, 3 rows"), "{}", outcome.stderr);
    }
    // A report on stdout gives way to the solution.
    let outcome =
        piped(&folder, &[&["solve", "a.mtx", "-", "-o", "-", "--json"], &cpu[..]].concat(), &packed(array(3, &RHS)));
    let outcome = outcome.solved();
    assert_eq!(outcome.stdout, x);
    assert!(outcome.stderr.starts_with("{\"structure\":\"tridiagonal\""), "{}", outcome.stderr);
    // The next command line of the process prints its report on stdout again.
    let (a, b) = (folder.path("a.mtx"), folder.path("b.mtx"));
    assert_eq!(trisolve(&[&["solve", &a, &b, "-o", "-"], &cpu[..]].concat()).solved().stdout, x);
    assert_eq!(trisolve(&[&["solve", &a, &b, "--json"], &cpu[..]].concat()).solved().json()["rows"], 3);
    let w = piped(&folder, &["recur", "--s", "-", "--t", "1", "-o", "-", "--place", "cpu"], b"2\n2\n2\n").solved();
    assert_eq!(w.stdout, array(3, &[1.0, 3.0, 7.0]));
    let y =
        piped(&folder, &["filter", "-", "--b", "1", "--a", "1,-0.5", "-o", "-", "--place", "cpu"], b"1\n0\n").solved();
    assert_eq!(y.stdout, array(2, &[1.0, 0.5]));
    let lower = "%%MatrixMarket matrix array real general\n2 2\n1\n1\n0\n1\n";
    let x = piped(&folder, &["trsv", "-", "-o", "-", "--place", "cpu"], lower.as_bytes()).solved();
    assert_eq!(x.stdout, array(2, &[1.0, 1.0]));
    let generated = piped(&folder, &["generate", "--system", "tpr-1", "--rows", "4", "-"], b"").solved();
    assert!(
        generated.stdout.starts_with("%%MatrixMarket matrix coordinate real general\n4 4 "),
        "{}",
        generated.stdout
    );
    assert_eq!(folder.names(), ["a.mtx", "b.mtx", "x.mtx"]);
}

#[test]
fn a_stream_serves_one_file() {
    let folder = Folder::new();
    let plot = folder.path("plot.svg");
    for (arguments, parts) in [
        (&["solve", "-", "-"][..], &["MATRIX", "RHS", "standard input"][..]),
        (&["recur", "--s", "-", "--t", "-"], &["--s", "--t", "standard input"]),
        (&["recur", "--s-wgsl", "a(0)", "--t", "-", "--vector", "a=-"], &["--t", "--vector", "standard input"]),
        (&["generate", "-", "-"], &["MATRIX", "RHS", "standard output"]),
        (&["solve", "a.mtx", "-o", "-", "--plot", "-"], &["--output", "--plot", "standard output"]),
        (&["model", "triangular", "--plot", &plot, "--csv", &plot], &["--plot", "--csv", "plot.svg"]),
        (&["bench", "tridiagonal", "--csv", "-", "--stages-csv", "-"], &["--csv", "--stages-csv", "standard output"]),
    ] {
        trisolve(arguments).failed(2, parts);
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn inputs_are_told_by_their_contents() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", MATRIX);
    let x = folder.path("x.mtx");
    let solution = |a: &str, b: &str| {
        trisolve(&["solve", a, b, "-o", &x, "--place", "cpu"]).solved();
        fs::read_to_string(&x).expect("the solution")
    };
    let text = array(3, &RHS);
    let expected = solution(&a, &folder.file("b", &text));
    let singles = |to_bytes: fn(f32) -> [u8; 4]| BY_ROWS.iter().flat_map(|&v| to_bytes(v as f32)).collect::<Vec<_>>();
    let big: Vec<_> = RHS.iter().flat_map(|value| value.to_be_bytes()).collect();
    let mut with_long_length = npy("<f8", true, "(3, 2)", &little(&RHS));
    (with_long_length[6], with_long_length[9]) = (2, 0);
    with_long_length.splice(10..10, [0, 0]);
    let inputs: [Vec<u8>; 12] = [
        packed(&text),
        // As bgzip writes it: several packed parts.
        [packed(&text[..50]), packed(&text[50..])].concat(),
        npy("<f8", true, "(3, 2)", &little(&RHS)),
        npy("<f8", false, "(3, 2)", &little(&BY_ROWS)),
        npy(">f8", true, "(3, 2)", &big),
        npy("<f4", false, "(3L, 2L)", &singles(f32::to_le_bytes)),
        npy(">f4", false, "(3, 2)", &singles(f32::to_be_bytes)),
        with_long_length,
        packed(npy("<f8", true, "(3, 2)", &little(&RHS))),
        "1.5 4\n  -2\t0 # the second row\n# a comment\n\n.25 -8e0".into(),
        "\u{feff}1.5, 4\r\n-2,0\r\n2.5D-1,-8\r\n".into(),
        packed("1.5 4\n-2 0\n.25 -8\n"),
    ];
    for (at, bytes) in inputs.iter().enumerate() {
        assert_eq!(solution(&a, &folder.file("b", bytes)), expected, "input {at}");
    }
    let single = solution(&a, &folder.file("b", array(3, &RHS[..3])));
    for bytes in [npy("<f8", false, "(3,)", &little(&RHS[..3])), b"1.5\n-2\n0.25\n".to_vec()] {
        assert_eq!(solution(&a, &folder.file("b", bytes)), single);
    }
    // Matrices: packed, and tridiagonal ones by their diagonals.
    let b = folder.file("b", &text);
    assert_eq!(solution(&folder.file("a.mtx.gz", packed(MATRIX)), &b), expected);
    let four = "# lower diag upper\n0 4 1\n-1 5 2\n\n1 3 0.5\n2 7 0\n";
    let matrix = "%%MatrixMarket matrix coordinate real general\n4 4 10\n1 1 4\n1 2 1\n2 1 -1\n2 2 5\n2 3 2\n3 2 1\n3 3 3\n3 4 .5\n4 3 2\n4 4 7\n";
    let b = folder.file("b", array(4, &RHS[..4]));
    let expected = solution(&folder.file("a", matrix), &b);
    let by_rows = [0.0, 4.0, 1.0, -1.0, 5.0, 2.0, 1.0, 3.0, 0.5, 2.0, 7.0, 0.0];
    for bytes in [four.into(), packed(four), npy("<f8", false, "(4, 3)", &little(&by_rows))] {
        assert_eq!(solution(&folder.file("a", bytes), &b), expected);
    }
    let ring = folder.file("ring", CYCLIC);
    let outcome = trisolve(&["solve", &ring, "--place", "cpu", "--json"]).solved();
    assert_eq!(outcome.json()["structure"], "cyclic constant-coefficient tridiagonal");
    // A dense triangular matrix.
    let lower = folder.file("lower", npy("<f8", false, "(2, 2)", &little(&[2.0, 0.0, 1.0, 4.0])));
    trisolve(&["trsv", &lower, &folder.file("b", "2 4\n5 -2\n"), "-o", &x, "--place", "cpu"]).solved();
    assert_eq!(read_array(&x, 2, 2), [1.0, 1.0, 2.0, -1.0]);
}

#[test]
fn vectors_are_written_by_the_name_s_ending() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a.mtx", MATRIX), folder.file("b.txt", "1.5 4\n-2 0\n.25 -8\n"));
    let write = |name: &str, precision: &str| {
        let path = folder.path(name);
        trisolve(&["solve", &a, &b, "-o", &path, "--precision", precision, "--place", "cpu"]).solved();
        fs::read(&path).expect("the solution")
    };
    let unpacked = |bytes: Vec<u8>| {
        let mut contents = vec![];
        GzDecoder::new(&bytes[..]).read_to_end(&mut contents).expect("gzip");
        contents
    };
    let text = write("x.mtx", "f64");
    assert_eq!(write("x.dat", "f64"), text);
    assert_eq!(unpacked(write("x.mtx.gz", "f64")), text);
    let x = read_array(&folder.path("x.mtx"), 3, 2);
    assert_eq!(write("x.npy", "f64"), npy("<f8", true, "(3, 2)", &little(&x)));
    assert_eq!(unpacked(write("x.NPY.gz", "f64")), npy("<f8", true, "(3, 2)", &little(&x)));
    let narrow = read_array(
        &{
            write("x32.mtx", "f32");
            folder.path("x32.mtx")
        },
        3,
        2,
    );
    let narrow: Vec<u8> = narrow.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect();
    assert_eq!(write("x.npy", "f32"), npy("<f4", true, "(3, 2)", &narrow));
    for (name, separator) in [("x.txt", " "), ("x.csv", ",")] {
        let lines: String = (0..3).map(|row| format!("{:e}{separator}{:e}\n", x[row], x[row + 3])).collect();
        assert_eq!(String::from_utf8(write(name, "f64")).expect("text"), lines);
    }
    // A single column is a vector.
    let (y, ones) = (folder.path("y.npy"), folder.file("ones.txt", "1\n1\n"));
    trisolve(&["filter", &ones, "--b", "1", "--a", "1,-1", "-o", &y, "--place", "cpu"]).solved();
    let sums: Vec<u8> = [1f32, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(fs::read(&y).expect("the outputs"), npy("<f4", true, "(2,)", &sums));
    // Matrices are Matrix Market.
    let (matrix, rhs) = (folder.path("g.mtx.gz"), folder.path("g.npy"));
    trisolve(&["generate", "--system", "tpr-1", "--rows", "8", &matrix, &rhs]).solved();
    assert!(unpacked(fs::read(&matrix).expect("the matrix")).starts_with(b"%%MatrixMarket matrix coordinate"));
    trisolve(&["solve", &matrix, &rhs, "--place", "cpu"]).solved();
    trisolve(&["generate", &folder.path("h.npy")]).failed(2, &["h.npy", "for vectors", ".mtx.gz"]);
    assert!(!folder.names().contains(&"h.npy".to_owned()));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", MATRIX);
    let gzip = packed(array(3, &RHS));
    let mut flipped = gzip.clone();
    flipped[gzip.len() - 5] ^= 1;
    let whole = npy("<f8", false, "(3, 2)", &little(&BY_ROWS));
    let other = |descr: &str| npy(descr, false, "(3,)", &[0; 64]);
    let huge = format!("({}, {})", u64::MAX, u64::MAX);
    let bad: [(&str, Vec<u8>, &[&str]); 29] = [
        ("empty", vec![], &["is empty"]),
        ("nothing.gz", packed(""), &["empty inside"]),
        ("cut.gz", gzip[..gzip.len() - 12].into(), &["damaged gzip", "ends early"]),
        ("start.gz", gzip[..2].into(), &["damaged gzip", "after 0 unpacked bytes", "ends early"]),
        ("checksum.gz", flipped, &["damaged gzip", "checksum"]),
        ("twice.gz", packed(&gzip), &["gzip data within gzip data"]),
        ("junk", (0..4000).map(|i| (i * 31 % 251) as u8).collect(), &["found bytes", "Matrix Market", ".npy"]),
        ("x.npz", b"PK\x03\x04\x14\0\0\0".to_vec(), &["zip archive", "numpy.savez"]),
        ("cut.npy", whole[..whole.len() - 9].into(), &["3 x 2 values", "ends after 4"]),
        ("header.npy", whole[..40].into(), &["ends within its header"]),
        ("length.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), &["damaged header", "4294967295"]),
        ("version.npy", b"\x93NUMPY\x07\x00\x10\0".to_vec(), &["version 7"]),
        ("more.npy", [&whole[..], b"1"].concat(), &["data follow"]),
        ("half.npy", other("<f2"), &["<f2", "float16", "float64"]),
        ("integers.npy", other("<i8"), &["<i8", "int64"]),
        ("complex.npy", other("<c16"), &["<c16", "complex128"]),
        ("truth.npy", other("|b1"), &["|b1", "bool"]),
        ("objects.npy", other("|O"), &["|O", "float64"]),
        ("cube.npy", npy("<f8", false, "(3, 1, 1)", &[0; 24]), &["3 dimensions"]),
        ("huge.npy", npy("<f8", false, &huge, &[0; 24]), &["more values than can be counted"]),
        ("large.npy", npy("<f8", false, "(1099511627776, 1)", &[0; 24]), &["ends after 3"]),
        ("none.npy", npy("<f8", false, "(0,)", &[]), &["empty"]),
        ("nan.npy", npy("<f8", false, "(2, 2)", &little(&[1.0, 2.0, f64::NAN, 1.0])), &["row 2, column 1", "NaN"]),
        ("rows.npy", npy("<f8", false, "(2,)", &little(&[1.0, 2.0])), &["2 rows, the matrix 3"]),
        ("ragged.txt", b"1 2\n# more\n3\n".to_vec(), &["line 3", "in this row: 1", "in line 1: 2", "the same number"]),
        ("word.csv", b"x,y\n1,2\n".to_vec(), &["line 1", "\"x\"", "plain columns", "#"]),
        ("gap.csv", b"1,2\n3,,4\n".to_vec(), &["line 2", "\"\""]),
        ("infinite.txt", b"1\ninf\n2\n".to_vec(), &["line 2", "finite"]),
        ("comments.txt", b"# nothing\n\n".to_vec(), &["only comments"]),
    ];
    for (name, bytes, parts) in &bad {
        let b = folder.file(name, bytes);
        trisolve(&["solve", &a, &b]).failed(2, &[&[*name], *parts].concat());
    }
    for (name, text, parts) in [
        ("wide.txt", "1 2 3 4\n5 6 7 8\n", &["plain columns of 2 x 4", "Matrix Market", "n x 3"][..]),
        ("square.txt", DIAGONALS, &["plain columns of 3 x 3", "Matrix Market"]),
        ("corner.txt", "5 1 1\n1 1 0\n", &["fewer than 3 rows", "write 0"]),
    ] {
        trisolve(&["solve", &folder.file(name, text)]).failed(2, &[&[name], parts].concat());
    }
    let flat = folder.file("flat.txt", "1 2 3\n4 5 6\n");
    trisolve(&["trsv", &flat]).failed(2, &["flat.txt: the matrix is 2 x 3", "square"]);
    piped(&folder, &["solve", "-"], b"").failed(2, &["standard input", "empty"]);
    piped(&folder, &["solve", "-"], b"%%MatrixMarket matrix array real general\n1 1\none\n")
        .failed(2, &["standard input, line 3"]);
}
