"""How a plan looks on a terminal."""

from collections.abc import Mapping
from typing import Any

from flows.cli.terminal import cell, heading, interval, note, print_table

PlanResult = Mapping[str, Any]


def print_items(found: PlanResult) -> None:
    """Items for a half-width, and what gold items would do instead."""
    heading(
        f"{_many(found['n_items'], 'item')} with {found['n_raters']} raters each, {found['n_ratings']:,} ratings:"
        f" accuracy to ±{found['half_width']:g} in a {found['confidence']:.0%} interval"
    )
    gold = found["gold"]
    with_model = gold["n_gold"]
    rows = [
        {"way": "ratings alone", "ratings": found["n_ratings"], "gold": 0, "rests on": "the model"},
        {"way": "ratings and random gold", "ratings": found["n_ratings"], "gold": with_model, "rests on": "gold"},
        {"way": "random gold alone", "ratings": 0, "gold": gold["n_gold_alone"], "rests on": "gold"},
    ]
    print_table(rows, headers={"way": "way", "ratings": "ratings", "gold": "gold items", "rests on": "rests on"})
    note(
        f"Expected: {found['n_labels']} labels, kappa {found['kappa']:g}, so raters right in"
        f" {cell(found['rater_accuracy'])}; a system right in {found['system_accuracy']:g}.",
        style="dim",
    )
    if with_model is None:
        note("Gold for every item of this plan would not do: draw it from more items.")
    _warn(found)


def print_budget(found: PlanResult) -> None:
    """A row per number of raters, the best marked."""
    best = next(row for row in found["shares"] if row["best"])
    heading(
        f"{found['budget']:,} ratings: best spent on {_many(best['n_items'], 'item')} with {best['n_raters']} raters"
        f" each, accuracy to ±{cell(best['half_width'])} in a {found['confidence']:.0%} interval"
    )
    rows = [{**row, "mark": "best" if row["best"] else _chosen(row, found)} for row in found["shares"]]
    print_table(
        rows,
        headers={
            "n_raters": "raters per item",
            "n_items": "items",
            "n_ratings": "ratings",
            "half_width": "half-width",
            "mark": "",
        },
    )
    note(
        f"Expected: {found['n_labels']} labels, kappa {found['kappa']:g}; a system right in"
        f" {found['system_accuracy']:g}.",
        style="dim",
    )
    enough = found["for_half_width"]
    if enough is not None:
        note(
            f"±{enough['half_width']:g} takes {enough['n_ratings']:,} ratings: {_many(enough['n_items'], 'item')} with"
            f" {enough['n_raters']} raters each.",
            style="bold",
        )
    _warn(found)


def print_question(found: PlanResult) -> None:
    """What a question of the project still needs, system by system and for its agreement."""
    now = "" if found["n_ratings"] is None else f" so far {found['n_ratings']:,} ratings of {found['n_items']:,} items,"
    heading(f"{found['question']}:{now} half-width wanted ±{found['half_width']:g}")
    print_table(
        [_row(row) for row in found["systems"]],
        title="Accuracy of the systems",
        headers={
            "system": "system",
            "method": "method",
            "accuracy": "accuracy",
            "interval": "interval",
            "half_width_now": "half-width",
            "still": "still needed",
            "more_gold": "or gold items",
            "detail": "why not",
        },
    )
    print_table(
        [_row(row) for row in found["coefficients"]],
        title="Agreement of the raters",
        headers={
            "coefficient": "coefficient",
            "estimate": "estimate",
            "interval": "interval",
            "half_width_now": "half-width",
            "still": "still needed",
            "detail": "why not",
        },
    )
    if any(row["enough"] is False and not row["n_gold"] and row["more_gold"] is None for row in found["systems"]):
        note("No number of gold items: even the right answers of all items so far would not do.", style="dim")
    if not found["systems"]:
        note("No system has answered this question yet.", style="dim")
    _warn(found)


def _row(row: PlanResult) -> dict[str, Any]:
    return {**row, "interval": interval(row["low"], row["high"]), "still": _still(row),
            "more_gold": None if row.get("n_gold") or row["enough"] else row.get("more_gold")}  # fmt: skip


def _still(row: PlanResult) -> str | None:
    """'1,200 ratings (400 items)', 'nothing', or a dash."""
    if row["enough"] is None:
        return None
    if row["enough"]:
        return "nothing, enough"
    if row.get("n_gold"):
        return f"{row['more_gold']:,} more gold items"
    items = _many(row["more_items"], "item")
    return items if row["more_ratings"] is None else f"{row['more_ratings']:,} ratings ({items})"


def _chosen(row: PlanResult, found: PlanResult) -> str:
    return "asked for" if row["n_raters"] == found["n_raters"] else ""


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _warn(found: PlanResult) -> None:
    for text in found["warnings"]:
        note(text)
