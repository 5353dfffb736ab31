"""What the pages share: the CSVs, Markdown tables, averages."""

import csv
import json
import math
import pathlib

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results" / "papers"
H200, SOFTWARE = "nvidia-h200", "llvmpipe"


def lines(paper, adapter, name):
    """The lines of a CSV that `benches/papers.sh PAPER` wrote on an adapter."""
    path = RESULTS / paper / adapter / name
    with path.open(newline="") as file:
        found = list(csv.DictReader(file))
    if not found:
        raise SystemExit(f"{path}: has no lines; run benches/papers.sh {paper} again")
    for number, line in enumerate(found, 2):
        if None in line or None in line.values():
            raise SystemExit(f"{path}, line {number}: has not as many fields as the first; run benches/papers.sh {paper} again")
    return found


def exists(paper, adapter, name):
    """Whether the results of an adapter have a file."""
    return (RESULTS / paper / adapter / name).exists()


def adapters_with(paper, name):
    """The adapters whose results have a file, the GPU first."""
    return [adapter for adapter in (H200, SOFTWARE) if exists(paper, adapter, name)]


def lines_if_any(paper, adapter, name):
    """The lines of a CSV; none where a run has not written it."""
    return lines(paper, adapter, name) if exists(paper, adapter, name) else []


def read_json(paper, adapter, name):
    return json.loads((RESULTS / paper / adapter / name).read_text())


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
