"""Alert if the agreement on the items that were rated last is below a threshold for sure.

Of spans, boxes, rankings and texts only a threshold of the question itself counts: one for all questions is meant for
labels.
"""

from collections.abc import Iterator
from dataclasses import replace

from stats.verdict_interval import reaches, verdict_interval
from tasks.evaluate.regions.few_items import rests_on_few
from tasks.figures_beside_limits import interval_beside_least
from tasks.monitor.rules.alert_rule import RECENT_DEFAULT, AlertRule, Row, Rows, RuleContext, RuleFinding
from tasks.region_coefficients import HEADLINES


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find intervals that lie wholly below the threshold, and are not too narrow because of few items."""
    for row in filter(_can_judge, rows):
        low, high = verdict_interval(row)
        if high is not None and not reaches(high, row["threshold"]):
            figures = interval_beside_least(row["estimate"], low, high, row["threshold"])
            yield RuleFinding(
                question=row["question"],
                value=row["estimate"],
                n_items=row["n_items"],
                evidence=f"{row['coefficient']} {figures} of {row['n_items']:,} items, "
                f"threshold {row['threshold']:.10g}",
                detail=f"On the {row['n_items']:,} items of '{row['question']}' that were rated last, the annotators "
                "agree less than the threshold set for them.",
            )


def _can_judge(row: Row) -> bool:
    return None not in verdict_interval(row) and not rests_on_few(row["coefficient"], row["n_items"])


RULE = AlertRule(
    query="agreement",
    judge=judge,
    look_at="Look at the latest items on which the annotators disagree.",
    values=lambda context: {
        "coefficient": context.recent_coefficient,
        "instead": RECENT_DEFAULT,
        "period": "last_n",
    },
    can_judge=_can_judge,
)
RULE_OF_OTHER_ANSWERS = replace(
    RULE, query="other_agreement", values=lambda _: {"period": "last_n", "coefficients": HEADLINES}
)
