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
            comparison.fastest(**case, family="triangular lower N", algorithm=algorithm, peer=peer)
            for case in cases
            for algorithm, peer in (("auto", False), ("auto, factored", False), (None, True))
        ]
        rows.append([label, *(f"{us(line)} us" for line in found)])
    return comparison.caption() + "\n\n" + table(["n", "f32", "factored", "cuBLAS", "f64", "factored", "cuBLAS"], rows)


def many():
    comparison = Comparison("triangular")
    rows = []
    for n, systems, columns in [(64, 8192, 64), (256, 2048, 16)]:
        for trans in "NT":
            case = {"rows": n, "batch": systems, "family": f"triangular lower {trans} with {columns} right-hand sides"}
            ours, theirs = comparison.fastest(**case), comparison.fastest(**case, peer=True)
            rows.append([f"{systems} systems of {n} rows, {columns} right-hand sides each, {trans}", f"{us(ours)} us", f"{us(theirs)} us"])
    return table(["f32", "`abreast`", "cuBLAS `trsmBatched`"], rows)


BLOCKS = {"speed": speed, "many": many}
