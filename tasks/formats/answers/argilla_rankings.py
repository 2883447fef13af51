"""Read the rankings in Argilla's flattened records: submitted responses that are lists of options, the first one best,
or of objects with a value and its rank.

The texts of text questions look like labels there, so that they are read as labels unless the user says otherwise.
"""

from collections.abc import Collection, Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from tasks.formats import argilla
from tasks.formats.answers.answer_export import AnswerExport, Answers
from tasks.formats.argilla import STATUS, USERS
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import known_text, number, parsed, text
from tasks.formats.parsing.tools.argilla_lists import with_ranks
from tasks.formats.parsing.tools.record_votes import Record, each, read_records

NOT_SUBMITTED = "Rankings that were discarded or are drafts: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for Argilla's records."""
    return argilla.sniff(seen, options)


def read(path: Path, options: ReadOptions, rankings: Collection[str] | None = ()) -> AnswerExport:
    """Read all records. `rankings`: what the user calls rankings; None: all questions whose answers are lists."""
    records, answers = read_records(path), Answers()
    rows = each(records)
    names = dict.fromkeys(key for _, record in rows for key in record)
    questions = [name.removesuffix(USERS) for name in names if name.endswith(USERS)]
    for row, record in with_ranks(rows, questions, rankings):
        item = text(record.get("id"))
        for question in questions:
            for value, user, state in _responses(record, question):
                ranks = _ranks(value)
                if ranks is None:
                    answers.has_labels |= value is not None
                elif state == "submitted":
                    answers.add_ranking(row, question, item, text(user), ranks)
                else:
                    answers.notes[NOT_SUBMITTED] += 1
            ranks = _ranks(parsed(record.get(f"{question}.suggestion")))
            if ranks is not None:
                agent = text(record.get(f"{question}.suggestion.agent")) or argilla.UNNAMED
                answers.add_ranking(row, question, item, agent, ranks, "system")
    return answers.export("argilla", records.rejects, records.warnings)


def _responses(record: Record, question: str) -> Iterator[tuple[Any, Any, str]]:
    """Yield the responses of a record. Lists of different lengths say nothing of who gave which."""
    lists = [parsed(record.get(f"{question}{name}")) for name in (".responses", USERS, STATUS)]
    columns = [column if isinstance(column, list) else [] for column in lists]
    if len({len(column) for column in columns}) == 1:
        for value, user, state in zip(*columns, strict=True):
            yield parsed(value), user, known_text(state)


def _ranks(value: object) -> list[tuple[str | None, float]] | None:
    """Return the options of a ranking and their ranks. None for an answer of another kind."""
    if not isinstance(value, list) or not value:
        return None
    options = [
        (tidy_label(entry.get("value")), number(entry.get("rank"))) for entry in value if isinstance(entry, dict)
    ]
    ranks = [(option, rank) for option, rank in options if rank is not None and isfinite(rank)]
    return ranks if len(ranks) == len(value) else None
