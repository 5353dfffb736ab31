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
# Those with a column in figures 12 and 13; paper.csv has the others, too.
COLUMNS = ("tpr", "wang-mou", "gtsv2", "gtsv2_nopivot", "gtsv2StridedBatch", "auto", "partition", "cr", "pcr")


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
        solvers = [(own, name) for own, name in SOLVERS if own in found and own in COLUMNS]
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


def best_of(by_size):
    best = max(by_size, key=by_size.get)
    return f"{by_size[best]:.2f} (N = {power(best)})"


# The paper's speed-ups of TPR over CUSPARSE and over WM: mean, largest, N of the largest. None where it states none.
SPEED_UPS = {
    ("f32", 1): ((22.03, 30.16, None), (1.22, 2.35, 1 << 19)),
    ("f32", 8): ((7.04, 13.28, None), (1.64, 2.88, None)),
    ("f32", 64): ((5.53, 8.95, None), (1.9, 3.0, 1 << 19)),
    ("f64", 1): ((7.48, 10.44, 1024), (1.38, 3.02, None)),
    ("f64", 8): ((1.98, 4.42, None), (1.7, 3.27, 1 << 19)),
    ("f64", 64): ((1.93, None, None), (None, 3.41, None)),
}
# The sizes from which the paper's TPR is faster, where it states them.
CROSSOVERS = {
    ("f32", 1): ("all", power(32768)),
    ("f32", 8): ("all", power(4096)),
}


def peer_of(batch):
    """The function of cuSPARSE beside which the paper's figure is."""
    return "gtsv2" if batch == 1 else "gtsv2StridedBatch"


def crossover(by_size):
    """The size from which all ratios are at least 1; None without one."""
    first = None
    for n in sorted(by_size, reverse=True):
        if by_size[n] < 1.0:
            break
        first = n
    return first


def since(by_size):
    """That size as text."""
    first = crossover(by_size)
    return "none" if first is None else "all" if first == min(by_size) else power(first)


def speed_ups():
    rows = data("paper.csv")
    body = []
    for (precision, batch), (cusparse, wang_mou) in SPEED_UPS.items():
        found = times(rows, precision, batch)
        peer = peer_of(batch)
        from_peer, from_wang_mou = CROSSOVERS.get((precision, batch), ("", ""))
        comparisons = [(peer, cusparse, from_peer), ("wang-mou", wang_mou, from_wang_mou)]
        if batch == 1:
            comparisons.insert(1, ("gtsv2_nopivot", (None, None, None), ""))
        for slower, (average, largest, at), stated in comparisons:
            by_size, automatic = ratios(found, slower, "tpr"), ratios(found, slower, "auto")
            if not by_size:
                continue
            published = ["" if average is None else f"{average:.2f}", "" if largest is None else f"{largest:.2f}"]
            if at:
                published[1] += f" (N = {power(at)})"
            cells = [published[0], f"{mean(by_size.values()):.2f}", published[1], best_of(by_size), stated, since(by_size)]
            cells += [f"{by_size[max(by_size)]:.2f}", f"{mean(automatic.values()):.2f}" if automatic else ""]
            body.append([f"{precision}, G = {batch}", dict(SOLVERS)[slower], *cells])
    header = ["", "TPR over", "mean: paper", "here", "largest: paper", "here", "faster from N: paper", "here", "at the largest N",
              "auto over it, mean"]
    return table(header, body) + "\n" + of_adapter(rows)


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
            body.append([f"G = {batch}", f"{stated}" if stated else "not shown", f"{mean(by_size.values()):.2f}", best_of(by_size)])
    found = {batch: times(rows, "f32", batch) for batch in batches_of(rows, "f32")}
    # The sizes for the batches of the paper.
    batches = [batch for batch in found if "tpr stable" in found[batch] and batch in STABLE_RATIOS]
    for n in sorted(found[batches[0]]["tpr"]) if batches else []:
        cells = []
        for batch in batches:
            cells += [digits(n * batch / found[batch][own][n], 3) for own in ("tpr", "tpr stable")]
        means.append([power(n), *cells])
    header = ["N", *(f"G = {batch}: {own}" for batch in batches for own in ("fastest", "stable"))]
    speed_up = table(["f32", "TPR-fastest over TPR-stable, mean: paper", "here", "largest here"], body)
    return speed_up + "\nMillion rows per second:\n\n" + table(header, means) + "\n" + of_adapter(rows)
