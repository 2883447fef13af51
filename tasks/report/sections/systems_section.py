"""Show how good the systems of one question are, beside its annotators."""

from collections.abc import Sequence

import polars as pl
from markupsafe import Markup

from stats.accuracy.raters.annotators import MIN_RATINGS
from tasks.report.charts import Ranked, ranking_chart
from tasks.report.formatting import (
    count,
    foreign,
    interval,
    joined,
    method_name,
    number,
    outer_confidence,
    shortened,
    undefined,
)
from tasks.report.html_table import HtmlTable, graphic_column, number_column, range_column, table_of, text_column
from tasks.report.report_data import Row
from tasks.report.sections.warnings_section import system_name
from tasks.report.standing_words import copied_raters, if_independent, standing_words
from tasks.report.svg import whisker
from tasks.summary.finite import finite
from tasks.summary.headline import headline_rows, method_place
from tasks.summary.system_standing import HumanRaters, has_few

_MAX_RATERS_CHARTED = 24


def main_systems(systems: pl.DataFrame) -> list[Row]:
    """Choose the main estimate of each system and version. Best first, undefined ones last."""
    rows = headline_rows(systems).to_dicts()
    return sorted(rows, key=lambda row: (-(finite(row["accuracy"]) or -1.0), str(row["system"])))


def estimates_table(systems: pl.DataFrame) -> HtmlTable | None:
    """List every method's estimate of every system, if there are more than the main ones."""
    rows = sorted(
        systems.to_dicts(), key=lambda row: (str(row["system"]), str(row["system_version"]), _method_rank(row))
    )
    return systems_table(rows) if len(rows) > len(main_systems(systems)) else None


def slices_table(slices: pl.DataFrame) -> HtmlTable | None:
    """List the main estimate of each system for each slice of the items."""
    by_scope = slices.sort("scope").group_by("scope", maintain_order=True)
    outer, inner = outer_confidence(slices["confidence"])
    columns = (
        text_column("Slice", lambda row: foreign(str(row["scope"]).removeprefix("slice:"))),
        text_column("System", lambda row: foreign(system_name(row), 80)),
        text_column("Method", lambda row: method_name(row["method"])),
        number_column("Accuracy", lambda row: number(row["accuracy"])),
        graphic_column(accuracy_graphic),
        range_column(outer, lambda row: interval(row["outer_low"], row["outer_high"])),
        range_column(inner, lambda row: interval(row["low"], row["high"])),
        number_column("Items", lambda row: count(row["n_items"])),
        number_column("Gold", lambda row: count(row["n_gold"])),
    )
    return table_of(columns, [row for _, rows in by_scope for row in main_systems(rows)])


def systems_table(rows: Sequence[Row]) -> HtmlTable | None:
    """List the systems with every method."""
    outer, inner = outer_confidence(row["confidence"] for row in rows)
    columns = (
        text_column("System", lambda row: foreign(system_name(row), 80)),
        text_column("Method", lambda row: method_name(row["method"])),
        number_column("Accuracy", lambda row: number(row["accuracy"])),
        graphic_column(accuracy_graphic),
        range_column(outer, lambda row: interval(row["outer_low"], row["outer_high"])),
        range_column(inner, lambda row: interval(row["low"], row["high"])),
        range_column("Range over models", lambda row: interval(row["spread_low"], row["spread_high"])),
        number_column("Items", lambda row: count(row["n_items"])),
        number_column("Gold", lambda row: count(row["n_gold"])),
    )
    return table_of(columns, rows)


def ranking(systems: Sequence[Row], raters: HumanRaters) -> Markup:
    """Draw systems and annotators in one chart, best first. Without a defined system it is empty."""
    defined = [row for row in systems if finite(row["accuracy"]) is not None]
    if not defined:
        return Markup()
    humans = [row for row in raters.rows if finite(row["accuracy"]) is not None]
    humans = sorted(humans, key=lambda row: -(finite(row["n_ratings"]) or 0))[:_MAX_RATERS_CHARTED]
    entries = [_ranked(row, system_name(row), True) for row in defined]
    entries += [_ranked(row, str(row["rater"]), False) for row in humans if not has_few(row)]
    entries.sort(key=lambda entry: -entry.estimate)
    entries += [_ranked(row, str(row["rater"]), False) for row in raters.rows if row in humans and has_few(row)]
    return ranking_chart(entries, reference=raters.mean, label="Accuracy of systems and annotators")


def ranking_note(systems: Sequence[Row], raters: HumanRaters, copying: Sequence[Row] = ()) -> Markup:
    """Explain the chart, and say how each system compares with the annotators.

    copying: the violated checks of copying. A system that seems to copy an annotator is not compared.
    """
    sentences = [Markup("Diamonds: systems (pale: range over models). Circles: annotators.")]
    if any(finite(row["outer_low"]) is not None and not finite(row["n_gold"]) for row in systems):
        sentences.append(Markup("Thick line: inner interval, thin line: outer."))
    if raters.mean is not None:
        sentences.append(Markup("Dotted line: the annotators' accuracy, {}.").format(number(raters.mean)))
    if any(has_few(row) for row in raters.rows):
        sentences.append(Markup("Annotators with fewer than {} ratings come last.").format(MIN_RATINGS))
    if len(raters.rows) > _MAX_RATERS_CHARTED:
        sentences.append(
            Markup("Of {} annotators the {} with most ratings are drawn.").format(
                count(len(raters.rows)), _MAX_RATERS_CHARTED
            )
        )
    return Markup(" ").join([*sentences, *_standings(systems, raters, copying)])


def _standings(systems: Sequence[Row], raters: HumanRaters, copying: Sequence[Row]) -> list[Markup]:
    """Say how each system compares with the annotators. Systems without gold come after the condition for them."""
    standings_by_hedge: dict[str, list[Markup]] = {}
    copies = [row for row in systems if copied_raters(row, copying) and standing_words(row, raters)]
    for row in systems:
        if row not in copies and (words := standing_words(row, raters)):
            standings_by_hedge.setdefault(if_independent(row), []).append(
                Markup("{} is {}").format(foreign(system_name(row), 60), words)
            )
    sentences = [Markup("{}{}.").format(joined(standings), hedge) for hedge, standings in standings_by_hedge.items()]
    if copies:
        names = joined([foreign(system_name(row), 60) for row in copies])
        sentences.append(Markup("Not compared with the annotators, because it seems to copy one: {}.").format(names))
    return sentences


def bins_table(bins: pl.DataFrame) -> HtmlTable | None:
    """List Lehner's bins: the system's agreement with the raters' most probable label, by its probability."""
    columns = (
        text_column("System", lambda row: foreign(row["system"], 80)),
        text_column("Probability of the label", lambda row: interval(row["bin_low"], row["bin_high"])),
        number_column("Items", lambda row: count(row["n_items"])),
        number_column("Mean probability", lambda row: number(row["mean_posterior"])),
        number_column("Agreement", lambda row: number(row["agreement"])),
        number_column("Estimated accuracy", lambda row: number(row["estimate"])),
    )
    note = "The items are grouped by the probability of their most probable label, given the annotators' answers."
    return table_of(columns, bins.sort("system", "bin_low", descending=[False, True]).to_dicts(), note)


def _method_rank(row: Row) -> tuple[bool, int, str]:
    method = str(row["method"])
    return finite(row["accuracy"]) is None, method_place(method), method


def accuracy_graphic(row: Row) -> Markup:
    """Draw an accuracy with its interval, or say why there is none."""
    if finite(row["accuracy"]) is None:
        return undefined(row["reason"], row.get("detail"))
    low, high = widest(row)
    return whisker(row["accuracy"], low, high)


def widest(row: Row) -> tuple[float | None, float | None]:
    """Return the outer interval of a system, or the only one of an annotator and of other methods than average."""
    low, high = finite(row.get("outer_low")), finite(row.get("outer_high"))
    return (finite(row["low"]), finite(row["high"])) if low is None or high is None else (low, high)


def _ranked(row: Row, name: str, is_system: bool) -> Ranked:
    value, low, high = finite(row["accuracy"]), finite(row["low"]), finite(row["high"])
    spread_low, spread_high = (finite(row[key]) if is_system else None for key in ("spread_low", "spread_high"))
    outer_low, outer_high = widest(row)
    tip = f"{shortened(name, 60)}: {number(value)} ({interval(outer_low, outer_high)})"
    return Ranked(
        shortened(name, 30), tip, is_system, value or 0.0, low, high, spread_low, spread_high, outer_low, outer_high
    )
