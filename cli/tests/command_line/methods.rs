//! The table of steps and operations.

use super::support::*;

/// Rows of powers of two: the formulas of the course project and of the TPR paper's table 1 hold beside the reference's counts.
#[test]
fn methods_have_steps_operations_bytes_and_dispatches() {
    let report = trisolve(&["methods", "--rows", "100,1024", "--json"]).solved().json();
    let rows = report.as_array().expect("an array");
    assert_eq!(rows.len(), 2 * 9);
    let of = |n: u64, method: &str| {
        rows.iter().find(|row| row["rows"] == n && row["method"] == method).unwrap_or_else(|| panic!("{method} of {n}"))
    };
    for row in rows {
        let (bytes, dispatches) = (row["bytes_per_row"].as_f64(), row["dispatches"].as_u64());
        assert!(bytes.is_some_and(|bytes| bytes >= 20.0) && dispatches.is_some_and(|count| count > 0), "{row}");
        assert_eq!(row["steps"].is_null(), row["method"] == "scan", "{row}");
    }
    for (method, steps, operations, paper_steps, paper_operations) in [
        ("thomas", 2047, 8185, 2048, None),
        ("cr", 21, 17_312, 19, Some(17_408)),
        ("pcr", 11, 111_628, 10, Some(122_880)),
        ("wang-mou", 11, 99_316, 10, Some(443_392)),
    ] {
        let row = of(1024, method);
        assert_eq!((row["steps"].as_u64(), row["operations"].as_u64()), (Some(steps), Some(operations)), "{row}");
        assert_eq!(row["paper_steps"].as_u64(), Some(paper_steps), "{row}");
        assert_eq!(row["paper_operations"].as_u64(), paper_operations, "{row}");
    }
    assert_eq!(of(1024, "tpr")["paper_steps"], 21);
    // The paper's formulas are for powers of two.
    assert!(of(100, "cr")["paper_steps"].is_null());
    let table = trisolve(&["methods", "--rows", "1024"]).solved().stdout;
    assert!(table.contains("| 17312 ") && table.contains("| 2 log2 N + 1 "), "{table}");
}

#[test]
fn more_rows_than_the_counts_hold_are_refused() {
    trisolve(&["methods", "--rows", "2^49"]).failed(2, &["--rows 562949953421312", "1 to 281474976710656"]);
    trisolve(&["methods", "--device", "no such device"]).failed(2, &["no such device"]);
}

#[cfg(target_os = "linux")]
#[test]
fn methods_need_no_adapter() {
    let report = without_adapters(&["methods", "--rows", "1024", "--json"]).solved().json();
    for row in report.as_array().expect("an array") {
        assert!(row["bytes_per_row"].is_null() && row["dispatches"].is_null() && row["adapter"].is_null(), "{row}");
        assert!(row["method"] != "tpr" || row["parameter"] == "S = 128", "{row}");
    }
}
