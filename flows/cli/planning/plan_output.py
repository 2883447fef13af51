"""Print the plan of a study, and of its alarms."""

from collections.abc import Iterator, Mapping
from typing import Any

from flows.cli.terminal import cell, heading, interval, note, print_table
from tasks.counted_words import counted
from tasks.summary.plan_notes import is_incomplete, models_lie_apart, outer_is_wide

PlanResult = Mapping[str, Any]


def print_items(plan: PlanResult) -> None:
    """Print how many items a half-width needs, and how many gold items would do instead."""
    heading(
        f"{counted(plan['n_items'], 'item')} with {plan['n_raters']} raters each, {plan['n_ratings']:,} ratings:"
        f" accuracy to ±{plan['half_width']:g} in a {_percent(plan['confidence'])} interval"
    )
    gold = plan["gold"]
    with_model = gold["n_gold"]
    rows = [
        {"way": "ratings alone", "ratings": plan["n_ratings"], "gold": 0, "rests on": "the model"},
        {"way": "ratings and random gold", "ratings": plan["n_ratings"], "gold": with_model, "rests on": "gold"},
        {"way": "random gold alone", "ratings": 0, "gold": gold["n_gold_alone"], "rests on": "gold"},
    ]
    print_table(rows, headers={"way": "way", "ratings": "ratings", "gold": "gold items", "rests on": "rests on"})
    note(
        f"Expected: {plan['n_labels']} labels, kappa {plan['kappa']:g}, so raters right in"
        f" {cell(plan['rater_accuracy'])}; a system right in {plan['system_accuracy']:g}.",
        style="dim",
    )
    _note_outer(plan["outer_half_width"], plan)
    if with_model is None:
        note("Gold for every item of this plan is not enough: draw gold from more items.")
    _warn(plan)


def print_budget(plan: PlanResult) -> None:
    """Print a row for each number of raters per item, with a mark on the best one."""
    best = next(row for row in plan["shares"] if row["best"])
    heading(
        f"{plan['budget']:,} ratings: best spent on {counted(best['n_items'], 'item')} with {best['n_raters']} raters"
        f" each, accuracy to ±{cell(best['half_width'])} in a {_percent(plan['confidence'])} interval"
    )
    rows = [{**row, "mark": "best" if row["best"] else _chosen(row, plan)} for row in plan["shares"]]
    print_table(
        rows,
        headers={
            "n_raters": "raters per item",
            "n_items": "items",
            "n_ratings": "ratings",
            "half_width": "half-width",
            "outer_half_width": "outer",
            "mark": "",
        },
    )
    note(
        f"Expected: {plan['n_labels']} labels, kappa {plan['kappa']:g}; a system right in {plan['system_accuracy']:g}.",
        style="dim",
    )
    _note_outer(best["outer_half_width"], plan)
    enough = plan["for_half_width"]
    if enough is not None:
        note(
            f"±{enough['half_width']:g} takes {enough['n_ratings']:,} ratings:"
            f" {counted(enough['n_items'], 'item')} with {enough['n_raters']} raters each.",
            style="bold",
        )
    _warn(plan)


def print_question(plan: PlanResult) -> None:
    """Print what a question of the project still needs, for each system and for its agreement."""
    now = "" if plan["n_ratings"] is None else f" so far {plan['n_ratings']:,} ratings of {plan['n_items']:,} items,"
    heading(f"{plan['question']}:{now} half-width wanted ±{plan['half_width']:g}")
    without_gold = any(row["outer_half_width_now"] is not None for row in plan["systems"])
    print_table(
        [_need_row(row, plan["half_width"]) for row in plan["systems"]],
        title="Accuracy of the systems",
        headers={
            "system": "system",
            "method": "method",
            "accuracy": "accuracy",
            "interval": "inner interval" if without_gold else "interval",
            "outer_half_width_now": "outer half-width",
            "half_width_now": "inner half-width" if without_gold else "half-width",
            "still": "still needed",
            "more_gold": "or gold items",
            "detail": "why not",
        },
    )
    print_table(
        [_need_row(row, plan["half_width"]) for row in plan["coefficients"]],
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
    half_width = plan["half_width"]
    needing_gold = [row for row in plan["systems"] if is_incomplete(row, half_width)]
    if any(not row["n_gold"] and row["more_gold"] is None for row in needing_gold):
        note(
            "No number of gold items is shown where even the right answers of all items so far are not enough.",
            style="dim",
        )
    if not plan["systems"]:
        note("No system has answered this question yet.", style="dim")
    _warn(plan)


def print_alarms(plan: PlanResult) -> None:
    """Print how soon a drop is found, and what fewer or more false alarms change."""
    scored = "ratings" if plan["alarm"] == "rater" else "items"
    heading(_drop_in_words(plan, scored))
    if plan["detail"] is not None:
        note(plan["detail"])
    rows = [{**row, "mark": _accepted(row, plan), **_shares_in_percent(row)} for row in plan["budgets"]]
    is_found = any(row["median_items"] is not None for row in rows)
    print_table(
        rows if is_found else [],
        headers={
            "false_alarms_per_year": "false alarms a year",
            "chart_alarms_per_year": "of this chart",
            "median_items": f"{scored}, half of cases",
            "items_80": f"{scored}, 80 % of cases",
            "days_80": "days",
            "power": f"within {plan['within']}",
            "best_power": "best possible",
            "mark": "",
        },
    )
    for text in _alarm_notes(plan, scored):
        note(text, style="dim")
    if is_found:
        note(f"In simulations the {scored} needed were two thirds to one and a half times those planned.", style="dim")
    if plan["within"] is None:
        note(
            f"With so few false alarms no method finds it in 80 % of cases in fewer than {plan['best_items_80']:,}"
            f" {scored}, even one that knows the day and the level before.",
            style="dim",
        )
    _warn(plan)


def _note_outer(outer: float, plan: PlanResult) -> None:
    """Say how wide the outer interval is, which more ratings narrow only in part."""
    note(
        f"The half-width is that of the inner interval, if people err independently. The outer one, with errors as on"
        f" real data, has ±{cell(outer)}. More ratings narrow it to ±{cell(plan['outer_half_width_least'])} at best."
        " Only gold narrows it further.",
        style="dim",
    )
    if plan["n_labels"] > 2:
        note(
            "average, the default method, allows for more models than the plan does: in simulations its inner interval"
            " was 1.1 to 1.5 times as wide.",
            style="dim",
        )


def _drop_in_words(plan: PlanResult, scored: str) -> str:
    """Return the drop and how soon it is found, as a sentence."""
    drop, level = plan["drop"], plan["level"]
    from_to = f"by {_exactly(drop)}, from {_exactly(level)} to {_exactly(level - drop)}"
    what = {
        "agreement": f"Kappa drops {from_to}",
        "rater": f"A rater agrees with the others {drop:.2f} less than they with each other",
        "system": f"The accuracy of a system drops {from_to}",
    }[plan["alarm"]]
    half, most = (
        "" if plan[items] is None else f"within {plan[items]:,} {scored} ({counted(plan[days], 'day')}) in {share}"
        for items, days, share in (("median_items", "median_days", "half of cases"), ("items_80", "days_80", "80 %"))
    )
    return f"{what}: found {half}, {most or 'never in 80 %'}" if half else f"{what}: not found"


def _percent(confidence: float) -> str:
    """Return a confidence in percent, not rounded: no interval has 100 %.

    >>> _percent(0.9), _percent(0.9999)
    ('90%', '99.99%')
    """
    return f"{100 * confidence:.6g}%"


def _exactly(value: float) -> str:
    """Return a figure with 2 decimals, or with 3 if 2 would change it.

    >>> _exactly(0.15), _exactly(0.6 - 0.125)
    ('0.15', '0.475')
    """
    return f"{value:.2f}" if abs(value - round(value, 2)) < 5e-4 else f"{value:.3f}"


def _alarm_notes(plan: PlanResult, scored: str) -> Iterator[str]:
    """Yield what the plan rests on."""
    who = {
        "agreement": "",
        "rater": f" of {counted(plan['n_annotators'] or 0, 'annotator')}",
        "system": f", {counted(plan['n_systems'] or 0, 'system')}",
    }[plan["alarm"]]
    yield (
        f"Expected: {plan['n_labels']} labels, {plan['n_raters']} raters an item{who}, kappa {plan['kappa']:g};"
        f" {plan['items_per_day']:,} {scored} a day, {plan['items_before']:,} before the drop, correlation of a day's"
        f" scores {plan['correlation']:g}."
    )
    if plan["alarm"] == "rater":
        yield (
            f"A rater who clicks at random on {plan['drop'] / plan['largest_drop']:.0%} of his items agrees"
            f" {plan['drop']:.2f} less; one who always does, {plan['largest_drop']:.2f} less."
        )
    together = plan["project_alarms_per_year"]
    yield (
        f"False alarms: about {plan['false_alarms_per_year']:g} a year of all charts of a question,"
        f" {plan['chart_alarms_per_year']:.2g} of this one"
        + (f"; {together:g} of {plan['n_questions']} questions together." if plan["n_questions"] > 1 else ".")
    )


def _accepted(row: PlanResult, plan: PlanResult) -> str:
    return "asked for" if row["false_alarms_per_year"] == plan["false_alarms_per_year"] else ""


def _shares_in_percent(row: PlanResult) -> dict[str, str | None]:
    return {name: None if row[name] is None else f"{row[name]:.0%}" for name in ("power", "best_power")}


def _need_row(row: PlanResult, half_width: float) -> dict[str, Any]:
    """Return a row with what is still needed. Gold items are shown where an interval is wider than wanted."""
    is_enough = row["enough"] and not outer_is_wide(row, half_width)
    return {
        **row,
        "interval": interval(row["low"], row["high"]),
        "still": _still_needed(row, half_width),
        "more_gold": None if row.get("n_gold") or is_enough else row.get("more_gold"),
    }


def _still_needed(row: PlanResult, half_width: float) -> str | None:
    """Return what is still needed, as in '1,200 ratings (400 items)' or 'nothing, enough'. None is unknown.

    Where the models lie apart, ratings may not be enough: the number is the least.
    """
    if row["enough"] is None:
        return None
    if row["enough"]:
        return "nothing for the inner interval" if outer_is_wide(row, half_width) else "nothing, enough"
    if row.get("n_gold"):
        return f"{row['more_gold']:,} more gold items"
    items = counted(row["more_items"], "item")
    least = "at least " if models_lie_apart(row, half_width) else ""
    return least + (items if row["more_ratings"] is None else f"{row['more_ratings']:,} ratings ({items})")


def _chosen(row: PlanResult, plan: PlanResult) -> str:
    return "asked for" if row["n_raters"] == plan["n_raters"] else ""


def _warn(plan: PlanResult) -> None:
    for text in plan["warnings"]:
        note(text)


PRINTED = {"alarms": print_alarms, "question": print_question, "items": print_items, "budget": print_budget}
"""The function that prints a plan, by its kind."""
