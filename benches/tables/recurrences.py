"""The tables of docs/guide/recurrences.md."""

from .common import digits, table
from .peers import Comparison, share, us


def speed():
    comparison = Comparison("recurrence")
    plain = {"family": "recurrence"}
    cases = [
        ("f32, 2^27 rows", {**plain, "rows": 1 << 27}),
        ("f32, 2^24", {**plain, "rows": 1 << 24}),
        ("f32, 2^20", {**plain, "rows": 1 << 20}),
        ("f32, 2^27, s constant", {"family": "recurrence with constant s", "rows": 1 << 27}),
        ("f64, 2^26", {**plain, "rows": 1 << 26, "precision": "f64"}),
        ("f32, 1536 sequences of 65536", {**plain, "rows": 65536, "batch": 1536}),
    ]
    rows = []
    for label, case in cases:
        ours, peer = comparison.fastest(**case), comparison.fastest(**case, peer=True)
        rates = [digits(float(line["rows_per_s"]) / 1e9) for line in (ours, peer)]
        rows.append([label, us(ours), rates[0], share(ours), rates[1]])
    return comparison.caption() + "\n\n" + table(["case", "us", "rows/ns", "of copy", "CUB's rows/ns"], rows)


BLOCKS = {"speed": speed}
