"""The rules that open alerts beside the charts: a limit in the settings, and a figure that is held to it.

One file a rule. Each finds what does not meet its limit now; `check_rules` opens and closes the alerts.
"""

from tasks.monitor.rules import (
    batch_late,
    gold_score,
    low_agreement,
    new_label,
    rater_missing,
    ratings_per_item,
    recent_agreement,
    rejected_share,
)
from tasks.monitor.rules.alert_rule import AlertRule

RULES: dict[str, AlertRule] = {
    "low_agreement": low_agreement.RULE,
    "recent_agreement": recent_agreement.RULE,
    "batch_late": batch_late.RULE,
    "rater_missing": rater_missing.RULE,
    "rejected_rows": rejected_share.RULE,
    "new_label": new_label.RULE,
    "ratings_per_item": ratings_per_item.RULE,
    "gold_score": gold_score.RULE,
}
RULES_OF_OTHER_ANSWERS: dict[str, AlertRule] = {
    "low_agreement": low_agreement.RULE_OF_OTHER_ANSWERS,
    "recent_agreement": recent_agreement.RULE_OF_OTHER_ANSWERS,
}
"""The same rules for spans, boxes, rankings and texts, whose figures stand in tables of their own."""
