"""Print the accuracy of systems."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from flows.cli.files.agreement_output import print_columns
from flows.cli.terminal import (
    cell,
    headers_of,
    heading,
    interval,
    note,
    p_value,
    print_notes,
    print_table,
    probability,
)
from stats.reasons import TOO_MANY_LABELS
from tasks.counted_words import counted
from tasks.errors import some
from tasks.item_texts import CERTAIN
from tasks.summary.check_verdict import check_verdict
from tasks.summary.gold_words import GOLD_ORIGINS, gold_words

AccuracyResult = dict[str, Any]
Headers = Mapping[str, str]
MAX_ITEMS = 20  # in the table of items to rate next; --json has all
MAX_TEXT = 60  # characters of an item's text
OUTER = "the outer interval also allows for errors as large as on real data"

SYSTEMS = headers_of(
    "system method accuracy outer interval se models n_items n_gold reason",
    interval="inner interval",
    models="range of methods",
)
DIFFERENCES = headers_of(
    "pair accuracies difference interval p_a_better n_items reason", pair="systems", p_a_better="P(first is better)"
)
AGAINST_RATERS = headers_of(
    "system compared_with accuracy rater_accuracy difference interval p_system_better reason",
    accuracy="system's accuracy",
    rater_accuracy="rater's accuracy",
    p_system_better="P(system is better)",
)
RATERS = headers_of(
    "rater accuracy interval agreement_with_others n_ratings n_gold reason", accuracy="rater's accuracy"
)
MAX_SYSTEMS = 3  # in the heading of a question without human ratings
MAX_RATERS = 20  # in the table of raters; --json has all
ANNOTATOR_TEST = headers_of("system winning_rate advantage_probability n_raters passes reason")
CHECKS = headers_of("name who effect p_adjusted verdict reason", name="property", who="of", p_adjusted="p, corrected")
BINS = headers_of("system bin n_items mean_posterior agreement estimate", bin="posterior")
LABELS = headers_of(
    "rater rater_kind label precision precision_interval recall recall_interval n_given reason",
    rater_kind="kind",
    precision_interval="interval",
    recall_interval="its interval",
    n_given="given",
)
RATES = headers_of("system label method estimate outer interval n_items n_gold reason", estimate="share of items")
ITEMS = headers_of("item text label probability expected_gain n_ratings", label="probable label")


def print_accuracy(results: Sequence[AccuracyResult]) -> None:
    """Print the result of each question: systems, comparisons, checks and Lehner's bins, and each warning once."""
    for result in results:
        origins = {row["gold_origin"] for row in result["systems"]}
        heading(f"{result['question']}: {_facts(result, origins)}")
        print_columns(result.get("columns"))
        audited = any(row["n_gold"] for row in result["systems"])
        rests = rests_on(audited, origins)
        print_systems(_systems(result["systems"]), rests=rests, audited=audited, headers=SYSTEMS)
        _print_shared_errors(result)
        pairs = [{**_with_interval(row), **_pair_row(row)} for row in result["comparison"]]
        print_table(pairs, title=f"Systems compared, on the same items, {rests}", headers=DIFFERENCES)
        against = [
            {**_with_interval(row), "p_system_better": probability(row["p_system_better"])}
            for row in result["against_raters"]
        ]
        print_table(against, title=f"Systems compared with the human raters, {rests}", headers=AGAINST_RATERS)
        _print_raters(result["annotators"]["raters"], rests)
        test = "May it stand in for a rater, within .2?"
        title = f"{test} By the gold items" if audited else f"{test} By agreement"
        print_table(result["annotator_test"], title=title, headers=ANNOTATOR_TEST)
        checks = [_check_row(row) for row in result["checks"] if row["reason"] != "not_applicable"]
        print_table(checks, title="What the estimate assumes", headers=CHECKS)
        bins = [{**row, "bin": f"({row['bin_low']:.1f}, {row['bin_high']:.1f}]"} for row in result["bins"]]
        title = f"Lehner's bins, without gold; his raters' P_c {cell(result['rater_accuracy'])}"
        print_table(bins, title=title, headers=BINS)
        _print_breakdowns(result, rests)
        _print_rates(result.get("rates", []), rests)
        of_systems = {text for row in result["systems"] for text in row["warnings"]}
        of_raters = [text for text in result["annotators"]["warnings"] if text not in of_systems]
        for text in [*_warnings(result["systems"]), *of_raters]:
            note(text)
        for text in result["warnings"]:
            print_notes(text)


def print_by_gold(rows: Sequence[AccuracyResult], headers: Headers) -> None:
    """Print the systems of several questions: first those without gold, then by how their gold was chosen."""
    audited = {row["question"] for row in rows if row["n_gold"]}
    origins = {row["question"]: row["gold_origin"] for row in rows if row.get("gold_origin")}
    print_systems(
        [row for row in rows if row["question"] not in audited], rests=rests_on(False), audited=False, headers=headers
    )
    for origin in GOLD_ORIGINS:
        selected = [
            row for row in rows if row["question"] in audited and origins.get(row["question"], "unknown") == origin
        ]
        rests, gold_headers = rests_on(True, [origin]), {**headers, "n_gold": "gold"}
        print_systems(selected, rests=rests, audited=True, headers=gold_headers)


def print_systems(rows: Sequence[AccuracyResult], *, rests: str, audited: bool, headers: Headers) -> None:
    """Print a table of systems: the outer interval first, the inner one beside it. With gold there is one interval."""
    title = f"Accuracy of the systems, {rests}"
    if audited or not any(row["outer"] for row in rows):
        headers = {key: "interval" if key == "interval" else name for key, name in headers.items() if key != "outer"}
    else:
        title += f"; {OUTER}"
    print_table(rows, title=title, headers=headers)


def outer_interval(row: AccuracyResult) -> str | None:
    """Return the outer interval of a row of `latest_system_accuracy`, or None."""
    return None if row["outer_low"] is None else interval(row["outer_low"], row["outer_high"])


def _print_rates(rows: Sequence[AccuracyResult], rests: str) -> None:
    shown = [{**_with_interval(row), "outer": outer_interval(row)} for row in rows]
    title = f"Which share of the items has each label, {rests}"
    if any(row["outer"] for row in shown):
        title += f"; {OUTER}"
        headers = {**RATES, "interval": "inner interval"}
    else:
        headers = {key: name for key, name in RATES.items() if key != "outer"}
    print_table(shown, title=title, headers=headers)
    if rows:
        note("raw is what the system says, right or wrong. Its interval does not hold the share that has the label.",
             style="dim")  # fmt: skip


def _print_shared_errors(result: AccuracyResult) -> None:
    """Print what shared errors would do to each estimate without gold, or how strong they are by the gold items."""
    systems: dict[str, list[str]] = {}
    for row in result["sensitivity"]:
        systems.setdefault(row["system"], []).append(cell(row["accuracy"]))
    shares = list(dict.fromkeys(f"{row['share']:.0%}" for row in result["sensitivity"]))
    for system, figures in list(systems.items())[:MAX_RATERS]:
        note(f"{system}, if raters agree on a wrong label on {', '.join(shares)} of the items: {', '.join(figures)}")
    shared = result["shared_errors"]
    if shared is not None and shared["correlation"] is not None:
        note(
            f"On {shared['n_items']:,} gold items the raters' errors correlate by {cell(shared['correlation'])}"
            f" {interval(shared['low'], shared['high'])}, {rests_on(True, [shared['gold_origin']])}."
            f" {shared['raters_per_item']:.1f} ratings an item say as much as {shared['n_effective']:.1f} independent"
            f" ones [{shared['n_effective_low']:.1f}, {shared['n_effective_high']:.1f}]."
        )


def rests_on(audited: bool, origins: Iterable[str | None] = ()) -> str:
    """Return what the figures of a table rest on, for its title. `origins` are those of the gold in its rows."""
    return f"audited with {gold_words(origins)}" if audited else "without gold, if people err independently"


def _facts(result: AccuracyResult, origins: Collection[str | None]) -> str:
    """Return the size of a question: what people rated, or else what the systems answered."""
    if not result["n_items"]:
        answered = {row["system"]: (row["n_items"], row["n_gold"]) for row in result["systems"]}
        texts = [
            f"{system} answered {counted(n, 'item')}, {n_gold:,} of them gold"
            for system, (n, n_gold) in answered.items()
        ]
        rest = f"; {counted(len(texts) - MAX_SYSTEMS, 'more system')}" if len(texts) > MAX_SYSTEMS else ""
        return f"no human ratings. {'; '.join(texts[:MAX_SYSTEMS])}{rest}"
    if result["annotators"]["reason"] == TOO_MANY_LABELS:
        return f"{counted(result['n_items'], 'item')}, {counted(len(result['labels']), 'label')}: no accuracy"
    people, left_out = _annotators(result["annotators"], origins), result["annotators"]["left_out"]
    of_others = f" without {some(left_out)}" if left_out else ""
    return f"{counted(result['n_items'], 'item')}, {_kappa(result)}, the annotators' accuracy{of_others} {people}"


def _kappa(result: AccuracyResult) -> str:
    """Return how far people agree, or why this is not known."""
    if result["kappa"] is not None:
        return f"kappa {cell(result['kappa'])} (chance 1/{len(result['labels'])})"
    has_one_rater = len(result["annotators"]["raters"]) == 1
    return f"no kappa ({'one person rated them' if has_one_rater else 'no item has two human ratings'})"


def _annotators(annotators: AccuracyResult, origins: Collection[str | None]) -> str:
    if annotators["accuracy"] is None:
        return f"unknown ({annotators['reason']})"
    limits = f"{cell(annotators['accuracy'])} {interval(annotators['low'], annotators['high'])}"
    return f"{limits}, {rests_on(bool(annotators['n_gold']), origins)}"


def _pair_row(row: AccuracyResult) -> AccuracyResult:
    accuracies = f"{cell(row['accuracy_a'])} - {cell(row['accuracy_b'])}" if row["difference"] is not None else None
    return {
        "pair": f"{row['system_a']} - {row['system_b']}",
        "accuracies": accuracies,
        "p_a_better": probability(row["p_a_better"]),
    }


def _print_raters(rows: Sequence[AccuracyResult], rests: str) -> None:
    shown = [{**_with_interval(row), "n_gold": row["n_gold"] or None} for row in rows[:MAX_RATERS]]
    print_table(shown, title=f"The human raters, {rests}", headers=RATERS)
    if len(rows) > MAX_RATERS:
        note(f"The first {MAX_RATERS} of {len(rows):,} raters; --json has them all.", style="dim")


def _systems(rows: Sequence[AccuracyResult]) -> list[AccuracyResult]:
    """Return the rows of the table of systems. Only the first row of a system shows the range of its methods."""
    shown, last = [], None
    for row in rows:
        spread = None if row["spread_low"] is None else interval(row["spread_low"], row["spread_high"])
        shown.append(
            {**_with_interval(row), "outer": outer_interval(row), "models": spread if row["system"] != last else ""}
        )
        last = row["system"]
    return shown


def _print_breakdowns(result: AccuracyResult, rests: str) -> None:
    labels = [
        {
            **row,
            "precision_interval": interval(row["precision_low"], row["precision_high"]),
            "recall_interval": interval(row["recall_low"], row["recall_high"]),
        }
        for row in result.get("by_label", [])
    ]
    print_table(labels, title=f"By label, {rests}", headers=LABELS)
    items = result.get("by_item", [])
    doubtful = [{**row, "text": _first_words(row["item_text"])} for row in items if (row["probability"] or 0) < CERTAIN]
    print_table(
        doubtful[:MAX_ITEMS], title="Items whose next rating is worth most, if people err independently", headers=ITEMS
    )
    if len(doubtful) > MAX_ITEMS:
        note(f"The first {MAX_ITEMS} of {len(doubtful):,} items; --json has them all.", style="dim")
    if len(doubtful) < len(items):
        n_left = f"{len(items) - len(doubtful):,} of {counted(len(items), 'item')}"
        note(f"Left out: {n_left}, with a label of probability {CERTAIN:.0%} or more. --json has them.", style="dim")


def _first_words(text: str | None) -> str | None:
    """Return the beginning of an item's text, on one line."""
    words = None if text is None else " ".join(text[: 10 * MAX_TEXT].split())
    return words if words is None or len(words) <= MAX_TEXT else words[: MAX_TEXT - 1] + "…"


def _with_interval(row: AccuracyResult) -> AccuracyResult:
    return {**row, "interval": interval(row["low"], row["high"])}


def _check_row(row: AccuracyResult) -> AccuracyResult:
    who = " and ".join(row[name] for name in ("system", "rater", "other") if row[name] is not None)
    verdict = None if row["reason"] else check_verdict(row)
    return {**row, "who": who or None, "p_adjusted": p_value(row["p_adjusted"]), "verdict": verdict}


def _warnings(systems: Sequence[AccuracyResult]) -> list[str]:
    """Return each warning and each reason for a missing figure once.

    The systems and methods that it is about go before it, unless it is about all of them.
    """
    about: dict[str, list[tuple[str, str]]] = {}
    for row in systems:
        for text in dict.fromkeys([*([row["detail"]] if row["detail"] else []), *row["warnings"]]):
            about.setdefault(text, []).append((row["system"], row["method"]))
    return [
        text if len(rows) == len(systems) else f"{_system_names(rows, systems)}: {text}" for text, rows in about.items()
    ]


def _system_names(rows: Sequence[tuple[str, str]], systems: Sequence[AccuracyResult]) -> str:
    """Return the systems and methods of a warning, as in 'gpt (lehner, binless)'.

    If it is about all methods of a system, return only the name of the system.
    """
    methods: dict[str, list[str]] = {}
    for system, method in rows:
        methods.setdefault(system, []).append(method)
    n_rows = {system: sum(row["system"] == system for row in systems) for system in methods}
    several = len({row["system"] for row in systems}) > 1
    texts = []
    for system, names in methods.items():
        which = "" if len(names) == n_rows[system] else ", ".join(names)
        texts.append((f"{system} ({which})" if which else system) if several else which or system)
    return "; ".join(texts)
