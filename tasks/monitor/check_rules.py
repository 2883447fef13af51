"""Hold the figures of all questions to the limits in the settings, and open and close the alerts of rules."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl

from tasks.monitor.monitoring_configs import MonitoringConfigs
from tasks.monitor.rules import RULES, RULES_OF_OTHER_ANSWERS
from tasks.monitor.rules.alert_rule import RECENT_DEFAULT, AlertRule, RuleContext, RuleFinding
from tasks.monitor.windows.agreement_windows import TREND
from warehouse.alerting.alert_changes import AlertChange, Tell
from warehouse.alerting.alerts import ALERTS, RulesJudged, questions_with_rule_alerts, sync_alerts
from warehouse.alerting.rule_figures import read_rule_figures
from warehouse.connect import connect
from warehouse.questions import stored_questions

log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class RuleCheck:
    """The alerts of rules that changed in a question."""

    question: str
    changes: tuple[AlertChange, ...]


def check_rules(
    db: Path, configs: MonitoringConfigs, *, coefficient: str, now: datetime, tell: Tell | None = None
) -> list[RuleCheck]:
    """Judge all rules that have a limit, and store their alerts. Questions without a change are left out.

    `coefficient` is that of `low_agreement`, and of `recent_agreement` if windows have it. `tell` writes the messages,
    in the transaction that stores the alerts.
    """
    context = RuleContext(now, coefficient, coefficient if coefficient in TREND else RECENT_DEFAULT)
    with connect(db) as con:
        questions = [stored.question for stored in stored_questions(con)]
        with_alerts = questions_with_rule_alerts(con)
        judgements = {name: _Judgements() for name in {*questions, *with_alerts}}
        _judge(con, questions, configs, context, judgements)
        return [
            check
            for question in sorted(judgements)
            if judgements[question].findings or question in with_alerts
            if (check := _sync(con, question, judgements[question], configs, now, tell)).changes
        ]


@dataclass(frozen=True)
class _Judgements:
    """What the rules of a question judged, and what does not meet its limit."""

    findings: list[tuple[str, RuleFinding]] = field(default_factory=list)
    judged: RulesJudged = field(default_factory=RulesJudged)


def _judge(
    con: duckdb.DuckDBPyConnection,
    questions: Sequence[str],
    configs: MonitoringConfigs,
    context: RuleContext,
    judgements: Mapping[str, _Judgements],
) -> None:
    """Judge each rule that has a limit, and add to the judgements."""
    limits = {question: configs.of(question).rules for question in questions}
    own = {question: configs.of(question).rules_of_other_answers() for question in questions}
    for kind, rule, of in [*_with(RULES, limits), *_with(RULES_OF_OTHER_ANSWERS, own)]:
        rows = read_rule_figures(con, rule.query, of, **rule.values(context)).to_dicts()
        for question in of:
            judgements[question].judged.limits[kind] = rule.can_judge is not None
        for row in filter(rule.can_judge or (lambda _: False), rows):
            judgements[row["question"]].judged.figures.add((kind, row.get("rater")))
        for finding in rule.judge(rows, context):
            judgements[finding.question].findings.append((kind, finding))


def _with(
    rules: Mapping[str, AlertRule], limits: Mapping[str, Mapping[str, float]]
) -> Iterable[tuple[str, AlertRule, Mapping[str, float]]]:
    """Return each rule that has a limit, by kind, with the limits by question."""
    for kind, rule in rules.items():
        if of := {question: kinds[kind] for question, kinds in limits.items() if kind in kinds}:
            yield kind, rule, of


def _sync(
    con: duckdb.DuckDBPyConnection,
    question: str,
    judgements: _Judgements,
    configs: MonitoringConfigs,
    now: datetime,
    tell: Tell | None,
) -> RuleCheck:
    """Make the findings of a question the open alerts of its rules, and write the messages, in one transaction."""
    changes: list[AlertChange] = []

    def keep(new_changes: Sequence[AlertChange]) -> None:
        changes.extend(new_changes)
        if tell and new_changes:
            tell(con, new_changes)

    rows = [_row(kind, finding, configs) for kind, finding in judgements.findings]
    alerts = pl.DataFrame(rows, schema=dict(ALERTS))
    sync_alerts(con, question=question, open_alerts=alerts, judged=judgements.judged, now=now, tell=keep)
    for change in changes:
        log.info("alert %s: %s %s %s", change.event, question, change.kind, change.subject or "")
    return RuleCheck(question, tuple(changes))


def _row(kind: str, finding: RuleFinding, configs: MonitoringConfigs) -> Mapping[str, object]:
    settings = configs.of(finding.question).alerts
    return {
        "kind": kind,
        "subject": finding.subject,
        "severity": settings.severities.get(kind, finding.severity),
        "evidence": finding.evidence,
        "detail": finding.detail,
        "owner": settings.owner,
        "after": finding.value,
        "n_items": finding.n_items,
    }
