"""A small published project for the tests of the gate, and files with known figures. Made without Prefect."""

import random
from pathlib import Path

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.question_config import QuestionConfig
from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tests.tasks.inbox import NOW, InboxProject
from warehouse.publication.snapshot import publish

OPTIONS = EvaluationOptions(
    confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1", last_items=100
)
TONE = QuestionConfig(systems=frozenset({"gpt"}), alert_below=0.9)
CONFIGS = QuestionConfigs({"tone": TONE})
RATERS = {"ann": 0.9, "bob": 0.9, "cem": 0.9, "gpt": 0.95}


def rating_rows(n_items: int, accuracies: dict[str, float] = RATERS, *, seed: int = 1) -> list[str]:
    """Rows item,rater,label of raters who are right with these probabilities, on items of two labels."""
    draw = random.Random(seed)
    rows = []
    for item in range(n_items):
        right, wrong = draw.sample(["kind", "rude"], 2)
        rows += [
            f"{item},{rater},{right if draw.random() < accuracy else wrong}" for rater, accuracy in accuracies.items()
        ]
    return rows


def write_table(path: Path, rows: list[str]) -> Path:
    """Write rows item,rater,label as a CSV file."""
    path.write_text("\n".join(["item,rater,label", *rows]) + "\n", encoding="utf-8")
    return path


def make_project(folder: Path) -> InboxProject:
    """Make a project with the question `tone` (200 items, three people and gpt, two rejected rows, an open alert) and
    the question `alone` (one person), evaluated and published."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kappaflow.toml").write_text('[questions.tone]\nsystems = ["gpt"]\n', encoding="utf-8")
    project = InboxProject(folder)
    write_table(project.inbox / "tone.csv", [*rating_rows(200), "7,,kind", "8,ann,"])
    write_table(project.inbox / "alone.csv", rating_rows(20, {"ann": 0.9}))
    project.ingest()
    project.work("evaluate", CONFIGS, OPTIONS)
    project.work("monitor", CONFIGS, OPTIONS)
    rules = MonitoringConfigs({"tone": QuestionMonitoring(TONE, rules={"low_agreement": 0.9})})
    check_rules(project.db, rules, coefficient=OPTIONS.alert_coefficient, now=NOW)
    publish(project.db, folder / "published")
    return project
