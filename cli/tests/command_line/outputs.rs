//! The output files of the program, and stdout.

use std::fs;
use std::path::Path;

use super::support::*;

/// The unknown device is reported only if the output file can be written.
#[test]
fn an_output_that_cannot_be_written_is_found_before_the_solve() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    let under_file = Path::new(&a).join("x.mtx").display().to_string();
    let outputs = [
        folder.path("no/folder/x.mtx"),
        under_file,
        folder.path(""),
        folder.path("new/"),
        folder.path(&"x".repeat(300)),
    ];
    for output in &outputs {
        trisolve(&["solve", &a, "-o", output, "--device", "no such device"]).failed(2, &[output, "cannot be written"]);
        trisolve(&["solve", &a, "-o", output, "--place", "cpu"]).failed(2, &[output, "cannot be written"]);
    }
    let x = folder.path("x.mtx");
    trisolve(&["solve", &a, "-o", &x, "--device", "no such device"]).failed(2, &["no such device"]);
    trisolve(&["solve", &a, "-o", ""]).failed(2, &["-o"]);
    assert_eq!(folder.names(), ["a.mtx"]);
}

#[test]
fn an_existing_output_is_replaced_as_a_whole() {
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 3, 1, false);
    let (a, b) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()));
    let x = folder.file("x.mtx", "a longer text than the solution's\n".repeat(100));
    trisolve(&["solve", &a, &b, "-o", &x]).solved();
    sample.check(&read_array(&x, 3, 1), "f32");
    // The output overwrites its own input.
    trisolve(&["solve", &a, &b, "-o", &b]).solved();
    sample.check(&read_array(&b, 3, 1), "f32");
    assert_eq!(folder.names(), ["a.mtx", "b.mtx", "x.mtx"]);
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices_are_respected() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let sample = Sample::new(&mut random(), 3, 1, false);
    let (a, b) = (folder.file("a.mtx", sample.matrix()), folder.file("b.mtx", sample.right()));
    let mode = |path: &str| fs::metadata(path).expect("the file").permissions().mode() & 0o777;
    // A new file has the permissions of any new file.
    let (x, plain) = (folder.path("x.mtx"), folder.file("plain", ""));
    trisolve(&["solve", &a, &b, "-o", &x, "--place", "cpu"]).solved();
    assert_eq!(mode(&x), mode(&plain));
    // An existing file keeps its permissions, a link its target.
    fs::set_permissions(&x, fs::Permissions::from_mode(0o640)).expect("a change of permissions");
    let link = folder.path("link.mtx");
    symlink("x.mtx", &link).expect("a link");
    trisolve(&["solve", &a, &b, "-o", &link, "--place", "cpu"]).solved();
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(mode(&x), 0o640);
    sample.check(&read_array(&x, 3, 1), "f32");
    // The program creates the missing target of a link.
    let (made, dangling) = (folder.path("made.mtx"), folder.path("dangling.mtx"));
    std::os::unix::fs::symlink(&made, &dangling).expect("a link");
    trisolve(&["solve", &a, &b, "-o", &dangling, "--place", "cpu"]).solved();
    assert!(fs::symlink_metadata(&dangling).expect("the link").is_symlink());
    sample.check(&read_array(&made, 3, 1), "f32");
    // The program writes into a device.
    trisolve(&["solve", &a, &b, "-o", "/dev/null", "--place", "cpu"]).solved();
    let outcome = trisolve(&["solve", &a, &b, "-o", "/dev/stdout", "--place", "cpu"]).solved();
    assert!(outcome.stdout.starts_with("%%MatrixMarket matrix array real general\n3 1\n"), "{}", outcome.stdout);
}

/// With closed or full output streams the program does its work, and does not panic.
#[cfg(target_os = "linux")]
#[test]
fn closed_outputs_are_no_panic() {
    let folder = Folder::new();
    let a = folder.file("a.mtx", Sample::new(&mut random(), 3, 1, false).matrix());
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let status = |arguments: &[&str], stdout: bool| {
        let mut command = command(arguments);
        match stdout {
            true => command.stdout(full()),
            false => command.stderr(full()),
        };
        let output = command.output().expect("the program starts");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
        output.status.code()
    };
    assert_eq!(status(&["solve", &a, "--place", "cpu"], false), Some(0));
    assert_eq!(status(&["solve", &a, "--place", "cpu", "--json"], true), Some(1));
    assert_eq!(status(&["solve", "missing.mtx"], false), Some(2));
    assert_eq!(status(&["devices"], true), Some(1));
}
