"""Recognise rankings among Argilla's flattened records.

Argilla's client (2.x) writes a ranking as the list of its options, the first one best. A set of labels chosen
together is such a list, too, and there the order says nothing. So a question is a ranking if the user says so, or if
the order is all that its answers differ in.
"""

from collections.abc import Collection, Sequence
from typing import Any

from tasks.formats.parsing.json_fields import parsed
from tasks.formats.parsing.tools.record_votes import Record

MIN_RANKINGS = 5
"""So many answers show a ranking. Two sets of labels may hold all labels by chance."""
Rows = Sequence[tuple[int, Record]]


def with_ranks(rows: Rows, questions: Sequence[str], rankings: Collection[str] | None = ()) -> Rows:
    """Return the records, in which each ranking is a list of objects with value and rank.

    `rankings` are the questions that the user calls rankings. None: each whose answers are lists.
    """
    ranked = [question for question in questions if _is_ranking(rows, question, rankings)]
    if not ranked:
        return rows
    return [(row, {**record, **_ranked(record, ranked)}) for row, record in rows]


def _is_ranking(rows: Rows, question: str, rankings: Collection[str] | None) -> bool:
    if rankings is None or question in rankings:
        return True
    answers = [answer for _, record in rows for answer in _answers(record, question) if answer is not None]
    orders = [tuple(answer) if _is_list_of_options(answer) else None for answer in answers]
    sets = {None if order is None else frozenset(order) for order in orders}
    return len(orders) >= MIN_RANKINGS and len(sets) == 1 and None not in sets and len(set(orders)) > 1


def _answers(record: Record, question: str) -> list[Any]:
    responses = parsed(record.get(f"{question}.responses"))
    suggestion = parsed(record.get(f"{question}.suggestion"))
    return [*map(parsed, responses if isinstance(responses, list) else []), suggestion]


def _is_list_of_options(answer: object) -> bool:
    """Check for a list of two different texts or more."""
    texts = isinstance(answer, list) and all(isinstance(option, str) for option in answer)
    return texts and isinstance(answer, list) and len(answer) > 1 and len(set(answer)) == len(answer)


def _ranked(record: Record, rankings: Sequence[str]) -> dict[str, object]:
    """Return the columns of the rankings with their ranks. Answers that are no lists of options stay as they are."""
    columns: dict[str, object] = {}
    for question in rankings:
        responses = parsed(record.get(f"{question}.responses"))
        if isinstance(responses, list):
            columns[f"{question}.responses"] = [_with_rank(parsed(answer)) for answer in responses]
        if (suggestion := record.get(f"{question}.suggestion")) is not None:
            columns[f"{question}.suggestion"] = _with_rank(parsed(suggestion))
    return columns


def _with_rank(answer: Any) -> object:
    if not _is_list_of_options(answer):
        return answer
    return [{"value": option, "rank": place} for place, option in enumerate(answer, start=1)]
