"""What contradicts what, among the figures that a user sets side by side."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from stats.accuracy.raters.annotators import MIN_RATINGS
from tasks.evaluate.agreement import evaluate
from tasks.evaluate.patterns import from_ratings
from tasks.evaluate.question_config import QuestionConfig
from tests.verdicts.sets import Set

Row = dict[str, Any]
Tables = Mapping[str, pl.DataFrame]
SAME = 1e-6
CONFIDENCE = 0.95
FIGURES = {
    "system_accuracy": "accuracy",
    "system_differences": "difference",
    "systems_against_raters": "difference",
    "rater_quality": "accuracy",
    "annotator_tests": "winning_rate",
    "label_quality": "precision",
}


def contradictions(given: Set) -> list[str]:
    """A sentence for each; none where all figures of the question agree."""
    patterns = from_ratings(given.ratings).frame
    result = evaluate(
        "q", patterns, QuestionConfig(labels=given.labels, scale=given.scale), confidence=CONFIDENCE, seed=0
    ).tables
    tables = {name: result[name] for name in FIGURES if name in result}
    headline = {row["system"]: row for row in tables["system_accuracy"].filter(method="average").iter_rows(named=True)}
    return [
        *_mixed(tables),
        *_against(tables, headline),
        *_differences(tables, headline, given),
        *_raters(tables),
        *_labels(tables, headline),
    ]


def _mixed(tables: Tables) -> Iterator[str]:
    """Audited figures beside others, and figures that are null without a reason."""
    audited = any((tables[name]["n_gold"].fill_null(0) > 1).any() for name in ("system_accuracy",))
    for name, figure in FIGURES.items():
        for row in tables[name].iter_rows(named=True) if name in tables else ():
            if name == "label_quality" and row["recall"] is not None and row["precision"] is None:
                continue
            if (row[figure] is None) != (row["reason"] is not None) and name != "label_quality":
                yield f"{name}: {figure} {row[figure]}, reason {row['reason']}"
            if row[figure] is not None and ((row["n_gold"] or 0) > 1) is not audited:
                yield f"{name}: {row[figure]} rests on {row['n_gold']} gold items, the headline is audited: {audited}"


def _against(tables: Tables, headline: Mapping[str, Row]) -> Iterator[str]:
    rows = tables.get("systems_against_raters", pl.DataFrame()).to_dicts()
    common = {round(row["rater_accuracy"], 9) for row in rows
              if row["compared_with"] == "average_rater" and row["difference"] is not None}  # fmt: skip
    if len(common) > 1:
        yield f"the annotators have the accuracies {sorted(common)}"
    first = _first(tables)
    for row in rows:
        if row["difference"] is None:
            continue
        who = f"{row['system']} against {row['compared_with']}"
        if abs(row["accuracy"] - headline[row["system"]]["accuracy"]) > SAME:
            yield f"{who}: accuracy {row['accuracy']}, headline {headline[row['system']]['accuracy']}"
        if abs(row["difference"] - (row["accuracy"] - row["rater_accuracy"])) > SAME:
            yield f"{who}: difference {row['difference']} of {row['accuracy']} and {row['rater_accuracy']}"
        yield from _sides(who, row, "p_system_better")
        if row["compared_with"] == "best_rater" and (
            first is None or first["rater"] != row["rater"] or abs(first["accuracy"] - row["rater_accuracy"]) > SAME
        ):
            yield f"{who}: {row['rater']} {row['rater_accuracy']}, first of the table is {first}"


def _differences(tables: Tables, headline: Mapping[str, Row], given: Set) -> Iterator[str]:
    rows = tables.get("system_differences", pl.DataFrame()).to_dicts()
    answered = {system: set(given.ratings.filter(rater=system)["item"]) for system in headline}
    for row in rows:
        if row["difference"] is None:
            continue
        a, b = row["system_a"], row["system_b"]
        who = f"{a} against {b}"
        if abs(row["difference"] - (row["accuracy_a"] - row["accuracy_b"])) > SAME:
            yield f"{who}: difference {row['difference']} of {row['accuracy_a']} and {row['accuracy_b']}"
        yield from _sides(who, row, "p_a_better")
        if answered[a] == answered[b]:
            for system, key in ((a, "accuracy_a"), (b, "accuracy_b")):
                if abs(row[key] - headline[system]["accuracy"]) > SAME:
                    yield f"{who}: {system} {row[key]}, headline {headline[system]['accuracy']}"
        elif _rated(answered[a], given) != _rated(answered[b], given) and not _says_why(row):
            yield f"{who}: other items than the headline's, and no word of it"


def _rated(items: set[str], given: Set) -> set[str]:
    return items & set(given.ratings.filter(rater_kind="human")["item"])


def _says_why(row: Row) -> bool:
    return any("answered different items" in text for text in row["warnings"])


def _sides(who: str, row: Row, probability: str) -> Iterator[str]:
    value, p = row["difference"], row[probability]
    if p is None:
        return
    if (value > SAME and p < 0.5) or (value < -SAME and p > 0.5):
        yield f"{who}: difference {value}, probability {p}"
    if not row["low"] - SAME <= value <= row["high"] + SAME:
        yield f"{who}: difference {value} outside of [{row['low']}, {row['high']}]"
    if (row["low"] > 0 and p <= 0.5) or (row["high"] < 0 and p >= 0.5):
        yield f"{who}: interval [{row['low']}, {row['high']}], probability {p}"
    surer = abs(p - 0.5) > CONFIDENCE / 2 + SAME
    if surer is not (row["low"] > 0 or row["high"] < 0) and abs(abs(p - 0.5) - CONFIDENCE / 2) > SAME:
        yield f"{who}: probability {p} beside the {CONFIDENCE} interval [{row['low']}, {row['high']}]"


def _first(tables: Tables) -> Row | None:
    """The first of the raters, as the view rater_leaderboard ranks them."""
    known = tables["rater_quality"].filter(pl.col("accuracy").is_not_null(), pl.col("n_ratings") >= MIN_RATINGS)
    return known.sort("accuracy", "rater", descending=[True, False]).to_dicts()[0] if known.height else None


def _raters(tables: Tables) -> Iterator[str]:
    rows = tables["rater_quality"]
    against = tables.get("systems_against_raters", pl.DataFrame()).to_dicts()
    common = next((row["rater_accuracy"] for row in against
                   if row["compared_with"] == "average_rater" and row["difference"] is not None), None)  # fmt: skip
    if common is None or rows["accuracy"].null_count():
        return
    mean = float((rows["accuracy"] * rows["n_ratings"]).sum() / rows["n_ratings"].sum())
    if abs(mean - common) > SAME:
        yield f"the annotators are right in {common}, the mean of their table is {mean}"
    for row in rows.iter_rows(named=True):
        if not 0 <= row["low"] <= row["accuracy"] + SAME <= row["high"] + 2 * SAME <= 1 + 2 * SAME:
            yield f"{row['rater']}: {row['accuracy']} outside of [{row['low']}, {row['high']}]"


def _labels(tables: Tables, headline: Mapping[str, Row]) -> Iterator[str]:
    """Precision, each label as often as it was given, makes up the accuracy; so does recall."""
    accuracy = {row["rater"]: row["accuracy"] for row in tables["rater_quality"].iter_rows(named=True)}
    accuracy |= {system: row["accuracy"] for system, row in headline.items()}
    labels = tables.get("label_quality", pl.DataFrame())
    for (rater,), rows in labels.group_by("rater") if labels.height else ():
        known = accuracy[str(rater)]
        for name, weight in (("precision", "n_given"), ("recall", "n_expected")):
            used = rows.filter(pl.col(weight).fill_null(0) > 1e-6)
            if known is None or used.is_empty() or used[name].null_count():
                continue
            mean = float((used[name] * used[weight]).sum() / used[weight].sum())
            if abs(mean - known) > 1e-3:
                yield f"{rater}: {name} by label makes {mean}, accuracy {known}"
