"""How Prefect logs a fault of a run."""

import logging

from flows.run_result import RunFailedError
from tasks.errors import KappaflowError
from warehouse.errors import WarehouseError


def log_faults_briefly() -> None:
    """Let Prefect log a fault that a user can mend in one line, which says what to do, and without a traceback."""
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(name).addFilter(_in_one_line)


def _in_one_line(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, KappaflowError | WarehouseError | RunFailedError):
        record.msg, record.args = "%s %s", (error, getattr(error, "hint", ""))
        record.exc_info = None
    return True
