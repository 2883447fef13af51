"""Print scorecards, and turn them into JSON."""

from typing import TYPE_CHECKING, Any

from flows.cli.terminal import headers_of, heading, interval, line, note, print_table
from tasks.counted_words import counted

if TYPE_CHECKING:
    import polars as pl

    from tasks.raters.scorecard import Scorecards

Row = dict[str, Any]
CHART_STATES = {
    "reference_of_question": "against the reference of the question",
    "own_reference": "against the rater's own first items, because the question's reference has too few of the rater",
    "compared_with_others": "none yet; the rater is compared with the others on the same items",
}
OVERVIEW = headers_of(
    "rater n_items agreement interval accuracy severity median_s n_open_alerts",
    agreement="agrees",
    median_s="seconds",
)
SYSTEMS = headers_of(
    "system n_items accuracy interval n_gold n_recent recent_accuracy recent_interval recent_agreement n_open_alerts"
    " note",
    n_recent="latest items",
    recent_accuracy="latest",
    recent_interval="interval",
    recent_agreement="agrees",
)
FIGURES = {"figure": "figure", "value": "value", "interval": "interval", "n": "n", "note": "note"}
BIAS = {
    "label": "label", "own_share": "own", "others_share": "others", "bias": "difference", "interval": "interval",
}  # fmt: skip


def as_json(cards: "Scorecards") -> dict[str, object]:
    """Return the value of `scorecard --json`."""
    return {"scorecards": cards.cards.to_dicts(), "bias": cards.bias.to_dicts()}


def print_overview(cards: "Scorecards", place: str) -> None:
    """Print a table for each question: one row per rater. `place` is the option that names the project."""
    for (question,), rows in cards.cards.group_by("question", maintain_order=True):
        shown = [row | {"interval": interval(row["agreement_low"], row["agreement_high"])} for row in rows.to_dicts()]
        print_table(shown, title=str(question), headers=OVERVIEW)
    note("agrees: share of pairs with another rater of the same item. accuracy: by the models.", style="dim")
    note(f"For one rater, with intervals and labels: kappaflow scorecard RATER{place}", style="dim")


def print_systems(rows: "pl.DataFrame", place: str) -> None:
    """Print a table for each question: one row per system. `place` is the option that names the project."""
    for (question,), of_question in rows.group_by("question", maintain_order=True):
        print_table([_system_row(row) for row in of_question.to_dicts()], title=str(question), headers=SYSTEMS)
    note("accuracy: on all items. latest: on items rated last. Both with the outer interval.", style="dim")
    if any(_latest_are_all(row) for row in rows.to_dicts()):
        note("Where the items rated last are all items, there is only the figure on all items.", style="dim")
    note("agrees: with the ratings of people, on the latest items.", style="dim")
    note(f'By day, week and month: kappaflow sql "from system_trend"{place}', style="dim")


def _system_row(row: Row) -> Row:
    """Return the row of a system. Where the latest items are all items, their figure is that on all items.

    It is computed in another way, so that its interval would differ in the third digit.
    """
    latest = (
        {"recent_accuracy": "", "recent_interval": ""}
        if _latest_are_all(row)
        else {"recent_interval": _outer_interval(row, "recent_")}
    )
    by = f"accuracy by {row['method']}" if row["accuracy"] is not None and row["method"] != "average" else ""
    texts = [text for text in (by, _words(row["reason"] or row["chart_reason"])) if text]
    return row | latest | {"interval": _outer_interval(row), "note": "; ".join(texts)}


def _latest_are_all(row: Row) -> bool:
    return row["accuracy"] is not None and row["n_recent"] == row["n_items"]


def _outer_interval(row: Row, stem: str = "") -> str:
    """Return the outer interval; methods other than average have only the inner one. `stem` begins the columns."""
    low, high = row[f"{stem}outer_low"], row[f"{stem}outer_high"]
    return interval(row[f"{stem}low"], row[f"{stem}high"]) if low is None else interval(low, high)


def print_cards(cards: "Scorecards") -> None:
    """Print each question of a rater: figures with intervals, then the labels."""
    for row in cards.cards.to_dicts():
        heading(f"{row['rater']}, {row['question']}")
        line(f"{row['n_ratings']:,} ratings; another rater rated {row['n_items']:,} of these items")
        print_table(_figures(row), headers=FIGURES)
        bias = cards.bias.filter(question=row["question"], rater=row["rater"]).to_dicts()
        shown = [each | {"interval": interval(each["low"], each["high"])} for each in bias]
        print_table(shown, title="Labels, beside the others on the same items", headers=BIAS)
        for sentence in _sentences(row):
            note(sentence, style="dim")


def _figures(row: Row) -> list[Row]:
    def figure(name: str, column: str, stem: str, n: int | None) -> Row:
        low, high = row[f"{stem}_low"], row[f"{stem}_high"]
        reason = row[f"{stem}_reason"]
        return {"figure": name, "value": row[column], "interval": interval(low, high), "n": n, "note": _words(reason)}

    return [
        figure("agreement with the others", "agreement", "agreement", row["n_items"]),
        figure("accuracy by the models", "accuracy", "accuracy", row["n_ratings"]),
        figure("accuracy on gold items", "gold_accuracy", "gold", row["n_gold"]),
        figure("severity (logits)", "severity", "severity", row["n_items"]),
        {"figure": "median seconds", "value": row["median_s"], "interval": "—", "n": row["n_timed"],
         "note": _words(row["speed_reason"]) or _pace_of_others(row["others_median_s"])},
        {"figure": "edits", "value": row["n_edits"], "interval": "—", "n": None,
         "note": "" if row["n_edits"] is not None else "not stored of a dataset"},
    ]  # fmt: skip


def _pace_of_others(median: float | None) -> str:
    return "nobody else has durations" if median is None else f"others {median:g}"


def _sentences(row: Row) -> list[str]:
    alike = {
        None: "The screen for copying was not computed for this rater.",
        True: f"The screen for copying found these ratings too close to those of {row['alike_to']}.",
        False: "The screen for copying found nothing.",
    }
    n_alerts = row["n_open_alerts"]
    since = f" since {row['drifting_since']}" if row["drifting_since"] else ""
    drift = f"{counted(n_alerts, 'open alert')} of charts{since}"
    detail = row.get("chart_detail")  # a snapshot that an older version published has none
    chart = f"none. {detail}" if detail else f"{CHART_STATES[row['chart_state']]}."
    severity = "Severity above 0: lower labels than the average rater."
    return [
        alike[row["is_alike"]],
        f"Chart: {chart} {drift}.",
        "Skipped rows are counted by file, not by rater.",
        *([severity] if row["severity"] is not None else []),
    ]


def _words(reason: str | None) -> str:
    return "" if reason is None else reason.replace("_", " ")
