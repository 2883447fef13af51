"""The situations in which the harness kills: a project folder as it lies there, and the commands that are run on it."""

import json
import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.warehouse.test_migrations_with_data import DATA
from warehouse import sql
from warehouse.connect import connect
from warehouse.migrate import migrations

LABELS = ("kind", "plain", "rude")
OLD_VERSION = 8
LONG_AGO = 1_767_225_600  # 2026-01-01: a file that was written just now would be looked at twice
SETTINGS = """
[[source]]
path = "inbox"

[[source]]
path = "drop"
prefix = "drop"
done = "move"

[[source]]
path = "daily"
prefix = "daily"
full_export = true

[alerts]
below = 0.9

[publish]
parquet = true
keep = 2

[questions.tone]
labels = ["kind", "plain", "rude"%s]

[questions.judged]
systems = ["eve"]
"""
Work = tuple[tuple[str, ...], ...]
RUN: Work = (("run",),)


@dataclass(frozen=True)
class Scenario:
    """`prepare` makes the folder anew; `before` is done there undisturbed, then `change` is made; `work` is what is
    killed, and done again. `repeated`: what is done again is done anew, not finished."""

    prepare: Callable[[Path], None]
    work: Work
    before: Work = ()
    change: Callable[[Path], None] = lambda folder: None
    repeated: bool = False


def first_files(folder: Path) -> None:
    """A project that nobody has run: a warehouse is yet to be made."""
    _empty_project(folder)
    (folder / "inbox" / "broken.json").write_text('[{"item": 1')
    _table(folder / "inbox" / "tone" / "monday.csv", range(300), seed=1)
    _table(folder / "drop" / "mood.csv", range(60), seed=2)
    _table(folder / "daily" / "all.csv", range(100), seed=3)
    _date(folder)


def with_a_system(folder: Path) -> None:
    """The same with a system among the raters, whose accuracy takes longer to estimate than all else."""
    first_files(folder)
    _table(folder / "inbox" / "judged.csv", range(30), seed=7)
    _date(folder)


def more_files(folder: Path) -> None:
    """Edits, repeats, and a full export that lacks items: they supersede, are unchanged, and delete."""
    _table(folder / "inbox" / "tone" / "tuesday.csv", range(150, 400), seed=4, day=9)
    _table(folder / "drop" / "mood_late.csv", range(50, 150), seed=5, day=9)
    _table(folder / "daily" / "all_later.csv", range(30, 120), seed=3)
    _date(folder)
    os.utime(folder / "daily" / "all_later.csv", (LONG_AGO + 86_400,) * 2)


def wider_labels(folder: Path) -> None:
    """The label that was refused is declared: the rejects can be read."""
    _settings(folder, ', "odd"')


def large_file(folder: Path) -> None:
    """More rows than DuckDB holds back until the commit: they are in the file before."""
    _table(folder / "inbox" / "large.csv", range(26_000), seed=6)
    _date(folder)


def export_in_parts(folder: Path) -> None:
    """An export whose rows are kept beside the warehouse until they are stored: tests.crash.child reads in small parts.
    Some of its ratings are refused, and metadata come with it."""
    _empty_project(folder)
    file = folder / "inbox" / "tasks.json"
    file.write_text(json.dumps([_task(number) for number in range(90)]))
    os.utime(file, (LONG_AGO, LONG_AGO))


def old_warehouse(folder: Path) -> None:
    """A warehouse with data as an earlier version left it, and files to take in."""
    first_files(folder)
    with connect(folder / "warehouse.duckdb") as con:
        sql.run(con, "migrations/create")
        for each in migrations()[:OLD_VERSION]:
            con.execute(each.text)
            con.execute(DATA[each.version])
            sql.run(con, "migrations/write", kind="migration", version=each.version, name=each.name, sha256=each.sha256)


SCENARIOS: Mapping[str, Scenario] = {
    "first run": Scenario(first_files, RUN),
    "later run": Scenario(first_files, RUN, RUN, more_files),
    "large file": Scenario(first_files, RUN, RUN, large_file),
    "export in parts": Scenario(export_in_parts, RUN),
    "retry of rejects": Scenario(first_files, (("ingest", "--retry-rejects"), *RUN), RUN, wider_labels),
    "evaluate all": Scenario(with_a_system, (("evaluate", "--all"),), RUN, repeated=True),
    "migrate": Scenario(old_warehouse, RUN),
    "compact": Scenario(first_files, (("compact",),), RUN, large_file),
    "backup": Scenario(first_files, (("backup", "--keep", "2"),), RUN),
}


def _empty_project(folder: Path) -> None:
    for name in ("inbox", "drop", "daily"):
        (folder / name).mkdir(parents=True)
    _settings(folder)


def _settings(folder: Path, more: str = "") -> None:
    (folder / "kappaflow.toml").write_text(SETTINGS % more)


def _table(path: Path, items: range, *, seed: int, day: int = 2) -> None:
    """A long table of five people; in tone about one row in twenty has a label that is not declared."""
    path.parent.mkdir(exist_ok=True)
    chance, lines = random.Random(seed), ["item,rater,label,time"]
    for item in items:
        truth = chance.choice(LABELS)
        for rater in ("ann", "bob", "cyd", "dan", "eve"):
            label = truth if chance.random() < 0.8 else chance.choice([*LABELS, "odd"])
            lines.append(f"i{item},{rater},{label},2026-03-{day:02d}T10:{item % 60:02d}:00Z")
    path.write_text("\n".join(lines) + "\n")


def _task(number: int) -> dict[str, Any]:
    """A task of Label Studio with the answers of two people."""
    answers = (LABELS[number % 3], "odd" if number % 20 == 0 else LABELS[number % 2])
    return {
        "id": number,
        "data": {"text": f"text {number}", "channel": "mail"},
        "annotations": [
            {
                "id": 2 * number + by,
                "completed_by": by + 1,
                "updated_at": f"2026-03-02T10:{number % 60:02d}:00Z",
                "result": [{"from_name": "tone", "type": "choices", "value": {"choices": [answer]}}],
            }
            for by, answer in enumerate(answers)
        ],
    }


def _date(folder: Path) -> None:
    for path in folder.rglob("*.csv"):
        os.utime(path, (LONG_AGO, LONG_AGO))
