"""Print the breakdowns of `agree`: against the group, by label, rater, item and pair, and benchmark levels."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flows.cli.terminal import headers_of, interval, note, p_value, print_table
from tasks.summary.interval_width import width_note
from tasks.summary.label_weights import chosen_weights

Row = Mapping[str, Any]
MAX_ROWS = 30  # of a breakdown on a terminal; --json has all

FIGURES = {"estimate": "estimate", "interval": "interval", "se": "se", "p_value": "p", "n_items": "items"}
AGAINST = {"system": "rater", "name": "against the group", **FIGURES, "reason": "why not"}
BY_LABEL = {"label": "label", "name": "coefficient", **FIGURES, "observed": "observed", "reason": "why not"}
BY_PAIR = {"rater_a": "rater", "rater_b": "other rater", "coefficient": "coefficient", **FIGURES, "reason": "why not"}
BY_RATER = headers_of(
    "rater n_ratings n_items agreement_with_others coefficient estimate without difference reason",
    n_items="shared items",
    estimate="with the rater",
)
BY_ITEM = headers_of(
    "item n_ratings n_labels_used top top_share disagreement entropy entropy_normalised reason",
    n_labels_used="labels",
    top="most used",
    top_share="share",
    entropy="entropy (bits)",
    entropy_normalised="of the most possible",
)
WITH_INTERVALS = ("label", "pair")
LEVELS = {"name": "coefficient", "level": "level", "low": "from", "cumulative": "probability of it or better"}


def print_details(result: Mapping[str, Any]) -> None:
    """Print a table for each breakdown that the result has."""
    if "benchmark" in result:
        levels = [row for row in result["benchmark"] if row["chosen"]]
        print_table(levels, title=f"Level on the scale {levels[0]['scale']}" if levels else None, headers=LEVELS)
    if "against_group" in result:
        print_table(_figure_rows(result["against_group"]), title="Against the group of all others", headers=AGAINST)
    for name, (title, prepared, headers) in BREAKDOWNS.items():
        if f"by_{name}" in result:
            rows = result[f"by_{name}"]
            if not rows and name == "pair":
                note("No two people share as many items as --min-items asks for, so there is no pair to show.")
            if name == "rater" and chosen_weights(result["coefficients"]):
                headers = BY_RATER | {"agreement_with_others": "weighted agreement with others"}
            print_table(prepared(rows[:MAX_ROWS]), title=title, headers=headers)
            if name in WITH_INTERVALS and (text := width_note(rows[:MAX_ROWS])):
                note(text)
            if len(rows) > MAX_ROWS:
                note(f"The first {MAX_ROWS} of {len(rows):,}; --json has all.", style="dim")


def _figure_rows(rows: Sequence[Row]) -> list[Row]:
    return [
        {**row, "interval": interval(row["low"], row["high"]), "p_value": p_value(row.get("p_value"))} for row in rows
    ]


def _item_rows(rows: Sequence[Row]) -> list[Row]:
    return [{**row, "top": ", ".join(row["top_labels"])} for row in rows]


BREAKDOWNS: dict[str, tuple[str, Callable[[Sequence[Row]], list[Row]], dict[str, str] | None]] = {
    "label": ("Each label against the rest", _figure_rows, BY_LABEL),
    "rater": ("Raters", list, BY_RATER),
    "item": ("Items, those that raters differ on most first", _item_rows, BY_ITEM),
    "pair": ("Pairs of raters", _figure_rows, BY_PAIR),
}
