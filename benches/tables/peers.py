"""The CSVs that benches/peers/compare.sh writes, beside a peer's functions."""

import csv
import pathlib

from .common import BadResults, digits, table

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"


class BadComparison(BadResults):
    """A CSV that is missing, or lacks what a table takes."""

    def __init__(self, file, what):
        Exception.__init__(self, f"benches/results/{file}: {what}; benches/peers/compare.sh makes it")


def is_peer(line):
    return line["algorithm"].startswith(("cusparse ", "cublas ", "cub "))


class Comparison:
    """The lines of a CSV, and when and where it was measured (benches/results/measured.csv)."""

    def __init__(self, name):
        self.name = name
        self.lines = self.read(f"{name}.csv")
        about = [line for line in self.read("measured.csv") if line["file"] == name]
        if len(about) != 1:
            raise BadComparison("measured.csv", f"needs one line of {name}")
        self.about = about[0]

    @staticmethod
    def read(file):
        try:
            with open(RESULTS / file, newline="", encoding="utf-8") as lines:
                return list(csv.DictReader(lines))
        except FileNotFoundError:
            raise BadComparison(file, "no such file") from None

    def fastest(self, rows, batch=1, precision="f32", layout="contiguous", family=None, algorithm=None, peer=False):
        """The line of the fastest algorithm of a case, ours or the peer's."""
        found = [
            line
            for line in self.lines
            if (line["rows"], line["batch"], line["precision"], line["layout"]) == (str(rows), str(batch), precision, layout)
            and family in (None, line["family"])
            and is_peer(line) == peer
            and (algorithm is None or peer or line["algorithm"].partition(" (")[0] == algorithm)
        ]
        if not found:
            raise BadComparison(f"{self.name}.csv", f"has no line of {rows} rows x {batch}, {precision}, {layout}")
        return min(found, key=lambda line: float(line["median_us"]))

    def caption(self):
        """Card, date, commit and copy bandwidth."""
        copies = [float(line["copy_gb_per_s"]) for line in self.lines if not is_peer(line)]
        low, high = (f"{bound(copies):.0f}" for bound in (min, max))
        copy = low if low == high else f"{low} to {high}"
        about = self.about
        return f"{about['adapter']}, {about['date']}, commit {about['commit']}; copy {copy} GB/s."


def us(line):
    return digits(line["median_us"])


def times(line):
    """Microseconds, and rows per nanosecond."""
    return f"{us(line)} us, {digits(float(line['rows_per_s']) / 1e9)} rows/ns"


def share(line):
    percent = 100 * float(line["share_of_copy"])
    return f"{percent:.0f}%" if percent >= 1 else "<1%"


def ratio(ours, peer):
    return f"{float(peer['median_us']) / float(ours['median_us']):.1f}x"


def beside_peer(cases, peer):
    """A table of cases beside the best of a peer: each case is a label, a comparison, and what selects a line in it."""
    rows = []
    for label, comparison, case in cases:
        ours, theirs = comparison.fastest(**case), comparison.fastest(**case, peer=True)
        rows.append([label, times(ours), share(ours), f"{us(theirs)} us", ratio(ours, theirs)])
    return table(["case", "trisolve", "of copy", f"best of {peer}", ""], rows)
