"""What benchmarks.ingest times, each in a process of its own: `python -m benchmarks.ingest_work NAME FILE ...`."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.child import Figures, Work, report


def _copy(file: str) -> Work:
    """DuckDB's own COPY of the file into a plain table of a new database on disk."""
    import duckdb

    folder = tempfile.TemporaryDirectory(dir=Path(file).parent)
    options = "header, delimiter ','" if file.endswith(".csv") else "format parquet"

    def work() -> Figures:
        with duckdb.connect(f"{folder.name}/plain.duckdb") as con:
            con.execute("create table plain (item varchar, rater varchar, label varchar)")
            con.execute(f"copy plain from '{file}' ({options})")
            (n,) = con.execute("select count(*) from plain").fetchall()[0]
        return {"ratings": float(n)}

    return work


def _ingest(file: str) -> Work:
    """The file as `kappaflow ingest` takes it in: hashed, read, validated, keyed, stored in a new warehouse."""
    from tasks.ingest import ingest
    from tasks.sweep import Folder, single
    from warehouse.connect import connect
    from warehouse.migrate import migrate

    folder = tempfile.TemporaryDirectory(dir=Path(file).parent)
    db = Path(folder.name) / "warehouse.duckdb"
    with connect(db) as con:
        migrate(con)
    _import_all()

    def work() -> Callable[[], Figures]:
        (done,) = ingest(db, [single(Path(file), Folder("bench", Path(file).parent))], {})
        return lambda: {"ratings": float(done.counts.n_ratings), "db": float(bool(folder))}

    return work


def _read(file: str) -> Work:
    """Reading and validating alone."""
    from tasks.read import read_export
    from tasks.validate import validate

    _import_all()

    def work() -> Figures:
        return {"ratings": float(validate(read_export(file)).ratings.height)}

    return work


def _import_all() -> None:
    """pandera loads much of itself with the first frame that it sees."""
    import polars as pl

    from tasks.formats import CANONICAL, REJECTS, Export
    from tasks.validate import validate

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
