"""The tables of docs/guide/filters.md."""

from .common import digits, table
from .peers import Comparison, share, us


def speed():
    comparison = Comparison("filter")
    order_4 = {"family": "filter of order 4"}
    cases = [
        ("f32, 2^27 rows", {**order_4, "rows": 1 << 27}),
        ("f32, 2^24", {**order_4, "rows": 1 << 24}),
        ("f32, 2^24, order 2", {"family": "filter of order 2", "rows": 1 << 24}),
        ("f32, 2^20", {**order_4, "rows": 1 << 20}),
        ("f64, 2^24", {**order_4, "rows": 1 << 24, "precision": "f64"}),
        ("f32, 1024 signals of 65536", {**order_4, "rows": 65536, "batch": 1024, "layout": "contiguous"}),
        ("f32, the same interleaved", {**order_4, "rows": 65536, "batch": 1024, "layout": "interleaved"}),
        ("f32, 2^24, cascade of 2 sections", {"family": "cascade of 2 sections", "rows": 1 << 24}),
        ("f32, 2^24, cascade of 3 sections", {"family": "cascade of 3 sections", "rows": 1 << 24}),
        ("f32, 2^24, cascade of 4 sections", {"family": "cascade of 4 sections", "rows": 1 << 24}),
        ("f64, 2^24, cascade of 4 sections", {"family": "cascade of 4 sections", "rows": 1 << 24, "precision": "f64"}),
        (
            "f32, 256 signals of 65536, filters of order 2 of their own",
            {"family": "bank of a filter of order 2 per sequence", "rows": 65536, "batch": 256, "layout": "contiguous"},
        ),
        (
            "f32, one signal of 65536, 256 filters of order 2",
            {"family": "bank of one signal, filter of order 2", "rows": 65536, "batch": 256, "layout": "contiguous"},
        ),
    ]
    rows = []
    for label, case in cases:
        ours = comparison.fastest(**case)
        rows.append([label, us(ours), digits(float(ours["rows_per_s"]) / 1e9), share(ours)])
    return comparison.caption() + "\n\n" + table(["case (order 4 unless stated)", "us", "rows/ns", "of copy"], rows)


BLOCKS = {"speed": speed}
