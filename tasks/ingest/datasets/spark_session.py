"""Start a Spark session, and turn its errors into errors for the user."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tasks.errors import InputError, ReadError, SourceError, printable
from tasks.sources.dataset import DatasetSource

MASTER = "KAPPAFLOW_SPARK_MASTER"
APPLICATION = "kappaflow"
TASK_ERROR = "TaskError"  # tasks.ingest.datasets.spark_rows


@contextmanager
def spark_session(master: str | None) -> Iterator[Any]:
    """Start a session on a cluster, and stop it when the block ends. A session that runs already is used, and stays.

    The address is `master`, else that in the environment, else what Spark's own configuration says.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError(
            'engine = "spark" needs the package pyspark, which is not installed.',
            "Install it: pip install 'kappaflow[spark]'. It needs Java, too.",
        ) from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    running = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName(APPLICATION)
    address = master or os.environ.get(MASTER)
    builder = builder.master(address) if address else builder
    # A folder `tasks` where a worker runs must not be taken for kappaflow's.
    builder = builder.config("spark.executorEnv.PYTHONSAFEPATH", "1").config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    try:
        session = running or builder.getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        raise SourceError(
            printable(f"No Spark session could be started: {_first(error)}"),
            f"Set master in [spark] or {MASTER}, and check that Java is installed.",
        ) from error
    try:
        session.sparkContext.setLogLevel("ERROR")
        yield session
    finally:
        if running is None:
            session.stop()


@contextmanager
def cluster_errors(source: DatasetSource, errors: type[Exception] | None = None) -> Iterator[None]:
    """Turn errors of the cluster (by default those of pyspark) into errors of the dataset."""
    if errors is None:
        from pyspark.errors import PySparkException

        errors = PySparkException
    try:
        yield
    except errors as error:
        text = str(error)
        if "No module named 'tasks" in text or "No module named 'polars" in text:
            raise SourceError(
                f"The workers of the Spark cluster do not have kappaflow, and cannot count {source.place}.",
                "Install kappaflow[pipeline] for the Python that PYSPARK_PYTHON names, on each of them.",
            ) from error
        lines = text.partition(f"{TASK_ERROR}: ")[2].splitlines()
        if lines:
            raise ReadError(lines[0], lines[1] if len(lines) > 1 else "") from error
        raise SourceError(
            printable(f"Spark could not count {source.place}: {_first(error)}"),
            "The log of the cluster says more. The next run tries it again.",
        ) from error


def _first(error: BaseException) -> str:
    """Return the sentence that says most: Python's own, at the end of its traceback, else the first line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    python = [line for line in lines if "Error: " in line and not line.startswith(("org.", "at "))]
    return (python[-1] if python else lines[0] if lines else type(error).__name__)[:300]
