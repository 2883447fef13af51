"""Show how far the annotators of one question agree: the coefficients."""

from collections.abc import Iterable, Sequence

import polars as pl
from markupsafe import Markup

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
from tasks.report.html_table import GRAPHIC, HtmlTable, numbers, ranges, texts
from tasks.report.report_data import Row
from tasks.report.svg import whisker
from tasks.summary.finite import finite
from tasks.summary.label_weights import is_plain


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
    columns = (
        *texts("Coefficient"),
        *numbers("Value"),
        GRAPHIC,
        *ranges(confidence(r["confidence"] for r in shown)),
        *numbers("SE", "p", "Observed", "Expected", "Items", "Raters", "Ratings"),
    )
    with_scale = len({row["scale"] for row in rows}) > 1
    omitted = [full_name(row, with_scale=with_scale) for row in rows if row not in shown]
    cells = [_coefficient_row(row, start, full_name(row, with_scale=with_scale)) for row in shown]
    verb = "does" if len(omitted) == 1 else "do"
    title = f"{counted(len(omitted), 'coefficient')} {verb} not apply here"
    return HtmlTable(columns, cells, aside=(title, f"{', '.join(omitted)}.") if omitted else None)


def scope_table(agreement: pl.DataFrame, shown: Sequence[Row]) -> HtmlTable | None:
    """List the other scopes (all raters, single labels, slices), or return None if there are none."""
    scope = shown[0]["scope"] if shown else None
    rows = [row for row in agreement.sort("scope", "coefficient").to_dicts() if row["scope"] not in (scope, None)]
    columns = (
        *texts("Scope", "Coefficient"),
        *numbers("Value"),
        GRAPHIC,
        *ranges(confidence(row["confidence"] for row in rows)),
        *numbers("Items", "Ratings"),
    )
    cells = [
        (
            foreign(r["scope"]),
            full_name(r),
            number(r["estimate"]),
            graphic(r, 0.0),
            interval(r["low"], r["high"]),
            count(r["n_items"]),
            count(r["n_ratings"]),
        )
        for r in rows
    ]
    return HtmlTable(columns, cells) if rows else None


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
    cells = (
        "All coefficients",
        undefined(main["reason"], main["detail"] if alike else None),
        *(count(main[name]) for name in ("n_items", "n_raters", "n_ratings")),
    )
    names = ", ".join(full_name(row) for row in rows)
    columns = (*texts("Coefficient"), GRAPHIC, *numbers("Items", "Raters", "Ratings"))
    return HtmlTable(columns, [cells], aside=(f"{counted(len(rows), 'coefficient')} without a value", f"{names}."))


def _coefficient_row(row: Row, start: float, name: str) -> tuple[Markup | str, ...]:
    return (
        name,
        number(row["estimate"]),
        graphic(row, start),
        interval(row["low"], row["high"]),
        number(row["se"]),
        p_value(row["p_value"]),
        number(row["observed"]),
        number(row["expected"]),
        count(row["n_items"]),
        count(row["n_raters"]),
        count(row["n_ratings"]),
    )
