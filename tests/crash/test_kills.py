"""Some kills of `make crash-test`, which makes 200 and prints figures."""

import importlib
import os
from pathlib import Path

import pytest

from tasks.ingest.chunked_read import read_validated
from tasks.ingest.spooled_export import SpooledExport
from tests.crash.child import SMALL_PARTS
from tests.crash.compare import Verdict
from tests.crash.kills import kill, points, prepare
from tests.crash.scenarios import SCENARIOS, export_in_parts
from tests.crash.together import together
from tests.crash.worker import Worker

SEED = int(os.environ.get("CRASH_SEED", "6"))


@pytest.mark.parametrize(("name", "number"), [("later run", 3), ("migrate", 2), ("export in parts", 2)])
def test_the_run_after_a_kill_finishes_the_work(name: str, number: int, child: Worker, tmp_path: Path) -> None:
    prepared = prepare(name, tmp_path, child)
    for point in points(prepared, number, SEED):
        outcome = kill(prepared, point, tmp_path, child)
        assert outcome.verdict == Verdict(), outcome
        assert outcome.killed or point.seconds is not None


def test_the_export_in_parts_is_kept_beside_the_warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export_in_parts(tmp_path)
    for module, name, value in SMALL_PARTS:
        monkeypatch.setattr(importlib.import_module(module), name, value)
    _, checked = read_validated(tmp_path / "inbox" / "tasks.json", spool=tmp_path / "spool")
    assert isinstance(checked, SpooledExport)
    assert checked.parts.height > 100


def test_points_are_the_same_for_the_same_seed_and_no_scenario_is_without_steps(child: Worker, tmp_path: Path) -> None:
    prepared = prepare("backup", tmp_path, child)
    assert prepared.n_steps > 20
    assert [*points(prepared, 9, SEED)] == [*points(prepared, 9, SEED)] != [*points(prepared, 9, SEED + 1)]
    assert {"first run", "migrate", "compact", "backup"} < set(SCENARIOS)


def test_runs_that_start_at_once_all_end_well(tmp_path: Path, prefect_server: str) -> None:
    assert together(3, tmp_path, PREFECT_API_URL=prefect_server) == Verdict()
