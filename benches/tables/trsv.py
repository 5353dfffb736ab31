"""The tables of docs/papers/trsv.md: J. D. Hogg, "A fast dense triangular solve in CUDA" (2013)."""

import math
import statistics

from .common import H200, RESULTS, SOFTWARE, digits, exists, first, lines, lines_if_any, mean, measured_on, parameters_of, pick, table

PAPER = "trsv"
LOWER, TRANSPOSED = "triangular lower N", "triangular lower T"
PRECISIONS = ["f32", "f64"]
BYTES = {"f32": 4, "f64": 8}
# Theoretical bandwidths, GB/s: the maker's data sheets.
PEAKS = {"NVIDIA H200": 4800, "NVIDIA H100 80GB HBM3": 3350}
# Adapters that most tables show by their ratio to the first adapter; all others have tables of their own.
COMPARED = ["nvidia-h100"]


def adapters():
    """The folders that papers.sh has filled: the H200 first, software Vulkan last."""
    found = [path.parent.name for path in (RESULTS / PAPER).glob("*/about.csv")]
    return sorted(found, key=lambda name: (name == SOFTWARE, name != H200, name))


def fastest_adapter():
    return first(adapters(), PAPER, "about.csv")


def compared():
    """The adapters that are compared with the first one."""
    return [adapter for adapter in adapters()[1:] if adapter in COMPARED]


def in_full():
    """The adapters with tables of their own."""
    return [adapter for adapter in adapters() if adapter not in compared()]


def gpus():
    return [adapter for adapter in adapters() if adapter != SOFTWARE]


def rows_of(adapter, name):
    return lines_if_any(PAPER, adapter, name)


def name_of(adapter):
    return lines(PAPER, adapter, "about.csv")[0]["adapter"].split(" (")[0]


def short_name(adapter):
    """For the heads of columns."""
    return " ".join(name_of(adapter).split()[:2])


def per_adapter(make, which=None):
    """The text that `make` gives for each adapter, under its name; adapters without data are left out."""
    parts = []
    for adapter in adapters() if which is None else which:
        text = make(adapter)
        if text:
            parts.append(f"{name_of(adapter)}:\n\n{text}")
    return "\n".join(parts)


def pictures(name):
    """Links to an SVG, on the adapters that have it."""
    found = [adapter for adapter in adapters() if exists(PAPER, adapter, name)]
    links = [f"[{name_of(adapter)}](../../benches/results/papers/{PAPER}/{adapter}/{name})" for adapter in found]
    return "\nPictures: " + ", ".join(links) + ".\n" if links else ""


def policy(row):
    """The parameters of a line's policy."""
    return {name: int(value) for name, value in parameters_of(row["divided"]).items()}


def has(row, **wanted):
    found = policy(row)
    return all(found.get(name) == value for name, value in wanted.items())


def times(rows):
    """Microseconds by n."""
    return {int(row["rows"]): float(row["median_us"]) for row in rows}


def us(value):
    return "" if value is None else digits(value)


def rate(n, microseconds, precision):
    """GB/s of half a matrix."""
    return BYTES[precision] * n * n / 2 / microseconds / 1e3


def over_first(adapter, data):
    """The adapter's times over those of the first adapter, by the keys that `data` gives for both."""
    own, other = data(adapter), data(fastest_adapter())
    return {key: own[key] / other[key] for key in other if key in own}


def per_compared(make):
    """The text that `make` gives for each compared adapter, under a line that says what is compared."""
    parts = []
    for adapter in compared():
        text = make(adapter)
        if text:
            parts.append(f"{name_of(adapter)}, times over those of the {name_of(fastest_adapter())}:\n\n{text}")
    return "\n".join(parts)


def per_group(make, compare):
    """The adapters with tables of their own, the compared ones, and software at the end."""
    software = [adapter for adapter in adapters() if adapter == SOFTWARE]
    parts = [per_adapter(make, [adapter for adapter in in_full() if adapter != SOFTWARE]), per_compared(compare), per_adapter(make, software)]
    return "\n".join(part for part in parts if part)


def percent(share):
    return f"{100 * share:.0f}%"


def ratio(value):
    return (f"{value:.2f}" if value >= 0.1 else digits(value, 2)) + "x"


def span(values):
    values = list(values)
    return f"{ratio(min(values))} to {ratio(max(values))}" if values else ""


# ---- the data of the figures


def curve(adapter, family, precision, who):
    """Microseconds by n of `auto`, `cublas` or `host`."""
    rows = pick(rows_of(adapter, "curves.csv"), family=family, precision=precision)
    return times(row for row in rows if row["algorithm"].startswith(who))


def host_name(adapter):
    """The CPU's code and the CPU."""
    rows = rows_of(adapter, "curves.csv")
    found = {f"{row['algorithm'].removeprefix('host ')} ({row['adapter']})" for row in rows if row["algorithm"].startswith("host")}
    return ", ".join(sorted(found)) or "none"


def variant(adapter, precision, algorithm, **wanted):
    rows = pick(rows_of(adapter, "triangular-variants.csv"), precision=precision, algorithm=algorithm)
    return times(row for row in rows if has(row, **wanted))


def caching(adapter, precision):
    """Figure 6: nowhere, workgroup memory, registers."""
    return [variant(adapter, precision, "chained", block=64, precache=kept, invert_from=1 << 20) for kept in (0, 1, 2)]


def inverting(adapter, precision):
    """Figure 7: without inverses, and from the fifth and the second block row on."""
    base = variant(adapter, precision, "chained", block=64, precache=2, invert_from=1 << 20)
    late, early = (variant(adapter, precision, "chained", block=64, precache=2, invert_from=at) for at in (4, 1))
    return base, late, early


def launched(adapter, precision):
    """Figure 2: microseconds by nb and n, the better of the two block sizes."""
    found = {}
    for row in pick(rows_of(adapter, "triangular-launches.csv"), precision=precision):
        parameters = policy(row)
        at = (parameters["block"] * parameters["rows"], int(row["rows"]))
        found[at] = min(found.get(at, float("inf")), float(row["median_us"]))
    return found


def steps(adapter, precision):
    """Table 3.1: by n, the sums of the dispatches by kernel, their number, the least of them, and the solve."""
    found = {}
    for row in pick(rows_of(adapter, "steps.csv"), precision=precision):
        own = found.setdefault(int(row["rows"]), {"count": 0, "least": float("inf"), "solve": float(row["solve_us"])})
        kernel, time = row["kernel"].split(" ")[0], float(row["median_us"])
        own[kernel] = own.get(kernel, 0.0) + time
        own["count"] += 1
        own["least"] = min(own["least"], time)
        own["block"] = policy(row)["block"]
        own["rows"] = policy(row)["rows"]
    return found


def traced(adapter, precision):
    return pick(rows_of(adapter, "trace.csv"), precision=precision)


def model(adapter, precision):
    return rows_of(adapter, f"triangular-model-{precision}.csv")


# ---- tables


def measured():
    return measured_on(PAPER, adapters()) + "\nThe host's solve: " + "; ".join(
        f"beside {name_of(adapter)}, {host_name(adapter)}" for adapter in adapters()
    ) + ".\n"


def kilobytes(entries, size):
    # Halves are rounded up, as the paper does.
    return f"{entries * size / 1024 + 1e-9:.1f}"


def storage():
    """Table 2.1, by its formula."""
    rows = []
    for n in (32, 64, 96, 128):
        half, full = n * (n + 1) // 2, n * n
        rows.append([n, half, kilobytes(half, 8), kilobytes(half, 4), full, kilobytes(full, 8), kilobytes(full, 4)])
    header = ["n", "nz(L), half", "KB in f64", "KB in f32", "entries, full", "KB in f64", "KB in f32"]
    return table(header, rows)


SMALL_SIZES = (32, 64, 96, 128)
SMALL_PAPER = {
    "Shared-memory variant": (7, 13, 19, 25),
    "Register variant A": (17, 38, 68, "149*"),
    "Register variant B": (19, 37, "75*", "125*"),
    "CUBLAS": (31, 58, 85, 113),
}
SMALL_OURS = {
    "workgroup memory (`precache=1`)": dict(groups=4, precache=1),
    "workgroup memory, 7 threads per row load": dict(groups=8, precache=1),
    "registers, A (`run=1`)": dict(groups=4, precache=2, run=1),
    "registers, B (`run=4`)": dict(groups=4, precache=2, run=4),
    "one thread per row (`groups=1`)": dict(groups=1, precache=2),
}


def small_forms(adapter, precision):
    """Table 2.2: microseconds by n, by form."""
    forms = {name: variant(adapter, precision, "single", **wanted) for name, wanted in SMALL_OURS.items()}
    forms["`chained`, blocks of 32"] = variant(adapter, precision, "chained", block=32, threads=128, invert_from=1, precache=2)
    cublas = curve(adapter, LOWER, precision, "cublas")
    if cublas:
        forms["cuBLAS"] = {n: time for n, time in cublas.items() if n in SMALL_SIZES}
    return {name: {n: time for n, time in known.items() if n in SMALL_SIZES} for name, known in forms.items()}


def small():
    """Table 2.2."""
    rows = [[f"paper: {name}", "f64", *values] for name, values in SMALL_PAPER.items()]
    for adapter in in_full():
        for precision in ("f64", "f32"):
            for name, found in small_forms(adapter, precision).items():
                rows.append([f"{name_of(adapter)}: {name}", precision, *(us(found.get(n)) for n in SMALL_SIZES)])

    def make(adapter):
        rows = []
        for name in small_forms(adapter, "f64"):
            ratios = [over_first(adapter, lambda one: small_forms(one, precision).get(name, {})) for precision in ("f64", "f32")]
            rows.append([name, *(span(found.values()) for found in ratios)])
        return table(["n = 32 to 128", "f64", "f32"], rows)

    text = table(["us", "precision", *(f"n = {n}" for n in SMALL_SIZES)], rows)
    return text + "\n" + per_compared(make) + pictures("triangular-single.svg")


def best_steps(adapter, precision):
    """Figure 2: by n, the shortest time and its nb."""
    found = launched(adapter, precision)
    return {n: min((time, nb) for (nb, m), time in found.items() if m == n) for n in sorted({n for _, n in found})}


def figure_2():
    def make(adapter):
        parts = []
        for precision in PRECISIONS:
            found = launched(adapter, precision)
            if not found:
                continue
            sizes, steps_of = sorted({n for _, n in found}), sorted({nb for nb, _ in found})
            rows = [[f"nb = {nb}", *(us(found.get((nb, n))) for n in sizes)] for nb in steps_of]
            rows.append(["best nb", *(nb for _, nb in best_steps(adapter, precision).values())])
            for name, who in (("cuBLAS", "cublas"), ("the host", "host"), ("`auto`", "auto")):
                known = curve(adapter, LOWER, precision, who)
                if known:
                    rows.append([name, *(us(known.get(n)) for n in sizes)])
            parts.append(table([f"us, {precision}", *(f"n = {n}" for n in sizes)], rows))
        return "\n".join(parts)

    def compare(adapter):
        rows, sizes = [], sorted({n for precision in PRECISIONS for n in best_steps(adapter, precision)})
        for precision in PRECISIONS:
            best, ratios = best_steps(adapter, precision), over_first(adapter, lambda one: {n: time for n, (time, _) in best_steps(one, precision).items()})
            rows.append([f"{precision}: best nb", *(best[n][1] if n in best else "" for n in sizes)])
            rows.append([f"{precision}: time with the best nb", *(ratio(ratios[n]) if n in ratios else "" for n in sizes)])
        return table(["", *(f"n = {n}" for n in sizes)], rows) if sizes else ""

    return per_group(make, compare) + pictures("triangular-steps.svg")


PAPER_STEPS = [
    ["time in `blkSolve()`, us", 108.3, 217.3, 904.7],
    ["time in `dgemv()`, us", 37.8, 95.1, 842.0],
    ["execution time, us", 171.0, 370.8, 2006.5],
    ["launch overhead, of the kernels' times", "17.0%", "18.7%", "14.9%"],
    ["entries used by `blkSolve()`", "18%", "9%", "2%"],
]


def diagonal_share(n, nb):
    """Entries of the diagonal blocks of nb rows, of all entries."""
    blocks = [min(nb, n - start) for start in range(0, n, nb)]
    return sum(size * (size + 1) for size in blocks) / (n * (n + 1))


def table_3_1():
    text = table(["paper, f64", "n = 512", "n = 1024", "n = 4096"], PAPER_STEPS)

    def make(adapter):
        parts = []
        for precision in PRECISIONS:
            found = steps(adapter, precision)
            if not found:
                continue
            sizes = sorted(found)
            own = [found[n] for n in sizes]
            alone = [sum(step.get(kernel, 0.0) for kernel in ("launch_invert", "launch_solve", "launch_subtract")) for step in own]
            nb = own[0]["block"] * own[0]["rows"]
            rows = [
                ["inverses (`launch_invert`), us", *(us(step.get("launch_invert", 0.0)) for step in own)],
                ["diagonal solves (`launch_solve`), us", *(us(step.get("launch_solve", 0.0)) for step in own)],
                ["products (`launch_subtract`), us", *(us(step.get("launch_subtract", 0.0)) for step in own)],
                ["dispatches", *(step["count"] for step in own)],
                ["execution time, all in one pass, us", *(us(step["solve"]) for step in own)],
                ["shortest dispatch, us", *(us(step["least"]) for step in own)],
                ["dispatches times the shortest, of the execution time", *(percent(step["count"] * step["least"] / step["solve"]) for step in own)],
                ["execution time less the sum of the dispatches, us", *(f"{step['solve'] - total:+.0f}" for step, total in zip(own, alone))],
                ["entries used by the diagonal solves", *(percent(diagonal_share(n, nb)) for n in sizes)],
            ]
            parts.append(table([f"{precision}, nb = {nb}", *(f"n = {n}" for n in sizes)], rows))
        return "\n".join(parts)

    def compare(adapter):
        kernels = {"inverses": "launch_invert", "diagonal solves": "launch_solve", "products": "launch_subtract", "execution time, all in one pass": "solve"}
        ratios = {
            (precision, kernel): over_first(adapter, lambda one: {n: step[kernel] for n, step in steps(one, precision).items() if kernel in step})
            for precision in PRECISIONS
            for kernel in kernels.values()
        }
        columns = sorted({(precision, n) for (precision, _), found in ratios.items() for n in found})
        rows = [[name, *(ratio(ratios[precision, kernel][n]) for precision, n in columns)] for name, kernel in kernels.items()]
        return table(["", *(f"{precision}, n = {n}" for precision, n in columns)], rows) if columns else ""

    return text + "\n" + per_group(make, compare)


def trace():
    """Figures 3 and 5, in numbers."""
    rows = []
    for adapter in adapters():
        for precision in PRECISIONS:
            found = traced(adapter, precision)
            if not found:
                continue
            blocks = len(found)
            waits = sum(int(row["waits"]) for row in found)
            never = sum(row["first_wait_over"] == "0" for row in found[1:])
            in_order = all(int(a["start"]) < int(b["start"]) for a, b in zip(found, found[1:]))
            ends = all(int(a["end"]) < int(b["end"]) for a, b in zip(found, found[1:]))
            most = max(int(row["at_once"]) for row in found)
            products = blocks * (blocks - 1) // 2
            rows.append([
                name_of(adapter), precision, found[0]["rows"], blocks, most, "yes" if in_order else "no", "yes" if ends else "no",
                f"{waits} of {products}", percent(waits / products if products else 0), never, sum(int(row["begun"]) - 1 for row in found),
            ])
    header = ["adapter", "precision", "n", "block rows", "most at once", "start in order", "end in order", "blocks waited for", "share", "rows that never wait",
              "begun again"]
    return table(header, rows) + pictures("triangular-trace.svg")


def figure_6():
    def make(adapter):
        parts = []
        for precision in PRECISIONS:
            nowhere, memory, registers = caching(adapter, precision)
            synced = variant(adapter, precision, "launch-synced")
            sizes = sorted(set(nowhere) | set(registers))
            if not sizes:
                continue
            rows = []
            for n in sizes:
                rows.append([n, us(nowhere.get(n)), us(memory.get(n)), us(registers.get(n)), us(synced.get(n)),
                             digits(rate(n, registers[n], precision)) if n in registers else ""])
            header = [f"n, {precision}", "nowhere, us", "workgroup memory, us", "registers, us", "launch-synced, us", "registers, GB/s"]
            parts.append(table(header, rows))
        return "\n".join(parts)

    return gains_6() + "\n" + per_adapter(make, in_full()) + pictures("triangular-caching.svg")


def gains_6():
    """Figure 6 from n = 96 on, where there is a block to keep: how many times as fast one variant is as another."""
    columns = [(adapter, precision) for adapter in gpus() for precision in PRECISIONS if caching(adapter, precision)[2]]
    names = ["nowhere", "workgroup memory", "registers", "launch-synced"]
    rows = []
    for fast, slow in (("workgroup memory", "nowhere"), ("registers", "nowhere"), ("registers", "workgroup memory"), ("registers", "launch-synced")):
        row = [f"{fast} over {slow}"]
        for adapter, precision in columns:
            known = dict(zip(names, [*caching(adapter, precision), variant(adapter, precision, "launch-synced")]))
            row.append(span(known[slow][n] / known[fast][n] for n in known[slow] if n in known[fast] and n >= 96))
        rows.append(row)
    header = ["gain, n >= 96", *(f"{short_name(adapter)}, {precision}" for adapter, precision in columns)]
    return table(header, rows) if columns else ""


def figure_7():
    def make(which):
        data = {(adapter, precision): inverting(adapter, precision) for adapter in which for precision in PRECISIONS}
        data = {key: found for key, found in data.items() if found[0]}
        sizes = sorted({n for base, _, _ in data.values() for n in base})
        rows = []
        for n in sizes:
            cells = [n]
            for base, *others in data.values():
                cells += [ratio(base[n] / other[n]) if n in base and n in other else "" for other in others]
            rows.append(cells)
        header = ["n"] + [f"{short_name(adapter)}, {precision}: {what}" for adapter, precision in data for what in ("from row 5", "from row 2")]
        return table(header, rows) if rows else ""

    # GPUs share a table.
    parts = [make(gpus()), make([adapter for adapter in adapters() if adapter == SOFTWARE])]
    return "\n".join(part for part in parts if part) + pictures("triangular-inversion.svg")


def table_5_1():
    header = ["block rows of 32, n = 8192", "rows", "latency-bound blocks", "bandwidth-bound blocks"]
    rows = []
    slots, first = 56, (256 - 1) % 56 + 1
    rows.append([f"row {first}", "", first, ""])
    for row in range(first + slots, 257, slots):
        rows.append([f"row {row}", 1, "", row])
    count, waiting, streaming = len(rows) - 1, first, sum(range(first + slots, 257, slots))
    rows.append(["total", count, waiting, streaming])
    return table(header, rows) + f"\nThe formula gives {6.65e-5 + count * 4.5e-5 + waiting * 3.75e-6 + streaming * 3.39e-6:.3e} s for it.\n"


def figure_8():
    rows = [["paper, C2050", "f64", 32, 56, 78, 66.5, 45, 3.75, 3.39, "10%", ""]]
    for adapter in adapters():
        for precision in PRECISIONS:
            found = [row for row in model(adapter, precision) if row.get("slots")]
            if not found:
                continue
            first = found[0]
            kept = [abs(float(row["off"])) for row in found if row["fitted"] == "false"]
            fitted = [abs(float(row["off"])) for row in found if row["fitted"] == "true"]
            rows.append([
                name_of(adapter), precision, first["block"], first["slots"], first["latency_bound"], *(
                    digits(first[column]) for column in ("setup_us", "init_us", "latency_us", "bandwidth_us")
                ), percent(max(kept)), percent(max(fitted)),
            ])
    header = ["adapter", "precision", "block", "slots", "latency-bound rows", "t_setup, us", "t_init, us", "t_latency, us", "t_bandwidth, us",
              "largest error, predicted sizes", "largest error, fitted sizes"]
    return table(header, rows) + pictures("triangular-model-f32.svg") + pictures("triangular-model-f64.svg")


def slots():
    """The model's slots beside the block rows that the traces found at once."""
    rows = [["paper, C2050", "f64", 56, "56 (14 SMs, 4 each)"]]
    for adapter in adapters():
        for precision in PRECISIONS:
            found, seen = [row for row in model(adapter, precision) if row.get("slots")], traced(adapter, precision)
            if not found or not seen:
                continue
            most = max(int(row["at_once"]) for row in seen)
            rows.append([name_of(adapter), precision, found[0]["slots"], f"{most} of {len(seen)} at n = {seen[0]['rows']}"])
    return table(["adapter", "precision", "slots of the model", "block rows at once, by the trace"], rows)


def figure_9():
    def make(adapter):
        rows = []
        data = {precision: times(pick(rows_of(adapter, "marginal.csv"), precision=precision)) for precision in PRECISIONS}
        sizes = sorted({n for found in data.values() for n in found})
        for before, n in zip(sizes, sizes[1:]):
            cells = [f"{before + 1} to {n}"]
            for precision in PRECISIONS:
                found = data[precision]
                more = found[n] - found[before] if before in found and n in found else 0
                added = (n * n - before * before) / 2 * BYTES[precision]
                # Beyond twice the peak, the times scatter more than they differ.
                if more <= 0 or added / more / 1e3 > 2 * PEAKS.get(name_of(adapter), math.inf):
                    cells += ["", ""]
                    continue
                cells += [digits(more / (n - before) * 64), digits(added / more / 1e3)]
            rows.append(cells)
        header = ["rows"] + [f"{precision}: {what}" for precision in PRECISIONS for what in ("us per 64 rows", "GB/s")]
        return table(header, rows) if rows else ""

    return per_adapter(make)


def table_6_1():
    """A hop: what 64 rows more cost while time is linear in n."""
    rows = [
        ["paper: C2050, blocks of 32", "f32", "3.5", "0.11"],
        ["paper: GTX 680, blocks of 32, with `__threadfence()`", "f32", "13", "0.41"],
    ]
    for adapter in adapters():
        for precision in PRECISIONS:
            found = variant(adapter, precision, "chained", block=64, precache=2, invert_from=1)
            if 256 not in found or 1024 not in found:
                continue
            hop = (found[1024] - found[256]) / 12
            rows.append([f"{name_of(adapter)}: `chained`, blocks of 64", precision, digits(hop), digits(hop / 64)])
    return table(["adapter, algorithm", "precision", "us per block row, latency-bound", "us per row"], rows)


def other_cards():
    """Figure 10 in numbers, and the times of compared adapters by n."""
    rows = [["paper: C2050", "f64", 144, "", "", "76%", "", ""], ["paper: M2090", "f64", 177, "135.2", "", "76%", "", ""]]
    for adapter in gpus():
        for precision in PRECISIONS:
            found = [row for row in pick(rows_of(adapter, "curves.csv"), family=LOWER, precision=precision) if row["algorithm"].startswith("auto")]
            if not found:
                continue
            best, peak = max(found, key=lambda row: float(row["gb_per_s"])), PEAKS.get(name_of(adapter))
            n, time = int(best["rows"]), float(best["median_us"])
            copied = n * n / 2 * BYTES[precision] / float(best["copy_gb_per_s"]) / 1e3
            rows.append([
                name_of(adapter), precision, peak or "", digits(best["gb_per_s"]), n, percent(float(best["gb_per_s"]) / peak) if peak else "",
                percent(float(best["share_of_copy"])), digits(time - copied),
            ])
    header = ["adapter, N", "precision", "peak, GB/s", "most, GB/s", "at n", "of the peak", "of the copy bandwidth", "us above the copy"]

    def make(adapter):
        forms = {}
        for name, data in (
            ("`auto`", lambda one, precision: curve(one, LOWER, precision, "auto")),
            ("`chained` without inverses", lambda one, precision: caching(one, precision)[2]),
            ("cuBLAS", lambda one, precision: curve(one, LOWER, precision, "cublas")),
        ):
            for precision in PRECISIONS:
                forms[f"{name}, {precision}"] = over_first(adapter, lambda one: data(one, precision))
        sizes = sorted({n for precision in PRECISIONS for n in curve(adapter, LOWER, precision, "auto")})
        forms = {name: found for name, found in forms.items() if found}
        return table(["n", *forms], [[n, *(ratio(found[n]) if n in found else "" for found in forms.values())] for n in sizes]) if forms else ""

    return table(header, rows) + "\n" + per_compared(make)


def bandwidths():
    """Figures 10, 11, 13 and 14."""
    def make(adapter):
        parts = []
        for precision in PRECISIONS:
            rows = []
            forms = [(family, who) for family in (LOWER, TRANSPOSED) for who in ("auto", "cublas", "host")]
            found = {form: curve(adapter, *(form[0], precision, form[1])) for form in forms}
            sizes = sorted({n for known in found.values() for n in known})
            named = [form for form in forms if found[form]]
            for n in sizes:
                rows.append([n, *(digits(rate(n, found[form][n], precision)) if n in found[form] else "" for form in named)])
            words = {"auto": "trisolve", "cublas": "cuBLAS", "host": "host", LOWER: "N", TRANSPOSED: "T"}
            header = [f"n, {precision}", *(f"{words[family]}: {words[who]}, GB/s" for family, who in named)]
            if rows:
                parts.append(table(header, rows))
        return "\n".join(parts)

    return per_adapter(make) + pictures("triangular-bandwidth.svg")


def speed_ups():
    """Figure 15."""
    def make(adapter):
        rows = []
        forms = [(precision, family) for precision in PRECISIONS for family in (LOWER, TRANSPOSED)]
        sizes = sorted({n for precision, family in forms for n in curve(adapter, family, precision, "auto")})
        peers = [who for who in ("cublas", "host") if curve(adapter, LOWER, "f64", who)]
        if adapter in compared():
            # The host's speed is no property of the adapter.
            peers = [who for who in peers if who == "cublas"]
        for n in sizes:
            cells = [n]
            for precision, family in forms:
                own = curve(adapter, family, precision, "auto")
                for who in peers:
                    other = curve(adapter, family, precision, who)
                    cells.append(ratio(other[n] / own[n]) if n in own and n in other else "")
            rows.append(cells)
        words = {"cublas": "cuBLAS", "host": "host", LOWER: "N", TRANSPOSED: "T"}
        header = ["n"] + [f"{precision} {words[family]}, over {words[who]}" for precision, family in forms for who in peers]
        return table(header, rows) if rows and peers else ""

    return per_adapter(make) + pictures("triangular-speed-up.svg")


def ratios_of(name, column):
    """Of a CSV: makes the ratios of a compared adapter, least to most over all its cases."""
    def make(adapter):
        parts = []
        for algorithm in ("chained", "launch-synced"):
            ratios = over_first(adapter, lambda one: {
                (row["precision"], row["rows"], row[column]): float(row["median_us"]) for row in pick(rows_of(one, name), algorithm=algorithm)
            })
            if ratios:
                parts.append(f"{algorithm} {span(ratios.values())}")
        return "; ".join(parts) + ".\n" if parts else ""

    return make


def columns():
    def make(adapter):
        found = rows_of(adapter, "columns.csv")
        rows = []
        for precision in PRECISIONS:
            for algorithm in ("chained", "launch-synced"):
                own = pick(found, precision=precision, algorithm=algorithm)
                if not own:
                    continue
                first = float(own[0]["median_us"])
                for row in own:
                    time, count = float(row["median_us"]), int(row["columns"])
                    rows.append([algorithm, precision, row["rows"], count, digits(time), digits(time / count), ratio(count * first / time)])
        header = ["algorithm", "precision", "n", "right-hand sides", "us", "us per right-hand side", "gain over separate solves"]
        return table(header, rows) if rows else ""

    return per_group(make, ratios_of("columns.csv", "columns"))


def supernodes():
    def make(adapter):
        found = rows_of(adapter, "stored.csv")
        rows = []
        for precision in PRECISIONS:
            for row in pick(found, precision=precision, algorithm="chained"):
                other = pick(found, precision=precision, algorithm="launch-synced", stored=row["stored"])
                n, m = int(row["rows"]), int(row["stored"])
                entries = m * (m + 1) / 2 + (n - m) * m
                time = float(row["median_us"])
                rows.append([f"{n} x {m}", precision, percent(entries / (n * (n + 1) / 2)), digits(time),
                             digits(float(other[0]["median_us"])) if other else "", digits(entries * BYTES[precision] / time / 1e3)])
        header = ["rows x columns", "precision", "entries, of the n x n triangle", "chained, us", "launch-synced, us", "chained, GB/s"]
        return table(header, rows) if rows else ""

    return per_group(make, ratios_of("stored.csv", "stored"))


# ---- claims


def holds(yes):
    return "holds" if yes else "does not hold here"


def at_sizes(yes, count):
    return "holds at all sizes" if yes == count else f"holds at {yes} of {count} sizes" if yes else "holds at no size"


def turn_of(known):
    """The first n from which time grows faster than n^1.5, by the median of three successive slopes, so that one odd time does not count."""
    sizes = sorted(known)
    slopes = [math.log(known[b] / known[a]) / math.log(b / a) for a, b in zip(sizes, sizes[1:])]
    return next((n for at, n in enumerate(sizes[:-3]) if statistics.median(slopes[at : at + 3]) > 1.5), None)


def claims():
    """The headline claims, on the first adapter and those compared with it."""
    which = [fastest_adapter(), *compared()]
    found = [{(section, what): (paper, here, verdict) for section, what, paper, here, verdict in claims_on(adapter)} for adapter in which]
    rows = []
    for section, what in found[0]:
        known = [own.get((section, what)) for own in found]
        verdicts = [one and one[2] for one in known]
        alike = all(verdict in (None, verdicts[0]) for verdict in verdicts)
        verdict = verdicts[0] if alike else "; ".join(f"{short_name(adapter)}: {own}" for adapter, own in zip(which, verdicts) if own)
        rows.append([section, what, known[0][0], *(one[1] if one else "" for one in known), verdict])
    return table(["section", "claim", "paper", *map(name_of, which), "verdict"], rows)


def claims_on(adapter):
    """Section, claim, the paper's figure, the adapter's, and a verdict."""
    where = name_of(adapter)
    rows = []

    def claim(section, what, paper, here, verdict):
        rows.append([section, what, paper, here, verdict])

    own, cublas = curve(adapter, LOWER, "f64", "auto"), curve(adapter, LOWER, "f64", "cublas")
    common = sorted(set(own) & set(cublas))
    gains = [cublas[n] / own[n] for n in common]
    if gains:
        claim("abstract, 8", "faster than cuBLAS, f64", "5 to 15 times CUBLAS 4.1 (section 1: 5 to 10)", span(gains),
              at_sizes(sum(gain > 1 for gain in gains), len(gains)) + ("" if max(gains) >= 5 else ", by less: this is today's cuBLAS"))
    else:
        claim("abstract, 8", "faster than cuBLAS, f64", "5 to 15 times CUBLAS 4.1 (section 1: 5 to 10)", "no cuBLAS here", "not measurable on this adapter")
    found = [row for row in rows_of(adapter, "curves.csv") if row["algorithm"].startswith("auto")]
    if found:
        best = max(found, key=lambda row: float(row["gb_per_s"]))
        peak = PEAKS.get(where)
        share = float(best["gb_per_s"]) / peak if peak else float(best["share_of_copy"])
        of = "of the peak" if peak else "of the copy bandwidth"
        copied = f" ({percent(float(best['share_of_copy']))} of the copy bandwidth)" if peak else ""
        claim("abstract, 8", "bandwidth at large n", "over 75% of the peak", f"{digits(best['gb_per_s'])} GB/s, {percent(share)} {of}{copied} at n = {best['rows']}, {best['precision']}",
              holds(share > 0.75) if peak else f"{holds(share > 0.75)}, of a copy: the peak is not known")
    single = min(variant(adapter, "f64", "single", **wanted).get(32, float("inf")) for wanted in SMALL_OURS.values())
    if 32 in cublas and single < float("inf"):
        claim("2", "one workgroup at n = 32, over cuBLAS", "31 / 7 = 4.4 times", ratio(cublas[32] / single), holds(cublas[32] > single))
    memory, registers = (variant(adapter, "f64", "single", **SMALL_OURS[name]) for name in ("workgroup memory (`precache=1`)", "registers, A (`run=1`)"))
    both = sorted(set(memory) & set(registers))
    if both:
        shares = [registers[n] / memory[n] for n in both]
        claim("2", "workgroup memory faster than registers in one workgroup", "2.4 to 6 times (A)", span(shares),
              at_sizes(sum(share > 1.03 for share in shares), len(shares)))
    found = launched(adapter, "f64")
    if found:
        sizes = sorted({n for _, n in found})
        best = {n: min((found[nb, m], nb) for nb, m in found if m == n)[1] for n in sizes}
        claim("3", "fastest nb", "128, but n for n = 32, 64, 96", ", ".join(f"{n}: {nb}" for n, nb in best.items()),
              "larger for larger n" if best[sizes[-1]] > best[sizes[0]] else "no larger for larger n")
    breakdown = steps(adapter, "f64")
    if breakdown:
        shares = {n: step.get("launch_solve", 0) / (step.get("launch_solve", 0) + step.get("launch_subtract", 0) or 1) for n, step in breakdown.items()}
        claim("3, table 3.1", "share of the diagonal solves in solves and products", "512: 74%, 1024: 70%, 4096: 52%", ", ".join(f"{n}: {percent(share)}" for n, share in shares.items()),
              "the solves dominate" if min(shares.values()) > 0.5 else "the solves do not dominate everywhere")
    chained = variant(adapter, "f64", "chained", block=64, precache=2, invert_from=1)
    synced = variant(adapter, "f64", "launch-synced")
    both = sorted(set(chained) & set(synced))
    if both:
        gains = [synced[n] / chained[n] for n in both]
        claim("3, figure 6", "one launch faster than launches one after the other", "yes", span(gains), at_sizes(sum(gain > 1 for gain in gains), len(gains)))
    for precision in PRECISIONS:
        nowhere, memory, registers = caching(adapter, precision)
        both = sorted(set(nowhere) & set(registers))
        if both:
            losses = [registers[n] / min(nowhere[n], memory.get(n, math.inf)) for n in both]
            others = "the two other variants" if memory else "the variant without precaching"
            claim("3, figure 6", f"precaching in registers as fast as {others}, or faster, {precision}", "at all n", f"{span(losses)} of the time of the better one",
                  at_sizes(sum(loss < 1.05 for loss in losses), len(losses)) + ", within 5%")
    registers = caching(adapter, "f64")[2]
    if len(registers) > 3:
        turn = turn_of(registers)
        claim("3, figure 6", "time turns from linear to quadratic in n", "around 1500", f"around {turn}" if turn else "not up to the largest n",
              "earlier" if turn and turn < 1000 else "later" if not turn or turn > 2000 else "holds")
    base, late, early = inverting(adapter, "f64")
    for what, other, paper in (("from the fifth block row on", late, "slower below 500, up to 30% faster from 500 to 5000"), ("from the second on", early, "not tested")):
        both = sorted(set(base) & set(other))
        if both:
            gains = {n: base[n] / other[n] for n in both}
            top = max(gains, key=gains.get)
            claim("4, figure 7", f"gain of the inverses, {what}", paper, f"{span(gains.values())}, most at n = {top}",
                  f"faster at {sum(gain > 1.02 for gain in gains.values())} of {len(gains)} sizes by more than 2%")
    for precision in PRECISIONS:
        kept = [abs(float(row["off"])) for row in model(adapter, precision) if row["fitted"] == "false"]
        if kept:
            claim("5, figure 8", f"the model predicts the time, {precision}", "within 10%", f"within {percent(max(kept))} (mean {percent(mean(kept))}), at sizes that it was not fitted to",
                  holds(max(kept) <= 0.1))
    fences = "no fence: words carry their own flags"
    claim("6, figure 11", "the fence costs much on some devices", "13 us per block row on a GTX 680, 3.5 on a C2050", fences, "does not arise")
    plain, turned = curve(adapter, LOWER, "f64", "auto"), curve(adapter, TRANSPOSED, "f64", "auto")
    both = sorted(set(plain) & set(turned))
    if both:
        shares = [turned[n] / plain[n] for n in both]
        claim("7, figure 13", "the transposed problem is slower", "slightly, more so for small n", f"{span(shares)} of the time (median {ratio(statistics.median(shares))})",
              f"slower by more than 2% at {sum(share > 1.02 for share in shares)} of {len(shares)} sizes")
    return rows


BLOCKS = {
    "measured": measured,
    "claims": claims,
    "table-2-1": storage,
    "table-2-2": small,
    "figure-2": figure_2,
    "table-3-1": table_3_1,
    "trace": trace,
    "figure-6": figure_6,
    "figure-7": figure_7,
    "table-5-1": table_5_1,
    "figure-8": figure_8,
    "slots": slots,
    "figure-9": figure_9,
    "figure-10": other_cards,
    "table-6-1": table_6_1,
    "bandwidths": bandwidths,
    "speed-ups": speed_ups,
    "columns": columns,
    "supernodes": supernodes,
}
