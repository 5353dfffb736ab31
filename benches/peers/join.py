#!/usr/bin/env python3
"""Joins CSVs of `trisolve bench tridiagonal` and of cusparse.cu into one CSV and one table.

    join.py --csv OUT.csv [--svg OUT.svg] IN.csv...

Writes OUT.csv (rows of one case together, ours first) and the Markdown table OUT.md, and prints
the table. With --svg, also draws rows a second over the size of one system. An input may be
empty; a result whose residual is too large is marked wrong and never counts as the best.
"""

import argparse
import csv
import datetime
import math
import pathlib
import sys
from xml.sax.saxutils import escape

COLUMNS = (
    "family,algorithm,precision,layout,rows,batch,median_us,min_us,rows_per_s,bytes_per_row,gb_per_s,"
    "copy_gb_per_s,share_of_copy,relative_residual,adapter"
).split(",")
PEER = "cusparse "
# The largest relative residual of a right answer on the benchmark's systems.
RIGHT = {"f32": 1e-5, "f64": 1e-13}
# The least any solver moves: four elements of a row read, one written.
LEAST_BYTES_PER_ROW = {"f32": 20, "f64": 40}


class BadInput(Exception):
    pass


class Result:
    """A line of the CSV."""

    def __init__(self, line):
        self.line = line
        self.algorithm = line["algorithm"]
        self.is_peer = self.algorithm.startswith(PEER)
        self.function = self.algorithm.removeprefix(PEER)
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
        self.is_right = float(line["relative_residual"]) <= RIGHT[self.precision]

    @property
    def case(self):
        return (self.precision, self.layout, self.rows, self.batch)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames is None:
            return []
        if reader.fieldnames != COLUMNS:
            raise BadInput(f"{path}: its first line is not {','.join(COLUMNS)}")
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
    precision, layout, rows, batch = case
    return f"{precision}, n = {size(rows)}" if batch == 1 else f"{precision}, {layout}, {size(rows)} x {size(batch)}"


def markdown(results):
    peers = list(dict.fromkeys(result.function for result in results if result.is_peer))
    header = ["case", "trisolve us", "Grows/s", "of copy"]
    header += [f"{peer} us (Grows/s)" for peer in peers]
    if peers:
        header.append("over the best peer")
    rows = [header]
    for case, found in by_case(results).items():
        ours = fastest(result for result in found if not result.is_peer)
        best = fastest(result for result in found if result.is_peer)
        row = [case_name(case)]
        if ours:
            row += [significant(ours.us), significant(ours.grows)]
            share = f"{100 * ours.share:.0f}" if ours.share >= 0.01 else "<1"
            row.append(f"{share}% at {ours.bytes_per_row:.3g} B/row")
        else:
            row += ["wrong" if any(not result.is_peer for result in found) else "", "", ""]
        for peer in peers:
            times = [result for result in found if result.is_peer and result.function == peer]
            right = fastest(times)
            row.append(f"{significant(right.us)} ({significant(right.grows)})" if right else "wrong" if times else "")
        if peers:
            row.append(f"{best.us / ours.us:.1f}x" if ours and best else "")
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    rows.insert(1, ["-" * width for width in widths])
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    return "\n".join([*lines, "", *remarks(results)]) + "\n"


def spread(values):
    low, high = (f"{end(values):.0f}" for end in (min, max))
    return f"{low} GB/s" if low == high else f"{low} to {high} GB/s"


def remarks(results):
    ours = [result for result in results if not result.is_peer]
    peers = [result for result in results if result.is_peer]
    bandwidths = [
        f"{program} {spread([result.copy for result in found])}"
        for program, found in (("trisolve (WGSL)", ours), ("cuSPARSE's program (CUDA)", peers))
        if found
    ]
    adapters = list(dict.fromkeys(result.adapter for result in results))
    yield f"Copy bandwidth, measured in the same run: {', '.join(bandwidths)}."
    yield f"GPU: {', '.join(adapters)}. Date: {datetime.date.today().isoformat()}. Device time, medians."
    if not peers:
        yield "cuSPARSE was not measured."
    if len(adapters) > 1:
        yield "More than one GPU was measured: the figures do not compare."


# ---- the figure

COLOURS = ["#c2410c", "#a16207", "#7e22ce", "#be185d", "#0f766e", "#475569"]
OURS_COLOUR = "#1d4ed8"
LIMIT_COLOUR = "#333333"
WIDTH, HEIGHT = 860, 520
LEFT, RIGHT_EDGE, TOP, BOTTOM = 70, 620, 56, 460


def svg(results):
    """Rows a second over rows, log-log, of one f32 system (f64 where there is no f32)."""
    results = [result for result in results if result.batch == 1 and result.is_right]
    precision = "f32" if any(result.precision == "f32" for result in results) else "f64"
    results = [result for result in results if result.precision == precision]
    if len({result.rows for result in results}) < 2:
        raise BadInput("a figure needs one system of several sizes")

    # Name, colour, whether it is ours, and points of each line.
    lines = []
    ours = [found for found in results if not found.is_peer]
    if ours:
        lines.append(("trisolve", OURS_COLOUR, True, points(ours)))
    peers = list(dict.fromkeys(result.function for result in results if result.is_peer))
    for index, peer in enumerate(peers):
        found = [result for result in results if result.is_peer and result.function == peer]
        lines.append((f"cuSPARSE {peer}", COLOURS[index % len(COLOURS)], False, points(found)))
    copy = max(result.copy for result in (ours or results))
    limit = copy / LEAST_BYTES_PER_ROW[precision]

    sizes = [result.rows for result in results]
    x_low, x_high = math.floor(math.log2(min(sizes))), math.ceil(math.log2(max(sizes)))
    # A margin of a tenth of a decade and more at both ends.
    y_low = math.log10(min(result.grows for result in results)) - 0.1
    y_high = math.log10(max([limit, *(result.grows for result in results)])) + 0.2

    def x(rows):
        return LEFT + (RIGHT_EDGE - LEFT) * (math.log2(rows) - x_low) / (x_high - x_low)

    def y(grows):
        return BOTTOM - (BOTTOM - TOP) * (math.log10(grows) - y_low) / (y_high - y_low)

    adapter = ", ".join(dict.fromkeys(result.adapter for result in results))
    title = f"One tridiagonal system, {precision}, on {adapter}"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' font-family="system-ui, sans-serif" font-size="13" fill="#222222" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="28" font-size="17" font-weight="600">{escape(title)}</text>',
    ]

    # Grid, ticks and axis names.
    for power in range(x_low, x_high + 1):
        at = x(2**power)
        out.append(rule(at, TOP, at, BOTTOM, "#eeeeee"))
        if (power - x_low) % 2 == 0 or x_high - x_low < 8:
            out.append(
                f'<text x="{at:.1f}" y="{BOTTOM + 20}" text-anchor="middle">2'
                f'<tspan dy="-5" font-size="10">{power}</tspan></text>'
            )
    for decade in range(math.floor(y_low), math.ceil(y_high)):
        for step in range(1, 10):
            grows = step * 10.0**decade
            if y_low <= math.log10(grows) <= y_high:
                at = y(grows)
                out.append(rule(LEFT, at, RIGHT_EDGE, at, "#cccccc" if step == 1 else "#eeeeee"))
                if step == 1:
                    out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{grows:g}</text>')
    out.append(rule(LEFT, TOP, LEFT, BOTTOM, "#888888"))
    out.append(rule(LEFT, BOTTOM, RIGHT_EDGE, BOTTOM, "#888888"))
    middle = (LEFT + RIGHT_EDGE) / 2
    out.append(f'<text x="{middle}" y="{BOTTOM + 46}" text-anchor="middle">rows</text>')
    out.append(
        f'<text transform="translate(22 {(TOP + BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
        "billion rows a second</text>"
    )

    # The lines, ours on top, and the names at their right ends.
    out.append(rule(LEFT, y(limit), RIGHT_EDGE, y(limit), LIMIT_COLOUR, 'stroke-dasharray="6 4" stroke-width="1.5"'))
    labels = [(y(limit), LIMIT_COLOUR, False, f"copy bandwidth, {LEAST_BYTES_PER_ROW[precision]} B/row: {limit:.0f}")]
    for name, colour, is_ours, found in reversed(lines):
        path = " ".join(f"{x(rows):.1f},{y(grows):.1f}" for rows, grows in found)
        width = 3 if is_ours else 1.8
        out.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>'
        )
        for rows, grows in found:
            out.append(
                f'<circle cx="{x(rows):.1f}" cy="{y(grows):.1f}" r="{4 if is_ours else 3}" fill="{colour}">'
                f"<title>{escape(name)}, 2^{math.log2(rows):g} rows: {significant(grows)} Grows/s</title></circle>"
            )
        labels.append((y(found[-1][1]), colour, is_ours, f"{name}: {significant(found[-1][1])}"))
    for at, (_, colour, is_ours, text) in zip(apart([label[0] for label in sorted(labels)]), sorted(labels)):
        weight = ' font-weight="700"' if is_ours else ""
        out.append(f'<text x="{RIGHT_EDGE + 10}" y="{at + 4:.1f}" fill="{colour}"{weight}>{escape(text)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def points(results):
    """Size and speed, one point a size: the fastest there."""
    best = {}
    for result in results:
        best[result.rows] = max(best.get(result.rows, 0.0), result.grows)
    return sorted(best.items())


def rule(x1, y1, x2, y2, colour, more=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'


def apart(heights, distance=17):
    """Rising heights moved down where needed to be that far apart, and all up again past the bottom."""
    moved = []
    for height in heights:
        moved.append(max(height, moved[-1] + distance) if moved else height)
    over = max(0.0, moved[-1] - BOTTOM)
    return [height - over for height in moved]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", type=pathlib.Path, required=True, help="the joined CSV; the table goes beside it")
    parser.add_argument("--svg", type=pathlib.Path, help="the figure")
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        results = [result for path in arguments.inputs for result in read(path)]
        if not results:
            raise BadInput("no results in " + ", ".join(map(str, arguments.inputs)))
        table = markdown(results)
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(result.line for found in by_case(results).values() for result in found)
        arguments.csv.with_suffix(".md").write_text(table, encoding="utf-8")
        print(table, end="")
        if arguments.svg:
            arguments.svg.write_text(svg(results), encoding="utf-8")
    except (BadInput, OSError) as error:
        print(f"join.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
