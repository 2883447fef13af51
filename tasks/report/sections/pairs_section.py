"""Show how far each pair of annotators of one question agrees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from stats.accuracy.raters.annotators import MIN_RATINGS
from stats.agreement.breakdowns.pairs_by_scale import BY_SCALE
from tasks.ingest.duplicates import readings_of
from tasks.report.charts import Cell, pairwise_chart
from tasks.report.formatting import (
    coefficient_name,
    count,
    counted,
    foreign,
    humanised,
    interval,
    joined,
    number,
    shortened,
)
from tasks.report.html_table import HtmlTable, cells_of, graphic_column, number_column, range_column, text_column
from tasks.report.report_data import Row
from tasks.report.sections.agreement_section import graphic
from tasks.summary.annotators import raters_by_agreement
from tasks.summary.finite import finite
from tasks.summary.interval_width import width_note
from tasks.summary.label_weights import chosen_weights

_MAX_RATERS_CHARTED = 30
_MAX_PAIRS_LISTED = 10
_NUMBERS = ("interval", "ratio")


@dataclass(frozen=True)
class PairsSection:
    """The agreement of pairs of raters: a chart, a note on what it leaves out, a table."""

    chart: Markup
    note: Markup
    table: HtmlTable


def pairs(pairwise: pl.DataFrame, address: Callable[[str, str], str] | None = None) -> PairsSection | None:
    """Show the agreement of each pair: a heat map of up to 30 annotators, and the pairs that agree least.

    `pairwise` may have the weights of `weighted_pairs`. `address` returns where the cell of a pair leads to.
    """
    if not pairwise.height:
        return None
    name, chosen = of_one_coefficient(pairwise)
    rows = chosen.to_dicts()
    weights = rows[0].get("weights")
    coefficient = coefficient_name(name) + (f" with {weights} weights" if weights else "")
    defined = sorted(
        (row for row in rows if finite(row["estimate"]) is not None),
        key=lambda row: (_has_few(row), row["estimate"], str(row)),
    )
    raters = sorted({row[key] for row in rows for key in ("rater_a", "rater_b")})
    charted = 2 < len(raters) <= _MAX_RATERS_CHARTED and defined
    chart = _heat_map(defined, coefficient, address) if charted else Markup()
    return PairsSection(chart, _pairs_note(rows, defined, coefficient, bool(chart)), _pairs_table(defined or rows))


def weighted_pairs(pairwise: pl.DataFrame, agreement: Sequence[Row]) -> pl.DataFrame:
    """Add the weights of the kappas of a question. On a scale of numbers take the kappas that count near misses.

    Numbers are seldom equal. So kappa without weights is near 0 also where annotators differ by little.
    `agreement` are the coefficients of the question over all its ratings.
    """
    weights = chosen_weights(agreement)
    has_numbers = any(row["scale"] in _NUMBERS for row in agreement)
    by_scale = pairwise.get_column(BY_SCALE["estimate"], default=pl.Series([], dtype=pl.Float64))
    if weights is None and has_numbers and by_scale.count():
        weights = "quadratic"
        pairwise = pairwise.with_columns(pl.col(own).alias(name) for name, own in BY_SCALE.items())
    return pairwise.with_columns(weights=pl.lit(weights, pl.String))


def of_one_coefficient(pairwise: pl.DataFrame) -> tuple[str, pl.DataFrame]:
    """Return the coefficient that stands for pairs, Cohen's kappa if it was computed, and its rows."""
    names = pairwise["coefficient"].unique().sort().to_list()
    coefficient = "cohen_kappa" if "cohen_kappa" in names else names[0]
    return coefficient, pairwise.filter(pl.col("coefficient") == coefficient)


def _has_few(pair: Row) -> bool:
    """Check whether a pair has so few items that chance alone may put it first."""
    n_items = finite(pair["n_items"])
    return n_items is not None and n_items < MIN_RATINGS


def _heat_map(defined: Sequence[Row], coefficient: str, address: Callable[[str, str], str] | None) -> Markup:
    """Draw annotators in the order of their mean agreement, so that an outlier is the last line."""
    raters = raters_by_agreement(defined)
    place = {rater: index for index, rater in enumerate(raters)}
    cells = []
    for row in defined:
        column, line = sorted((place[row["rater_a"]], place[row["rater_b"]]))
        tip = f"{shortened(row['rater_a'], 40)}, {shortened(row['rater_b'], 40)}: {number(row['estimate'])}"
        tip = f"{tip} ({interval(row['low'], row['high'])})"
        way = address(row["rater_a"], row["rater_b"]) if address else None
        cells.append(Cell(line, column, float(row["estimate"]), tip, way))
    names = [shortened(rater, 30) for rater in raters]
    return pairwise_chart(names, cells, label=f"{coefficient} of each pair of annotators")


def _pairs_note(rows: Sequence[Row], defined: Sequence[Row], coefficient: str, charted: bool) -> Markup:
    sentences = [Markup("{} of {}.").format(coefficient, counted(len(rows), "pair"))]
    if n_same := sum(_is_one_person(rows)):
        are, of_one = ("is", "one annotator") if n_same == 1 else ("are", "one annotator each")
        sentences.append(
            Markup("{} {} two readings of {}: how far annotators agree with themselves.").format(
                count(n_same), are, of_one
            )
        )
    if charted:
        sentences.append(Markup("Darker is closer."))
    if len(defined) < len(rows):
        reasons = sorted({humanised(r["reason"]) for r in rows if finite(r["estimate"]) is None})
        undefined_pairs = counted(len(rows) - len(defined), "pair")
        sentences.append(Markup("{} undefined: {}.").format(undefined_pairs, joined(reasons)))
    if len(defined) > _MAX_PAIRS_LISTED:
        sentences.append(Markup("The {} that agree least:").format(_MAX_PAIRS_LISTED))
    elif len(defined) > 1:
        sentences.append(Markup("The lowest come first:"))
    if len({_has_few(row) for row in defined}) > 1:
        sentences.append(Markup("Pairs with fewer than {} items come last.").format(MIN_RATINGS))
    return Markup(" ").join(sentences)


def _is_one_person(rows: Sequence[Row]) -> list[bool]:
    """Return for each pair whether both raters are readings of one annotator, as `repeats` numbers them."""
    person_of = readings_of(row[key] for row in rows for key in ("rater_a", "rater_b"))
    people = [[person_of.get(row[key], row[key]) for key in ("rater_a", "rater_b")] for row in rows]
    return [a == b for a, b in people]


def _pairs_table(rows: Sequence[Row]) -> HtmlTable:
    columns = (
        text_column("Annotators", lambda row: joined([foreign(row["rater_a"], 60), foreign(row["rater_b"], 60)])),
        number_column("Value", lambda row: number(row["estimate"])),
        graphic_column(lambda row: graphic(row, start)),
        range_column("Interval", lambda row: interval(row["low"], row["high"])),
        number_column("Items", lambda row: count(row["n_items"])),
    )
    start = -1.0 if any((finite(row["low"]) or 0.0) < 0 for row in rows[:_MAX_PAIRS_LISTED]) else 0.0
    shown = rows[:_MAX_PAIRS_LISTED]
    return HtmlTable(columns, cells_of(columns, shown), note=width_note(shown))
