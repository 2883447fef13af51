"""A standalone Spark cluster on this machine: a master and two worker processes."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import free_port

WORKERS = 2
START_SECONDS = 120.0


@contextmanager
def standalone_cluster(folder: Path, *, memory: str = "1g") -> Iterator[str]:
    """Start a master and two workers of one core each. Yield the address of the master."""
    import pyspark

    home, port = Path(pyspark.__file__).parent, free_port()
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    master = [f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    worker = [f"{deploy}.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", memory, "--webui-port", "0"]
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    processes: list[subprocess.Popen[bytes]] = []
    logs = [folder / "master.log", *(folder / f"worker-{number}.log" for number in range(WORKERS))]
    commands = [master, *([*worker, "--work-dir", str(folder / f"work-{n}"), address] for n in range(WORKERS))]
    try:
        for command, log in zip(commands, logs, strict=True):
            with log.open("wb") as out:
                processes.append(
                    subprocess.Popen([home / "bin" / "spark-class", *command], env=environment, stdout=out, stderr=out)
                )
            _until_it_answers(port)
        _until(lambda: logs[0].read_text(errors="replace").count("Registering worker") == WORKERS)
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(60)


def _until_it_answers(port: int) -> None:
    def answers() -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    _until(answers)


def _until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError("The Spark cluster did not start.")
        time.sleep(0.2)
