"""Read promptfoo's results (version 3, `promptfoo eval -o results.json` or .jsonl): a verdict per assertion and output.

The item is an output: evaluation, test and prompt. The question is the assertion's metric, else the file's. A person's
verdict (assertion type `human`) is of the rater `human`. A judging model is `judge:TYPE`, other assertions `code:TYPE`.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, known_text, mapping, mentions, text
from tasks.formats.parsing.tools.record_votes import FileRecords, Record, RecordVotes, read_records

PEOPLE = "human"
JUDGES = frozenset(
    ("llm-rubric", "g-eval", "factuality", "answer-relevance", "select-best", "agent-rubric", "search-rubric")
)
JUDGE_STARTS = ("model-graded-", "context-", "conversation-")
WITHOUT = "Outputs without a verdict (errors of the provider, or no assertion), counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the parts of a result file, or of one result a line."""
    names = keys(seen)
    if options.maps_table:
        return False
    if {"promptIdx", "testIdx"} <= names:
        return True
    return "results" in names and bool({"evalId", "config"} & names) and mentions(seen, "prompts")


def read(path: Path, options: ReadOptions) -> Export:
    """Read the verdicts. Errors: ReadError where the file holds no results."""
    records = read_records(path)
    votes = RecordVotes()
    n_results = 0
    for row, evaluation, result in _results(records, votes):
        n_results += 1
        _add(votes, row, evaluation, result)
    if not n_results:
        raise ReadError.of(
            path,
            "holds no results of promptfoo.",
            "Write them with `promptfoo eval -o results.json` (version 3 of the file).",
        )
    note = "Read as results of promptfoo: judges and code are systems, named judge:TYPE and code:TYPE."
    return votes.export("promptfoo", records, [note])


def _results(records: FileRecords, votes: RecordVotes) -> Iterator[tuple[int, str | None, Record]]:
    for row, record in records.rows:
        if "promptIdx" in record:
            yield row, text(record.get("evalId")), record
            continue
        evaluation = text(record.get("evalId"))
        results = record.get("results")
        inner = results if isinstance(results, list) else mapping(results).get("results")
        for n, result in enumerate(votes.objects(row, "results", inner), start=1):
            yield n, evaluation, result


def _add(votes: RecordVotes, row: int, evaluation: str | None, result: Record) -> None:
    place = (text(result.get("testIdx")), text(result.get("promptIdx")))
    item = "|".join(part for part in (evaluation, *place) if part) if all(place) else None
    components = mapping(result.get("gradingResult")).get("componentResults")
    n_before = votes.n_outcomes
    raters: Counter[tuple[str | None, str]] = Counter()
    for component in votes.objects(row, "componentResults", components):
        _add_verdict(votes, row, item, result, component, raters)
    if votes.n_outcomes == n_before:
        votes.skip(WITHOUT)


def _add_verdict(
    votes: RecordVotes,
    row: int,
    item: str | None,
    result: Record,
    component: dict[str, Any],
    raters: Counter[tuple[str | None, str]],
) -> None:
    assertion = mapping(component.get("assertion"))
    kind, question = known_text(assertion.get("type")) or "assertion", text(assertion.get("metric"))
    passed = component.get("pass")
    if not isinstance(passed, bool):
        votes.reject(row, "pass", passed, "empty_answer", "The assertion has no verdict.")
        return
    rater = kind if kind == PEOPLE else f"{'judge' if is_judge(kind) else 'code'}:{kind}"
    raters[question, rater] += 1
    n = raters[question, rater]  # several assertions of a type are several raters of the output
    votes.add(
        row, question, item, rater if n == 1 else f"{rater} {n}", "pass" if passed else "fail",
        rater_kind="human" if kind == PEOPLE else "system", score=component.get("score"),
    )  # fmt: skip
    if not votes.knows(question, item):
        provider = mapping(result.get("provider"))
        about = {"provider": provider.get("id") or text(result.get("provider"))}
        votes.describe(question, item, {**mapping(result.get("vars")), **about})


def is_judge(kind: str) -> bool:
    """Check whether a model judges in this type of assertion, also if it is negated.

    >>> is_judge("llm-rubric"), is_judge("not-llm-rubric"), is_judge("contains")
    (True, True, False)
    """
    kind = kind.removeprefix("not-")
    return kind in JUDGES or kind.startswith(JUDGE_STARTS)


PROMPTFOO = Format(
    name="promptfoo",
    describe="Results of promptfoo (version 3): a verdict per assertion; people, judges and code told apart.",
    extensions=(".json", ".jsonl"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
