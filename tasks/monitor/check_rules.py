"""Hold the figures of all questions to the limits in the settings, and open and close the alerts of rules."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl

from tasks.monitor.monitoring_configs import MonitoringConfigs
from tasks.monitor.rules import RULES, RULES_OF_OTHER_ANSWERS
from tasks.monitor.rules.alert_rule import RECENT_DEFAULT, AlertRule, RuleContext, RuleFinding
from tasks.monitor.windows.agreement_windows import TREND
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alerts import ALERTS, questions_with_rule_alerts, sync_alerts
from warehouse.alerting.rule_figures import read_rule_figures
from warehouse.connect import connect
from warehouse.questions import stored_questions

log = logging.getLogger("kappaflow")
Tell = Callable[[duckdb.DuckDBPyConnection, Sequence[AlertChange]], None]


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
        findings: dict[str, list[tuple[str, RuleFinding]]] = {name: [] for name in questions_with_rule_alerts(con)}
        for kind, finding in _findings(con, questions, configs, context):
            findings.setdefault(finding.question, []).append((kind, finding))
        return [
            check
            for question in sorted(findings)
            if (check := _sync(con, question, findings[question], configs, now, tell)).changes
        ]


def _findings(
    con: duckdb.DuckDBPyConnection, questions: Sequence[str], configs: MonitoringConfigs, context: RuleContext
) -> Iterable[tuple[str, RuleFinding]]:
    limits = {question: configs.of(question).rules for question in questions}
    own = {question: configs.of(question).rules_of_other_answers() for question in questions}
    for kind, rule, of in [*_with(RULES, limits), *_with(RULES_OF_OTHER_ANSWERS, own)]:
        rows = read_rule_figures(con, rule.query, of, **rule.values(context)).to_dicts()
        for finding in rule.judge(rows, context):
            yield kind, finding


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
    findings: Sequence[tuple[str, RuleFinding]],
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

    rows = [_row(kind, finding, configs) for kind, finding in findings]
    sync_alerts(con, question=question, open_alerts=pl.DataFrame(rows, schema=dict(ALERTS)), now=now, tell=keep)
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
