"""Write the tables of a snapshot as Parquet files to an object store: a new folder, then the file that names it.

Readers look into latest.json first. It is written last and in one step, so what it names is always whole.
"""

import json
import re
import secrets
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tasks.errors import SourceError, printable
from tasks.publish.publish_targets import (
    ParquetTarget,
    Publication,
    PublicationError,
    chosen_names,
    remarks_on_copies,
)
from tasks.sources.object_store.connection import connect, explained
from tasks.sources.object_store.store_source import ObjectStore
from warehouse.connect import connect as open_snapshot
from warehouse.publication.published_tables import (
    PublishedTable,
    published_names,
    published_table,
    run_ids,
    warehouse_id,
)

MANIFEST = "latest.json"
VERSION = 1
FOLDER = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")  # of one publication
CHUNK = 8 << 20  # bytes
SAFE_NAME = re.compile(r"[^\x00-\x1f/\\]{1,200}")


def write_parquet_folder(target: ParquetTarget, snapshot: Path) -> Publication:
    """Write a folder with a file for each table, and latest.json, if a table changed since the last time.

    Files of tables that did not change are copied within the store. Raises PublicationError, SourceError,
    WarehouseError or OSError; latest.json then names the folder of before.
    """
    store = target.store
    files = connect(store)
    with open_snapshot(snapshot, read_only=True) as con:
        names = chosen_names(published_names(con), target.tables)
        if odd := [name for name in names if not SAFE_NAME.fullmatch(name) or name in (".", "..")]:
            raise PublicationError(f"no file can have the name {printable(repr(odd[0]))}. Name others in `tables`.")
        tables = [published_table(con, name) for name in names]
        former, source_id, runs = _manifest(files, store), warehouse_id(con), run_ids(con)
        if former and former["warehouse_id"] != source_id:
            raise PublicationError(
                "another project publishes there. Name another `path`, or remove what is there if it is not used any "
                "more."
            )
        same = _unchanged(former, tables)
        if former and len(same) == len(tables) == len(former["tables"]):
            return Publication(target.name, "unchanged", len(tables))
        now = datetime.now(UTC)
        folder = f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
        changed = [table for table in tables if table.name not in same]
        for table in changed:
            _send(con, files, store, table, f"{store.address.base}/{folder}/{table.name}.parquet")
    with explained(store):
        for name, path in same.items():
            files.copy_file(f"{store.address.base}/{path}", f"{store.address.base}/{folder}/{name}.parquet")
        _write(files, f"{store.address.base}/{MANIFEST}", _manifest_text(folder, tables, source_id, runs[0], now))
    last_run = former.get("run_id") if former else None  # an older kappaflow did not write it
    unknown = [str(last_run)] if last_run is not None and last_run not in runs else []
    remarks = _prune(files, target, folder, former) + remarks_on_copies(unknown, target)
    return Publication(
        target.name,
        "written",
        len(tables),
        len(changed),
        sum(table.n_rows for table in changed),
        remarks=remarks,
        is_replacement=former is not None,
    )


def _manifest(files: Any, store: ObjectStore) -> dict[str, Any] | None:
    """Read latest.json. Return None before the first publication."""
    try:
        with explained(store), files.open_input_stream(f"{store.address.base}/{MANIFEST}") as stream:
            content = json.loads(stream.read())
    except FileNotFoundError:
        return None
    except (ValueError, UnicodeDecodeError):
        content = None
    if not isinstance(content, dict) or not {"warehouse_id", "folder", "tables"} <= content.keys():
        raise PublicationError(f"the file {MANIFEST} there is not kappaflow's. Name another `path`.")
    return content


def _manifest_text(folder: str, tables: Sequence[PublishedTable], source_id: str, run_id: str, now: datetime) -> str:
    content = {
        "version": VERSION,
        "published_at": now.isoformat(timespec="seconds"),
        "warehouse_id": source_id,
        "run_id": run_id,
        "folder": folder,
        "tables": {
            table.name: {
                "path": f"{folder}/{table.name}.parquet", "n_rows": table.n_rows, "fingerprint": table.fingerprint
            }
            for table in tables
        },
    }  # fmt: skip
    return json.dumps(content, indent=1) + "\n"


def _unchanged(former: dict[str, Any] | None, tables: Sequence[PublishedTable]) -> dict[str, str]:
    """Return the tables whose rows are in the former folder already, with their paths."""
    stored = former["tables"] if former else {}
    return {
        table.name: stored[table.name]["path"]
        for table in tables
        if table.name in stored and stored[table.name]["fingerprint"] == table.fingerprint
    }


def _send(con: Any, files: Any, store: ObjectStore, table: PublishedTable, key: str) -> None:
    """Write a table to a temporary file, and that to the store."""
    store.home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="publish-", dir=store.home) as folder:
        path = Path(folder) / "table.parquet"
        con.table(table.name).write_parquet(str(path), compression="zstd")
        with path.open("rb") as source, explained(store), files.open_output_stream(key, compression=None) as stream:
            while chunk := source.read(CHUNK):
                stream.write(chunk)


def _write(files: Any, key: str, text: str) -> None:
    with files.open_output_stream(key, compression=None) as stream:
        stream.write(text.encode())


def _prune(files: Any, target: ParquetTarget, folder: str, former: dict[str, Any] | None) -> tuple[str, ...]:
    """Remove folders of former publications, but for the newest `keep`. Return a remark if that fails.

    The folder that latest.json named until now is the newest one, also if another name has the same second or, after
    the clock was set back, a later one.
    """
    from pyarrow.fs import FileSelector, FileType

    try:
        with explained(target.store):
            infos = files.get_file_info(FileSelector(target.store.address.base))
            names = [info.base_name for info in infos if info.type == FileType.Directory]
            latest = "" if former is None else former["folder"]
            older_first = sorted(
                (name for name in names if FOLDER.fullmatch(name) and name != folder),
                key=lambda name: (name == latest, name),
            )
            for name in older_first[: max(len(older_first) - target.keep, 0)]:
                files.delete_dir(f"{target.store.address.base}/{name}")
    except (SourceError, FileNotFoundError) as error:
        return (f"Former folders could not be removed: {error}",)
    return ()
