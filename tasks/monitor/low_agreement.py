"""Alert if the agreement over all ratings is below the threshold of the question."""

import polars as pl

from tasks.evaluate.agreement import QuestionConfig, humans_agreement
from tasks.monitor.windows import human_patterns

ALERTS = {"kind": pl.String, "severity": pl.String, "evidence": pl.String, "detail": pl.String}


def alerts(
    question: str, patterns: pl.DataFrame, config: QuestionConfig, *, coefficient: str, confidence: float
) -> pl.DataFrame:
    """Return the alerts that are open now: kind, severity, evidence, detail. Empty without a threshold.

    `low_agreement`: the coefficient over all ratings is below the question's threshold. The severity is critical if the
    whole interval is below it, and warning if only the estimate is.
    """
    human, _, labels = human_patterns(question, patterns, config)
    if config.alert_below is None:
        return pl.DataFrame(schema=ALERTS)
    row = humans_agreement(human, labels, config.scale, confidence, [coefficient]).row(0, named=True)
    if row["estimate"] is None or row["estimate"] >= config.alert_below:
        return pl.DataFrame(schema=ALERTS)
    sure = row["high"] is not None and row["high"] < config.alert_below
    return pl.DataFrame(
        [
            {
                "kind": "low_agreement",
                "severity": "critical" if sure else "warning",
                "evidence": f"{coefficient} {row['estimate']:.3f} [{_number(row['low'])}, {_number(row['high'])}], "
                f"threshold {config.alert_below:g}",
                "detail": f"The annotators of '{question}' agree less than the threshold set for it"
                + ("." if sure else ", though the interval still reaches it."),
            }
        ],
        schema=ALERTS,
    )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
