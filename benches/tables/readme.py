"""The tables of README.md."""

from .peers import Comparison, beside_peer


def speed():
    one, many = Comparison("tridiagonal"), Comparison("interleaved")
    cases = [
        ("f32, one system of 2^27 rows", one, {"rows": 1 << 27}),
        ("f32, one system of 2^20 rows", one, {"rows": 1 << 20}),
        ("f32, 65536 systems of 1024 rows, contiguous", one, {"rows": 1024, "batch": 65536}),
        ("f32, 65536 systems of 1024 rows, interleaved", many, {"rows": 1024, "batch": 65536, "layout": "interleaved", "algorithm": "auto"}),
        ("f64, one system of 2^25 rows", one, {"rows": 1 << 25, "precision": "f64"}),
    ]
    captions = f"`auto`, contiguous: {one.caption()} Interleaved: {many.caption()}"
    return captions + "\n\n" + beside_peer(cases, "cuSPARSE")


BLOCKS = {"speed": speed}
