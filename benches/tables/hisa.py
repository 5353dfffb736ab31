"""The tables of docs/papers/hisa.md: quasi-tridiagonal systems (Li, Yang and Li 2016)."""

import textwrap

from .common import adapters_with, digits, exists, first, lines, lines_if_any, mean, measured_on, pick, table

PAPER = "hisa"
CASES = [
    "Gas2000", "Gas10000a", "Gas10000b", "Gas100000a", "Gas100000b",
    "Gas1000000a", "Gas1000000b", "Gas10000000a", "Gas10000000b", "Gas10000000c",
]  # fmt: skip
# Table 5: rows, entries, entries beside T; and the paper's entries per row, which it partly truncates.
RATIOS = ["4.9945", "4.9997", "5.9989", "4.9999", "5.9998", "4.0000", "5.0000", "4.0000", "4.9999", "5.9999"]
SIZES = [
    (2_000, 9_989, 3_991), (10_000, 49_997, 19_999), (10_000, 59_989, 29_991), (100_000, 499_991, 199_993),
    (100_000, 599_976, 299_978), (1_000_000, 3_999_997, 999_999), (1_000_000, 4_999_972, 1_999_974),
    (10_000_000, 39_999_997, 9_999_999), (10_000_000, 49_999_707, 19_999_709), (10_000_000, 59_999_104, 29_999_106),
]  # fmt: skip
# The methods of Lis, in the order of our CSVs.
METHODS = ["jacobi", "gauss-seidel", "gmres", "bicg", "bicgstab", "tfqmr", "bicrstab"]
NAMES = {
    "hisa": "HISA", "bhisa": "BHISA", "jacobi": "Jacobi", "gauss-seidel": "GS", "gmres": "GMRES(5)", "bicg": "BiCG",
    "bicgstab": "BiCGSTAB", "tfqmr": "TFQMR", "bicrstab": "BiCRSTAB", "sparse LU": "sparse LU",
}  # fmt: skip
# Table 6, by case: HISA, BHISA, then METHODS; the last two columns, of PARALUTION, are GMRES(5) and BiCGSTAB.
ITERATIONS = [
    [11, 11, 31, 13, 18, 19, 11, 10, 11, 10, 10], [11, 12, 31, 13, 18, 19, 11, 11, 11, 10, 10],
    [12, 13, 49, 13, 19, 22, 11, 12, 12, 11, 10], [11, 11, 31, 13, 18, 20, 11, 11, 11, 10, 10],
    [12, 13, 49, 14, 20, 21, 11, 11, 11, 11, 11], [10, 11, 24, 12, 17, 20, 10, 10, 11, 11, 10],
    [11, 11, 33, 13, 19, 22, 11, 11, 11, 12, 11], [10, 11, 25, 13, 18, 21, 11, 11, 11, 10, 10],
    [11, 11, 35, 14, 20, 23, 11, 11, 11, 11, 11], [13, 13, 56, 15, 23, 26, 12, 12, 12, 12, 12],
]  # fmt: skip
# The paper's last line of table 6: how many percent fewer iterations HISA needs; of BHISA, how many more.
FEWER = {"bhisa": -4.27, "jacobi": -69.23, "gauss-seidel": -15.79, "gmres": -39.22, "bicg": -47.42, "bicgstab": 1.82, "tfqmr": 0.0, "bicrstab": 1.82}
# Seconds, table 7: HISA, METHODS, PARALUTION's two, KLU.
SERIAL = [
    [0.31, 1.88, 3.51, 2.43, 3.26, 4.85, 3.87, 3.27, 0.34, 0.35, 1.00],
    [0.58, 1.91, 3.61, 3.19, 3.32, 4.49, 4.07, 3.07, 0.55, 0.56, 98.35],
    [0.92, 2.84, 4.53, 2.98, 3.81, 4.90, 4.81, 3.50, 0.66, 0.66, 182.86],
    [1.23, 2.47, 5.75, 3.05, 4.23, 4.91, 4.58, 3.68, 1.38, 1.37, 1526.05],
    [1.56, 3.69, 6.11, 3.78, 4.44, 5.14, 5.05, 3.72, 1.64, 1.62, 2214.83],
    [1.69, 3.67, 7.53, 3.54, 7.78, 7.23, 7.00, 5.75, 1.92, 1.74, None],
    [1.89, 5.48, 8.49, 4.08, 9.59, 8.03, 8.35, 6.21, 2.55, 2.03, None],
    [16.86, 24.59, 24.04, 27.25, 50.25, 27.92, 28.47, 27.89, 20.53, 18.66, None],
    [20.01, 44.09, 31.29, 36.82, 70.83, 35.72, 38.94, 35.94, 30.02, 27.78, None],
    [25.92, 85.87, 39.06, 48.30, 98.43, 41.97, 65.14, 44.10, 42.74, 34.15, None],
]
# Seconds, table 9: BHISA, METHODS (BiCGSafe in place of BiCG), PARALUTION's two.
PARALLEL = [
    [0.025, 0.11, 0.112, 1.463, 2.768, 1.403, 2.93, 2.77, 0.046, 0.047],
    [0.053, 0.11, 0.124, 2.219, 3.889, 2.801, 2.94, 2.60, 0.050, 0.058],
    [0.062, 0.17, 0.142, 2.264, 3.547, 3.074, 4.00, 2.95, 0.055, 0.060],
    [0.121, 0.15, 0.166, 2.206, 2.988, 2.795, 10.68, 2.85, 0.136, 0.158],
    [0.146, 0.24, 0.182, 3.511, 3.555, 2.968, 11.79, 2.81, 0.146, 0.176],
    [1.274, 1.37, 1.63, 3.983, 3.946, 3.990, 1.51, 4.21, 1.747, 1.693],
    [1.732, 2.37, 2.07, 4.773, 4.907, 4.675, 12.72, 4.79, 1.902, 1.795],
    [11.914, 15.59, 13.84, 16.090, 16.767, 16.620, 24.20, None, 13.846, 12.806],
    [16.572, 33.35, 36.27, 23.428, 25.156, 25.441, 34.40, None, 23.025, 21.760],
    [22.175, 72.40, 32.82, 34.625, 30.989, 32.921, 41.55, None, 34.249, 30.500],
]
# Seconds, table 11: BHISA, PARALUTION's GMRES(5) and BiCGSTAB, cuSparse with incomplete LU.
DEVICE = [
    [0.021, 0.034, 0.034, 0.035], [0.031, 0.049, 0.045, 0.078], [0.046, 0.052, 0.047, 0.063], [0.103, None, None, 0.812],
    [0.107, None, None, 0.842], [1.220, None, None, 7.831], [1.306, None, None, 7.519], [8.166, None, None, 78.811],
    [10.640, None, None, 79.622], [12.939, None, None, 80.059],
]  # fmt: skip
# Percent, table 8: METHODS, KLU.
SERIAL_GAINS = [
    [83.43, 91.11, 87.16, 90.43, 93.56, 91.94, 90.47, 68.92], [69.79, 84.06, 81.96, 82.63, 87.17, 85.86, 81.23, 99.41],
    [67.63, 79.68, 69.08, 75.84, 81.19, 80.85, 73.65, 99.50], [50.19, 78.61, 59.63, 70.92, 74.96, 73.17, 66.59, 99.92],
    [57.69, 74.46, 58.73, 64.83, 69.66, 69.09, 58.11, 99.93], [54.06, 77.60, 52.29, 78.30, 76.64, 75.87, 70.62, None],
    [65.49, 77.74, 53.72, 80.29, 76.47, 77.35, 69.57, None], [31.46, 29.89, 38.15, 66.46, 39.63, 40.79, 39.57, None],
    [54.63, 36.07, 45.67, 71.76, 43.99, 48.62, 44.33, None], [69.81, 33.64, 46.33, 73.66, 38.23, 60.20, 41.22, None],
]  # fmt: skip
# Percent, table 10: METHODS.
PARALLEL_GAINS = [
    [77.41, 78.04, 98.32, 99.11, 98.25, 99.16, 99.11], [51.64, 56.90, 97.58, 98.62, 98.08, 98.17, 97.94],
    [63.46, 56.28, 97.25, 98.24, 97.97, 98.44, 97.89], [21.66, 27.49, 94.52, 95.95, 95.67, 98.87, 95.75],
    [39.24, 20.21, 95.85, 95.90, 95.09, 98.76, 94.82], [7.17, 21.70, 68.01, 67.71, 68.07, 15.58, 68.74],
    [26.92, 16.16, 63.71, 64.70, 62.94, 86.38, 63.84], [23.56, 13.96, 25.95, 28.86, 28.32, 50.76, None],
    [50.30, 54.31, 29.27, 34.12, 34.86, 51.82, None], [69.37, 32.45, 35.96, 38.38, 32.64, 46.63, None],
]  # fmt: skip
# Percent, table 11: as DEVICE, without BHISA.
DEVICE_GAINS = [
    [39.33, 38.48, 40.86], [37.21, 31.55, 60.26], [11.28, 2.07, 26.98], [None, None, 87.32], [None, None, 87.29],
    [None, None, 84.42], [None, None, 82.63], [None, None, 89.64], [None, None, 86.64], [None, None, 83.84],
]  # fmt: skip
# The averages that the text gives of tables 8, 10 and 11.
SERIAL_MEANS = {"jacobi": 60.42, "gauss-seidel": 66.29, "gmres": 59.27, "bicg": 75.51, "bicgstab": 68.15, "tfqmr": 70.37, "bicrstab": 63.54, "sparse LU": 93.54}
PARALLEL_MEANS = {"jacobi": 43.07, "gauss-seidel": 37.75, "gmres": 70.64, "bicg": 72.16, "bicgstab": 71.19, "tfqmr": 74.46, "bicrstab": 88.44}
# Multiplications per iteration, for E entries (table 1), and numbers stored (table 3); m iterations, column j of GMRES.
OPERATIONS = {
    "hisa": "E + 2n", "bhisa": "", "jacobi": "E + 2n", "gauss-seidel": "E + 2n", "gmres": "E + (2j + 1)n", "bicg": "2E + 8n",
    "bicgstab": "2E + 11n", "tfqmr": "2E + 8n", "bicrstab": "3E + 11n",
}  # fmt: skip
OURS = {
    "hisa": "E + n", "bhisa": "E + n", "jacobi": "E + n", "gauss-seidel": "E + n", "gmres": "E + (m + 3)n + (E + (m + 1)n)/m, m = 5",
    "bicg": "2E + 8n", "bicgstab": "2E + 11n", "tfqmr": "2E + 14n", "bicrstab": "2E + 11n",
}  # fmt: skip
COMPLEXITY = {
    "hisa": (7, "7mn"), "jacobi": (7, "7mn"), "gauss-seidel": (7, "7mn"), "gmres": (None, "6mn + m^2 n"), "bicg": (18, "18mn"),
    "bicgstab": (21, "21mn"), "tfqmr": (18, "18mn"), "bicrstab": (26, "26mn"),
}  # fmt: skip
STORAGE = {
    "hisa": ("2E + n", lambda n, e: 2 * e + n), "jacobi": ("2E + 4n", lambda n, e: 2 * e + 4 * n),
    "gauss-seidel": ("2E + 3n", lambda n, e: 2 * e + 3 * n), "gmres": ("2E + 2mn + m^2, m = 5", lambda n, e: 2 * e + 10 * n + 25),
    "bicg": ("2E + 8n", lambda n, e: 2 * e + 8 * n), "bicgstab": ("2E + 7n", lambda n, e: 2 * e + 7 * n),
    "tfqmr": ("2E + 7n", lambda n, e: 2 * e + 7 * n), "bicrstab": ("2E + 7n", lambda n, e: 2 * e + 7 * n),
}  # fmt: skip


# Bytes that the dispatches of one iteration without a preconditioner read and write per row in f64, from src/quasi_tridiagonal/methods.rs: products
# with A, and vectors. Gauss-Seidel reads A twice, the second time by colours.
PRODUCTS = {"gmres": (1.2, 16.8), "bicg": (2, 22), "bicgstab": (2, 20), "tfqmr": (2, 37), "bicrstab": (2, 20)}
# Iterations of a splitting per recorded batch, `FIXED_AHEAD` in src/quasi_tridiagonal/methods.rs.
BATCH = 16


def bytes_moved(method, n, entries, beside):
    """Of a method whose passes the program does not count."""
    matrix = 24 + 12 * beside / n
    if method == "gauss-seidel":
        return matrix + 3 * 8 + 12 * entries / n + 4 + 3 * 8
    products, vectors = PRODUCTS[method]
    return products * matrix + 8 * vectors


def adapters():
    """The adapters with measurements, the H200 first."""
    return adapters_with(PAPER, "gas.csv")


def main_adapter():
    return first(adapters(), PAPER, "gas.csv")


class Device:
    """gas.csv of an adapter."""

    def __init__(self, adapter):
        self.rows = pick(lines(PAPER, adapter, "gas.csv"), precision="f64")
        self.name = self.rows[0]["adapter"]
        self.cases = [case for case in CASES if pick(self.rows, system=case)]

    def find(self, case, algorithm, divided=None, preconditioner="none"):
        """The line of a method; `divided`: the begin of its policy or solver of T."""
        for row in pick(self.rows, system=case, algorithm=algorithm, preconditioner=preconditioner):
            if divided is None and row["divided"].startswith("tridiagonal="):
                continue
            if divided is None or row["divided"].startswith(divided):
                return row
        return None


class Host:
    """host.csv of an adapter's machine."""

    def __init__(self, adapter):
        self.rows = lines(PAPER, adapter, "host.csv")
        self.threads = max(int(row["threads"]) for row in self.rows)
        self.cases = [case for case in CASES if pick(self.rows, system=case)]

    def find(self, case, algorithm, threads=1):
        found = pick(self.rows, system=case, algorithm=algorithm, threads=threads)
        return found[0] if found else None

    def seconds(self, case, algorithm, threads=1):
        row = self.find(case, algorithm, threads)
        return None if row is None else (float(row["prepare_ms"]) + float(row["solve_ms"])) / 1e3

    def settled(self, case, algorithm, threads=1):
        """The same, of solves that converged."""
        return None if failed(self.find(case, algorithm, threads)) else self.seconds(case, algorithm, threads)


def wall(row):
    """Seconds of a line of the device or of a peer."""
    return None if row is None else float(row["wall_ms"]) / 1e3


def settled(row):
    """The same, of solves that converged."""
    return None if failed(row) else wall(row)


def whole_cyclic(row):
    """Bounds of the microseconds per iteration where dispatches of CR solve T. These also run in the iterations of a batch after convergence:
    the device's time per recorded iteration is too short, and per iteration taken too long."""
    recorded = BATCH * (int(row["iterations"]) // BATCH + 1)
    return 1e3 * float(row["device_ms"]) / recorded, float(row["us_per_iteration"])


def milliseconds(seconds):
    if seconds is None:
        return ""
    return digits(1e3 * seconds) if seconds < 1 else f"{1e3 * seconds:.0f}"


def failed(row):
    return "" if row is None or row["outcome"] == "converged" else " " + row["outcome"]


def improvement(other, own):
    """The paper's (T_i - T_H) / T_i x 100, in percent."""
    return None if other is None or own is None else 100 * (other - own) / other


def percent(number):
    return "" if number is None else f"{number:.1f}"


def known(numbers):
    return [number for number in numbers if number is not None]


def mean_percent(numbers):
    numbers = known(numbers)
    return percent(mean(numbers)) if numbers else ""


# ---- premises


def machines():
    """Table 4 and what was measured on."""
    return measured_on(PAPER, adapters())


def table_1():
    """Operations per iteration."""
    host = Host(main_adapter())
    case = "Gas10000b"
    n, entries, _ = SIZES[CASES.index(case)]
    paper = {
        "hisa": entries + 2 * n, "jacobi": entries + 2 * n, "gauss-seidel": entries + 2 * n, "gmres": entries + 7 * n,
        "bicg": 2 * entries + 8 * n, "bicgstab": 2 * entries + 11 * n, "tfqmr": 2 * entries + 8 * n, "bicrstab": 3 * entries + 11 * n,
    }  # fmt: skip
    rows = []
    for method in ["hisa", "bhisa", *METHODS]:
        found = host.find(case, method)
        theirs = digits(paper[method] / n) if method in paper else ""
        rows.append([NAMES[method], OPERATIONS[method], OURS[method], theirs, digits(float(found["multiplications"]) / n)])
    return f"The last two columns are for {case}. The paper's GMRES has j = 3 there, the mean of 1 to 5.\n\n" + table(
        ["method", "paper", "here, counted", "paper, per row", "here, per row"], rows
    )


def table_2():
    """Complexity: operations of the whole solve per row, by our iterations."""
    host = Host(main_adapter())
    case = "Gas10000a"
    n = SIZES[CASES.index(case)][0]
    rows = []
    for method in ["hisa", *METHODS]:
        found = host.find(case, method)
        m = ITERATIONS[CASES.index(case)][["hisa", "bhisa", *METHODS].index(method)]
        factor, formula = COMPLEXITY[method]
        theirs = 6 * m + m * m if factor is None else factor * m
        ours = int(found["iterations"]) * float(found["multiplications"]) / n
        rows.append([NAMES[method], formula, digits(theirs), digits(ours)])
    return f"The last two columns are for {case}: the paper's formula with its m of table 6, and our counts.\n\n" + table(
        ["method", "paper", "paper, per row and solve", "here, per row and solve"], rows
    )


def table_3():
    """Storage, and bytes per iteration."""
    device = Device(main_adapter())
    case = device.cases[-1]
    n, entries, beside = SIZES[CASES.index(case)]
    rows = []
    for method in ["hisa", "bhisa", *METHODS]:
        found = device.find(case, method, "block=64,rows=4,factored=0" if method == "bhisa" else None)
        if found is None:
            continue
        formula, numbers = STORAGE.get(method, ("", None))
        theirs = "" if numbers is None else digits(numbers(n, entries) / n)
        ours = float(found["device_bytes"]) / 8 / n
        moved = digits(found["bytes_per_row"] or bytes_moved(method, n, entries, beside))
        rows.append([NAMES[method], formula, theirs, digits(ours), moved, digits(found["us_per_iteration"])])
    header = ["method", "paper", "paper, per row", "here, per row", "here: bytes per row and iteration", "here: us per iteration"]
    return f"{case} on {device.name}.\n\n" + table(header, rows)


def kept():
    """The forms of algorithms 1 to 3 on the device."""
    device = Device(main_adapter())
    forms = [
        ("hisa", None, "1: HISA, T by the partition, two fused passes"),
        ("hisa", "tridiagonal=cr", "2: HISA, T by cyclic reduction through device memory"),
        ("bhisa", "block=64,rows=1,factored=1", "3: BHISA, one row per thread, step 1 once, blocks of 64 (the paper's form)"),
        ("bhisa", "block=64,rows=1,factored=0", "3: the same, step 1 in each iteration"),
        ("bhisa", "block=64,rows=4", "3: four rows per thread, step 1 in each iteration, blocks of 64"),
        ("bhisa", "block=256,rows=4", "3: the same, blocks of 256 (the default)"),
    ]
    shown = [case for case in device.cases if case in (*device.cases[-3:], "Gas2000")]
    rows = []
    for algorithm, divided, name in forms:
        cells = [name]
        for case in shown:
            found = device.find(case, algorithm, divided)
            if found is None:
                cells.append("")
                continue
            times = whole_cyclic(found) if divided == "tridiagonal=cr" else [found["us_per_iteration"]]
            cells.append(f"{' to '.join(map(digits, times))} ({found['iterations']}){failed(found)}")
        rows.append(cells)
    return f"Microseconds per iteration, and the number of iterations in brackets, on {device.name}.\n\n" + table(["algorithm", *shown], rows)


# ---- tables 5 to 11


def table_5():
    rows = []
    measured = {row["system"]: row for adapter in adapters() for row in lines(PAPER, adapter, "host.csv")}
    for case, (n, entries, beside), ratio in zip(CASES, SIZES, RATIOS):
        own = measured.get(case)
        here = f"{own['rows']}, {own['entries']}" if own else "not in this run"
        rows.append([case, n, entries, ratio, beside, here])
    return table(["case", "n", "E", "E / n", "beside T", "here: n, E"], rows)


def table_6():
    device, host = Device(main_adapter()), Host(main_adapter())
    names = ["hisa", "bhisa", "jacobi", "gauss-seidel", *METHODS[2:]]
    header = ["case", "HISA", "BHISA, 64", "BHISA, 256", "Jacobi", "GS, natural order", "GS, colours", *[NAMES[name] for name in METHODS[2:]]]
    rows, sums, gaps = [], {}, {}
    for at, case in enumerate(CASES):
        found = {
            "hisa": device.find(case, "hisa"), "bhisa": device.find(case, "bhisa", "block=64,rows=4"),
            "bhisa 256": device.find(case, "bhisa", "block=256,"), "gauss-seidel": host.find(case, "gauss-seidel"),
            "colours": device.find(case, "gauss-seidel"), **{name: device.find(case, name) for name in ["jacobi", *METHODS[2:]]},
        }  # fmt: skip
        if case not in device.cases:
            continue
        cells = [case]
        for key in ["hisa", "bhisa", "bhisa 256", "jacobi", "gauss-seidel", "colours", *METHODS[2:]]:
            row = found[key]
            base = {"bhisa 256": "bhisa", "colours": "gauss-seidel"}.get(key, key)
            theirs = ITERATIONS[at][names.index(base)]
            cells.append("" if row is None else f"{row['iterations']} ({theirs}){failed(row)}")
            if row is not None:
                own, paper = sums.get(key, (0, 0))
                sums[key] = own + int(row["iterations"]), paper + theirs
                gaps.setdefault(key, []).append(int(row["iterations"]) - theirs)
        rows.append(cells)
    keys = ["hisa", "bhisa", "bhisa 256", "jacobi", "gauss-seidel", "colours", *METHODS[2:]]
    rows.append(["sum"] + ["{} ({})".format(*sums[key]) if key in sums else "" for key in keys])

    def fewer(key):
        if key == "hisa" or key not in sums:
            return ""
        base = {"bhisa 256": "bhisa", "colours": "gauss-seidel"}.get(key, key)
        own = 100 * (sums["hisa"][0] - sums[key][0]) / sums[key][0]
        return f"{own:.1f} ({FEWER[base]})"

    rows.append(["HISA's change, %"] + [fewer(key) for key in keys])
    rows.append(["largest gap"] + [f"{max(gaps[key], key=abs):+}" if key in gaps else "" for key in keys])
    text = (
        f"Here (the paper's), on {device.name}; Gauss-Seidel in natural order on one CPU core. HISA's change: (HISA - method) / method of the sums; "
        "the paper's is that of its ten cases. Largest gap: our count less the paper's, in the case where they differ most."
    )
    return textwrap.fill(text, 145) + "\n\n" + table(header, rows)


def host_times(host, methods, theirs, threads=1):
    """Milliseconds on CPU cores here and, in brackets, in the paper. `theirs`: the paper's seconds, a column per name in `methods`; names that are
    no method here are left out."""
    shown = [name for name in methods if name in NAMES]
    rows = []
    for case in host.cases:
        paper = dict(zip(methods, theirs[CASES.index(case)]))
        cells = [case]
        for method in shown:
            published = "No" if paper[method] is None else milliseconds(paper[method])
            seconds = host.seconds(case, method, threads)
            cells.append((milliseconds(seconds) or "not run") + f" ({published})" + failed(host.find(case, method, threads)))
        rows.append(cells)
    return table(["case", *[NAMES[name] for name in shown]], rows)


def host_gains(host, methods, own, theirs, their_means, threads=1):
    """By how much the method `own` shortens the times of the others on CPU cores, percent, and in brackets those of the paper."""
    rows, means = [], {}
    for case in host.cases:
        paper = dict(zip(methods, theirs[CASES.index(case)]))
        cells = [case]
        for method in methods:
            gain = improvement(host.settled(case, method, threads), host.settled(case, own, threads))
            means.setdefault(method, []).append(gain)
            cells.append(f"{percent(gain) or 'not run'} ({percent(paper[method]) or 'No'})")
        rows.append(cells)
    rows.append(["mean"] + [f"{mean_percent(means[method])} ({percent(their_means[method])})" for method in methods])
    return table(["case", *[NAMES[name] for name in methods]], rows)


def table_7():
    # PARALUTION's two columns have no method here.
    methods = ["hisa", *METHODS, "PARALUTION 1", "PARALUTION 2", "sparse LU"]
    return "Milliseconds here (the paper's).\n\n" + host_times(Host(main_adapter()), methods, SERIAL)


def table_8():
    return host_gains(Host(main_adapter()), [*METHODS, "sparse LU"], "hisa", SERIAL_GAINS, SERIAL_MEANS)


def table_9():
    host = Host(main_adapter())
    text = f"Milliseconds here on {host.threads} threads (the paper's on 32 cores; its BiCG is BiCGSafe).\n\n"
    return text + host_times(host, ["bhisa", *METHODS], PARALLEL, host.threads)


def table_10():
    host = Host(main_adapter())
    return host_gains(host, METHODS, "bhisa", PARALLEL_GAINS, PARALLEL_MEANS, host.threads)


def device_tables(adapter):
    device = Device(adapter)
    cupy = lines_if_any(PAPER, adapter, "cupy.csv")
    ilu = lines_if_any(PAPER, adapter, "ilu.csv")

    def peer(rows, case, name):
        found = pick(rows, system=case, algorithm=name)
        return found[0] if found else None

    def bhisa(case):
        return device.find(case, "bhisa", "block=256,")

    own = [
        ("BHISA, 64", lambda case: device.find(case, "bhisa", "block=64,rows=4")),
        ("HISA", lambda case: device.find(case, "hisa")),
        *[(NAMES[name], lambda case, name=name: device.find(case, name)) for name in METHODS],
    ]
    peers = [
        ("GMRES(5), M = T", lambda case: device.find(case, "gmres", None, "tridiagonal")),
        ("BiCGSTAB, M = T", lambda case: device.find(case, "bicgstab", None, "tridiagonal")),
        *[(f"CuPy {NAMES.get(name, name.upper())}", lambda case, name=name: peer(cupy, case, f"cupy {name}"))
          for name in ("gmres", "bicgstab", "bicg", "cgs", "jacobi")],
        ("cuSPARSE BiCGSTAB, M = ILU(0)", lambda case: peer(ilu, case, "cusparse bicgstab")),
    ]  # fmt: skip
    parts = []

    def add(title, columns):
        """The times of these columns, and by how much BHISA shortens them, without columns that were not measured."""
        columns = [(name, find) for name, find in columns if any(find(case) for case in device.cases)]
        if not columns:
            return
        header = ["case", "BHISA, 256", *[name for name, _ in columns]]
        rows = [
            [case, *[(milliseconds(wall(row)) or "not run") + failed(row) for row in [bhisa(case), *[find(case) for _, find in columns]]]]
            for case in device.cases
        ]
        parts.append(f"Milliseconds of the whole solve on {device.name}, {title}:\n\n" + table(header, rows))
        gains = {name: [improvement(settled(find(case)), settled(bhisa(case))) for case in device.cases] for name, find in columns}
        rows = [[case, *[percent(gains[name][at]) for name, _ in columns]] for at, case in enumerate(device.cases)]
        rows.append(["mean", *[mean_percent(gains[name]) for name, _ in columns]])
        parts.append("By how much BHISA with blocks of 256 rows shortens these times, percent:\n\n" + table(["case", *header[2:]], rows))

    add("no preconditioner", own)
    add("preconditioners and other libraries", peers)
    missing = [name for name, found in [("CuPy", cupy), ("cuSPARSE's incomplete LU", ilu)] if not found]
    if missing:
        parts.append(f"Not measured in this run: {', '.join(missing)}.\n")
    return parts


def table_11():
    paper = []
    for case, (own, *others), gains in zip(CASES, DEVICE, DEVICE_GAINS):
        cells = [case, milliseconds(own)]
        for seconds, gain in zip(others, gains):
            cells += ["No", "No"] if seconds is None else [milliseconds(seconds), gain]
        paper.append(cells)
    paper.append(["mean (text)", "", "", "29.28", "", "24.03", "", "72.99"])
    header = ["case", "BHISA", "PARALUTION GMRES(5)", "%", "PARALUTION BiCGSTAB", "%", "cuSparse, ILU", "%"]
    text = "The paper's: milliseconds on a K20c, and by how many percent BHISA shortens them.\n\n" + table(header, paper)
    return "\n".join([text, *device_tables(main_adapter())])


# ---- figures 4 and 5, claims


def speed_ups(adapter):
    """HISA on one core over BHISA on all cores, and over BHISA on the device, by case."""
    device, host = Device(adapter), Host(adapter)
    found = []
    for case in host.cases:
        serial, parallel = host.seconds(case, "hisa"), host.seconds(case, "bhisa", host.threads)
        on_device = wall(device.find(case, "bhisa", "block=256,"))
        found.append((case, serial, parallel, on_device))
    return host.threads, device.name, found


def figures_4_5():
    adapter = main_adapter()
    threads, name, found = speed_ups(adapter)
    rows = []
    for case, serial, parallel, on_device in found:
        at = CASES.index(case)
        theirs = SERIAL[at][0] / PARALLEL[at][0], SERIAL[at][0] / DEVICE[at][0]
        gains = [f"{digits(serial / parallel)} ({digits(theirs[0])})"]
        gains.append((digits(serial / on_device) if on_device else "not run") + f" ({digits(theirs[1])})")
        rows.append([case, milliseconds(serial), milliseconds(parallel), milliseconds(on_device), *gains])
    own = [mean(serial / parallel for _, serial, parallel, _ in found), mean(s / d for _, s, _, d in found if d)]
    rows.append(["mean", "", "", "", f"{digits(own[0])} (6.52)", f"{digits(own[1])} (8.90)"])
    header = [
        "case", "HISA, one core, ms", f"BHISA, {threads} threads, ms", f"BHISA, {name}, ms", "speed-up of the threads (paper)",
        "speed-up of the device (paper)",
    ]  # fmt: skip
    from_tables = [mean(SERIAL[at][0] / other[at][0] for at in range(10)) for other in (PARALLEL, DEVICE)]
    agree = max(abs(from_tables[0] - 6.52), abs(from_tables[1] - 8.90)) < 0.05
    parts = [
        "The paper's speed-ups are the quotients of its tables 7, 9 and 11; the means are given in its text, and "
        + ("the tables agree with them.\n" if agree else f"the tables give {digits(from_tables[0])} and {digits(from_tables[1])}.\n"),
        table(header, rows),
    ]
    if exists(PAPER, adapter, "figure-4-5.svg"):
        parts.append(f"![Figures 4 and 5, {name}](../../benches/results/papers/hisa/{adapter}/figure-4-5.svg)\n")
    return "\n".join(parts)


def claims():
    adapter = main_adapter()
    device, host = Device(adapter), Host(adapter)
    cases = [case for case in device.cases if case in host.cases]
    rows = []

    def claim(text, paper, own, holds):
        rows.append([text, paper, "not measured", ""] if own is None else [text, paper, own, "holds" if holds else "does not hold here"])

    # Iterations, in sum.
    def total(find):
        found = [find(case) for case in cases]
        return None if any(row is None or failed(row) for row in found) else sum(int(row["iterations"]) for row in found)

    hisa = total(lambda case: device.find(case, "hisa"))

    def counts(text, paper, other, holds, sign=1):
        own = None if other is None or hisa is None else sign * 100 * (hisa - other) / other
        claim(text, paper, None if own is None else f"{own:+.1f}%", own is not None and holds(own))

    for method in ["jacobi", "gauss-seidel", "gmres", "bicg"]:
        table_of = host if method == "gauss-seidel" else device
        other = total(lambda case: table_of.find(case, method))
        counts(f"iterations: HISA needs fewer than {NAMES[method]}", f"{FEWER[method]:+}%", other, lambda own: own < -5)
    for method in ["bicgstab", "tfqmr", "bicrstab"]:
        other = total(lambda case: device.find(case, method))
        counts(f"iterations: HISA needs about as many as {NAMES[method]}", f"{FEWER[method]:+}%", other, lambda own: abs(own) < 10)
    blocks = total(lambda case: device.find(case, "bhisa", "block=64,rows=4"))
    counts("iterations: BHISA (64) needs hardly more than HISA", "+4.27%", blocks, lambda own: own < 10, -1)

    # Work and memory, in the largest case.
    last = cases[-1]
    work = {method: float(host.find(last, method)["multiplications"]) / int(host.find(last, method)["rows"]) for method in ["hisa", *METHODS]}
    least = min(METHODS, key=work.get)
    claim(
        "multiplications per row and iteration: HISA needs no more than any other method", "E + 2n, as Jacobi and GS",
        f"{digits(work['hisa'])}; {NAMES[least]} {digits(work[least])}", work["hisa"] <= work[least],
    )  # fmt: skip
    memory = {method: float(row["device_bytes"]) / 8 / int(row["rows"]) for method in ["hisa", *METHODS] if (row := device.find(last, method))}
    least = min((method for method in memory if method != "hisa"), key=memory.get)
    claim(
        "memory, numbers per row: HISA needs the least", "2E + n; GS, the next, 2E + 3n",
        f"{digits(memory['hisa'])}; {NAMES[least]} {digits(memory[least])}", memory["hisa"] < memory[least],
    )  # fmt: skip

    # Times.
    def times(text, paper, pairs):
        own = known([improvement(other, mine) for other, mine in pairs])
        won = f" ({sum(gain > 0 for gain in own)} of {len(own)})"
        claim(text, f"-{paper:.2f}%", f"{-mean(own):+.1f}%{won}" if own else None, own and mean(own) > 0)

    for method in [*METHODS, "sparse LU"]:
        pairs = [(host.settled(case, method), host.settled(case, "hisa")) for case in cases]
        times(f"time on one core: HISA takes less than {NAMES[method]}", SERIAL_MEANS[method], pairs)
    for method in METHODS:
        pairs = [(host.settled(case, method, host.threads), host.settled(case, "bhisa", host.threads)) for case in cases]
        name = NAMES[method] + (" (the paper's: BiCGSafe)" if method == "bicg" else "")
        times(f"time on {host.threads} threads: BHISA takes less than {name}", PARALLEL_MEANS[method], pairs)

    def on_device(name, paper, find):
        pairs = [(settled(find(case)), settled(device.find(case, "bhisa", "block=256,"))) for case in cases]
        times(f"time on the device: BHISA takes less than {name}", paper, pairs)

    ilu = lines_if_any(PAPER, adapter, "ilu.csv")
    on_device("GMRES(5)", 29.28, lambda case: device.find(case, "gmres"))
    on_device("BiCGSTAB", 24.03, lambda case: device.find(case, "bicgstab"))
    on_device("cuSPARSE with incomplete LU", 72.99, lambda case: (pick(ilu, system=case) or [None])[0])

    def faster(text, paper, gains, at_least=""):
        won = f" ({sum(gain > 1 for gain in gains)} of {len(gains)})"
        claim(text, paper, f"{at_least}{digits(mean(gains))}x{won}" if gains else None, gains and mean(gains) > 1)

    pairs = [(device.find(case, "hisa", "tridiagonal=cr"), device.find(case, "bhisa", "block=64,rows=1,factored=1")) for case in cases]
    gains = [whole_cyclic(whole)[0] / float(block["us_per_iteration"]) for whole, block in pairs if whole and block]
    faster("an iteration with CR in blocks, in shared memory, is faster than with CR of the whole T", "no figure", gains, "at least ")
    _, _, found = speed_ups(adapter)
    faster(f"BHISA on {host.threads} threads is faster than HISA on one core", "6.52x", [serial / parallel for _, serial, parallel, _ in found])
    faster("BHISA on the device is faster than HISA on one core", "8.90x", [serial / ours for _, serial, _, ours in found if ours])
    text = (
        f"Cases: {', '.join(cases)}; device: {device.name}. Iterations are summed over the cases and compared as the paper does: (HISA - other) / other, "
        "and (BHISA - HISA) / BHISA. \"Fewer\" is at least 5%, \"about as many\" and \"hardly more\" less than 10%. Times: the mean of the cases' changes, and "
        f"in how many cases the claim holds. Work and memory are those of {last}."
    )
    return textwrap.fill(text, 145) + "\n\n" + table(["claim", "paper", "here", "verdict"], rows)


BLOCKS = {
    "machines": machines,
    "claims": claims,
    "table 1": table_1,
    "table 2": table_2,
    "table 3": table_3,
    "algorithms": kept,
    "table 5": table_5,
    "table 6": table_6,
    "table 7": table_7,
    "table 8": table_8,
    "table 9": table_9,
    "table 10": table_10,
    "table 11": table_11,
    "figures 4 and 5": figures_4_5,
}
