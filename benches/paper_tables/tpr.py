"""The tables of docs/papers/tpr.md: tree partitioning reduction (Diéguez, Amor and Doallo 2019)."""

import json
import math

from .common import H200, RESULTS, SOFTWARE, digits, lines, mean, measured_on, pick, table


PAPER = "tpr"


# ---- the data: of the H200, or where it has none, of software Vulkan


def adapter_with(name):
    """The adapter whose file a table takes; None without any."""
    return next((adapter for adapter in (H200, SOFTWARE) if (RESULTS / PAPER / adapter / name).exists()), None)


def data(name):
    """The lines of a CSV; none if it was not measured."""
    adapter = adapter_with(name)
    return lines(PAPER, adapter, name) if adapter else []


def methods():
    """The lines of `trisolve methods --json`."""
    adapter = adapter_with("methods.json")
    return json.loads((RESULTS / PAPER / adapter / "methods.json").read_text()) if adapter else []


def of_adapter(rows):
    """The line under a table: on what it was measured."""
    names = dict.fromkeys(row["adapter"] for row in rows)
    return f"Adapter: {', '.join(names)}.\n" if names else "Not measured.\n"


def method(row):
    """The solver of a line of `trisolve bench`, without its matrix."""
    return row["algorithm"].removesuffix(", poisson").partition(" (")[0].removeprefix("cusparse ")


def matrix(rows):
    """The matrix of the lines of `trisolve bench`."""
    return "(-1 2 -1)" if all(row["algorithm"].endswith(", poisson") for row in rows) else "random, diagonally dominant"


def power(n):
    """A size, as a power of two where it is long."""
    n = int(n)
    return f"2^{n.bit_length() - 1}" if n >= 1 << 14 and n & (n - 1) == 0 else str(n)


def policy(text):
    """The parameters of a policy, by name."""
    return dict(part.split("=") for part in text.split(",") if "=" in part)


# ---- table 1


NAMES = {"thomas": "Thomas", "cr": "CR", "pcr": "PCR", "wang-mou": "WM", "tpr": "TPR", "cr-pcr": "CR-PCR", "partition": "partition",
         "pivoting": "pivoting", "scan": "scan"}


def table_1():
    def cell(value):
        return "" if value is None else value if isinstance(value, (int, str)) else digits(value, 3)

    rows = methods()
    header = ["N", "method", "", "steps: paper", "here", "operations: paper", "here", "bytes per row", "dispatches"]
    body = [
        [power(row["rows"]), NAMES[row["method"]], cell(row["parameter"]), cell(row["paper_steps"]), cell(row["steps"]),
         cell(row["paper_operations"]), cell(row["operations"]), cell(row["bytes_per_row"]), cell(row["dispatches"])]
        for row in rows
        if row["method"] in ("thomas", "cr", "pcr", "wang-mou", "tpr", "partition")
    ]
    return table(header, body) + "\n" + of_adapter(rows)


def traffic():
    """Section 2.3: what each method moves, for the most rows."""
    rows = methods()
    largest = max((row["rows"] for row in rows), default=0)
    body = [
        [NAMES[row["method"]], digits(row["bytes_per_row"], 3), row["dispatches"]]
        for row in rows
        if row["rows"] == largest and row["method"] in ("cr", "pcr", "wang-mou", "tpr", "partition") and row["bytes_per_row"]
    ]
    return f"One system of {power(largest)} rows, f32:\n\n" + table(["method", "bytes per row", "dispatches"], body) + "\n" + of_adapter(rows)


# ---- tables 3 and 4: occupancy and policies


class Processor:
    """The limits of a streaming multiprocessor. `reserved` bytes of shared memory go to each block beside its own."""

    def __init__(self, shared, reserved):
        self.warps, self.blocks, self.registers = 64, 32, 65536
        self.shared, self.reserved = shared, reserved

    def resident(self, warps, registers, shared):
        """Blocks of so many warps at a time, with registers per thread (None: no limit) and bytes of shared memory per block."""
        limits = [self.warps // warps, self.blocks]
        if registers:
            # A warp takes registers in units of 256, and warps come in fours: the processor has four parts.
            per_warp = math.ceil(32 * registers / 256) * 256
            limits.append(self.registers // per_warp // 4 * 4 // warps)
        if shared + self.reserved:
            limits.append(self.shared // (shared + self.reserved))
        return min(limits)


MAXWELL = Processor(64 << 10, 0)
# An H200 (compute capability 9.0).
HOPPER = Processor(228 << 10, 1 << 10)

# Warps per block, registers per thread, shared memory per block, warp occupancy in percent, blocks.
TABLE_3 = [
    (1, 64, 2048, 50, 32),
    (2, 32, 2048, 100, 32),
    (2, 40, 2560, 75, 24),
    (4, 32, 4096, 100, 16),
    (4, 40, 5120, 75, 12),
    (8, 32, 8192, 100, 8),
    (8, 40, 10240, 75, 6),
    (16, 32, 16384, 100, 4),
    (32, 32, 32768, 100, 2),
]


def table_3():
    body = []
    for warps, registers, shared, occupancy, blocks in TABLE_3:
        computed = MAXWELL.resident(warps, registers, shared)
        body.append([warps, registers, shared, f"{occupancy}%", f"{100 * computed * warps // 64}%", blocks, computed])
    header = ["warps per block", "registers per thread", "shared memory per block", "occupancy: paper", "computed", "blocks: paper", "computed"]
    return table(header, body)


SUBGROUP = 32


def slice_memory(threads):
    """Bytes of workgroup memory that stage 1 takes for a slice in f32: a row of both sub-systems per thread, or one row in all if a subgroup
    holds the slice."""
    return 16 if threads == SUBGROUP else 32 * threads


def registers():
    """Registers per thread of stage 1 by S and L, where the driver tells."""
    found = {}
    for row in data("registers.csv"):
        own = policy(row["policy"])
        if row["kernel"] == "tpr_reduce" and own["shuffles"] == "1" and row["statistic"].lower().startswith("register"):
            found[int(own["slice"]), int(own["threads"])] = int(row["value"])
    return found


def occupancy():
    """The most that each policy allows, beside its times."""
    rows = [row for row in data("policies.csv") if policy(row["divided"])["shuffles"] == "1"]
    n = rows[0]["rows"] if rows else "0"
    batches = sorted({int(row["batch"]) for row in rows})
    seen = {}
    for row in rows:
        own = policy(row["divided"])
        seen.setdefault((int(own["slice"]), int(own["threads"])), {})[int(row["batch"])] = float(row["median_us"])
    best = {batch: min(times[batch] for times in seen.values() if batch in times) for batch in batches}
    body, taken = [], registers()
    for (size, threads), times in sorted(seen.items()):
        each, warps = size // threads, math.ceil(threads / SUBGROUP)
        memory = slice_memory(threads)
        # The registers are those of the card; without them, they do not limit.
        own = taken.get((size, threads))
        blocks = HOPPER.resident(warps, own, memory)
        cells = []
        for batch in batches:
            cell = digits(times[batch], 3) if batch in times else ""
            cells.append(f"**{cell}**" if times.get(batch) == best[batch] else cell)
        body.append([size, threads, each, memory, own or "", blocks, f"{100 * blocks * warps // 64}%", blocks * size,
                     digits(math.log2(threads) / each, 2), *cells])
    header = ["S", "L", "P", "workgroup memory", "registers", "workgroups per processor", "occupancy", "rows in flight", "steps among threads per row", *(f"us, G = {batch}" for batch in batches)]
    return f"{power(n)} rows per system, f32, {matrix(rows)}:\n\n" + table(header, body) + "\n" + of_adapter(rows)


def shuffles():
    """Section 4.3: the last steps with and without shuffles."""
    rows = data("policies.csv")
    batches = sorted({int(row["batch"]) for row in rows})
    found = {}
    for row in rows:
        own = policy(row["divided"])
        key = (int(own["slice"]), int(own["threads"]))
        found.setdefault(key, {})[own["shuffles"], int(row["batch"])] = float(row["median_us"])
    body = []
    for (size, threads), times in sorted(found.items()):
        if any(key[0] == "0" for key in times):
            pairs = [[digits(times[on, batch], 3) if (on, batch) in times else "" for on in "10"] for batch in batches]
            body.append([size, threads, *(cell for pair in pairs for cell in pair)])
    header = ["S", "L", *(cell for batch in batches for cell in (f"us, G = {batch}, shuffles", "memory alone"))]
    return table(header, body) + "\n" + of_adapter(rows)


def papers_policy(n):
    """Table 4: S, L and (L_x, L_y) for N = 2^n."""
    threads = 64 if n <= 18 else 64 << (n - 18)
    across = max(1, (1 << n) // (2 * threads) // 2)
    return 2 * threads, threads, across, max(1, 64 // across)


def table_4():
    body, rows = [], data("table-4.csv")
    tuned = [row for row in data("paper.csv") if method(row) == "tpr" and row.get("divided")]
    for row in pick(rows, precision="f32", batch=1):
        size, threads, across, together = papers_policy(int(row["rows"]).bit_length() - 1)
        own = pick(tuned, precision="f32", batch=1, rows=row["rows"])
        default = policy(row["divided"])
        cells = ["", "", ""]
        if own:
            taken = policy(own[0]["divided"])
            gain = float(row["median_us"]) / float(own[0]["median_us"])
            one_slice = int(taken["slice"]) >= int(row["rows"])
            cells = [f"{taken['slice']}, {taken['threads']}{' (one slice)' if one_slice else ''}", digits(own[0]["median_us"], 3), f"{gain:.2f}"]
        body.append([power(row["rows"]), f"{size}, {threads}, ({across}, {together})",
                     f"{default['slice']}, {default['threads']}, ({default['overall_threads']}, {default['overall_systems']})",
                     digits(row["median_us"], 3), *cells])
    header = ["N", "table 4: S, L, (L_x, L_y)", "untuned default here", "us", "tuned: S, L", "us", "gain"]
    return f"One system, f32, {matrix(rows)}:\n\n" + table(header, body) + "\n" + of_adapter(rows)


# ---- figures 12, 13, 15 and 16: speed


SOLVERS = [
    ("tpr", "TPR"), ("tpr stable", "TPR stable"), ("wang-mou", "WM"), ("gtsv2", "gtsv2"), ("gtsv2_nopivot", "gtsv2_nopivot"),
    ("gtsv2StridedBatch", "gtsv2StridedBatch"), ("auto", "auto"), ("partition", "partition"), ("thomas", "Thomas"), ("cr", "CR"), ("pcr", "PCR"),
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
    for letter, batch in zip("abc", batches_of(rows, precision)):
        found = times(rows, precision, batch)
        shown = [(own, name) for own, name in SOLVERS if own in found]
        body = []
        for n in sorted(found["tpr"]):
            rates = {own: n * batch / found[own][n] for own, _ in shown if n in found[own]}
            top = max(rates.values())
            cells = [f"**{digits(rates[own], 3)}**" if rates.get(own) == top else digits(rates[own], 3) if own in rates else "" for own, _ in shown]
            body.append([power(n), *cells])
        title = f"({letter}) G = {batch}, million rows per second:\n\n"
        texts.append(title + table(["N", *(name for _, name in shown)], body))
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
        for name, slower, published in comparisons:
            cells = ["" if value is None else f"{value:.2f}" for value in published]
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
            first = crossover(by_size)
            published = CROSSOVERS.get(batch) if precision == "f32" else None
            body.append([f"{precision}, G = {batch}", power(published) if published else "not stated", power(first) if first else "none",
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
                        body.append([f"{precision}, G = {batch}", NAMES[own], digits(row["bytes_per_row"], 3), digits(row["median_us"], 3),
                                     digits(row["gb_per_s"], 3), f"{100 * float(row['share_of_copy']):.0f}%"])
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
    body = [[name, *(shown(max(found[own].get(precision, [0.0]))) for precision in precisions)] for own, name in SOLVERS if own in found]
    return f"Matrix: {matrix(rows)}.\n\n" + table(["solver", *precisions], body) + "\n" + of_adapter(rows)


STABLE_RATIOS = {1: 1.33, 64: 1.32}


def figures_15_16():
    rows = data("paper.csv")
    body, means = [], []
    for batch in batches_of(rows, "f32"):
        by_size = ratios(times(rows, "f32", batch), "tpr stable", "tpr")
        if by_size:
            published = STABLE_RATIOS.get(batch)
            body.append([f"G = {batch}", f"{published}" if published else "not shown", *mean_and_best(by_size)])
    found = {batch: times(rows, "f32", batch) for batch in batches_of(rows, "f32")}
    batches = [batch for batch in found if "tpr stable" in found[batch]]
    for n in sorted(found[batches[0]]["tpr"]) if batches else []:
        cells = []
        for batch in batches:
            cells += [digits(n * batch / found[batch][own][n], 3) for own in ("tpr", "tpr stable")]
        means.append([power(n), *cells])
    header = ["N", *(f"G = {batch}: {own}" for batch in batches for own in ("fastest", "stable"))]
    return (table(["f32", "TPR-fastest over TPR-stable, mean: paper", "here", "largest here"], body) + "\nMillion rows per second:\n\n" +
            table(header, means) + "\n" + of_adapter(rows))


# ---- tables 6 to 9 and figure 14: accuracy


def accuracy(start):
    """The lines of the table of accuracy.csv whose title begins so."""
    return [row for row in data("accuracy.csv") if row["table"].startswith(start)]


def errors(rows):
    """By row and solver the error as text."""
    found = {}
    for row in rows:
        found.setdefault(row["row"], {})[row["solver"]] = row["error"]
    return found


def shown(error, count=2):
    """An error with so many digits and an exponent, as in the paper, or why there is none; empty if it was not measured."""
    try:
        value = float("" if error is None else error)
    except ValueError:
        return error or ""
    if value == 0.0 or not math.isfinite(value):
        return "0" if value == 0.0 else "NaN"
    mantissa, exponent = f"{value:.{count - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def number(error):
    """An error as a number; NaN if there is none."""
    try:
        return float(error)
    except (TypeError, ValueError):
        return math.nan


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
        cells += [shown(found.get("WM")), shown(found.get("partition"))]
        cells += [shown(cusparse.get((int(n), f"cusparse {function}"))) for function in ("gtsv2", "gtsv2_nopivot")]
        body.append([power(n), *cells])
    header = ["N", "TPR-stable: paper", "classic", "here", "TPR-fastest: paper", "classic", "here", "Thomas: paper", "here", "WM here",
              "partition here", "gtsv2", "gtsv2_nopivot"]
    return table(header, body) + "\n" + of_adapter(rows)


def other_matrices():
    """Table 6 for a matrix on which cyclic reduction is not exact."""
    rows = accuracy("Diffusion, couplings over four decades, diagonal given")
    solvers = ["TPR-stable", "TPR-fastest", "TPR-stable, classic", "TPR-fastest, classic", "Thomas sequential", "WM", "partition", "CR", "PCR"]
    found = errors(rows)
    solvers = [solver for solver in solvers if any(solver in row for row in found.values())]
    return table(["N", *solvers], [[power(n), *(shown(row.get(solver)) for solver in solvers)] for n, row in found.items()])


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
    texts = []
    for start, title in [
        (CLASSIC, "The paper's formulas (CPU), (-1 2 -1)"),
        ("Toeplitz -1 2 -1, solution ones, f", "On the device, which carries the dominance, (-1 2 -1)"),
        ("diffusion", "On the device, diffusion with couplings over four decades, diagonal rounded"),
        ("entries", "On the device, matrix 1 of table 9, which is not dominant"),
    ]:
        found = errors(accuracy(start))
        if not found:
            continue
        columns = list(next(iter(found.values())))
        body = [[size, *(shown(row[column]) for column in columns)] for size, row in found.items()]
        if start == CLASSIC:
            body.append(["fall per doubling of S", *(f"{falls(found)[column]:.2f}x" if column in falls(found) else "" for column in columns)])
        texts.append(f"{title}, f32:\n\n" + table(["S", *columns], body))
    return "\n".join(texts) + "\n" + of_adapter(data("accuracy.csv"))


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
        body.append([name, shown(found.get("paper: TPR")), shown(found.get("TPR-stable")), shown(found.get("paper: WM")), shown(found.get("WM")),
                     shown(found.get("paper: cuSPARSE")), *(shown(peer.get((which, f"cusparse {function}"))) for function in ("gtsv2", "gtsv2_nopivot")),
                     shown(found.get("gtsv, CPU")), shown(found.get("auto")), shown(found.get("pivoting"))])
    header = ["matrix", "TPR: paper", "here", "WM: paper", "here", "cuSPARSE: paper", "gtsv2", "gtsv2_nopivot", "gtsv, CPU", "auto", "pivoting"]
    texts.append("Difference to Thomas's algorithm in the same precision, as in the paper:\n\n" + table(header, body))

    rows = accuracy(f"Table {table_number}: 512 rows, {precision}: relative error")
    peer = cusparse_errors(precision, "relative_error")
    solvers = ["TPR-stable", "WM", "Thomas sequential", "gtsv, CPU", "auto", "pivoting", "partition", "CR", "PCR", "CR-PCR", "Thomas, GPU, carried"]
    solvers = [solver for solver in solvers if any(row["solver"] == solver for row in rows)]
    body = []
    for name, found in errors(rows).items():
        which = name.partition(" ")[0]
        body.append([name, *(shown(found.get(solver)) for solver in solvers),
                     *(shown(peer.get((which, f"cusparse {function}"))) for function in ("gtsv2", "gtsv2_nopivot"))])
    texts.append("Error against the true solution:\n\n" + table(["matrix", *solvers, "gtsv2", "gtsv2_nopivot"], body))
    return "\n".join(texts) + "\n" + of_adapter(rows)


TABLE_9 = [4.41e4, 1.0, 3.52e2, 2.75e3, 1.24e4, 1.03, 9.0, 9.87e14, 9.97e14, 1.29e15, 1.01e15, 2.2e14, 3.21e16, 1.14e67, 6.02e24, 7.1e191]


def table_9():
    by_precision = [errors(accuracy(f"Table {number}: 512 rows, {precision}: relative difference")) for number, precision in ((7, "f32"), (8, "f64"))]
    names = list(by_precision[1] or by_precision[0])
    body = [[name, shown(TABLE_9[at], 3), *(shown(found.get(name, {}).get("condition"), 3) for found in reversed(by_precision))]
            for at, name in enumerate(names)]
    return table(["matrix", "condition number: paper", "here, f64", "here, rounded to f32"], body)


# ---- headline claims


def published(average, best):
    """Speed-ups as the paper states them; None where it states none."""
    return ", ".join([f"{average}x on average"] * (average is not None) + [f"up to {best}x"] * (best is not None))


def claims():
    speeds = data("paper.csv")
    body = []

    def add(claim, paper, here, holds):
        body.append([claim, paper, here, holds])

    def verdict(value):
        return "confirmed" if value else "not here"

    for (precision, batch), (cusparse, wang_mou) in SPEED_UPS.items():
        found = times(speeds, precision, batch)
        of = f"{precision}, G = {batch}"
        over = ratios(found, "gtsv2" if batch == 1 else "gtsv2StridedBatch", "tpr")
        if over:
            least, average = min(over.values()), mean(over.values())
            holds = "confirmed" if least > 1.0 and average >= cusparse[0] else "for all N, by less" if least > 1.0 else "on average, not for all N"
            add(f"TPR outperforms cuSPARSE for all N, {of}", published(*cusparse),
                f"{average:.2f}x on average, {least:.2f}x to {max(over.values()):.2f}x", holds if average > 1.0 else "not here")
        over = ratios(found, "wang-mou", "tpr")
        if over:
            first = crossover(over)
            stated = CROSSOVERS.get(batch) if precision == "f32" else None
            add(f"TPR outperforms WM for large N, {of}", (f"from {power(stated)} rows on, " if stated else "") + published(*wang_mou),
                f"{f'from {power(first)} rows on' if first else 'not at the most rows'}, {mean(over.values()):.2f}x on average, "
                f"up to {max(over.values()):.2f}x",
                "not here" if not first else "from more rows on" if first > (stated or first) else "confirmed")
    for batch, stated in STABLE_RATIOS.items():
        over = ratios(times(speeds, "f32", batch), "tpr stable", "tpr")
        if over:
            add(f"TPR-fastest over TPR-stable, f32, G = {batch}", published(stated, None), f"{mean(over.values()):.2f}x on average",
                verdict(mean(over.values()) > 1.0))

    rows = [row for row in data("policies.csv") if policy(row["divided"])["shuffles"] == "1"]
    if rows:
        best = []
        for batch in sorted({int(row["batch"]) for row in rows}):
            fastest = min(pick(rows, batch=batch), key=lambda row: float(row["median_us"]))
            own = policy(fastest["divided"])
            best.append(int(own["slice"]) // int(own["threads"]))
        add("two rows per thread are the best (section 4.4)", "P = 2", "fastest P by G: " + ", ".join(map(str, best)), verdict(all(each == 2 for each in best)))

    moved = {row["method"]: row["bytes_per_row"] for row in methods() if row["rows"] == max(row["rows"] for row in methods())}
    if moved:
        add("TPR moves less between memories than PCR, CR and WM (sections 2.3, 3.3)", "WM moves three times TPR's",
            "bytes per row: " + ", ".join(f"{NAMES[own]} {digits(moved[own], 3)}" for own in ("tpr", "wang-mou", "cr", "pcr")),
            "confirmed for CR and PCR; not for WM" if moved["wang-mou"] < moved["tpr"] < moved["cr"] else "see the table")

    own = falls(errors(accuracy(CLASSIC)))
    if own:
        add("larger slices are more stable (figure 14)", "yes", f"the error falls by {min(own.values()):.1f}x to {max(own.values()):.1f}x per doubling of S in the paper's formulas",
            verdict(min(own.values()) > 1.0))

    sixes = errors(accuracy("Table 6"))
    if sixes:
        worst = max(number(row["TPR-fastest"]) for row in sixes.values())
        add("TPR's errors in f32 are acceptable in most cases (table 6)", "TPR-fastest up to 5.5e-1, TPR-stable up to 1.9e-3",
            f"TPR-fastest up to {shown(worst)}", verdict(worst < 1e-3))

    for which, precision in ((7, "f32"), (8, "f64")):
        rows = errors(accuracy(f"Table {which}: 512 rows, {precision}: relative error"))
        if rows:
            right = [name for name, row in rows.items() if not math.isnan(number(row["gtsv, CPU"]))]
            close = [name for name in right if number(rows[name]["TPR-stable"]) <= 10.0 * number(rows[name]["gtsv, CPU"])]
            add(f"TPR's answers are in most cases as good as those with row exchanges, {precision}", "\"most cases\"",
                f"within ten times the error of gtsv (LAPACK) for {len(close)} of {len(right)} matrices that gtsv solves", verdict(2 * len(close) > len(right)))
    return table(["claim", "paper", "here", "verdict"], body) + "\n" + of_adapter(speeds)


def platforms():
    return measured_on(PAPER, [adapter for adapter in (H200, SOFTWARE) if (RESULTS / PAPER / adapter / "about.csv").exists()])


BLOCKS = {
    "claims": claims,
    "table-1": table_1,
    "traffic": traffic,
    "table-3": table_3,
    "policies": occupancy,
    "shuffles": shuffles,
    "table-4": table_4,
    "platforms": platforms,
    "speed-ups": speed_ups,
    "figure-12": lambda: speed("f32"),
    "figure-13": lambda: speed("f64"),
    "crossovers": crossovers,
    "bandwidth": bandwidth,
    "residuals": residuals,
    "table-6": table_6,
    "diffusion": other_matrices,
    "figure-14": figure_14,
    "figures-15-16": figures_15_16,
    "table-7": lambda: sixteen(7, "f32"),
    "table-8": lambda: sixteen(8, "f64"),
    "table-9": table_9,
}
