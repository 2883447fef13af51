"""Say that an older warehouse, such as a restored backup, brings back names of forgotten raters."""

import shlex
from pathlib import Path

import duckdb

from tasks.counted_words import counted
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.maintenance.doctor import SHOWN, Finding
from warehouse.raters.forgotten_names import KEY_FILE
from warehouse.raters.returned_names import keep_hashes, lacks_all_hashes, returned_names

CHECK = "names of forgotten raters"


def returned_raters(db: Path) -> list[str]:
    """Return the sentence for a run, or none. It has no name: what a run says stays in logs.

    If a file beside the warehouse cannot be read or written, the sentence says so, and the run goes on.
    """
    with connect(db, read_only=True) as con:
        try:
            keep_hashes(con, db)
            names = returned_names(con, db)
            is_unknown = not names and lacks_all_hashes(con, db)
        except WarehouseError as error:
            return [f"{error} {error.hint}"]
    if is_unknown:
        return [
            f"Raters were forgotten here ({KEY_FILE}), but this warehouse, which is new or older than that, does not "
            "know whom: their names are back, also where the tables are published. Give `kappaflow forget-rater NAME` "
            "again for each of them."
        ]
    if not names:
        return []
    are = "is" if len(names) == 1 else "are"
    return [
        f"{counted(len(names), 'name')} of forgotten raters {are} back, also where the tables are published: this "
        "warehouse is new or older than their `forget-rater`, as a restored backup is. `kappaflow doctor` shows them. "
        "Give `kappaflow forget-rater NAME` again for each."
    ]


def returned_finding(db: Path) -> list[Finding]:
    """Return the finding that `doctor` shows. None if the warehouse cannot be read: other checks report that."""
    try:
        with connect(db, read_only=True) as con:
            try:
                names = returned_names(con, db)
            except WarehouseError as error:
                return [Finding(CHECK, "folder", False, str(error), error.hint)]
    except (WarehouseError, duckdb.Error):
        return []
    if not names:
        return [Finding(CHECK, "warehouse", True, "None.", n_rows=0)]
    rows = tuple({"name": name, "command": f"kappaflow forget-rater {shlex.quote(name)}"} for name in names[:SHOWN])
    to_do = "Give this command again for each of them: a restored backup has names that were forgotten after it."
    return [Finding(CHECK, "warehouse", False, "A name that was forgotten is back.", to_do, len(names), rows)]
