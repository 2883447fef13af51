"""A fault of a run in Prefect's log."""

import logging

import pytest

from flows.fault_log import log_faults_briefly
from tasks.errors import InputError
from warehouse.errors import WarehouseError


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (InputError("There is no inbox.", "Make it."), ("There is no inbox. Make it.", False)),
        (WarehouseError("It is busy.", "Wait."), ("It is busy. Wait.", False)),
        (ValueError("a bug"), ("Encountered exception during execution: ValueError('a bug')", True)),
    ],
)
def test_only_a_fault_of_kappaflow_is_logged_with_its_traceback(
    error: Exception, expected: tuple[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    log_faults_briefly()
    log_faults_briefly()  # each run of a process calls it
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    log = logging.getLogger("prefect.flow_runs")
    monkeypatch.setattr(log, "handlers", [handler])  # Prefect's own take only what a flow run logs
    monkeypatch.setattr(log, "propagate", False)
    try:
        raise error
    except Exception as raised:
        log.exception("Encountered exception during execution: %r", raised)
    (record,) = records
    assert (record.getMessage(), record.exc_info is not None) == expected
