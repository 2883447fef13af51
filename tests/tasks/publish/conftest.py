"""A real Postgres server in a temporary folder, and snapshots to publish there."""

import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from pwd import getpwnam
from typing import Any

import pytest

from tests.conftest import free_port
from tests.tasks.sources.object_store.conftest import bucket, denied, s3  # noqa: F401  fixtures
from warehouse.connect import connect
from warehouse.publication.snapshot import publish

Rows = Callable[..., Any]
NO_SERVER = shutil.which("initdb") is None or shutil.which("postgres") is None
names = (f"database_{n}" for n in itertools.count(1))
USER = "nobody"  # Postgres does not start as root


def as_user(command: list[str]) -> list[str]:
    """The command for a user who is not root."""
    return ["setpriv", f"--reuid={USER}", "--clear-groups", *command] if os.getuid() == 0 else command


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a Postgres server, without a database."""
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    if NO_SERVER:
        pytest.skip("no initdb and postgres on the PATH: publishing to a real Postgres is not tested")
    import psycopg

    # Not below pytest's own folder: only its owner may enter that, and that mode must stay.
    folder = Path(tempfile.mkdtemp(prefix="kappaflow-postgres-"))
    if os.getuid() == 0:
        os.chown(folder, getpwnam(USER).pw_uid, -1)
    data, port = folder / "data", free_port()
    password = folder / "password"
    password.write_text("s3cret/word")
    password.chmod(0o644)
    initdb = ["initdb", "-D", str(data), "-U", "owner", "-A", "scram-sha-256", "--pwfile", str(password), "-E", "UTF8",
              "--no-locale", "--no-sync"]  # fmt: skip
    subprocess.run(as_user(initdb), check=True, capture_output=True, cwd=folder)
    options = ["-D", str(data), "-p", str(port), "-k", str(folder), "-h", "127.0.0.1", "-F"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(as_user(["postgres", *options]), stdout=log, stderr=log, cwd=folder)
        url = f"postgresql://owner:s3cret%2Fword@127.0.0.1:{port}/"
        try:
            for _ in range(200):
                try:
                    psycopg.connect(url + "postgres").close()
                    break
                except psycopg.OperationalError:
                    if process.poll() is not None:
                        raise
                    time.sleep(0.05)
            yield url
        finally:
            process.terminate()
            process.wait(20)
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty database, which is also in the environment."""
    import psycopg

    name = next(names)
    with psycopg.connect(server + "postgres", autocommit=True) as con:
        con.execute(f"create database {name}")
    monkeypatch.setenv("KAPPAFLOW_POSTGRES_URL", server + name)
    return server + name


@pytest.fixture
def rows(database: str) -> Rows:
    """Run a query in the database, and return its rows."""
    import psycopg

    def run(query: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(database) as con:
            return con.execute(query, values or None).fetchall()

    return run


@pytest.fixture
def snapshot(db: Path) -> Path:
    """A published snapshot of a warehouse with one run."""
    return republish(db)


def republish(db: Path, *statements: str) -> Path:
    """Change the warehouse, and publish it again."""
    with connect(db) as con:
        for statement in (*statements, "insert into runs (run_id, kind, status, code_version, started_at) "
                          "select 'first', 'pipeline', 'succeeded', '1', timestamptz '2026-03-01 12:00:00+00' "
                          "where not exists (from runs)"):  # fmt: skip
            con.execute(statement)
    return publish(db, db.parent / "published")
