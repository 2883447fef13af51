"""How the accuracy of systems looks on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from flows.render.output import cell, heading, interval, note, p_value, print_table, said

Found = dict[str, Any]
Headers = Mapping[str, str]
QUEUE = 20  # items of the queue that are printed; --json has them all

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
    "difference": "difference",
    "interval": "interval",
    "p_a_better": "P(first is better)",
    "n_items": "items",
    "reason": "why not",
}
AGAINST_RATERS: Headers = {
    "system": "system",
    "compared_with": "compared with",
    "rater_accuracy": "its accuracy",
    "difference": "difference",
    "interval": "interval",
    "p_system_better": "P(system is better)",
    "reason": "why not",
}
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
    "p_value": "p",
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
    "label": "probable label",
    "probability": "probability",
    "expected_gain": "expected gain",
    "n_ratings": "ratings",
}


def print_accuracy(found: Sequence[Found]) -> None:
    """Per question: the systems, the comparisons, the checks, Lehner's bins, then every warning in words, once."""
    for one in found:
        items = "1 item" if one["n_items"] == 1 else f"{one['n_items']:,} items"
        heading(
            f"{one['question']}: {items}, kappa {cell(one['kappa'])} "
            f"(chance 1/{len(one['labels'])}), the raters' own accuracy {cell(one['rater_accuracy'])}"
        )
        print_table(_systems(one["systems"]), headers=SYSTEMS)
        print_table(
            [{**_with_interval(row), "pair": f"{row['system_a']} - {row['system_b']}"} for row in one["comparison"]],
            title="Systems compared, on the same items",
            headers=DIFFERENCES,
        )
        against = [_with_interval(row) for row in one["against_raters"]]
        print_table(against, title="Systems compared with the human raters", headers=AGAINST_RATERS)
        if against and any(row["n_gold"] for row in one["systems"]):
            note("Without the gold items: this comparison is the model's.")
        print_table(one["annotator_test"], title="May it stand in for a rater, within .2?", headers=ANNOTATOR_TEST)
        checks = [_checked(row) for row in one["checks"] if row["reason"] != "not_applicable"]
        print_table(checks, title="What the estimate assumes", headers=CHECKS)
        bins = [{**row, "bin": f"({row['bin_low']:.1f}, {row['bin_high']:.1f}]"} for row in one["bins"]]
        print_table(bins, title="Lehner's bins", headers=BINS)
        _by(one)
        for text in _grouped(one["systems"]):
            note(text)
        for text in one["warnings"]:
            said(text)


def _systems(rows: Sequence[Found]) -> list[Found]:
    """The range of the methods stands once for each system: it is the same in all of its rows."""
    shown, last = [], None
    for row in rows:
        spread = None if row["spread_low"] is None else interval(row["spread_low"], row["spread_high"])
        shown.append({**_with_interval(row), "models": spread if row["system"] != last else ""})
        last = row["system"]
    return shown


def _by(one: Found) -> None:
    labels = [
        {
            **row,
            "precision_interval": interval(row["precision_low"], row["precision_high"]),
            "recall_interval": interval(row["recall_low"], row["recall_high"]),
        }
        for row in one.get("by_label", [])
    ]
    print_table(labels, title="By label", headers=LABELS)
    items = one.get("by_item", [])
    print_table(items[:QUEUE], title="Items whose next rating is worth most", headers=ITEMS)
    if len(items) > QUEUE:
        note(f"The first {QUEUE} of {len(items):,} items; --json has them all.", style="dim")


def _with_interval(row: Found) -> Found:
    return {**row, "interval": interval(row["low"], row["high"])}


def _checked(row: Found) -> Found:
    who = " and ".join(row[name] for name in ("system", "rater", "other") if row[name] is not None)
    verdict = None if row["violated"] is None else "violated" if row["violated"] else "nothing found"
    return {**row, "who": who or None, "p_value": p_value(row["p_value"]), "verdict": verdict}


def _grouped(systems: Sequence[Found]) -> list[str]:
    """Each warning, and why there is no figure, once: with the systems and methods it is about, unless that is all."""
    about: dict[str, list[tuple[str, str]]] = {}
    for row in systems:
        for text in dict.fromkeys([*([row["detail"]] if row["detail"] else []), *row["warnings"]]):
            about.setdefault(text, []).append((row["system"], row["method"]))
    return [text if len(rows) == len(systems) else f"{_named(rows, systems)}: {text}" for text, rows in about.items()]


def _named(rows: Sequence[tuple[str, str]], systems: Sequence[Found]) -> str:
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
