"""How the accuracy of systems looks on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from flows.cli.agreement_output import print_columns
from flows.cli.terminal import cell, heading, interval, note, p_value, print_notes, print_table
from tasks.item_texts import CERTAIN

AccuracyResult = dict[str, Any]
Headers = Mapping[str, str]
QUEUE = 20  # items of the queue that are printed; --json has them all
TEXT = 60  # characters of an item's text

SYSTEMS: Headers = {
    "system": "system",
    "method": "method",
    "accuracy": "accuracy",
    "interval": "interval",
    "se": "se",
    "models": "range of methods",
    "n_items": "items",
    "n_gold": "gold",
    "reason": "why not",
}
DIFFERENCES: Headers = {
    "pair": "systems",
    "accuracies": "accuracies",
    "difference": "difference",
    "interval": "interval",
    "p_a_better": "P(first is better)",
    "n_items": "items",
    "reason": "why not",
}
AGAINST_RATERS: Headers = {
    "system": "system",
    "compared_with": "compared with",
    "accuracy": "system's accuracy",
    "rater_accuracy": "rater's accuracy",
    "difference": "difference",
    "interval": "interval",
    "p_system_better": "P(system is better)",
    "reason": "why not",
}
RATERS: Headers = {
    "rater": "rater",
    "accuracy": "rater's accuracy",
    "interval": "interval",
    "agreement_with_others": "agreement with others",
    "n_ratings": "ratings",
    "n_gold": "gold",
    "reason": "why not",
}
MOST_RATERS = 20  # that are printed; --json has them all
ANNOTATOR_TEST: Headers = {
    "system": "system",
    "winning_rate": "winning rate",
    "advantage_probability": "advantage probability",
    "n_raters": "raters",
    "passes": "passes",
    "reason": "why not",
}
CHECKS: Headers = {
    "name": "property",
    "who": "of",
    "effect": "effect",
    "p_adjusted": "p, corrected",
    "verdict": "verdict",
    "reason": "why not",
}
BINS: Headers = {
    "system": "system",
    "bin": "posterior",
    "n_items": "items",
    "mean_posterior": "mean posterior",
    "agreement": "agreement",
    "estimate": "estimate",
}
LABELS: Headers = {
    "rater": "rater",
    "rater_kind": "kind",
    "label": "label",
    "precision": "precision",
    "precision_interval": "interval",
    "recall": "recall",
    "recall_interval": "its interval",
    "n_given": "given",
    "reason": "why not",
}
ITEMS: Headers = {
    "item": "item",
    "text": "text",
    "label": "probable label",
    "probability": "probability",
    "expected_gain": "expected gain",
    "n_ratings": "ratings",
}


def print_accuracy(found: Sequence[AccuracyResult]) -> None:
    """Per question: the systems, the comparisons, the checks, Lehner's bins, then every warning in words, once."""
    for one in found:
        items = "1 item" if one["n_items"] == 1 else f"{one['n_items']:,} items"
        heading(
            f"{one['question']}: {items}, kappa {cell(one['kappa'])} "
            f"(chance 1/{len(one['labels'])}), the annotators' accuracy {_annotators(one['annotators'])}"
        )
        print_columns(one.get("columns"))
        audited = any(row["n_gold"] for row in one["systems"])
        rests = rests_on(audited)
        print_table(_systems(one["systems"]), title=f"Accuracy of the systems, {rests}", headers=SYSTEMS)
        pairs = [{**_with_interval(row), **_pair(row)} for row in one["comparison"]]
        print_table(pairs, title=f"Systems compared, on the same items, {rests}", headers=DIFFERENCES)
        against = [_with_interval(row) for row in one["against_raters"]]
        print_table(against, title=f"Systems compared with the human raters, {rests}", headers=AGAINST_RATERS)
        _raters(one["annotators"]["raters"], rests)
        test = "May it stand in for a rater, within .2?"
        title = f"{test} By the gold items" if audited else f"{test} By agreement"
        print_table(one["annotator_test"], title=title, headers=ANNOTATOR_TEST)
        checks = [_checked(row) for row in one["checks"] if row["reason"] != "not_applicable"]
        print_table(checks, title="What the estimate assumes", headers=CHECKS)
        bins = [{**row, "bin": f"({row['bin_low']:.1f}, {row['bin_high']:.1f}]"} for row in one["bins"]]
        title = f"Lehner's bins, without gold; his raters' P_c {cell(one['rater_accuracy'])}"
        print_table(bins, title=title, headers=BINS)
        _by(one, rests)
        for text in _grouped(one["systems"]):
            note(text)
        for text in one["warnings"]:
            print_notes(text)


def rests_on(audited: bool) -> str:
    """What the figures of a table rest on."""
    return "audited with gold" if audited else "without gold, if people err independently"


def _annotators(found: AccuracyResult) -> str:
    if found["accuracy"] is None:
        return f"unknown ({found['reason']})"
    limits = f"{cell(found['accuracy'])} {interval(found['low'], found['high'])}"
    return f"{limits}, {rests_on(bool(found['n_gold']))}"


def _pair(row: AccuracyResult) -> AccuracyResult:
    both = f"{cell(row['accuracy_a'])} - {cell(row['accuracy_b'])}" if row["difference"] is not None else None
    return {"pair": f"{row['system_a']} - {row['system_b']}", "accuracies": both}


def _raters(rows: Sequence[AccuracyResult], rests: str) -> None:
    shown = [{**_with_interval(row), "n_gold": row["n_gold"] or None} for row in rows[:MOST_RATERS]]
    print_table(shown, title=f"The human raters, {rests}", headers=RATERS)
    if len(rows) > MOST_RATERS:
        note(f"The first {MOST_RATERS} of {len(rows):,} raters; --json has them all.", style="dim")


def _systems(rows: Sequence[AccuracyResult]) -> list[AccuracyResult]:
    """The range of the methods stands once for each system: it is the same in all of its rows."""
    shown, last = [], None
    for row in rows:
        spread = None if row["spread_low"] is None else interval(row["spread_low"], row["spread_high"])
        shown.append({**_with_interval(row), "models": spread if row["system"] != last else ""})
        last = row["system"]
    return shown


def _by(one: AccuracyResult, rests: str) -> None:
    labels = [
        {
            **row,
            "precision_interval": interval(row["precision_low"], row["precision_high"]),
            "recall_interval": interval(row["recall_low"], row["recall_high"]),
        }
        for row in one.get("by_label", [])
    ]
    print_table(labels, title=f"By label, {rests}", headers=LABELS)
    items = one.get("by_item", [])
    doubtful = [{**row, "text": _start(row["item_text"])} for row in items if (row["probability"] or 0) < CERTAIN]
    print_table(doubtful[:QUEUE], title="Items whose next rating is worth most", headers=ITEMS)
    if len(doubtful) > QUEUE:
        note(f"The first {QUEUE} of {len(doubtful):,} items; --json has them all.", style="dim")
    if len(doubtful) < len(items):
        n = f"{len(items) - len(doubtful):,} of {len(items):,} items are"
        note(f"{n} left out: their label has a probability of {CERTAIN:.0%} or more. --json has them.", style="dim")


def _start(text: str | None) -> str | None:
    """The beginning of an item's text, on one line."""
    words = None if text is None else " ".join(text[: 10 * TEXT].split())
    return words if words is None or len(words) <= TEXT else words[: TEXT - 1] + "…"


def _with_interval(row: AccuracyResult) -> AccuracyResult:
    return {**row, "interval": interval(row["low"], row["high"])}


def _checked(row: AccuracyResult) -> AccuracyResult:
    who = " and ".join(row[name] for name in ("system", "rater", "other") if row[name] is not None)
    verdict = "violated" if row["violated"] else "unclear" if row["violated"] is None else "nothing found"
    corrected = p_value(row["p_adjusted"])
    return {**row, "who": who or None, "p_adjusted": corrected, "verdict": None if row["reason"] else verdict}


def _grouped(systems: Sequence[AccuracyResult]) -> list[str]:
    """Each warning, and why there is no figure, once: with the systems and methods it is about, unless that is all."""
    about: dict[str, list[tuple[str, str]]] = {}
    for row in systems:
        for text in dict.fromkeys([*([row["detail"]] if row["detail"] else []), *row["warnings"]]):
            about.setdefault(text, []).append((row["system"], row["method"]))
    return [text if len(rows) == len(systems) else f"{_named(rows, systems)}: {text}" for text, rows in about.items()]


def _named(rows: Sequence[tuple[str, str]], systems: Sequence[AccuracyResult]) -> str:
    """The systems and methods of a warning; 'gpt (lehner, binless)', and just the name where all of its methods are."""
    methods: dict[str, list[str]] = {}
    for system, method in rows:
        methods.setdefault(system, []).append(method)
    all_of = {system: sum(row["system"] == system for row in systems) for system in methods}
    several = len({row["system"] for row in systems}) > 1
    parts = []
    for system, names in methods.items():
        which = "" if len(names) == all_of[system] else ", ".join(names)
        parts.append((f"{system} ({which})" if which else system) if several else which or system)
    return "; ".join(parts)
