"""The data of docs/papers/tpr.md: of the H200, or where it has none, of software Vulkan."""

import math

from .common import adapters_with, lines, read_json

PAPER = "tpr"
NAMES = {
    "thomas": "Thomas",
    "cr": "CR",
    "pcr": "PCR",
    "wang-mou": "WM",
    "tpr": "TPR",
    "partition": "partition",
}


def adapters(name):
    """The adapters with this file; tables take the first."""
    return adapters_with(PAPER, name)


def data(name):
    """The lines of a CSV; none if it was not measured."""
    return next((lines(PAPER, adapter, name) for adapter in adapters(name)), [])


def methods():
    """The lines of `trisolve methods --json`."""
    name = "methods.json"
    return next((read_json(PAPER, adapter, name) for adapter in adapters(name)), [])


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
