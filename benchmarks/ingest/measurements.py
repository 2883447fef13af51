"""What benchmarks.ingest.speed times: `python -m benchmarks.ingest.measurements NAME FILE ...` runs one once.

Found are besides the ratings: `cpu`, the processor seconds of the work in all its threads, and of an ingest `upkeep`
and `upkeep_cpu`, what of it went into the rating patterns.
"""

import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.child import Figures, Work, report

if TYPE_CHECKING:
    import duckdb

COPY = {
    ".csv": "copy plain from $file (header, delimiter ',')",
    ".parquet": "copy plain from $file (format parquet)",
}


def _copy(file: str) -> Work:
    """DuckDB's own COPY of the file into a plain table of a new database on disk."""
    import duckdb

    folder = tempfile.TemporaryDirectory(dir=Path(file).parent)
    copy = COPY[Path(file).suffix]

    def work() -> Figures:
        before = _cpu()
        with duckdb.connect(f"{folder.name}/plain.duckdb") as con:
            con.execute("create table plain (item varchar, rater varchar, label varchar)")
            con.execute(copy, {"file": file})
            (n,) = con.execute("select count(*) from plain").fetchall()[0]
        return {"ratings": float(n), "cpu": _cpu() - before}

    return work


def _ingest(file: str) -> Work:
    """The file as `kappaflow ingest` takes it in: hashed, read, validated, keyed, stored in a new warehouse."""
    from tasks.ingest.ingest_files import ingest
    from tasks.sources.folder import FolderSource, single_file
    from warehouse.connect import connect
    from warehouse.migrate import migrate

    folder = tempfile.TemporaryDirectory(dir=Path(file).parent)
    db = Path(folder.name) / "warehouse.duckdb"
    with connect(db) as con:
        migrate(con)
    _import_all()
    upkeep = _watch_upkeep()

    def work() -> Callable[[], Figures]:
        before = _cpu()
        (result,) = ingest(db, [single_file(Path(file), FolderSource("bench", Path(file).parent))])
        cpu = _cpu() - before
        return lambda: {"ratings": float(result.counts.n_ratings), "db": float(bool(folder)), "cpu": cpu, **upkeep}

    return work


def _watch_upkeep() -> Figures:
    """Sums up from now on what the upkeep of the patterns takes: it is part of a batch's transaction."""
    from warehouse import sql

    pattern_steps = tuple(f"storing/{number}_" for number in range(10, 15))
    spent = {"upkeep": 0.0, "upkeep_cpu": 0.0}
    run = sql.run

    def watched(con: "duckdb.DuckDBPyConnection", name: str, /, **values: object) -> None:
        started, before = time.perf_counter(), _cpu()
        run(con, name, **values)
        if name.startswith(pattern_steps):
            spent["upkeep"] += time.perf_counter() - started
            spent["upkeep_cpu"] += _cpu() - before

    sql.run = watched
    return spent


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _read(file: str) -> Work:
    """Reading and validating alone, as an ingest does it."""
    from tasks.ingest.chunked_read import read_validated

    _import_all()

    def work() -> Figures:
        export, checked = read_validated(file)
        return {"ratings": float(checked.ratings.height), "metadata": float(export.metadata.height)}

    return work


def _import_all() -> None:
    """pandera loads much of itself with the first frame that it sees."""
    import polars as pl

    from tasks.formats import CANONICAL, REJECTS, Export
    from tasks.ingest.validate import validate

    validate(Export(format="", rows=pl.DataFrame(schema=CANONICAL), rejects=pl.DataFrame(schema=REJECTS)))


def _load(file: str) -> Work:
    """Python's own parser on the whole file: what reading without a stream costs."""

    def work() -> Figures:
        with open(file, encoding="utf-8") as text:
            tasks = json.load(text)
        return {"ratings": float(sum(len(task["annotations"]) for task in tasks))}

    return work


if __name__ == "__main__":
    report({"copy": _copy, "ingest": _ingest, "read": _read, "load": _load})
