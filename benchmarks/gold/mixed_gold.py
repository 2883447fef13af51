"""How often the intervals hold where gold is mixed: drawn at random, from before the draw, and of unknown origin.

    python -m benchmarks.gold.mixed_gold [--runs 1000]     # part of `python -m benchmarks.gold.coverage`

The populations are those of `benchmarks.gold.weighted_gold`. Half of the gold items were drawn. Three tenths had gold
before the draw, two tenths got it later. Somebody picked both: items where the system is wrong five times as readily as
others (`hard`), or items where it is right (`easy`). A tenth of the items came after the draw, and a tenth of the later
gold is theirs. `kappaflow` counts gold as a project does (`tasks.evaluate.gold.gold_inclusion`).
"""

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import numpy as np
import polars as pl

from benchmarks.gold.weighted_gold import COLUMNS, CONFIDENCE, SIZES, WORLDS, World, population
from benchmarks.page import Table, as_text
from stats.accuracy.gold.gold_weights import INCLUSION
from stats.accuracy.gold.prediction_powered import Score, prediction_powered
from stats.accuracy.rates.label_rates import corrected_rates
from stats.arrays import FloatArray, IntArray
from tasks.evaluate.gold.gold_inclusion import gold_inclusion

RUNS, SEED = 1000, 20_261_124
OLD = 900  # items that were there at the draw
PICKED = 5.0  # how much more readily an item of the preferred kind is picked
KINDS = ("hard", "easy")
DRAW = datetime(2026, 6, 1)
METHODS = ("kappaflow", "drawn alone", "all alike")
FIGURES = ("accuracy", "rate")
Gold = tuple[IntArray, FloatArray | None]
Row = tuple[str, str, float, float, float, float]


def measure(runs: int, sizes: Sequence[int] = SIZES, seed: int = SEED) -> pl.DataFrame:
    """Return one row per run, figure and method: n_gold, kind, world, figure, method, estimate, truth, low, high."""
    frames = []
    for n_gold in sizes:
        for kind in KINDS:
            for number, world in enumerate(WORLDS, start=1):
                rng = np.random.default_rng([seed, n_gold, KINDS.index(kind), number])
                rows = [row for _ in range(runs) for row in _run(world, n_gold, kind, rng)]
                frame = pl.DataFrame(rows, ["figure", "method", "estimate", "truth", "low", "high"], orient="row")
                setting = {"n_gold": n_gold, "kind": kind, "world": number}
                frames.append(frame.with_columns(**{name: pl.lit(value) for name, value in setting.items()}))
    return pl.concat(frames)


def coverage(figures: pl.DataFrame, *by: str) -> pl.DataFrame:
    """Return held, bias and half for each value of these columns."""
    held = pl.col("truth").is_between(pl.col("low"), pl.col("high"))
    return figures.group_by(*by).agg(
        held=held.mean(), bias=(pl.col("estimate") - pl.col("truth")).mean(),
        half=((pl.col("high") - pl.col("low")) / 2).mean(),
    )  # fmt: skip


def table(figures: pl.DataFrame, runs: int) -> Table:
    """Return coverage, the worst setting's, bias and half-width by number of gold items, figure, picking and method."""
    by = ("n_gold", "figure", "kind", "method")
    worst = coverage(figures, *by, "world").group_by(*by).agg(lowest=pl.col("held").min())
    of_all = {row[:4]: row[4:] for row in coverage(figures, *by).join(worst, on=by).select(
        *by, "held", "lowest", "bias", "half").iter_rows()}  # fmt: skip
    rows = [
        (str(n_gold), figure, kind, method, *(f"{value:.3f}" for value in of_all[n_gold, figure, kind, method]))
        for n_gold in SIZES for figure in FIGURES for kind in KINDS for method in METHODS
    ]  # fmt: skip
    about = (
        f"{runs:,} runs of each population. Half of the gold items were drawn by audit; 3 in 10 had gold before that,"
        " 2 in 10 got it later. Somebody picked these, as hard or as easy items. kappaflow: as a project counts them."
        " All alike: as if they were one random sample. The rate is that of the last label, by ppi."
    )
    return Table("Gold of mixed origin", about, ("gold", "figure", "picked", "method", *COLUMNS), rows)


def _run(world: World, n_gold: int, kind: str, rng: np.random.Generator) -> Iterator[Row]:
    answer, truth, score = population(world, rng)
    right = np.asarray(answer == truth, dtype=np.float64)
    gold_by_origin = _chosen(right, n_gold, kind, rng)
    everything = np.concatenate(list(gold_by_origin.values()))
    golds: dict[str, Gold] = {
        "kappaflow": _counted(gold_by_origin),
        "drawn alone": (gold_by_origin["drawn"], None),
        "all alike": (everything, None),
    }
    k, n = len(world.given), len(answer)
    accuracy = float(np.dot(world.given, world.precision))
    wrong = sum(world.given[label] * (1 - world.precision[label]) / (k - 1) for label in range(k - 1))
    rate = world.given[-1] * world.precision[-1] + wrong
    answers = np.bincount(answer, minlength=k).astype(np.float64)
    for method, (gold, weight) in golds.items():
        estimate = prediction_powered(Score(right[gold], score[gold], float(score.mean()), n, weight))
        half = estimate.half_width(len(gold), CONFIDENCE)
        yield "accuracy", method, estimate.accuracy, accuracy, estimate.accuracy - half, estimate.accuracy + half
        rows = corrected_rates(answers, answer[gold], truth[gold], weight, CONFIDENCE)
        (last,) = [row for label, row in rows if label == k - 1 and row["method"] == "ppi"]
        yield "rate", method, *(float(value) for value in (last["estimate"], rate, last["low"], last["high"]))  # type: ignore[arg-type]


def _chosen(right: FloatArray, n_gold: int, kind: str, rng: np.random.Generator) -> dict[str, IntArray]:
    """Return the items whose gold came before the draw, by it, and later; `new` are items that came after the draw."""
    n = len(right)
    preferred = right == (kind == "easy")
    ease = np.where(preferred, PICKED, 1.0)
    n_drawn, n_before = n_gold // 2, 3 * n_gold // 10
    n_later = n_gold - n_drawn - n_before
    n_new = max(1, n_later // 10)

    def pick(items: IntArray, size: int) -> IntArray:
        return rng.choice(items, size, replace=False, p=ease[items] / ease[items].sum())

    before = pick(np.arange(OLD), n_before)
    drawn = rng.choice(np.setdiff1d(np.arange(OLD), before), n_drawn, replace=False)
    later = pick(np.setdiff1d(np.arange(OLD), np.concatenate([before, drawn])), n_later - n_new)
    return {"before": before, "drawn": drawn, "later": later, "new": pick(np.arange(OLD, n), n_new)}


def _counted(gold_by_origin: dict[str, IntArray]) -> Gold:
    """Return the items that count, and what each stands for."""
    early, late = DRAW - timedelta(days=1), DRAW + timedelta(days=1)
    n_population = OLD - len(gold_by_origin["before"])
    drawn = pl.DataFrame({"item": gold_by_origin["drawn"]}).with_columns(
        pattern=pl.col("item"), audit_id=pl.lit("a"), stratum=pl.lit(""), first_at=pl.lit(early)
    )
    strata = pl.DataFrame(
        {"audit_id": "a", "stratum": "", "n_items": drawn.height, "n_population": n_population, "drawn_at": DRAW}
    )
    moments = {"before": (early, early), "later": (early, late), "new": (late, late)}
    others = pl.concat([
        pl.DataFrame({"item": gold_by_origin[name]}).with_columns(
            pattern=pl.col("item"), stratum=pl.lit(""), first_at=pl.lit(first), gold_at=pl.lit(gold)
        ) for name, (first, gold) in moments.items()
    ])  # fmt: skip
    inclusion = gold_inclusion(drawn, strata, others)
    if inclusion is None:
        return np.concatenate(list(gold_by_origin.values())), None
    return inclusion["item"].to_numpy(), 1 / inclusion[INCLUSION].to_numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args().runs
    print(as_text(table(measure(runs), runs)))


if __name__ == "__main__":
    main()
