"""Refuse what needs single ratings, for questions whose ratings stay in a dataset."""

from datetime import datetime

import duckdb

from tasks.errors import InputError
from warehouse.datasets.stored import counted_versions, dataset_questions


def refuse_dataset(con: duckdb.DuckDBPyConnection, question: str, lack: str) -> None:
    """Raise InputError if the ratings of a question are in a dataset. `lack` says what the warehouse does not have."""
    if source := dataset_questions(con).get(question):
        raise InputError(
            f"The ratings of {question!r} stay in the dataset {source}: {lack}.",
            "Ingest the files with a source of type folder, which stores each rating.",
        )


def refuse_history(con: duckdb.DuckDBPyConnection, question: str, moment: datetime) -> None:
    """Raise InputError if the ratings of a question are in a dataset, whose ratings of then are not stored.

    Of a Delta table it says which version was counted then, and how to have the figures of that version.
    """
    source = dataset_questions(con).get(question)
    versions = [version for version, at in counted_versions(con, source) if at <= moment] if source else []
    if not versions:
        return refuse_dataset(con, question, "the warehouse has no earlier state of them")
    version = versions[-1]
    raise InputError(
        f"The ratings of {question!r} stay in the dataset {source}: the warehouse has no earlier state of them. "
        f"At {moment:%Y-%m-%d %H:%M} UTC its results came from version {version} of the Delta table.",
        f"If the table still keeps that version, write it to a file (deltalake.DeltaTable(PATH, version={version})), "
        "and run `kappaflow agree` on the file.",
    )
