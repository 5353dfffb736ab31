"""What the pages share: the CSVs, Markdown tables, averages."""

import csv
import io
import json
import math
import pathlib
import re

BENCHES = pathlib.Path(__file__).resolve().parent.parent
RESULTS = BENCHES / "results" / "papers"
H200, SOFTWARE = "nvidia-h200", "llvmpipe"


class BadResults(Exception):
    """A file of the results that is missing, or lacks what a table takes."""

    def __init__(self, paper, place, what):
        """`place`: the file, below the folder of the paper."""
        super().__init__(f"benches/results/papers/{paper}/{place}: {what}; {made_by(paper, place.rpartition('/')[2])}")


def made_by(paper, name):
    """What makes a file of the results: the first line of papers.sh or of its part that names it, if any does."""
    for script in (f"papers/{paper}.sh", "papers.sh"):
        for number, line in enumerate((BENCHES / script).read_text().splitlines(), 1):
            if not line.lstrip().startswith("#") and re.search(rf"(?<![\w-]){re.escape(name)}", line):
                return f"benches/papers.sh {paper} makes it, in benches/{script}, line {number}"
    return f"benches/papers.sh {paper} makes it, in benches/papers/{paper}.sh"


class Line(dict):
    """A line of a CSV, by column."""

    def __init__(self, paper, place, fields):
        super().__init__(fields)
        self.source = paper, place

    def __missing__(self, column):
        raise BadResults(*self.source, f"has no column {column}")


def read(paper, adapter, name):
    """The text of a file that `benches/papers.sh PAPER` wrote on an adapter."""
    try:
        return (RESULTS / paper / adapter / name).read_text()
    except FileNotFoundError:
        raise BadResults(paper, f"{adapter}/{name}", "no such file") from None


def lines(paper, adapter, name):
    """The lines of a CSV of an adapter's results."""
    place = f"{adapter}/{name}"
    found = [Line(paper, place, fields) for fields in csv.DictReader(io.StringIO(read(paper, adapter, name)))]
    if not found:
        raise BadResults(paper, place, "has no lines")
    for number, line in enumerate(found, 2):
        if None in line or None in line.values():
            raise BadResults(paper, place, f"line {number} has not as many fields as the first")
    return found


def exists(paper, adapter, name):
    """Whether the results of an adapter have a file."""
    return (RESULTS / paper / adapter / name).exists()


def adapters_with(paper, name):
    """The adapters whose results have a file, the GPU first."""
    return [adapter for adapter in (H200, SOFTWARE) if exists(paper, adapter, name)]


def first(found, paper, name):
    """The first of what was found by adapters with a file."""
    if not found:
        raise BadResults(paper, f"*/{name}", "no such file")
    return found[0]


def lines_if_any(paper, adapter, name):
    """The lines of a CSV; none where a run has not written it."""
    return lines(paper, adapter, name) if exists(paper, adapter, name) else []


def read_json(paper, adapter, name):
    return json.loads(read(paper, adapter, name))


def parameters_of(policy):
    """The parameters of a policy, by name."""
    return dict(part.split("=") for part in policy.split(",") if "=" in part)


def pick(rows, /, **wanted):
    """The lines whose columns have these values."""
    return [row for row in rows if all(row[column] == str(value) for column, value in wanted.items())]


def table(header, rows):
    """A Markdown table."""
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in [header, ["---"] * len(header), *rows]) + "\n"


def digits(number, count=3):
    """A number with so many significant digits, without an exponent where it is readable."""
    number = float(number)
    if number == 0 or not math.isfinite(number):
        return "0" if number == 0 else str(number)
    if not 1e-3 <= abs(number) < 1e6:
        mantissa, exponent = f"{number:.{count - 1}e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    places = max(0, count - 1 - math.floor(math.log10(abs(number))))
    return f"{number:.{places}f}"


def mean(numbers):
    """The arithmetic mean, which the papers take of their speed-ups."""
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def measured_on(paper, adapters):
    """Cards, dates and commits of a page's measurements, from the file about.csv that papers.sh writes."""
    rows = []
    for adapter in adapters:
        about = lines(paper, adapter, "about.csv")[0]
        rows.append([about["adapter"], about["driver"], about["date"], about["commit"], about["run"]])
    return table(["adapter", "driver", "date", "commit", "run"], rows)
