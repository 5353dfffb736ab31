//! `trisolve kernels`.

use std::fs;

use super::support::*;

#[test]
fn kernels_are_listed_printed_and_written() {
    let all = trisolve(&["kernels"]).solved().stdout;
    assert!(all.contains("| partition_solve ") && all.contains("f32 f64"), "{all}");

    let source = trisolve(&["kernels", "partition_solve", "--precision", "f64"]).solved().stdout;
    for expected in [
        "// partition_solve, f64\n",
        "// overrides: WORKGROUP = ",
        "// role leaf: shaders/tridiagonal/",
        "// binding 0: var<uniform> params: Params\n",
        "\n// shaders/shared/real_f64.wgsl:",
        "\nalias real = f64;",
        "@compute",
    ] {
        assert!(source.contains(expected), "{expected} is not in {source}");
    }
    trisolve(&["kernels", "partition_solv"])
        .failed(2, &["no kernel is called partition_solv; there are", "partition_solve,"]);

    let planned =
        trisolve(&["kernels", "pivoting_solve", "--algorithm", "pivoting", "--policy", "rows=8", "--checked"]);
    let planned = planned.solved().stdout;
    assert!(planned.contains("ROWS = 8") && planned.contains("// bytes per row: ") && planned.contains("// checked: "));
    trisolve(&["kernels", "thomas_eliminate", "--algorithm", "pivoting"])
        .failed(2, &["the plan has", "pivoting_solve"]);

    let folder = Folder::new();
    let inside = folder.path("kernels");
    trisolve(&["kernels", "partition_solve", "--precision", "f64", "--write", &inside]).solved();
    let files: Vec<_> = fs::read_dir(&inside).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() > 10, "{} files", files.len());
    let text = fs::read_to_string(&files[0]).unwrap();
    assert!(text.starts_with("// kernel: ") && text.contains("\n// device features: "), "{text}");
}
