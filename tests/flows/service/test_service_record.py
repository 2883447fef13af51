"""One `kappaflow serve` on one project: the second one says so and ends, and the status knows the next run."""

import multiprocessing
import os
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from flows.project_folder import Project, find_project
from flows.service.service_record import Service, only_service, running_service
from tasks.errors import InputError
from tests.conftest import Kappaflow

EIGHT = datetime(2026, 3, 1, 8, tzinfo=UTC)


def serve(folder: str, pipe: Connection) -> None:
    with only_service(find_project(folder), every=900, cron=None, timezone="UTC"):
        pipe.send(os.getpid())
        pipe.recv()


@pytest.mark.parametrize("killed", [False, True])
def test_a_second_service_is_refused_until_the_first_has_ended(
    tmp_path: Path, kappaflow: Kappaflow, killed: bool
) -> None:
    project = Project(tmp_path, find_project(tmp_path).settings)
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    first = multiprocessing.get_context("spawn").Process(target=serve, args=(str(tmp_path), theirs))
    first.start()
    pid = ours.recv()
    with (
        pytest.raises(InputError, match=rf"process {pid}, since"),
        only_service(project, every=60, cron=None, timezone="UTC"),
    ):
        raise AssertionError("both serve")
    service = running_service(project)
    assert service is not None
    assert (service.pid, service.every) == (pid, 900)
    if not killed:
        output = kappaflow("serve", "--project", tmp_path, code=2).stderr
        assert f"Another `kappaflow serve` works on {tmp_path}" in output
        ours.send("end")
    else:
        first.kill()
    first.join()
    assert running_service(project) is None
    with only_service(project, every=60, cron=None, timezone="UTC"):
        pass


@pytest.mark.parametrize(
    ("every", "cron", "now", "expected"),
    [
        (900, None, EIGHT, EIGHT + timedelta(minutes=15)),
        (900, None, EIGHT + timedelta(minutes=44), EIGHT + timedelta(minutes=45)),
        (None, "30 6 * * *", EIGHT, datetime(2026, 3, 2, 5, 30, tzinfo=UTC)),
        (None, "30 6 * * *", datetime(2026, 3, 28, 8, tzinfo=UTC), datetime(2026, 3, 29, 4, 30, tzinfo=UTC)),
    ],
    ids=["first", "later", "cron", "cron on the day of summer time"],
)
def test_the_next_run(every: int | None, cron: str | None, now: datetime, expected: datetime) -> None:
    assert Service(1, EIGHT, every, cron, "Europe/Berlin").next_run(now) == expected
