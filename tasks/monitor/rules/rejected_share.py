"""Alert if too large a share of the rows of one of the latest batches of a source was rejected."""

from collections.abc import Iterator

from stats.verdict_interval import reaches
from tasks.figures_beside_limits import percent_beside_most
from tasks.monitor.rules.alert_rule import AlertRule, Rows, RuleContext, RuleFinding


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find batches with a larger share than the limit. All rows of a batch are known, so there is no interval."""
    for row in rows:
        if not reaches(row["threshold"], row["share"]):
            share = percent_beside_most(row["share"], row["threshold"], 3, kind="g")
            yield RuleFinding(
                question=row["question"],
                subject=row["source"],
                value=row["share"],
                n_items=row["n_rows"],
                evidence=f"{row['n_rejected']:,} of {row['n_rows']:,} rows of {row['file_name']} "
                f"({share}%), limit {100 * row['threshold']:.10g}%",
                detail=f"Of a batch of the source {row['source']}, which belongs to '{row['question']}', a larger "
                "share of the rows was rejected than you allow.",
            )


RULE = AlertRule(
    query="rejected_rows",
    judge=judge,
    look_at="Look at the reasons: `kappaflow rejects` lists them with each row.",
)
