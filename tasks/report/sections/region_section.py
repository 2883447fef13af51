"""Show how far the raters of each question agree on spans or boxes: all together, each pair, each label."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from tasks.report.formatting import confidence, count, counted, finite, foreign, interval, number, undefined
from tasks.report.html_table import Cell, HtmlTable, numbers, ranges, texts
from tasks.report.report_data import ReportData, Row, of_question

_MAX_ROWS = 40
_COEFFICIENTS = {
    "f1_exact": "F1, exact",
    "f1_partial": "F1, overlap",
    "character_alpha": "alpha of characters",
    "unitised_alpha": "unitised alpha",
    "f1_iou50": "F1, IoU .5",
    "f1_iou75": "F1, IoU .75",
    "mean_iou": "mean IoU",
}


@dataclass(frozen=True)
class RegionSection:
    """The agreement on the spans or boxes of one question."""

    anchor: str
    name: Markup
    facts: Markup
    overall: HtmlTable
    pairs: HtmlTable | None
    labels: HtmlTable | None


def region_sections(data: ReportData) -> list[RegionSection]:
    """Build a section per question with spans or boxes, by name."""
    names = sorted(name for name in data.regions["question"].unique() if name is not None)
    return [_section(data, name, place) for place, name in enumerate(names, start=1)]


def _section(data: ReportData, name: str, place: int) -> RegionSection:
    rows = of_question(data.regions, name)
    pairs, labels = pl.col("rater_a").is_not_null(), pl.col("label").is_not_null()
    overall = rows.filter(~pairs & ~labels).to_dicts()
    largest = max(overall, key=lambda row: int(row["n_regions"] or 0), default=None)
    facts = [] if largest is None else [
        counted(int(largest[key] or 0), word) for key, word in (("n_items", "item"), ("n_raters", "rater"))
    ]  # fmt: skip
    return RegionSection(
        f"r{place}",
        foreign(name, 120),
        Markup(" · ").join(facts),
        _table(overall, (), _nothing) or HtmlTable((), []),
        _table(rows.filter(pairs).to_dicts(), ("Raters",), _pair),
        _table(rows.filter(labels).to_dicts(), ("Label",), lambda row: (foreign(row["label"], 80),)),
    )


def _nothing(row: Row) -> tuple[Cell, ...]:
    return ()


def _pair(row: Row) -> tuple[Cell, ...]:
    return (Markup("{} · {}").format(foreign(row["rater_a"], 60), foreign(row["rater_b"], 60)),)


def _table(rows: list[Row], first: tuple[str, ...], cells_of: Callable[[Row], tuple[Cell, ...]]) -> HtmlTable | None:
    places = {name: place for place, name in enumerate(_COEFFICIENTS)}
    rows.sort(key=lambda row: (*(str(row[key]) for key in ("rater_a", "rater_b", "label")), places[row["coefficient"]]))
    columns = (
        *texts(*first, "Coefficient"),
        *numbers("Estimate"),
        *ranges(confidence(row["confidence"] for row in rows)),
        *numbers("Items", "Regions"),
    )
    cells: list[tuple[Cell, ...]] = [
        (
            *cells_of(row),
            _COEFFICIENTS[row["coefficient"]],
            number(row["estimate"]) if finite(row["estimate"]) is not None else undefined(row["reason"], row["detail"]),
            interval(row["low"], row["high"]),
            count(row["n_items"]),
            count(row["n_regions"]),
        )
        for row in rows[:_MAX_ROWS]
    ]
    details = dict.fromkeys(str(row["detail"]) for row in rows[:_MAX_ROWS] if _has_caution(row))
    more = [f"The first {_MAX_ROWS} of {counted(len(rows), 'figure')}."] if len(rows) > _MAX_ROWS else []
    return HtmlTable(columns, cells, " ".join([*details, *more])) if cells else None


def _has_caution(row: Row) -> bool:
    """Check whether something is to be said of a figure that is defined."""
    return finite(row["estimate"]) is not None and bool(row["detail"])
