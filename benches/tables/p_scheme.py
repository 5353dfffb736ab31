"""The tables of docs/papers/p-scheme.md: Wakatani's figures beside ours."""

import math

from .common import H200, SOFTWARE, adapters_with, digits, exists, first, lines, measured_on, pick, read_json, table

PAPER = "p-scheme"
NAMES = {H200: "H200", SOFTWARE: "software Vulkan"}
CASES = ["L", "M", "H"]
# The paper's equation 6: alpha : beta : gamma.
COSTS = {"L": (1.6, 1.0, 1.1), "M": (20.0, 1.0, 1.1), "H": (91.7, 1.0, 1.1)}
# Its optimal numbers of threads for N = 10^6, in section III.B and in IV.C.
P_OPT = {"L": (1643.17, None), "M": (4593.5, 4691.9), "H": (9633.3, 9864.5)}
# The number of threads with the best speed-up, and that speed-up, in figures 5 to 7. It prints 9192 for 8192.
BEST = {"L": (2048, "7.1 (G = 64), 6.84 (G = 128)"), "M": (4096, "around 183"), "H": (8192, "over 370, up to 400")}
# Figure 4: threads per block, speed-up without and with rearranging, and the gain as the paper prints it.
FIGURE_4 = {"M": (128, 63.68, 92.91, "1.45"), "H": (64, 189.87, 233.58, "1.23")}
# Table I in ms: without the shared memory, with it.
TABLE_I = {"2^18": (0.33, 0.11), "10^6": (0.751, 0.376)}
FILES = [("p-scheme.csv", "one workgroup"), ("p-scheme-grouped.csv", "groups of chunks")]
# Arrangements by (rearranged, staged).
ARRANGEMENTS = {("false", "false"): "as arrays lie", ("true", "false"): "rearranged", ("true", "true"): "in the phases"}


def present(name):
    """The adapters that have a file, and its lines."""
    return [(adapter, lines(PAPER, adapter, name)) for adapter in adapters_with(PAPER, name)]


def propagations():
    """Per adapter and CSV: the adapter, what the propagation goes over, the lines."""
    for adapter in adapters_with(PAPER, "p-scheme.csv"):
        for name, how in FILES:
            if exists(PAPER, adapter, name):
                yield adapter, how, lines(PAPER, adapter, name)


def table_if_any(header, rows):
    return table(header, rows) if rows else "No adapter has been measured yet.\n"


def rows_name(rows):
    rows = int(rows)
    power = rows.bit_length() - 1
    return f"2^{power}" if rows == 1 << power else {1_000_000: "10^6"}.get(rows, str(rows))


def largest(rows):
    return max(int(row["rows"]) for row in rows)


def smallest(rows):
    return min(int(row["rows"]) for row in rows)


def threads_in_all(row):
    return int(row["groups"]) * int(row["threads"])


def us(row, column="median_us"):
    return float(row[column])


def fastest(rows):
    return min(rows, key=us, default=None)


def measured():
    return measured_on(PAPER, [adapter for adapter, _ in present("about.csv")])


def figure_1():
    header = ["host", "case", "N", "substitution, ms", "P-scheme on one core, ms", "/ substitution", "1 + gamma / alpha by (6)",
              "all cores", "P-scheme on all, ms", "/ substitution"]
    found = []
    for _, rows in present("substitution.csv"):
        for n in sorted({int(row["rows"]) for row in rows})[-2:]:
            for case in CASES:
                own = pick(rows, case=case, rows=n)
                one, *all_cores = sorted(pick(own, method="p-scheme"), key=lambda row: int(row["cores"]))
                cells = [one["processor"], case, rows_name(n), digits(us(pick(own, method="substitution")[0]) / 1e3)]
                cells += [digits(us(one) / 1e3), digits(us(one, "of_substitution")), digits(1 + COSTS[case][2] / COSTS[case][0])]
                every = all_cores[-1:]
                cells += [every[0]["cores"], digits(us(every[0]) / 1e3), digits(us(every[0], "of_substitution"))] if every else [""] * 3
                found.append(cells)
    return table(header, found)


def preceding_runs(rows):
    """For each measured policy: its lines with the preceding value in a register, from copies, by a branch."""
    for row in pick(rows, run="preceding", preceding=1):
        key = {name: row[name] for name in ("case", "rows", "groups", "threads")}
        register = pick(rows, run="grid", rearranged="true", staged="false", **key)
        branch = pick(rows, run="preceding", preceding=2, **key)
        if register and branch:
            yield register[0], row, branch[0]


def figures_2_and_3():
    header = ["adapter", "case", "N", "G x T", "pre-computation, us: in a register", "from copies (figure 3)", "by a branch (figure 2)",
              "figure 2 / figure 3", "whole solve, us: in a register", "figure 3", "figure 2"]
    found = []
    for adapter, rows in present("p-scheme.csv"):
        for register, copies, branch in preceding_runs(rows):
            forms = (register, copies, branch)
            found.append([NAMES[adapter], register["case"], rows_name(register["rows"]), f"{register['groups']} x {register['threads']}",
                          *[digits(us(row, "precompute_us")) for row in forms],
                          digits(us(branch, "precompute_us") / us(copies, "precompute_us")), *[digits(us(row)) for row in forms]])
    return table_if_any(header, found)


def arranged(rows, rearranged, staged):
    return pick(rows, rearranged=rearranged, staged=staged)


def figure_4_rows(rows):
    """Per case: the paper's comparison at the number of threads with the best rearranged speed-up."""
    n = smallest(rows)
    grid = pick(rows, run="grid", rows=n)
    groups = 32 if pick(grid, groups=32) else min(int(row["groups"]) for row in grid)
    for case in CASES:
        own = pick(grid, case=case, groups=groups)
        best = fastest(arranged(own, "true", "false"))
        given = best and fastest(pick(arranged(own, "false", "false"), threads=best["threads"]))
        if given:
            yield case, n, groups, best, given, fastest(arranged(own, "false", "false")), fastest(arranged(own, "true", "true"))


def figure_4():
    header = ["adapter", "case", "N", "paper: T, GPU1, GPU2, gain", "here: G x T", "as arrays lie (GPU1)", "rearranged (GPU2)", "gain",
              "best T each: as arrays lie", "rearranged in the phases", "gain"]
    found = []
    for adapter, rows in present("p-scheme.csv"):
        for case, n, groups, best, given, best_given, phases in figure_4_rows(rows):
            paper = FIGURE_4.get(case)
            text = ", ".join(map(str, paper)) if paper else "not in the text"
            cells = [NAMES[adapter], case, rows_name(n), text, f"{groups} x {best['threads']}"]
            cells += [digits(us(given, "speed_up")), digits(us(best, "speed_up")), digits(us(given) / us(best))]
            cells += [digits(us(best_given, "speed_up"))]
            cells += [digits(us(phases, "speed_up")), digits(us(best_given) / us(phases))] if phases else ["not measured"] * 2
            found.append(cells)
    return table(header, found)


def transpositions(rows):
    """N, us without and with workgroup memory, per array: s is a constant, so that two arrays move."""
    own = pick(rows, run="transposition")
    for n in sorted({int(row["rows"]) for row in own}):
        without, with_it = (us(pick(own, rows=n, tiled=tiled)[0], "rearranging_us") / 2 for tiled in ("false", "true"))
        yield n, without, with_it


def table_1():
    header = ["N", "adapter", "without the shared memory", "with it", "gain"]
    found = [[n, "GTX 590 (paper)", f"{1e3 * a:.0f} us", f"{1e3 * b:.0f} us", digits(a / b)] for n, (a, b) in TABLE_I.items()]
    for adapter, rows in present("p-scheme.csv"):
        found += [[rows_name(n), NAMES[adapter], f"{digits(a)} us", f"{digits(b)} us", digits(a / b)] for n, a, b in transpositions(rows)]
    return table(header, found)


def cost(pairs):
    """The cost per unit that fits (units, us) best: least squares through the origin, as the program fits it."""
    return sum(units * time for units, time in pairs) / sum(units * units for units, _ in pairs)


def fitted(grid):
    """alpha, beta and gamma in us, of grid lines of one case, length and arrangement."""
    def each(row):
        return math.ceil(int(row["rows"]) / threads_in_all(row))

    return (cost([(each(row), us(row, "precompute_us")) for row in grid]),
            cost([(threads_in_all(row), us(row, "propagate_us")) for row in grid]),
            cost([(each(row), us(row, "determine_us")) for row in grid]))


def equation_6():
    header = ["adapter", "propagation over", "case", "N", "arrays", "paper: alpha : beta : gamma", "here", "alpha, beta, gamma in ns",
              "paper: P_opt for 10^6", "here, for N"]
    found = []
    for adapter, how, rows in propagations():
        n = largest(rows)
        for case in CASES:
            for (rearranged, staged), arrangement in list(ARRANGEMENTS.items())[1:]:
                grid = arranged(pick(rows, run="grid", case=case, rows=n), rearranged, staged)
                if len(grid) < 2:
                    continue
                alpha, beta, gamma = fitted(grid)
                found.append([NAMES[adapter], how, case, rows_name(n), arrangement, " : ".join(str(part) for part in COSTS[case]),
                              f"{digits(alpha / beta)} : 1 : {digits(gamma / beta)}",
                              ", ".join(digits(1e3 * part) for part in (alpha, beta, gamma)), P_OPT[case][0],
                              digits(math.sqrt((alpha + gamma) * n / beta))])
    return table(header, found)


def phases():
    """Equations 3 to 5: the phases over P, measured and by the fit."""
    header = ["adapter", "case", "N", "P", "rows per thread", "pre-computation, us", "alpha N / P", "propagation, us", "beta P",
              "determination, us", "gamma N / P"]
    found = []
    for adapter, rows in present("p-scheme.csv"):
        n = largest(rows)
        for case in ("L", "H"):
            grid = arranged(pick(rows, run="grid", case=case, rows=n), "true", "false")
            if len(grid) < 2:
                continue
            alpha, beta, gamma = fitted(grid)
            by_count = {}
            for row in grid:
                # The groups that the paper prefers: as many as possible.
                known = by_count.get(threads_in_all(row))
                if known is None or int(row["groups"]) > int(known["groups"]):
                    by_count[threads_in_all(row)] = row
            for count, row in sorted(by_count.items()):
                each = math.ceil(n / count)
                cells = [NAMES[adapter], case, rows_name(n), count, each]
                for column, model in (("precompute_us", alpha * each), ("propagate_us", beta * count), ("determine_us", gamma * each)):
                    cells += [digits(us(row, column)), digits(model)]
                found.append(cells)
    return table(header, found)


def optimum():
    """P_opt by the paper's own costs."""
    header = ["case", "alpha + gamma", "P_opt for N = 10^6 by (7)", "paper, III.B", "for N = 2^20 by (7)", "paper, IV.C",
              "T for G = 16, 32, 64, 128"]
    found = []
    for case in CASES:
        alpha, beta, gamma = COSTS[case]
        threads = [BEST[case][0] // groups for groups in (16, 32, 64, 128)]
        at = [math.sqrt((alpha + gamma) * n / beta) for n in (1e6, 1 << 20)]
        found.append([case, digits(alpha + gamma), f"{at[0]:.1f}", P_OPT[case][0], f"{at[1]:.1f}", P_OPT[case][1] or "no number",
                      ", ".join(str(count) for count in threads)])
    return table(header, found)


def best_of_groups(rows, case, staged="false"):
    grid = arranged(pick(rows, run="grid", case=case, rows=largest(rows)), "true", staged)
    return {groups: fastest(pick(grid, groups=groups)) for groups in sorted({int(row["groups"]) for row in grid})}


def figures_5_to_7():
    header = ["adapter", "propagation over", "case", "N", "paper: best P, speed-up", "here: best T (P), speed-up per G", "best here: P",
              "us", "speed-up", "rearranged in the phases: P", "us", "speed-up"]
    found = []
    for adapter, how, rows in propagations():
        for case in CASES:
            best = best_of_groups(rows, case)
            if not best:
                continue
            each = "; ".join(f"G = {groups}: {row['threads']} ({threads_in_all(row)}), {digits(us(row, 'speed_up'))}"
                             for groups, row in best.items())
            cells = [NAMES[adapter], how, case, rows_name(largest(rows)), "{}, {}".format(*BEST[case]), each]
            for top in (fastest(best.values()), fastest(best_of_groups(rows, case, "true").values())):
                cells += [threads_in_all(top), digits(us(top)), digits(us(top, "speed_up"))] if top else ["not measured", "", ""]
            found.append(cells)
    return table(header, found)


def choices(rows):
    """Per case, length and arrangement: the model's policy, the same combination in the grid or None, the best of the grid, choice / best.

    A combination of the grid was measured twice, as the model's choice once more. Only its time in the grid is compared with the best: the
    two measurements of one combination differ, on software Vulkan several times over.
    """
    for row in pick(rows, run="policy"):
        key = {name: row[name] for name in ("case", "rows", "rearranged", "staged")}
        grid = pick(rows, run="grid", **key)
        best = fastest(grid)
        if best:
            own = next(iter(pick(grid, groups=row["groups"], threads=row["threads"])), None)
            # Outside of the grid, the model's choice may be the faster one.
            yield row, own, best, us(own) / us(best) if own else max(1.0, us(row) / us(best))


def policy():
    header = ["adapter", "propagation over", "case", "N", "arrays", "P_opt", "model's choice G x T", "us in the grid", "us measured alone",
              "best of the grid G x T", "us", "choice / best"]
    found = []
    for adapter, how, rows in propagations():
        # The claims count all N.
        for row, own, best, ratio in choices(pick(rows, rows=largest(rows))):
            found.append([NAMES[adapter], how, row["case"], rows_name(row["rows"]), ARRANGEMENTS[row["rearranged"], row["staged"]],
                          digits(us(row, "optimal_chunks")), f"{row['groups']} x {row['threads']}", digits(us(own)) if own else "-", digits(us(row)),
                          f"{best['groups']} x {best['threads']}", digits(us(best)), digits(ratio)])
    return table(header, found)


def tuned():
    header = ["adapter", "N", "policy without tuning, us", "measured choice, us", "gain", "measured choice"]
    found = []
    for adapter in adapters_with(PAPER, "tuned.json"):
        for entry in read_json(PAPER, adapter, "tuned.json")["entries"]:
            found.append([NAMES[adapter], rows_name(entry["n"]), digits(entry["default_us"]), digits(entry["tuned_us"]),
                          digits(entry["default_us"] / entry["tuned_us"]), entry["policy"]])
    return table_if_any(header, found)


def skipped():
    """Which combinations of G and T ran: a software driver ends long loops."""
    header = ["adapter", "case", "N", "combinations of G and T", "of them ran: as arrays lie", "rearranged", "in the phases",
              "most rows per chunk that ran"]
    found = []
    for adapter, rows in present("p-scheme.csv"):
        grid = pick(rows, run="grid")
        whole = len({(row["groups"], row["threads"]) for row in grid})
        for n in sorted({int(row["rows"]) for row in grid}):
            for case in CASES:
                own = [arranged(pick(grid, case=case, rows=n), *key) for key in ARRANGEMENTS]
                each = [math.ceil(n / threads_in_all(row)) for rows in own for row in rows]
                found.append([NAMES[adapter], case, rows_name(n), whole, *[len(rows) or "not measured" for rows in own],
                              max(each, default="none")])
    return table(header, found)


def side_by_side(name, key, header):
    """A CSV of `trisolve bench` with a column per algorithm."""
    found = []
    for adapter, rows in present(name):
        algorithms = list(dict.fromkeys(row["algorithm"].split(" (")[0] for row in rows))
        cases = dict.fromkeys((key(row), int(row["rows"])) for row in rows)
        for case, n in cases:
            times = {row["algorithm"]: row for row in rows if key(row) == case and int(row["rows"]) == n}
            cells = [f"{digits(us(times[name]))} ({digits(us(times[name], 'bytes_per_row'))})" if name in times else "" for name in algorithms]
            found.append([NAMES[adapter], *case, rows_name(n), *cells])
        header = header[: 2 + len(case)] + algorithms
    return table_if_any(header, found)


def algorithms():
    names = {"recurrence": "s from a vector", "recurrence with computed s, case M": "M", "recurrence with computed s, case H": "H"}
    return side_by_side("recurrence.csv", lambda row: (names.get(row["family"], row["family"]),), ["adapter", "case", "N"])


def moebius():
    header = ["adapter", "N", "us", "rows/us", "bytes per row", "GB/s"]
    found = [[NAMES[adapter], rows_name(row["rows"]), digits(us(row)), digits(us(row, "rows_per_s") / 1e6), digits(us(row, "bytes_per_row")),
              digits(us(row, "gb_per_s"))] for adapter, rows in present("moebius.csv") for row in rows]
    return table_if_any(header, found)


def thomas():
    return side_by_side("thomas.csv", lambda row: (), ["adapter", "N"])


def dpcm():
    header = ["adapter", "pictures", "by", "us", "pixels/us", "largest difference from the encoder, grey levels", "bits per pixel: plain",
              "DPCM", "peak signal to noise, dB"]
    found = []
    for adapter, rows in present("dpcm.csv"):
        for row in rows:
            pixels = int(row["pictures"]) * int(row["width"]) * int(row["height"])
            found.append([NAMES[adapter], f"{row['pictures']} of {row['width']} x {row['height']}", row["algorithm"], digits(us(row)),
                          digits(pixels / us(row)), digits(us(row, "difference"), 2), digits(us(row, "bits_per_pixel")),
                          digits(us(row, "bits_sent")), digits(us(row, "noise_db"))])
    return table_if_any(header, found)


def span(values):
    values = list(values)
    low, high = digits(min(values)), digits(max(values))
    return low if low == high else f"{low} to {high}"


def claims():
    """The headline claims on the H200; where it has no measurement yet, on software Vulkan."""
    header = ["claim", "paper", "here", "verdict"]
    found = []
    hosts = present("substitution.csv")
    if hosts:
        adapter, rows = hosts[0]
        ratios = {case: us(pick(rows, method="p-scheme", cores=1, case=case, rows=largest(rows))[0], "of_substitution") for case in CASES}
        holds = "holds in case L" if 1.5 <= ratios["L"] <= 2.5 else "does not hold here"
        if max(ratios["M"], ratios["H"]) < 1.5:
            holds += "; in M and H the factor's arithmetic outweighs the determination"
        found.append(["P-scheme on one core takes about twice the time of the substitution", "2", ", ".join(
            f"{case} {digits(ratio)}" for case, ratio in ratios.items()) + f" (host of the {NAMES[adapter]} run)", holds])
    adapter, rows = first(present("p-scheme.csv"), PAPER, "p-scheme.csv")
    device = NAMES[adapter]
    gains = [a / b for _, a, b in transpositions(rows)]
    found.append(["Transposing through the shared memory is 2 to 3 times as fast", "3.00 (256K), 2.00 (10^6)",
                  f"{', '.join(digits(gain) for gain in gains)} ({device})",
                  "holds" if min(gains) >= 2 else "holds, by less" if min(gains) > 1 else "does not hold for all N"])
    for case, n, _, best, given, *_ in figure_4_rows(rows):
        if case in FIGURE_4:
            _, without, with_it, printed = FIGURE_4[case]
            gain = us(given) / us(best)
            found.append([f"Rearranging makes case {case} faster (N = 256K, G = 32)", f"{printed} times",
                          f"{digits(gain)} times ({device}, N = {rows_name(n)})",
                          "holds" if gain >= 0.9 * with_it / without else "holds, by less" if gain > 1 else "does not hold here"])
    for case in CASES:
        best = best_of_groups(rows, case)
        if not best:
            continue
        counts = sorted({threads_in_all(row) for row in best.values()})
        paper, speed_up = BEST[case]
        top = fastest(best.values())
        same = "one P for every G" if len(counts) == 1 else "P depends on G"
        more = "more threads than on 512 cores" if threads_in_all(top) > paper else \
            "the paper's number" if threads_in_all(top) == paper else "fewer threads"
        found.append([f"Case {case} is fastest at the same P = G T for every G", f"P = {paper}",
                      f"{', '.join(map(str, counts))}; fastest {threads_in_all(top)} ({device})", f"{same}; {more}"])
        found.append([f"Case {case}: speed-up over one core", speed_up, f"{digits(us(top, 'speed_up'))} ({device})",
                      "other machines: see below"])
    for case, said in (("M", "slightly lower for G = 128"), ("H", "the larger G, the lower")):
        by_groups = best_of_groups(rows, case)
        if len(by_groups) < 2:
            continue
        speed_ups = [us(row, "speed_up") for row in by_groups.values()]
        last = speed_ups[-1]
        found.append([f"Case {case}: the largest G is the slowest", said, "; ".join(
            f"G = {groups}: {digits(value)}" for groups, value in zip(by_groups, speed_ups)) + f" ({device})",
                      "holds" if last == min(speed_ups) else "the reverse: few workgroups leave multiprocessors idle" if last == max(speed_ups)
                      else "does not hold here"])
    order = [us(fastest(best_of_groups(rows, case).values()), "speed_up") for case in CASES if best_of_groups(rows, case)]
    found.append(["The more a factor costs, the higher the speed-up", "7, 183, 400", ", ".join(digits(value) for value in order) + f" ({device})",
                  "holds" if order == sorted(order) else "does not hold here"])
    for name, how in FILES:
        for adapter, rows in present(name):
            found_here = list(choices(rows))
            ratios = [ratio for *_, ratio in found_here]
            twice = [us(row) / us(own) for row, own, *_ in found_here if own]
            repeats = max([max(ratio, 1 / ratio) for ratio in twice], default=1.0)
            if max(ratios) > max(1.15, repeats):
                verdict = "not in all cases: `tune p-scheme` measures the choice"
            else:
                verdict = "holds" if repeats <= 1.15 else "undecided: repeated measurements differ by as much"
            again = f"; one combination measured twice: {span(twice)} times" if twice else ""
            within = sum(ratio <= 1.15 for ratio in ratios)
            found.append([f"The policy finds the fastest G and T (propagation over {how})", "confirmed for L, M and H",
                          f"choice / best {span(ratios)}; {within} of {len(ratios)} within 15 %{again} ({NAMES[adapter]})",
                          verdict])
    return table(header, found)


def picture(name, text, where=""):
    """The picture of the first adapter that has it."""
    for adapter in adapters_with(PAPER, name):
        return f"![{text}](../../benches/results/papers/{PAPER}/{adapter}/{name})\n\n({where}{NAMES[adapter]})\n"
    return "Not drawn yet.\n"


BLOCKS = {
    "picture of figure 1": lambda: picture("p-scheme-host.svg", "Times of the substitution and of P-scheme on the host, over N", "host of the run on "),
    "picture of figure 4": lambda: picture("p-scheme-rearranging.svg", "Speed-up over T, as arrays lie and rearranged"),
    "picture of figures 5 to 7": lambda: picture("p-scheme.svg", "Speed-up over T for each G, rearranged arrays"),
    "picture over groups": lambda: picture("p-scheme-grouped.svg", "Speed-up over T for each G, propagated over groups of chunks"),
    "picture of dpcm": lambda: picture("dpcm.png", "The original, the residuals and the decoded picture, one below the other"),
    "measured": measured,
    "figure 1": figure_1,
    "figures 2 and 3": figures_2_and_3,
    "figure 4": figure_4,
    "table 1": table_1,
    "optimum": optimum,
    "equation 6": equation_6,
    "phases": phases,
    "figures 5 to 7": figures_5_to_7,
    "policy": policy,
    "tuned": tuned,
    "skipped": skipped,
    "algorithms": algorithms,
    "moebius": moebius,
    "thomas": thomas,
    "dpcm": dpcm,
    "claims": claims,
}
