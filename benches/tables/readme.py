"""The tables of README.md."""

from .common import table
from .peers import Comparison, ratio, share, times, us


def speed():
    one, many = Comparison("tridiagonal"), Comparison("interleaved")
    cases = [
        ("f32, one system of 2^27 rows", one, {"rows": 1 << 27}),
        ("f32, one system of 2^20 rows", one, {"rows": 1 << 20}),
        ("f32, 65536 systems of 1024 rows, contiguous", one, {"rows": 1024, "batch": 65536}),
        ("f32, 65536 systems of 1024 rows, interleaved", many, {"rows": 1024, "batch": 65536, "layout": "interleaved"}),
        ("f64, one system of 2^25 rows", one, {"rows": 1 << 25, "precision": "f64"}),
    ]
    rows = []
    for label, comparison, case in cases:
        ours, peer = comparison.fastest(**case), comparison.fastest(**case, is_peer=True)
        rows.append([label, times(ours), share(ours), f"{us(peer)} us", ratio(ours, peer)])
    captions = f"{one.caption()} Interleaved: {many.caption()}"
    return captions + "\n\n" + table(["case", "trisolve", "of copy", "best of cuSPARSE", ""], rows)


BLOCKS = {"speed": speed}
