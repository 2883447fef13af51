"""Show how far the annotators of one question agree: the coefficients."""

from collections.abc import Iterable, Sequence

import polars as pl
from markupsafe import Markup

from stats.agreement.coefficients.information_agreement import too_high_note
from tasks.glossary import HEADLINES
from tasks.report.formatting import (
    coefficient_name,
    confidence,
    count,
    counted,
    foreign,
    interval,
    number,
    p_value,
    shortened,
    undefined,
)
from tasks.report.html_table import (
    HtmlTable,
    cells_of,
    graphic_column,
    number_column,
    range_column,
    table_of,
    text_column,
)
from tasks.report.report_data import Row
from tasks.report.svg import whisker
from tasks.summary.finite import finite
from tasks.summary.interval_width import width_note
from tasks.summary.label_weights import is_plain, scale_sentence

_SIZES = (
    number_column("Items", lambda row: count(row["n_items"])),
    number_column("Raters", lambda row: count(row["n_raters"])),
    number_column("Ratings", lambda row: count(row["n_ratings"])),
)


def main_rows(agreement: pl.DataFrame) -> list[Row]:
    """Return the rows of scope 'humans', else of the first scope. An empty scope counts as 'humans'."""
    scopes = agreement["scope"].fill_null("humans") if agreement["scope"].dtype == pl.String else None
    if scopes is None:
        return agreement.to_dicts()
    wanted = "humans" if "humans" in scopes else min(scopes, default="humans")
    return agreement.filter(scopes == wanted).to_dicts()


def headline(rows: Sequence[Row]) -> Row | None:
    """Return the main row of the question: the first defined one of HEADLINES, else one with a reason."""
    for name in HEADLINES:
        for row in rows:
            if row["coefficient"] == name and finite(row["estimate"]) is not None:
                return row
    undefined = (row for name in HEADLINES for row in rows if row["coefficient"] == name)
    return next(undefined, rows[0] if rows else None)


def coefficient_table(rows: Sequence[Row]) -> HtmlTable:
    """List the coefficients that apply. A fold names the others.

    Where one reason leaves all of them without a value, such as a single rater, one row tells it.
    """
    shown = [row for row in rows if finite(row["estimate"]) is not None or row["reason"] != "not_applicable"]
    reasons = {row["reason"] if finite(row["estimate"]) is None else None for row in shown}
    if len(shown) > 1 and len(reasons) == 1 and None not in reasons:
        return _undefined_table(rows, shown)
    low = min((finite(row[key]) or 0.0 for row in shown for key in ("estimate", "low")), default=0.0)
    start = -1.0 if low < 0 else 0.0
    with_scale, only_alpha = len({row["scale"] for row in rows}) > 1, bool(scale_sentence(rows))
    columns = (
        text_column(
            "Coefficient", lambda row: full_name(row, with_scale=with_scale or (only_alpha and _by_scale(row)))
        ),
        number_column("Value", lambda row: number(row["estimate"])),
        graphic_column(lambda row: graphic(row, start)),
        range_column(confidence(row["confidence"] for row in shown), lambda row: interval(row["low"], row["high"])),
        number_column("SE", lambda row: number(row["se"])),
        number_column("p", lambda row: p_value(row["p_value"])),
        number_column("Observed", lambda row: number(row["observed"])),
        number_column("Expected", lambda row: number(row["expected"])),
        *_SIZES,
    )
    omitted = [full_name(row, with_scale=with_scale) for row in rows if row not in shown]
    verb = "does" if len(omitted) == 1 else "do"
    title = f"{counted(len(omitted), 'coefficient')} {verb} not apply here"
    aside = (title, f"{', '.join(omitted)}.") if omitted else None
    note = " ".join(filter(None, [width_note(shown), _too_high_note(shown)]))
    return HtmlTable(columns, cells_of(columns, shown), note=note, aside=aside)


def _too_high_note(rows: Sequence[Row]) -> str:
    """Say which coefficient is far from 0 by chance alone."""
    return " ".join(f"{full_name(row)}: {note}" for row in rows if (note := too_high_note(row["detail"])))


def _by_scale(row: Row) -> bool:
    return bool(row["weights"] == "metric")


def scope_table(agreement: pl.DataFrame, shown: Sequence[Row]) -> HtmlTable | None:
    """List the other scopes (all raters, single labels, slices), or return None if there are none."""
    scope = shown[0]["scope"] if shown else None
    rows = [row for row in agreement.sort("scope", "coefficient").to_dicts() if row["scope"] not in (scope, None)]
    columns = (
        text_column("Scope", lambda row: foreign(row["scope"])),
        text_column("Coefficient", full_name),
        number_column("Value", lambda row: number(row["estimate"])),
        graphic_column(lambda row: graphic(row, 0.0)),
        range_column(confidence(row["confidence"] for row in rows), lambda row: interval(row["low"], row["high"])),
        number_column("Items", lambda row: count(row["n_items"])),
        number_column("Ratings", lambda row: count(row["n_ratings"])),
    )
    return table_of(columns, rows, width_note(rows))


def full_name(row: Row, *, with_scale: bool = False) -> str:
    """Return the coefficient's name, with its weights if it has any, and its scale if there are several."""
    words = [coefficient_name(row["coefficient"])]
    if with_scale and row["scale"]:
        words.append(f"{row['scale']} scale")
    if not is_plain(row["weights"]):
        words.append(f"{row['weights']} weights")
    return shortened(", ".join(words), 80)


def axis_start(rows: Iterable[Row | None]) -> float:
    """Return where the axis of a column of graphics begins: one axis for all its rows, -1 if an interval needs it."""
    lows = (finite(row["low"]) for row in rows if row)
    return -1.0 if min(filter(None, lows), default=0.0) < 0 else 0.0


def graphic(row: Row, start: float) -> Markup:
    """Draw an estimate with its interval, or say why there is none."""
    if finite(row["estimate"]) is None:
        return undefined(row["reason"], row.get("detail"))
    return whisker(row["estimate"], row["low"], row["high"], start=start)


def _undefined_table(rows: Sequence[Row], shown: Sequence[Row]) -> HtmlTable:
    """Say once why no coefficient has a value. A fold names them."""
    main = headline(shown) or shown[0]
    alike = len({row["detail"] for row in shown}) == 1
    columns = (
        text_column("Coefficient", lambda row: "All coefficients"),
        graphic_column(lambda row: undefined(row["reason"], row["detail"] if alike else None)),
        *_SIZES,
    )
    names = ", ".join(full_name(row) for row in rows)
    aside = (f"{counted(len(rows), 'coefficient')} without a value", f"{names}.")
    return HtmlTable(columns, cells_of(columns, [main]), aside=aside)
