"""Figures 12, 13, 15 and 16 of the TPR paper: speed."""

from .common import digits, mean, pick, table
from .tpr_data import NAMES, data, matrix, method, of_adapter, power, shown


SOLVERS = [
    ("tpr", "TPR"),
    ("tpr stable", "TPR stable"),
    ("wang-mou", "WM"),
    ("gtsv2", "gtsv2"),
    ("gtsv2_nopivot", "gtsv2_nopivot"),
    ("gtsv2StridedBatch", "gtsv2StridedBatch"),
    ("auto", "auto"),
    ("partition", "partition"),
    ("thomas", "Thomas"),
    ("cr", "CR"),
    ("pcr", "PCR"),
    ("cr-pcr", "CR-PCR"),
]


def times(rows, precision, batch):
    """Per solver the microseconds by size."""
    found = {}
    for row in pick(rows, precision=precision, batch=batch, layout="contiguous"):
        found.setdefault(method(row), {})[int(row["rows"])] = float(row["median_us"])
    return found


def batches_of(rows, precision):
    return sorted({int(row["batch"]) for row in pick(rows, precision=precision)})


def speed(precision):
    rows = data("paper.csv")
    texts = []
    for letter, batch in zip("abc", batches_of([row for row in rows if method(row) == "tpr"], precision)):
        found = times(rows, precision, batch)
        solvers = [(own, name) for own, name in SOLVERS if own in found]
        body = []
        for n in sorted(found["tpr"]):
            rates = {own: n * batch / found[own][n] for own, _ in solvers if n in found[own]}
            top = max(rates.values())
            texts_of = {own: f"**{digits(rate, 3)}**" if rate == top else digits(rate, 3) for own, rate in rates.items()}
            body.append([power(n), *(texts_of.get(own, "") for own, _ in solvers)])
        title = f"({letter}) G = {batch}, million rows per second:\n\n"
        texts.append(title + table(["N", *(name for _, name in solvers)], body))
    return "\n".join(texts) + f"\nMatrix: {matrix(rows)}. " + of_adapter(rows)


def ratios(found, slower, faster):
    """By size how many times the speed of `slower` `faster` reaches."""
    both = sorted(found.get(slower, {}).keys() & found.get(faster, {}).keys())
    return {n: found[slower][n] / found[faster][n] for n in both}


def mean_and_best(by_size):
    if not by_size:
        return ["", ""]
    best = max(by_size, key=by_size.get)
    return [f"{mean(by_size.values()):.2f}", f"{by_size[best]:.2f} (N = {power(best)})"]

# The paper's speed-ups of TPR, mean and largest: over CUSPARSE, over WM. None where it states none.
SPEED_UPS = {
    ("f32", 1): ((22.03, 30.16), (1.22, 2.35)),
    ("f32", 8): ((7.04, 13.28), (1.64, 2.88)),
    ("f32", 64): ((5.53, 8.95), (1.9, 3.0)),
    ("f64", 1): ((7.48, 10.44), (1.38, 3.02)),
    ("f64", 8): ((1.98, 4.42), (1.7, 3.27)),
    ("f64", 64): ((1.93, None), (None, 3.41)),
}
# The size from which the paper's TPR is faster than its WM, in f32.
CROSSOVERS = {1: 32768, 8: 4096}


def speed_ups():
    rows = data("paper.csv")
    body = []
    for (precision, batch), (cusparse, wang_mou) in SPEED_UPS.items():
        found = times(rows, precision, batch)
        peers = ["gtsv2", "gtsv2_nopivot"] if batch == 1 else ["gtsv2StridedBatch"]
        comparisons = [(f"cuSPARSE {peer}", peer, cusparse) for peer in peers] + [("WM", "wang-mou", wang_mou)]
        for name, slower, stated in comparisons:
            cells = ["" if value is None else f"{value:.2f}" for value in stated]
            own = mean_and_best(ratios(found, slower, "tpr"))
            automatic = mean_and_best(ratios(found, slower, "auto"))
            if any(own):
                body.append([f"{precision}, G = {batch}", name, cells[0], own[0], cells[1], own[1], *automatic])
    header = ["", "TPR over", "mean: paper", "here", "largest: paper", "here", "auto over it: mean", "largest"]
    return table(header, body) + "\n" + of_adapter(rows)


def crossover(by_size):
    """The size from which all ratios are at least 1; None without one."""
    first = None
    for n in sorted(by_size, reverse=True):
        if by_size[n] < 1.0:
            break
        first = n
    return first


def crossovers():
    rows = data("paper.csv")
    body = []
    for precision in ("f32", "f64"):
        for batch in batches_of(rows, precision):
            by_size = ratios(times(rows, precision, batch), "wang-mou", "tpr")
            if not by_size:
                continue
            first = crossover(by_size)
            stated = CROSSOVERS.get(batch) if precision == "f32" else None
            body.append([f"{precision}, G = {batch}", power(stated) if stated else "not stated", power(first) if first else "none",
                         digits(by_size[max(by_size)], 3)])
    return table(["", "TPR is faster than WM from: paper", "here", "TPR over WM at the most rows"], body) + "\n" + of_adapter(rows)


def bandwidth():
    """What WM and TPR move at the most rows: why the crossover moved."""
    rows = data("paper.csv")
    largest = max((int(row["rows"]) for row in rows), default=0)
    body = []
    for precision in ("f32", "f64"):
        for batch in batches_of(rows, precision):
            for own in ("wang-mou", "tpr", "partition"):
                for row in pick(rows, precision=precision, batch=batch, rows=largest):
                    if method(row) == own:
                        measured = [digits(row[column], 3) for column in ("bytes_per_row", "median_us", "gb_per_s")]
                        share = f"{100 * float(row['share_of_copy']):.0f}%"
                        body.append([f"{precision}, G = {batch}", NAMES[own], *measured, share])
    header = [f"N = {power(largest)}", "", "bytes per row", "us", "GB/s", "of the copy bandwidth"]
    return table(header, body) + "\n" + of_adapter(rows)


def residuals():
    """The largest relative residual of each solver over all sizes."""
    rows = data("paper.csv")
    found = {}
    for row in rows:
        key = method(row)
        found.setdefault(key, {}).setdefault(row["precision"], []).append(float(row["relative_residual"]))
    precisions = [precision for precision in ("f32", "f64") if pick(rows, precision=precision)]
    largest = {own: [max(by_precision.get(precision, [0.0])) for precision in precisions] for own, by_precision in found.items()}
    body = [[name, *(shown(value) for value in largest[own])] for own, name in SOLVERS if own in found]
    return f"Matrix: {matrix(rows)}.\n\n" + table(["solver", *precisions], body) + "\n" + of_adapter(rows)


STABLE_RATIOS = {1: 1.33, 64: 1.32}


def figures_15_16():
    rows = data("paper.csv")
    body, means = [], []
    for batch in batches_of(rows, "f32"):
        by_size = ratios(times(rows, "f32", batch), "tpr stable", "tpr")
        if by_size:
            stated = STABLE_RATIOS.get(batch)
            body.append([f"G = {batch}", f"{stated}" if stated else "not shown", *mean_and_best(by_size)])
    found = {batch: times(rows, "f32", batch) for batch in batches_of(rows, "f32")}
    batches = [batch for batch in found if "tpr stable" in found[batch]]
    for n in sorted(found[batches[0]]["tpr"]) if batches else []:
        cells = []
        for batch in batches:
            cells += [digits(n * batch / found[batch][own][n], 3) for own in ("tpr", "tpr stable")]
        means.append([power(n), *cells])
    header = ["N", *(f"G = {batch}: {own}" for batch in batches for own in ("fastest", "stable"))]
    speed_up = table(["f32", "TPR-fastest over TPR-stable, mean: paper", "here", "largest here"], body)
    return speed_up + "\nMillion rows per second:\n\n" + table(header, means) + "\n" + of_adapter(rows)
