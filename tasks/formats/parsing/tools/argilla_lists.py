"""Recognise rankings among Argilla's flattened records.

Argilla's client (2.x) writes a ranking as the list of its options, the first one best. A set of labels chosen
together is such a list, too, and there the order says nothing. So a question is a ranking if the user says so, or if
the order is all that its answers differ in.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from tasks.formats.parsing.json_fields import parsed
from tasks.formats.parsing.tools.record_votes import Record, Row

MIN_RANKINGS = 5
"""So many answers show a ranking. Two sets of labels may hold all labels by chance."""


def with_ranks(rows: Iterable[Row], questions: Sequence[str], rankings: Collection[str] | None = ()) -> Iterable[Row]:
    """Return the records, in which each ranking is a list of objects with value and rank.

    `rankings` are the questions that the user calls rankings. None: each whose answers are lists. The rows are gone
    through once more if the answers have to show which questions are rankings.
    """
    if rankings is None:
        ranked = [*questions]
    else:
        shown = _shown_by_answers(rows, [question for question in questions if question not in rankings])
        ranked = [question for question in questions if question in rankings or question in shown]
    if not ranked:
        return rows
    return ((row, {**record, **_ranked(record, ranked)}) for row, record in rows)


def _shown_by_answers(rows: Iterable[Row], questions: Sequence[str]) -> set[str]:
    """Return the questions all of whose answers order the same options, in several ways."""
    n_answers: Counter[str] = Counter()
    orders: dict[str, set[tuple[str, ...]]] = {question: set() for question in questions}
    for _, record in rows:
        for question in [*orders]:
            for answer in answers_of(record, question):
                if answer is None:
                    continue
                seen_orders = orders[question]
                if not _is_list_of_options(answer) or (seen_orders and set(next(iter(seen_orders))) != set(answer)):
                    del orders[question]
                    break
                n_answers[question] += 1
                seen_orders.add(tuple(answer))
        if not orders:
            break
    return {
        question for question, several in orders.items() if len(several) > 1 and n_answers[question] >= MIN_RANKINGS
    }


def answers_of(record: Record, question: str) -> list[Any]:
    """Return the responses to a question, whatever their status, and its suggestion."""
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
