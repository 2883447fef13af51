"""How often the intervals hold with gold, by how it was chosen: simulates it and writes docs/gold-coverage.md.

python -m benchmarks.gold.coverage               # five minutes on two cores
python -m benchmarks.gold.coverage --runs 20     # a trial
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import polars as pl

from benchmarks.gold import mixed_gold, rates_coverage, weighted_gold
from benchmarks.gold.weighted_gold import SIZES
from benchmarks.page import Table
from benchmarks.page import page as whole_page

PAGE = Path(__file__).parents[2] / "docs" / "gold-coverage.md"
RUNS, WORKERS, SEED = 500, 4, 1
LOW, HIGH = 0.93, 0.97  # where the coverage of a nominal 95 % interval should lie
STUDIES = ("random", "strata", "mixed")


def run(task: tuple[str, int, int]) -> pl.DataFrame:
    """Return the figures of a study with this number of gold items."""
    study, n_gold, runs = task
    if study == "random":
        return rates_coverage.measure(runs, SEED, (n_gold,))
    return weighted_gold.figures(n_gold, runs) if study == "strata" else mixed_gold.measure(runs, (n_gold,))


def page(random: pl.DataFrame, strata: pl.DataFrame, mixed: pl.DataFrame, runs: int) -> str:
    """Return the whole page."""
    facts = {
        "nominal": "all intervals are at 95 %; chance moves the coverage of one setting by"
        f" {1.96 * (0.95 * 0.05 / runs) ** 0.5:.3f} either way",
        "random gold": f"{rates_coverage.N_SETTINGS} settings for each number of gold items: rates of .05 to .95,"
        " systems with sensitivity and specificity of .7 to .98, 300 or 2,000 items beside the gold",
        "populations": "the other two tables have six populations of 1,000 items with two or three labels, where the"
        " system is right on .5 to .97 of the items that it gives a label (`benchmarks/gold/weighted_gold.py`)",
        "truth": "the system's expected accuracy, and the expected share of the label",
    }
    tables = [_random_table(random, runs), weighted_gold.table(strata, runs), mixed_gold.table(mixed, runs)]
    note = "Written by `python -m benchmarks.gold.coverage`; do not edit."
    return whole_page("How often the intervals hold where there is gold", note, _reading(random, mixed), facts, tables)


def _reading(random: pl.DataFrame, mixed: pl.DataFrame) -> list[str]:
    rates = rates_coverage.summary(random).filter(method="ppi")
    paragraphs = [
        "Gold corrects the accuracy of systems and [label rates](how-to/label-rates.md). Here gold is taken from"
        " simulated items whose right labels are known, and the intervals are compared with the truth.",
        f"**Label rates from a random sample**, by `ppi`, hold in {_each(rates, 'coverage')} of the cases with"
        f" {_sizes()} gold items.",
    ]
    audited = {
        method: mixed_gold.coverage(mixed.filter(figure="accuracy", method=method), "n_gold").sort("n_gold")
        for method in mixed_gold.METHODS
    }
    own = audited["kappaflow"]
    inside = [n for n, held in own.select("n_gold", "held").iter_rows() if LOW <= held <= HIGH]
    verdict = (
        f"It lies within {LOW:.2f} to {HIGH:.2f} with {_listed(inside)} gold items" if inside else "It lies outside"
    )
    above = [n for n, held in own.select("n_gold", "held").iter_rows() if held > HIGH]
    below = [n for n, held in own.select("n_gold", "held").iter_rows() if held < LOW]
    verdict += f", above with {_listed(above)}" if above else ""
    verdict += f", and below with {_listed(below)}" if below else ""
    paragraphs.append(
        "**Gold of mixed origin**: half of it drawn, the rest picked by somebody, before the draw and after it. The"
        f" audited interval of the accuracy holds in {_each(own, 'held')} of the cases with {_sizes()} gold items, half"
        f" of which were drawn. {verdict}. If the same gold is treated as one random sample, the interval holds in"
        f" {_each(audited['all alike'], 'held')}. The drawn items alone hold in"
        f" {_each(audited['drawn alone'], 'held')}: they are a sample of the items without gold, so they miss what was"
        " picked before."
    )
    return paragraphs


def _each(rows: pl.DataFrame, column: str) -> str:
    return _listed([f"{value:.3f}" for value in rows.sort("n_gold")[column]])


def _sizes() -> str:
    return _listed(SIZES)


def _listed(values: Sequence[object]) -> str:
    *most, last = map(str, values)
    return f"{', '.join(most)} and {last}" if most else last


def _random_table(random: pl.DataFrame, runs: int) -> Table:
    rows = [
        (str(row["n_gold"]), f"`{row['method']}`",
         *(f"{row[name]:.3f}" for name in ("coverage", "lowest", "highest", "half_width", "defined")))
        for row in rates_coverage.summary(random).iter_rows(named=True)
    ]  # fmt: skip
    header = ("gold", "method", "held", "in the worst setting", "in the best", "half-width", "defined")
    about = f"Rates of a label, {runs:,} runs of each setting; mean over the settings. Defined: share of the runs."
    return Table("Gold drawn at random", about, header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    options = parser.parse_args()
    tasks = [(study, n_gold, options.runs) for study in reversed(STUDIES) for n_gold in SIZES]
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as workers:
        frames = dict(zip([task[:2] for task in tasks], workers.map(run, tasks), strict=True))
    random, strata, mixed = (pl.concat([frames[study, n] for n in SIZES]) for study in STUDIES)
    options.out.write_text(page(random, strata, mixed, options.runs), encoding="utf-8")


if __name__ == "__main__":
    main()
