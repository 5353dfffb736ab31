#!/usr/bin/env python3
"""Joins CSVs of `trisolve bench` and of a peer (cusparse.cu, cub.cu, cublas.cu, cupy_filter.py) into one CSV and one table.

    join.py --csv OUT.csv IN.csv...

Writes OUT.csv (rows of one case together, ours first) and the Markdown table OUT.md, and prints the table.
If measured.csv lies beside them, its line of OUT gets the adapter, the date and the commit (COMMIT, or else
that of the Git repository). An input may be empty; a result whose residual is too large is marked wrong and
never counts as the best. Where there are several algorithms of ours or several sizes, how many times the
rate of each of the peer's functions each of them reaches is averaged over the sizes.
"""

import argparse
import csv
import datetime
import math
import os
import pathlib
import subprocess
import sys

COLUMNS = (
    "family,algorithm,precision,layout,rows,batch,median_us,min_us,rows_per_s,bytes_per_row,gb_per_s,"
    "copy_gb_per_s,share_of_copy,relative_residual,adapter"
).split(",")
# Ours says how it divided the work as well.
DIVIDED = "divided"
# How a peer's algorithms begin, and what it is called.
PEERS = {"cusparse": "cuSPARSE", "cub": "CUB", "cublas": "cuBLAS", "cupy": "CuPy"}
# The largest relative residual of a right answer on the benchmark's systems.
RIGHT = {"f32": 1e-5, "f64": 1e-13}
# The largest backward error of many systems with random entries: pivots are chosen within partitions (benches/results/pivoting-log.md).
RIGHT_RANDOM = {"f32": 1e-3, "f64": 1e-11}


class BadInput(Exception):
    pass


class Result:
    """A line of the CSV."""

    def __init__(self, line):
        self.line = line
        self.algorithm = line["algorithm"]
        first, _, function = self.algorithm.partition(" ")
        self.peer = PEERS.get(first)
        self.is_peer = self.peer is not None
        # What auto took differs from case to case.
        self.function = function if self.is_peer else self.algorithm.partition(" (")[0]
        self.family = line["family"]
        self.precision = line["precision"]
        self.layout = line["layout"]
        self.rows = int(line["rows"])
        self.batch = int(line["batch"])
        self.us = float(line["median_us"])
        self.grows = float(line["rows_per_s"]) / 1e9
        self.bytes_per_row = float(line["bytes_per_row"])
        self.copy = float(line["copy_gb_per_s"])
        self.share = float(line["share_of_copy"])
        self.adapter = line["adapter"]
        # A NaN is not right either.
        limits = RIGHT_RANDOM if ", random" in self.algorithm else RIGHT
        self.is_right = float(line["relative_residual"]) <= limits[self.precision]

    @property
    def case(self):
        return (self.family, self.precision, self.layout, self.rows, self.batch)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames is None:
            return []
        if (reader.fieldnames or [])[: len(COLUMNS)] != COLUMNS:
            raise BadInput(f"{path}: its first line does not begin with {','.join(COLUMNS)}")
        results = []
        for line in reader:
            try:
                results.append(Result(line))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise BadInput(f"{path}, line {reader.line_num}: {error!r}") from error
        return results


def by_case(results):
    """Results of each case, ours first; the cases in the order they came in."""
    cases = {}
    for result in results:
        cases.setdefault(result.case, []).append(result)
    return {case: sorted(found, key=lambda result: result.is_peer) for case, found in cases.items()}


def fastest(results):
    return min((result for result in results if result.is_right), key=lambda result: result.us, default=None)


# ---- the table


def significant(value, digits=3):
    """Without an exponent, whatever the size."""
    if value <= 0 or not math.isfinite(value):
        return str(value)
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(value)))}f}"


def size(number):
    power = number.bit_length() - 1
    return f"2^{power}" if number == 1 << power and power > 16 else str(number)


def case_name(case):
    family, precision, layout, rows, batch = case
    special = next((rest for word in (" with ", "triangular ", "filter of ") if (rest := family.partition(word)[2])), "")
    if family.startswith(("cascade", "bank")):
        special = family
    if family.startswith("moebius"):
        special = "Moebius"
    name = f"{precision}, n = {size(rows)}" if batch == 1 else f"{precision}, {layout}, {size(rows)} x {size(batch)}"
    return f"{name}, {special}" if special else name


def functions(results):
    """Each program's functions in the order they came in."""
    return (
        list(dict.fromkeys(result.function for result in results if result.is_peer == is_peer)) for is_peer in (False, True)
    )


def time_of(found, is_peer, function):
    """Microseconds and rate of a function in a case."""
    times = [result for result in found if result.is_peer == is_peer and result.function == function]
    right = fastest(times)
    return f"{significant(right.us)} ({significant(right.grows)})" if right else "wrong" if times else ""


def table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    return ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]


def markdown(results):
    own, peers = functions(results)
    header = ["case"]
    header += [f"{function} us (rows/ns)" for function in own] if len(own) > 1 else ["trisolve us", "rows/ns", "of copy"]
    header += [f"{peer} us (rows/ns)" for peer in peers]
    if peers:
        header.append(f"{own[0] if len(own) > 1 else 'trisolve'} over the best peer")
    rows = [header]
    for case, found in by_case(results).items():
        # With several of ours, the first is what the others are beside.
        ours = fastest(result for result in found if not result.is_peer and result.function == own[0])
        best = fastest(result for result in found if result.is_peer)
        row = [case_name(case)]
        if len(own) > 1:
            row += [time_of(found, False, function) for function in own]
        elif ours:
            row += [significant(ours.us), significant(ours.grows)]
            share = f"{100 * ours.share:.0f}" if ours.share >= 0.01 else "<1"
            row.append(f"{share}% at {ours.bytes_per_row:.3g} B/row")
        else:
            row += ["wrong" if any(not result.is_peer for result in found) else "", "", ""]
        row += [time_of(found, True, peer) for peer in peers]
        if peers:
            row.append(f"{best.us / ours.us:.1f}x" if ours and best else "")
        rows.append(row)
    means = mean_ratios(results)
    if means:
        means = ["", f"How many times the rate of {peer_of(results)}'s function, averaged over the sizes (least to most):", "", *means]
    return "\n".join([*table(rows), *means, "", *remarks(results)]) + "\n"


def mean_ratios(results):
    """For every number of systems with several sizes: each of ours over each of the peer's."""
    own, peers = functions(results)
    groups = {}
    for case, found in by_case(results).items():
        _, precision, layout, _, batch = case
        groups.setdefault((precision, layout, batch), []).append(found)
    rows = [["systems", "function", *own]]
    for (precision, layout, batch), cases in groups.items():
        if len(cases) < 3:
            continue
        for peer in peers:
            row = [f"{precision}, {layout}, {batch}", peer]
            for function in own:
                ratios = []
                for found in cases:
                    theirs = fastest(result for result in found if result.is_peer and result.function == peer)
                    ours = fastest(result for result in found if not result.is_peer and result.function == function)
                    if theirs and ours:
                        ratios.append(theirs.us / ours.us)
                mean = sum(ratios) / len(ratios) if ratios else 0
                row.append(f"{mean:.2f}x ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else "")
            if any(row[2:]):
                rows.append(row)
    return table(rows) if len(rows) > 1 else []


def spread(values):
    low, high = (f"{end(values):.0f}" for end in (min, max))
    return f"{low} GB/s" if low == high else f"{low} to {high} GB/s"


def peer_of(results):
    return next((result.peer for result in results if result.is_peer), None)


def remarks(results):
    ours = [result for result in results if not result.is_peer]
    peers = [result for result in results if result.is_peer]
    bandwidths = [
        f"{program} {spread([result.copy for result in found])}"
        for program, found in (("trisolve (WGSL)", ours), (f"{peer_of(results)}'s program (CUDA)", peers))
        if found
    ]
    adapters = list(dict.fromkeys(result.adapter for result in results))
    yield f"Copy bandwidth, measured in the same run: {', '.join(bandwidths)}."
    yield f"GPU: {', '.join(adapters)}. Date: {datetime.date.today().isoformat()}. Device time, medians."
    if not peers:
        yield "No peer was measured."
    if len(adapters) > 1:
        yield "More than one GPU was measured: the figures do not compare."


# ---- when and where it was measured


def commit():
    given = os.environ.get("COMMIT")
    if given:
        return given
    here = pathlib.Path(__file__).resolve().parent
    found = subprocess.run(["git", "-C", here, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def note(out, results):
    """Replaces the line of a CSV in measured.csv."""
    measured = out.with_name("measured.csv")
    if not measured.exists():
        return
    with open(measured, newline="", encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["file"] != out.stem]
    adapter = next((result.adapter for result in results if not result.is_peer), results[0].adapter)
    lines.append({"file": out.stem, "adapter": adapter, "date": datetime.date.today().isoformat(), "commit": commit()})
    with open(measured, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["file", "adapter", "date", "commit"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(lines, key=lambda line: line["file"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", type=pathlib.Path, required=True, help="the joined CSV; the table goes beside it")
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        results = [result for path in arguments.inputs for result in read(path)]
        if not results:
            raise BadInput("no results in " + ", ".join(map(str, arguments.inputs)))
        table = markdown(results)
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*COLUMNS, DIVIDED], restval="", lineterminator="\n", extrasaction="ignore")
            writer.writeheader()
            writer.writerows(result.line for found in by_case(results).values() for result in found)
        arguments.csv.with_suffix(".md").write_text(table, encoding="utf-8")
        note(arguments.csv, results)
        print(table, end="")
    except (BadInput, OSError) as error:
        print(f"join.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
