"""Alert if the agreement over all ratings is below the threshold of the question."""

from collections.abc import Iterator

from stats.agreement.inference.verdict_interval import verdict_interval
from tasks.monitor.rules.alert_rule import AlertRule, Rows, RuleContext, RuleFinding


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find estimates below the threshold. Critical if the whole interval is below it, warning if only the estimate."""
    for row in rows:
        if row["estimate"] >= row["threshold"]:
            continue
        low, high = verdict_interval(row)
        sure = high is not None and high < row["threshold"]
        yield RuleFinding(
            question=row["question"],
            value=row["estimate"],
            n_items=row["n_items"],
            severity="critical" if sure else "warning",
            evidence=f"{context.coefficient} {row['estimate']:.3f} [{_number(low)}, {_number(high)}], "
            f"threshold {row['threshold']:g}",
            detail=f"The annotators of '{row['question']}' agree less than the threshold set for it"
            + ("." if sure else ", though the interval still reaches it."),
        )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


RULE = AlertRule(
    query="agreement",
    judge=judge,
    look_at="Look at the labels and the pairs of annotators that disagree most.",
    values=lambda context: {"coefficient": context.coefficient, "period": "all"},
)
