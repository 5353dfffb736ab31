"""The tables of docs/papers/tpr.md: tree partitioning reduction (Diéguez, Amor and Doallo 2019)."""

from . import tpr_accuracy, tpr_occupancy, tpr_speed
from .common import digits, measured_on, table
from .tpr_claims import claims
from .tpr_data import NAMES, PAPER, adapters, methods, of_adapter, power


TABLE_1 = ("thomas", "cr", "pcr", "wang-mou", "tpr", "partition")


def table_1():
    """The counts for a system of one slice and for the most rows."""
    rows = [row for row in methods() if row["method"] in TABLE_1]
    sizes = sorted({row["rows"] for row in rows})
    taken = {max((n for n in sizes if n <= 1024), default=0), *sizes[-1:]}
    columns = ["parameter", "paper_steps", "steps", "paper_operations", "operations", "bytes_per_row", "dispatches"]

    def cell(value):
        return "" if value is None else digits(value, 3) if isinstance(value, float) else value

    rows = [row for row in rows if row["rows"] in taken]
    body = [[power(row["rows"]), NAMES[row["method"]], *(cell(row[column]) for column in columns)] for row in rows]
    header = ["N", "method", "parameter", "steps: paper", "here", "operations: paper", "here", "bytes per row, f32", "dispatches"]
    return table(header, body) + "\n" + of_adapter(rows)


BLOCKS = {
    "claims": claims,
    "table-1": table_1,
    "table-3": tpr_occupancy.table_3,
    "policies": tpr_occupancy.policies,
    "stages": tpr_occupancy.stages,
    "shuffles": tpr_occupancy.shuffles,
    "table-4": tpr_occupancy.table_4,
    "platforms": lambda: measured_on(PAPER, adapters("about.csv")),
    "speed-ups": tpr_speed.speed_ups,
    "figure-12": lambda: tpr_speed.speed("f32"),
    "figure-13": lambda: tpr_speed.speed("f64"),
    "bandwidth": tpr_speed.bandwidth,
    "residuals": tpr_speed.residuals,
    "table-6": tpr_accuracy.table_6,
    "diffusion": tpr_accuracy.diffusion,
    "figure-14": tpr_accuracy.figure_14,
    "figures-15-16": tpr_speed.figures_15_16,
    "table-7": lambda: tpr_accuracy.sixteen(7, "f32"),
    "table-8": lambda: tpr_accuracy.sixteen(8, "f64"),
    "table-9": tpr_accuracy.table_9,
}
