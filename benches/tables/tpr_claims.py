"""The headline claims of the TPR paper, beside what was measured."""

from .common import mean, parameters_of, pick, table
from .tpr_accuracy import CLASSIC, accuracy, errors, falls
from .tpr_data import NAMES, data, methods, number, of_adapter, shown
from .tpr_occupancy import shuffle_gains
from .tpr_speed import SPEED_UPS, STABLE_RATIOS, peer_of, ratios, times


# Mean speed-ups within this share of 1 count as equal.
EQUAL = 0.02


def verdict(holds):
    return "holds" if holds else "does not hold here"


def sped_up(own, reached=1.0, stated=1.0):
    """The verdict on a mean speed-up; with the figure that it `reached` beside the paper's `stated` one, if the paper states any."""
    if own <= 1.0 + EQUAL:
        return verdict(False) + (f" (equal within {100 * EQUAL:.0f}% on average)" if own >= 1.0 - EQUAL else "")
    return verdict(True) + (", by less" if reached < stated else "")


def faster(by_size, average, largest):
    """The verdict on speed-ups, by the paper's mean; by its largest, where it states no mean."""
    own = mean(by_size.values())
    return sped_up(own, *((own, average) if average else (max(by_size.values()), largest or 1.0)))


def by_batch(cells):
    """Texts by G; once if all are the same."""
    found = {}
    for batch, text in cells.items():
        found.setdefault(text, []).append(str(batch))
    if len(found) == 1:
        return next(iter(found))
    return "; ".join(f"G = {', '.join(batches)}: {text}" for text, batches in found.items())


def means(averages):
    """Mean speed-ups by G in one line."""
    averages = {batch: average for batch, average in averages.items() if average is not None}
    batches, texts = ", ".join(map(str, averages)), ", ".join(f"{average:.2f}x" for average in averages.values())
    return f"mean {texts} for G = {batches}"


def speed_claim(claim, stated, found):
    """A row on the speed-ups `found` by G and size; `stated` are the paper's mean and largest by G, None where it states none."""
    averages = {batch: mean(by_size.values()) for batch, by_size in found.items()}
    published = means({batch: average for batch, (average, _) in stated.items()})
    largest = max((most for _, most in stated.values() if most), default=None)
    published += f"; up to {largest:.2f}x" if largest else ""
    here = f"{means(averages)}; up to {max(max(by_size.values()) for by_size in found.values()):.2f}x"
    return [claim, published, here, by_batch({batch: faster(by_size, *stated[batch]) for batch, by_size in found.items()})]


def of_speed(speeds):
    for precision in ("f32", "f64"):
        for at, name in enumerate(("cuSPARSE", "WM")):
            stated = {batch: both[at][:2] for (of, batch), both in SPEED_UPS.items() if of == precision}
            found = {batch: ratios(times(speeds, precision, batch), "wang-mou" if at else peer_of(batch), "tpr") for batch in stated}
            found = {batch: by_size for batch, by_size in found.items() if by_size}
            if found:
                yield speed_claim(f"TPR is faster than {name}, {precision}", stated, found)
    found = {batch: ratios(times(speeds, "f32", batch), "tpr stable", "tpr") for batch in STABLE_RATIOS}
    found = {batch: by_size for batch, by_size in found.items() if by_size}
    if found:
        stated = {batch: (average, None) for batch, average in STABLE_RATIOS.items()}
        yield speed_claim("TPR-fastest is faster than TPR-stable, f32", stated, found)


def of_structure():
    rows = [row for row in data("policies.csv") if parameters_of(row["divided"])["shuffles"] == "1"]
    if rows:
        best = []
        for batch in sorted({int(row["batch"]) for row in rows}):
            own = parameters_of(min(pick(rows, batch=batch), key=lambda row: float(row["median_us"]))["divided"])
            best.append(int(own["slice"]) // int(own["threads"]))
        batches = sorted({int(row["batch"]) for row in rows})
        here = f"fastest P: {', '.join(map(str, best))} for G = {', '.join(map(str, batches))}"
        yield ["two rows per thread are the best (section 4.4)", "P = 2", here, verdict(all(each == 2 for each in best))]
    gains = shuffle_gains()
    if gains:
        here = f"{mean(gains):.2f}x on average, {min(gains):.2f}x to {max(gains):.2f}x"
        yield ["shuffles in the last steps speed up a solve (section 4.3)", "no figure", here, sped_up(mean(gains))]
    rows = methods()
    moved = {row["method"]: row["bytes_per_row"] for row in rows if row["rows"] == max(row["rows"] for row in rows)}
    if moved:
        here = "bytes per row: " + ", ".join(f"{NAMES[own]} {moved[own]:.1f}" for own in ("tpr", "wang-mou", "cr", "pcr"))
        others = {own: moved["tpr"] < moved[own] for own in ("cr", "pcr", "wang-mou")}
        found = {wanted: ", ".join(NAMES[own] for own, holds in others.items() if holds is wanted) for wanted in (True, False)}
        holds = "; ".join(f"{names}: {verdict(wanted)}" for wanted, names in found.items() if names)
        claim = "TPR moves less through global memory than the others (sections 2.3, 3.3)"
        yield [claim, "WM: three times the equations and transactions", here, holds]


def of_accuracy():
    own = falls(errors(accuracy(CLASSIC)))
    if own:
        least, most = min(own.values()), max(own.values())
        here = f"the error falls by {least:.1f}x to {most:.1f}x per doubling of S in the paper's formulas"
        yield ["larger slices are more stable (figure 14)", "the error falls with S", here, verdict(least > 1.0)]
    rows = errors(accuracy("Table 6"))
    if rows:
        own = ("TPR-fastest", "TPR-stable", "TPR-fastest, classic", "TPR-stable, classic")
        worst = [max(number(row.get(solver)) for row in rows.values()) for solver in own]
        here = "TPR-fastest up to {}, TPR-stable up to {}; classic up to {} and {}".format(*map(shown, worst))
        claim = "TPR's errors in f32 are acceptable in most cases (table 6)"
        yield [claim, "TPR-fastest up to 5.5e-1, TPR-stable up to 1.9e-3", here, verdict(worst[0] < 1e-3)]
    for which, precision in ((7, "f32"), (8, "f64")):
        rows = errors(accuracy(f"Table {which}: 512 rows, {precision}: relative error"))
        solved = [row for row in rows.values() if number(row["gtsv, CPU"]) < 0.1]
        close = [row for row in solved if number(row["TPR-stable"]) <= 10.0 * number(row["gtsv, CPU"])]
        if solved:
            claim = f"TPR's answers are in most cases as accurate as those with row exchanges, {precision} (table {which})"
            here = f"within ten times the error of gtsv for {len(close)} of the {len(solved)} matrices that gtsv solves to a digit"
            yield [claim, "\"most cases\"", here, verdict(2 * len(close) > len(solved))]


def claims():
    speeds = data("paper.csv")
    body = [*of_speed(speeds), *of_structure(), *of_accuracy()]
    return table(["claim", "paper", "here", "verdict"], body) + "\n" + of_adapter(speeds)
