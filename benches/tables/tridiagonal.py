"""The tables of docs/guide/tridiagonal.md."""

from .common import table
from .peers import Comparison, beside_peer, ratio, share, us


def contiguous():
    comparison = Comparison("tridiagonal")
    cases = [(f"f32, n = 2^{power}", {"rows": 1 << power}) for power in (27, 24, 20)]
    cases.append(("f32, n = 1024", {"rows": 1024}))
    cases += [(f"f32, {rows} rows x 65536, contiguous", {"rows": rows, "batch": 65536}) for rows in (1024, 256, 64)]
    cases.append(("f64, n = 2^25", {"rows": 1 << 25, "precision": "f64"}))
    return comparison.caption() + "\n\n" + beside_peer([(label, comparison, case) for label, case in cases], "cuSPARSE")


def interleaved():
    comparison = Comparison("interleaved")
    cases = [(33, 100000), (64, 65536), (100, 100000), (256, 65536), (365, 50000), (1000, 10000), (1024, 65536), (4096, 4096)]
    rows = []
    for n, batch in cases:
        case = {"rows": n, "batch": batch, "layout": "interleaved"}
        auto, partition = (comparison.fastest(**case, algorithm=name) for name in ("auto", "partition"))
        peer = comparison.fastest(**case, peer=True)
        rows.append([f"{n} rows x {batch}", f"{us(auto)} us", share(auto), f"{us(partition)} us", f"{us(peer)} us", ratio(auto, peer)])
    header = ["f32, dominant", "`auto`", "of copy", "`partition`", "best of cuSPARSE", ""]
    return comparison.caption() + "\n\n" + table(header, rows)


def shapes():
    comparison = Comparison("shapes")
    sizes = dict.fromkeys((int(line["rows"]), int(line["batch"])) for line in comparison.lines)
    rows = []
    for n, batch in sorted(sizes):
        found = [comparison.fastest(n, batch, layout=layout) for layout in ("contiguous", "interleaved")]
        rows.append([f"{n} x {batch}", *(us(line) for line in found)])
    return comparison.caption() + "\n\n" + table(["rows x systems", "contiguous, us", "interleaved, us"], rows)


BLOCKS = {"contiguous": contiguous, "interleaved": interleaved, "shapes": shapes}
