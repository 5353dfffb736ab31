"""The tables of docs/guide/triangular.md."""

from .common import table
from .peers import Comparison, us


def speed():
    comparison = Comparison("triangular")
    rows = []
    for single, double in [(256, 256), (1024, 1024), (4096, 4096), (16384, 16384), (32000, 23000)]:
        label = str(single) if single == double else f"{single} (f64: {double})"
        cases = [{"rows": single, "precision": "f32"}, {"rows": double, "precision": "f64"}]
        found = [
            comparison.fastest(**case, family="triangular lower N", peer=peer) for case in cases for peer in (False, True)
        ]
        rows.append([label, *(f"{us(line)} us" for line in found)])
    return comparison.caption() + "\n\n" + table(["n", "f32", "cuBLAS", "f64", "cuBLAS"], rows)


BLOCKS = {"speed": speed}
