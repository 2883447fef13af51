"""Put the result of a gate into words and cells, for the terminal, Markdown and JUnit alike."""

from collections import Counter
from collections.abc import Iterator

from flows.cli.files.accuracy_output import rests_on
from tasks.counted_words import counted
from tasks.figures_beside_limits import beside_least, percent_beside_most
from tasks.gate.judgement import GateResult, RuleResult, Verdict
from tasks.region_coefficients import NAMES

OUTER_INTERVAL = "Its interval is the outer one, which also allows for errors as large as on real data."
DECIDE = (
    "An interval that holds the limit decides nothing. More rated items make it shorter, see `kappaflow plan`; for a"
    " system gold items do, too. --judge point judges by the estimate alone."
)

DECIDE_REGIONS = (
    "An interval that holds the limit decides nothing. It gets shorter if two people or more do further items. --judge"
    " point judges by the estimate alone."
)
"""The same of spans, boxes, rankings and texts, of which `kappaflow plan` knows nothing."""


def rule_cells(rule: RuleResult) -> dict[str, str | None]:
    """Return the cells of a rule's row: None for an undefined figure, '' for what the rule does not have."""
    ends = None if rule.low is None or rule.high is None else (rule.low, rule.high)
    return {
        "rule": rule.rule,
        "question": rule.question or "",
        "subject": rule.subject,
        "estimate": None if rule.estimate is None else figure_text(rule, rule.estimate),
        "interval": "" if ends is None else f"[{', '.join(figure_text(rule, end) for end in ends)}]",
        "limit": limit_text(rule),
        "n_items": "" if rule.n_items is None else f"{rule.n_items:,}",
        "verdict": verdict_text(rule),
        "detail": rule.detail,
    }


def figure_text(rule: RuleResult, value: float) -> str:
    """Return a figure of a rule: a count of alerts, a share in percent, else three decimals.

    A figure close to the limit has the decimals that it takes to read as above or below it.
    """
    if rule.rule == "no_open_alerts":
        return f"{value:,}"
    if rule.rule == "max_rejected":
        return f"{percent_beside_most(value, rule.limit, 2)} %"
    return beside_least(value, rule.limit)


def limit_text(rule: RuleResult) -> str:
    """Return the limit of a rule, with the digits that were given."""
    return f"{100 * rule.limit:.10g} %" if rule.rule == "max_rejected" else f"{rule.limit:.10g}"


def verdict_text(rule: RuleResult) -> str:
    """Return the verdict of a rule, and what it counts as if that is another."""
    return rule.verdict if rule.counts_as == rule.verdict else f"{rule.verdict}, counts as {rule.counts_as}"


def rule_name(rule: RuleResult) -> str:
    """Return the rule with its question and subject, as in 'min_accuracy tone gpt'."""
    return " ".join(part for part in (rule.rule, rule.question, rule.subject) if part)


def rule_sentence(rule: RuleResult) -> str:
    """Say in a line what was compared and why the verdict is as it is."""
    cells = rule_cells(rule)
    figure = " ".join(cell for cell in (cells["estimate"], cells["interval"]) if cell)
    return f"{verdict_text(rule)}: {figure or 'no figure'}, limit {cells['limit']}. {rule.detail}"


def verdict_words(result: GateResult) -> str:
    """Return the verdict and the numbers of rules, as in 'finding: 2 of 4 rules met, 1 not met, 1 unjudged'."""
    names: dict[Verdict, str] = {"finding": "not met", "unjudged": "unjudged"}
    counts = Counter(rule.verdict for rule in result.rules)
    n_rules = counted(len(result.rules), "rule")
    others = "".join(f", {counts[verdict]} {names[verdict]}" for verdict in names if counts[verdict])
    stands_for = f", which counts as {result.unjudged}" if result.unjudged and counts["unjudged"] else ""
    return f"{result.verdict}: {counts['pass']} of {n_rules} met{others}{stands_for}"


def judged_by(result: GateResult) -> str:
    """Say by what the figures were judged."""
    if result.judge == "point":
        return "judged by the estimates"
    shares = sorted({rule.confidence for rule in result.rules if rule.confidence is not None})
    levels = ", ".join(f"{100 * share:.10g} %" for share in shares)
    return f"judged by the intervals{f' ({levels})' if levels else ''}"


def notes(result: GateResult) -> Iterator[str]:
    """Say what the figures rest on, what they warn of, and what an interval that holds the limit needs."""
    rules_by_note: dict[str, list[str]] = {}
    for rule in result.rules:
        for text in rule_notes(rule):
            rules_by_note.setdefault(text, []).append(" ".join(filter(None, (rule.question, rule.system))))
    for text, names in rules_by_note.items():
        yield f"{', '.join(dict.fromkeys(names))}: {text}"
    yield from result.warnings
    undecided = [rule for rule in result.rules if rule.reason == "limit_in_interval"]
    if undecided:
        yield DECIDE_REGIONS if all(rule.coefficient in NAMES for rule in undecided) else DECIDE


def rule_notes(rule: RuleResult) -> list[str]:
    """Return what the figure of a rule rests on, and its warnings."""
    if not rule.system or rule.estimate is None:
        return list(rule.warnings)
    interval = [OUTER_INTERVAL] if rule.outer else []
    return [
        f"The accuracy is {rests_on(bool(rule.n_gold), [rule.gold_origin])}.",
        *interval,
        *rule.warnings,
    ]
