"""Alert if the agreement over all ratings is below the threshold of the question.

Of spans, boxes, rankings and texts only a threshold of the question itself counts: one for all questions is meant for
labels.
"""

from collections.abc import Iterator
from dataclasses import replace

from stats.verdict_interval import reaches, verdict_interval
from tasks.counted_words import counted
from tasks.evaluate.regions.few_items import rests_on_few
from tasks.figures_beside_limits import interval_beside_least
from tasks.monitor.rules.alert_rule import AlertRule, Rows, RuleContext, RuleFinding
from tasks.region_coefficients import HEADLINES


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find estimates below the threshold. Critical if the whole interval is below it, warning if only the estimate, or
    if the interval is too narrow because of few items."""
    for row in rows:
        if reaches(row["estimate"], row["threshold"]):
            continue
        low, high = verdict_interval(row)
        below = high is not None and not reaches(high, row["threshold"])
        on_few = rests_on_few(row["coefficient"], row["n_items"])
        sure = below and not on_few
        figures = interval_beside_least(row["estimate"], low, high, row["threshold"])
        has_interval = low is not None and high is not None
        doubt = "but the interval still reaches it" if has_interval else "but this may be chance"
        if below and on_few:
            doubt = f"but intervals of {counted(row['n_items'], 'item')} are too narrow to be sure"
        yield RuleFinding(
            question=row["question"],
            value=row["estimate"],
            n_items=row["n_items"],
            severity="critical" if sure else "warning",
            evidence=f"{row['coefficient']} {figures}, threshold {row['threshold']:.10g}",
            detail=f"The annotators of '{row['question']}' {'agree' if sure else 'seem to agree'} less than the "
            f"threshold set for it{'' if sure else f', {doubt}'}.",
        )


def _values(context: RuleContext) -> dict[str, object]:
    """Return what the query reads: the coefficient, and the one that stands for it where a question has weights."""
    from stats.agreement import COEFFICIENTS  # imported here: a run with nothing to do judges no rule

    name = context.coefficient
    return {"coefficient": name, "instead": COEFFICIENTS[name].weighted_form or name, "period": "all"}


RULE = AlertRule(
    query="agreement",
    judge=judge,
    look_at="Look at the labels and the pairs of annotators that disagree most.",
    values=_values,
    can_judge=lambda row: row["estimate"] is not None,
)
RULE_OF_OTHER_ANSWERS = replace(
    RULE, query="other_agreement", values=lambda _: {"period": "all", "coefficients": HEADLINES}
)
