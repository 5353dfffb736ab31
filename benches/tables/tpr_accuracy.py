"""Tables 6 to 9 and figure 14 of the TPR paper: accuracy."""

import math

from .common import table
from .tpr_data import data, number, of_adapter, power, shown

FUNCTIONS = ("gtsv2", "gtsv2_nopivot")  # of cuSPARSE

def accuracy(start):
    """The lines of the table of accuracy.csv whose title begins so."""
    return [row for row in data("accuracy.csv") if row["table"].startswith(start)]


def errors(rows):
    """By row and solver the error as text."""
    found = {}
    for row in rows:
        found.setdefault(row["row"], {})[row["solver"]] = row["error"]
    return found


def toeplitz_errors():
    """cuSPARSE's errors on (-1 2 -1), by rows and function."""
    found = {}
    for row in data("accuracy-cusparse.csv"):
        if row["matrix"].startswith("toeplitz"):
            found[int(row["rows"]), row["algorithm"]] = row["relative_error"]
    return found


def table_6():
    rows = accuracy("Table 6")
    cusparse = toeplitz_errors()
    body = []
    for n, found in errors(rows).items():
        cells = []
        for own in ("TPR-stable", "TPR-fastest"):
            cells += [shown(found.get(f"paper: {own}")), shown(found.get(f"{own}, classic")), shown(found.get(own))]
        cells += [shown(found.get("paper: Thomas sequential")), shown(found.get("Thomas sequential"))]
        cells += [shown(found.get("WM")), shown(cusparse.get((int(n), "cusparse gtsv2")))]
        body.append([power(n), *cells])
    header = ["N", "TPR-stable: paper", "classic", "here", "TPR-fastest: paper", "classic", "here", "Thomas: paper", "here", "WM here",
              "gtsv2"]
    return table(header, body) + "\n" + of_adapter(rows)


def diffusion():
    """Table 6 for a matrix on which cyclic reduction is not exact."""
    rows = accuracy("Diffusion, couplings over four decades, diagonal given")
    solvers = ["TPR-stable", "TPR-fastest", "TPR-stable, classic", "TPR-fastest, classic", "Thomas sequential", "WM", "partition"]
    solvers += ["CR", "PCR"]
    # Every third power of two.
    found = {n: row for n, row in errors(rows).items() if int(n).bit_length() % 3 == 2}
    solvers = [solver for solver in solvers if any(solver in row for row in found.values())]
    body = [[power(n), *(shown(row.get(solver)) for solver in solvers)] for n, row in found.items()]
    return table(["N", *solvers], body) + "\n" + of_adapter(rows)


CLASSIC = "Toeplitz -1 2 -1, solution ones, classic"


def falls(found):
    """Per column of the figure's classic table the mean factor by which a doubling of S lowers the error. Systems of 1024 rows have too few
    slices for it."""
    result = {}
    for column in next(iter(found.values()), {}):
        if column == "N = 1024":
            continue
        # Beyond this, no digit is left that could be lost.
        points = [(int(size), number(row[column])) for size, row in found.items() if 0.0 < number(row[column]) < 0.3]
        if len(points) > 1:
            (low, first), (high, last) = min(points), max(points)
            result[column] = (first / last) ** (1.0 / math.log2(high / low))
    return result


def figure_14():
    """The paper's formulas for all N; the device for the most rows."""
    classic = errors(accuracy(CLASSIC))
    columns = list(next(iter(classic.values()), {}))
    devices = []
    for start, title in [
        ("Toeplitz -1 2 -1, solution ones, f", "(-1 2 -1)"),
        ("diffusion", "diffusion"),
        ("entries", "matrix 1"),
    ]:
        found = errors(accuracy(start))
        if found:
            devices.append((title, found))
    body = []
    for size, row in classic.items():
        own = [shown(list(found[size].values())[-1]) if size in found else "" for _, found in devices]
        body.append([size, *(shown(row[column]) for column in columns), *own])
    law = falls(classic)
    body.append(["fall per doubling of S", *(f"{law[column]:.2f}x" if column in law else "" for column in columns), *[""] * len(devices)])
    largest = columns[-1] if columns else ""
    header = ["S", *(f"classic, {column}" for column in columns), *(f"device, {title}, {largest}" for title, _ in devices)]
    return table(header, body) + "\n" + of_adapter(data("accuracy.csv"))


def cusparse_errors(precision, column):
    """By matrix number and algorithm an error from accuracy-cusparse.csv."""
    return {
        (row["matrix"], row["algorithm"]): row[column]
        for row in data("accuracy-cusparse.csv")
        if row["precision"] == precision and column in row and not row["matrix"].startswith("toeplitz")
    }


def sixteen(table_number, precision):
    """Table 7 or 8: differences to Thomas as in the paper, then errors against the true solution."""
    texts = []
    rows = accuracy(f"Table {table_number}: 512 rows, {precision}: relative difference")
    peer = cusparse_errors(precision, "difference_to_thomas")
    body = []
    for name, found in errors(rows).items():
        which = name.partition(" ")[0]
        cells = [found.get(own) for own in ("paper: TPR", "TPR-stable", "paper: WM", "WM", "paper: cuSPARSE")]
        cells += [peer.get((which, f"cusparse {function}")) for function in FUNCTIONS]
        body.append([which, *(shown(error) for error in cells)])
    header = ["matrix", "TPR: paper", "here", "WM: paper", "here", "cuSPARSE: paper", *FUNCTIONS]
    texts.append("Difference to Thomas's algorithm in the same precision, as in the paper:\n\n" + table(header, body))

    rows = accuracy(f"Table {table_number}: 512 rows, {precision}: relative error")
    peer = cusparse_errors(precision, "relative_error")
    solvers = ["TPR-stable", "WM", "Thomas sequential", "gtsv, CPU", "pivoting", "auto"]
    solvers = [solver for solver in solvers if any(row["solver"] == solver for row in rows)]
    body = []
    for name, found in errors(rows).items():
        which = name.partition(" ")[0]
        cells = [*(found.get(solver) for solver in solvers), *(peer.get((which, f"cusparse {function}")) for function in FUNCTIONS)]
        body.append([which, *(shown(error) for error in cells)])
    texts.append("Error against the true solution:\n\n" + table(["matrix", *solvers, *FUNCTIONS], body))
    return "\n".join(texts) + "\n" + of_adapter(rows)


TABLE_9 = [4.41e4, 1.0, 3.52e2, 2.75e3, 1.24e4, 1.03, 9.0, 9.87e14, 9.97e14, 1.29e15, 1.01e15, 2.2e14, 3.21e16, 1.14e67, 6.02e24, 7.1e191]


def table_9():
    by_precision = [errors(accuracy(f"Table {which}: 512 rows")) for which in (7, 8)]
    names = list(by_precision[1] or by_precision[0])
    body = [[name, shown(TABLE_9[at], 3), *(shown(found.get(name, {}).get("condition"), 3) for found in reversed(by_precision))]
            for at, name in enumerate(names)]
    return table(["matrix", "condition number: paper", "here, f64", "here, rounded to f32"], body)
