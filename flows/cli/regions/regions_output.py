"""Print the agreement on spans and boxes."""

from collections.abc import Sequence
from typing import Any

from flows.cli.terminal import heading, interval, note, print_notes, print_table
from tasks.counted_words import counted
from tasks.region_coefficients import OF_RANKINGS, OF_TEXTS

ANSWERS = OF_RANKINGS | OF_TEXTS
"""Coefficients of rankings and texts, which have no regions."""


def print_regions(result: dict[str, Any]) -> None:
    """Print the coefficients of one question, its breakdowns, and the warnings."""
    what = result["regions"]
    marked = counted(result["n_regions"], "box" if what == "boxes" else "span", what)
    heading(
        f"{result['question']}: {marked}, {counted(result['n_items'], 'item')}, "
        f"{counted(result['n_raters'], 'rater')}, {counted(len(result['labels']), 'label')}"
    )
    print_table([_row(row, what) for row in result["coefficients"]])
    first = {"by_pair": ("rater_a", "rater_b"), "by_label": ("label",)}
    rows = list(result["coefficients"])
    for key, names in first.items():
        if key in result:
            rows += result[key]
            title = f"By {key.removeprefix('by_')}"
            print_table([{name: row[name] for name in names} | _row(row, what) for row in result[key]], title=title)
    for text in dict.fromkeys(row["detail"] for row in rows if row["detail"]):
        note(text)
    for text in result["warnings"]:
        print_notes(text)


def _row(row: dict[str, Any], what: str) -> dict[str, object]:
    return {
        "coefficient": row.get("name") or row["coefficient"],
        "estimate": row["estimate"],
        "interval": interval(row["low"], row["high"]),
        what: row["n_regions"],
        "items": row["n_items"],
        "why not": row["reason"],
    }


def print_region_figures(rows: Sequence[dict[str, Any]]) -> None:
    """Print how far raters agree on spans, boxes, rankings and texts."""
    answers = {row["coefficient"] for row in rows} & ANSWERS
    print_table(
        [
            {**row, "interval": interval(row["low"], row["high"])}
            | ({"n_regions": None} if row["coefficient"] in ANSWERS else {})
            for row in rows
        ],
        title="Spans, boxes, rankings and texts" if answers else "Spans and boxes",
        headers={
            "question": "question",
            "n_regions": "marked",
            "n_items": "items",
            "n_raters": "raters",
            "coefficient": "coefficient",
            "estimate": "value",
            "interval": "interval",
        },
    )
    for text in dict.fromkeys(row["detail"] for row in rows if row.get("detail") and row["estimate"] is not None):
        note(text)
