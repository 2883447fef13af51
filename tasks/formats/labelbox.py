"""Read Labelbox's export (v2, NDJSON): data rows with their labels by project. A label is one person's visit.

The question is the name of the classification; a nested one is `parent / child`. Objects (boxes, spans) belong to a
part of the item. Model runs hold predictions, which are the answers of a system.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.cells import label_set
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, mapping, objects, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, each, read_records

SKIPPED = "Labels that were skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for a data row with projects or experiments."""
    return "data_row" in keys(seen) and bool({"projects", "experiments"} & keys(seen))


def read(path: Path, options: ReadOptions) -> Export:
    """Read all labels; `item` may be mapped to global_key or external_id. Errors: ReadError for another file."""
    records = read_records(path)
    rows = each(records)
    if not any(mapping(record.get("data_row")) for _, record in rows):
        raise ReadError.of(
            path, "is not an export of Labelbox: no record has a data_row.", "Export the project as NDJSON (export v2)."
        )
    key = options.columns.get("item", "id").removeprefix("data_row.")
    votes = RecordVotes()
    for row, record in rows:
        data = mapping(record.get("data_row"))
        item = text(data.get(key))
        first = len(votes.rows)
        n_before = first + len(votes.rejects) + votes.n_skipped
        for label in _labels(votes, row, record):
            _add_label(votes, row, item, label)
        for run, prediction in _predictions(record):
            _add_answers(votes, row, item, prediction, run, {"rater_kind": "system", "system_version": run})
        if len(votes.rows) + len(votes.rejects) + votes.n_skipped == n_before:
            votes.skip("Data rows without a label, counted as skipped: {n}.")
        for question in dict.fromkeys(str(vote[0]) for vote in votes.rows[first:]):
            votes.describe(question, item, {k: data.get(k) for k in ("global_key", "external_id", "row_data")})
    return votes.export("labelbox", records)


def _labels(votes: RecordVotes, row: int, record: Record) -> Iterator[dict[str, Any]]:
    for project in mapping(record.get("projects")).values():
        yield from votes.objects(row, "labels", mapping(project).get("labels"))


def _predictions(record: Record) -> Iterator[tuple[str, dict[str, Any]]]:
    for experiment in mapping(record.get("experiments")).values():
        for run_id, run in mapping(mapping(experiment).get("runs")).items():
            name = text(mapping(run).get("name")) or run_id
            yield from ((name, prediction) for prediction in objects(mapping(run).get("predictions")))


def _add_label(votes: RecordVotes, row: int, item: str | None, label: Mapping[str, Any]) -> None:
    if mapping(label.get("performance_details")).get("skipped") is True:
        votes.skip(SKIPPED)
        return
    details = mapping(label.get("label_details"))
    more = {
        "rated_at": details.get("updated_at") or details.get("created_at"),
        "duration_s": mapping(label.get("performance_details")).get("seconds_to_create"),
    }
    _add_answers(votes, row, item, label, text(details.get("created_by")), more)


def _add_answers(
    votes: RecordVotes,
    row: int,
    item: str | None,
    label: Mapping[str, Any],
    rater: str | None,
    more: Mapping[str, object],
) -> None:
    ref = f"label:{text(label.get('id'))}"
    annotations = mapping(label.get("annotations"))
    n_before = votes.n_outcomes
    for question, answer in _answers(votes.objects(row, "classifications", annotations.get("classifications"))):
        chosen = _chosen(answer)
        if chosen is None:
            fault = (
                "unsupported_control" if not {"radio_answer", "checklist_answers"} & answer.keys() else "empty_answer"
            )
            votes.reject(row, question, answer, fault, f"{ref}: It holds no choice.")
        else:
            votes.add(row, question, item, rater, chosen, source_ref=ref, **more)
    for part in votes.objects(row, "objects", annotations.get("objects")):
        votes.reject(
            row, text(part.get("name")), part, "per_region", f"{ref}: The answer belongs to a part of the item."
        )
    if votes.n_outcomes == n_before:
        votes.reject(row, None, None, "empty_answer", f"{ref} holds no answer.")


def _answers(classifications: list[dict[str, Any]], within: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for classification in classifications:
        name = (
            f"{within} / {text(classification.get('name'))}"
            if within
            else text(classification.get("name")) or "classification"
        )
        yield name, classification
        for answer in (mapping(classification.get("radio_answer")), *objects(classification.get("checklist_answers"))):
            yield from _answers(objects(answer.get("classifications")), name)


def _chosen(answer: Mapping[str, Any]) -> str | None:
    """Return the values of the options, else their names."""
    options = [mapping(answer.get("radio_answer")), *objects(answer.get("checklist_answers"))]
    return label_set([text(option.get("value")) or text(option.get("name")) for option in options if option])


LABELBOX = Format(
    name="labelbox",
    describe="Labelbox's NDJSON (export v2): classifications of whole items; model runs as systems.",
    extensions=(".ndjson", ".jsonl", ".json"),
    sniff=sniff,
    reader=read,
    roles=frozenset({"item"}),
)
