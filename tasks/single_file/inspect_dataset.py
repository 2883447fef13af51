"""Say what a dataset holds, from the footers of its files and the first rows of one: its ratings are not read."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from stats.numeric_labels import are_many_numbers
from tasks.formats.columns.column_roles import LABEL_SEPARATOR
from tasks.formats.parsing.joined_labels import likely_sets
from tasks.ingest.datasets.dataset_columns import DatasetColumns, judged_columns, validated_rows
from tasks.ingest.datasets.object_copies import first_rows
from tasks.single_file.inspect_rejects import rejects_by_reason
from tasks.single_file.settings_lines import LIKELY_SETS, number_lines, question_lines, source_lines
from tasks.sources.dataset import DatasetSource
from tasks.sources.datasets.dataset_files import dataset_files

FIRST_ROWS = 5
FIRST_LABELS = "Labels of the first rows only. Without `labels` all count; if you declare them, others are rejected."
SHOWN = ("question", "item", "rater", "rater_kind", "label", "rated_at")


def inspect_dataset(source: DatasetSource) -> dict[str, object]:
    """Return what `inspect --dataset --json` prints: n_files, n_rows, n_bytes, version (of a Delta table), unreadable
    (files that cannot be read, and why), columns (by role), n_judged (the rows that the rest is about), questions,
    first_rows, rejects, warnings and toml (settings that count it).

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
    by_question = checked.ratings.group_by(pl.col("question").cast(pl.String)).agg(
        pl.col("rater").n_unique().alias("n_raters"), pl.col("label").cast(pl.String).unique().sort().alias("labels")
    )
    questions = by_question.sort("question").to_dicts()
    unreadable = [
        *files.unreadable.select(file="file_name", detail="detail").to_dicts(),
        *({"file": name, "detail": why} for name, why in files.failed),
    ]
    has_setting = LABEL_SEPARATOR in source.options.columns
    separator = "" if has_setting else likely_sets(checked.ratings["label"].cast(pl.String))[0]
    n_rows = int(files.readable["n_rows"].sum())
    return {
        "format": "dataset",
        "n_files": files.readable.height,
        "n_rows": n_rows,
        "n_bytes": int(files.readable["size"].sum()),
        "version": files.version,
        "unreadable": unreadable,
        "columns": dict(columns.headers),
        "n_judged": rows.height,
        "questions": questions,
        "first_rows": first.select(pl.col(SHOWN).cast(pl.String)).to_dicts(),
        "rejects": rejects_by_reason(checked.rejects),
        "warnings": list(columns.notes),
        "toml": _toml(source, columns, questions, separator, is_whole=rows.height == n_rows),
    }


def _toml(
    source: DatasetSource,
    columns: DatasetColumns,
    questions: Sequence[Mapping[str, Any]],
    separator: str,
    *,
    is_whole: bool,
) -> str:
    """Write the [[source]] of the dataset, and the questions with their labels.

    `separator` is that of labels that look like sets. If only the first rows were read, the labels are commented out:
    further rows may have other labels, and undeclared labels are rejected.
    """
    options, store = source.options, source.store
    block = {
        "type": "dataset",
        "path": str(source.path.absolute()) if store is None else source.place,
        "endpoint": None if store is None else store.endpoint,
        "region": None if store is None else store.region,
        "prefix": options.prefix,
        "columns": {**options.columns, **({LABEL_SEPARATOR: separator} if separator else {})},
        "question": None if "question" in columns.headers else source.question,
        "systems": sorted(options.systems),
        "gold": sorted(options.gold),
    }
    lines = source_lines(block, [LIKELY_SETS] if separator else [])
    comment = None if is_whole else FIRST_LABELS
    for row in questions:
        if are_many_numbers(row["labels"]):
            lines += number_lines(row["question"])
            continue
        lines += question_lines(row["question"], row["labels"], separator, comment=comment)
    return "\n".join(lines) + "\n"
