"""Refuse what needs single ratings, for questions whose ratings stay in a dataset."""

import duckdb

from tasks.errors import InputError
from warehouse.datasets.stored import dataset_questions


def refuse_dataset(con: duckdb.DuckDBPyConnection, question: str, lack: str) -> None:
    """Raise InputError if the ratings of a question are in a dataset. `lack` says what the warehouse does not have."""
    if source := dataset_questions(con).get(question):
        raise InputError(
            f"The ratings of {question!r} stay in the dataset {source}: {lack}.",
            "Ingest the files as a source of type folder to have it.",
        )
