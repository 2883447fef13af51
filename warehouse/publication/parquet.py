"""Write the published tables and views as Parquet files, for pandas, polars, Spark and BI tools."""

import os
import shutil
from pathlib import Path

from warehouse.connect import connect
from warehouse.errors import duckdb_errors
from warehouse.publication.published_tables import published_names

FOLDER = "parquet"


def write_parquet(snapshot: Path) -> Path:
    """Write each public table and view of a snapshot to parquet/NAME.parquet beside it. Returns that folder.

    All files are written first, then each replaces its old one in one step: a reader sees an old or a new file, never
    half of one. Raises WarehouseError or OSError; the old files are then unchanged.
    """
    target = snapshot.with_name(FOLDER)
    draft = snapshot.with_name(f".{FOLDER}.{os.getpid()}")
    try:
        draft.mkdir()
        with duckdb_errors("write Parquet files"), connect(snapshot, read_only=True) as con:
            for name in published_names(con):
                con.table(name).write_parquet(str(draft / f"{name}.parquet"), compression="zstd")
        target.mkdir(exist_ok=True)
        written = {path.name: path.replace(target / path.name) for path in sorted(draft.iterdir())}
        for path in target.glob("*.parquet"):
            if path.name not in written:
                path.unlink()
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target
