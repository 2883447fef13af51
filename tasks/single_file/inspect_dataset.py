"""Say what a dataset holds, from the footers of its files and the first rows of one: its ratings are not read."""

import polars as pl

from tasks.ingest.datasets.dataset_columns import judged_columns, validated_rows
from tasks.ingest.datasets.object_copies import first_rows
from tasks.single_file.inspect_rejects import rejects_by_reason
from tasks.sources.dataset import DatasetSource
from tasks.sources.datasets.dataset_files import dataset_files

FIRST_ROWS = 5
SHOWN = ("question", "item", "rater", "rater_kind", "label", "rated_at")


def inspect_dataset(source: DatasetSource) -> dict[str, object]:
    """Return what `inspect --dataset --json` prints: n_files, n_rows, n_bytes, version (of a Delta table), unreadable
    (files that cannot be read, and why), columns (by role), n_judged (the rows that the rest is about), questions,
    first_rows, rejects and warnings.

    Plain values only, null where unknown. Raises ReadError if no file can be read, or if a needed column is missing.
    """
    files = dataset_files(source)
    rows = first_rows(source, files.readable)
    columns = judged_columns(rows, source)
    numbered = pl.DataFrame([rows[header].alias(role) for role, header in columns.headers.items()]).with_row_index(
        "row_number", offset=1
    )
    checked = validated_rows(numbered.with_columns(pl.col("row_number").cast(pl.Int64)), columns, source, {})
    first = checked.ratings.head(FIRST_ROWS).with_columns(pl.col("rated_at").dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))
    questions = checked.ratings.group_by(pl.col("question").cast(pl.String)).agg(
        pl.col("rater").n_unique().alias("n_raters"), pl.col("label").cast(pl.String).unique().sort().alias("labels")
    )
    unreadable = [
        *files.unreadable.select(file="file_name", detail="detail").to_dicts(),
        *({"file": name, "detail": why} for name, why in files.failed),
    ]
    return {
        "format": "dataset",
        "n_files": files.readable.height,
        "n_rows": int(files.readable["n_rows"].sum()),
        "n_bytes": int(files.readable["size"].sum()),
        "version": files.version,
        "unreadable": unreadable,
        "columns": dict(columns.headers),
        "n_judged": rows.height,
        "questions": questions.sort("question").to_dicts(),
        "first_rows": first.select(pl.col(SHOWN).cast(pl.String)).to_dicts(),
        "rejects": rejects_by_reason(checked.rejects),
        "warnings": list(columns.notes),
    }
