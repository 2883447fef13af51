"""Read Potato's annotations: one user's state (`user_state.json`), or a line per user and instance.

The question is the schema. Labels chosen together are a set; a point of a Likert scale (`scale_4`) is its number. The
shape is from memory; no real file was seen.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.parsing.cells import label_set
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, known_text, mapping, parsed, text
from tasks.formats.parsing.tools.record_votes import FileRecords, RecordVotes, each, read_records

STATE, LINE = "instance_id_to_label_to_value", "label_annotations"
NOT_CHOSEN = ("", "false", "0.0", "none")
POINT = re.compile(r"scale_(\d+)$")
TEXTS = ("text_box", "textbox", "free_response")
UNLABELLED = "Instances without a label, counted as skipped: {n}."
Answers = Mapping[str, list[tuple[str, object]]]


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the keys of a user's state, or of an annotated instance."""
    names = keys(seen)
    has_fields = {"user_id", STATE} <= names or {"user_id", "instance_id", LINE} <= names
    return has_fields and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all answers. Errors: ReadError where the file holds no annotation of Potato."""
    records = read_records(path)
    votes = RecordVotes()
    n = 0
    for row, user, item, answers in _instances(votes, records):
        n += 1
        _add(votes, row, user, item, answers)
    if not n:
        raise ReadError.of(
            path, "holds no annotations of Potato.", "Give user_state.json of a user, or annotated_instances.jsonl."
        )
    return votes.export("potato", records)


def _instances(votes: RecordVotes, records: FileRecords) -> Iterator[tuple[int, str | None, str | None, Answers]]:
    for row, record in each(records):
        user = text(record.get("user_id"))
        if STATE in record:
            for n, (item, pairs) in enumerate(mapping(record.get(STATE)).items(), start=1):
                yield n, user, text(item), _of_pairs(votes, n, pairs)
        elif LINE in record or "span_annotations" in record:
            if record.get("span_annotations"):
                votes.reject(row, "span_annotations", record["span_annotations"], "per_region", "A span was marked.")
            answers = {schema: list(mapping(chosen).items()) for schema, chosen in mapping(record.get(LINE)).items()}
            yield row, user, text(record.get("instance_id")), answers
        else:
            votes.reject(row, None, record, "bad_record", "The record has no labels of an instance.")


def _of_pairs(votes: RecordVotes, row: int, pairs: object) -> Answers:
    """Return the answers of pairs [{schema, name}, value]."""
    answers: defaultdict[str, list[tuple[str, object]]] = defaultdict(list)
    pairs = parsed(pairs)
    for pair in pairs if isinstance(pairs, list) else [pairs]:
        control, value = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        key = mapping(control)
        schema, name = text(key.get("schema")), text(key.get("name"))
        if schema is None or name is None:
            votes.reject(row, STATE, pair, "bad_record", "A pair (schema and name) and a value are expected here.")
        else:
            answers[schema].append((name, value))
    return answers


def _add(votes: RecordVotes, row: int, user: str | None, item: str | None, answers: Answers) -> None:
    n_before = votes.n_outcomes
    for schema, pairs in answers.items():
        chosen = [(name, value) for name, value in pairs if known_text(value) not in NOT_CHOSEN]
        if any(name in TEXTS or isinstance(value, dict | list) for name, value in chosen):
            votes.reject(row, schema, chosen[0][1], "unsupported_control", "A text is not a label of the item.")
        elif label := label_set([_point(name) for name, _ in chosen]):
            votes.add(row, schema, item, user, label)
    if votes.n_outcomes == n_before:
        votes.skip(UNLABELLED)


def _point(name: str) -> str:
    match = POINT.match(name)
    return match[1] if match else name


POTATO = Format(
    name="potato",
    describe="Potato: the state of a user, or a line per user and instance; a question per schema.",
    extensions=(".json", ".jsonl"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
