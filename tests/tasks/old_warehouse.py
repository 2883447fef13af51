"""A warehouse as kappaflow left it before a batch's identity had its reading: made by today's code, and taken back."""

import hashlib
from pathlib import Path

from tasks.formats.parsing.decompress import stem
from warehouse.connect import connect


def age(db: Path, *, first_day: bool = False) -> None:
    """Give each batch of files without a prefix the identity that it had then, and forget its reading."""
    with connect(db) as con:
        rows = con.sql("select batch_id, sha256, file_name, reader, reading from batches").fetchall()
        for batch_id, sha256, file_name, reader, reading in rows:
            folder = file_name.split("/")[0] if "/" in file_name and '"question"' not in (reading or "") else ""
            parts = [sha256, "", folder, *([stem(Path(file_name))] if reader == "doccano" else [])]
            named = f"{sha256} {reader or ''}" if first_day else "\n".join(parts)
            former = hashlib.sha256(named.encode()).hexdigest()
            for table in ("batches", "rejected_rows", "internal.batches"):
                con.execute(
                    f"update {table} set batch_id = $former where batch_id = $id", {"former": former, "id": batch_id}
                )
        con.execute("update batches set reading = null")
