"""Read classifications of LightTag. The shape is from memory; no real file was seen.

The item is the example. Classes that one annotator gave an example are a set. Who saw an example and gave it no class
is skipped. Annotations of spans are rejects.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.cells import label_set
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, text
from tasks.formats.parsing.tools.record_votes import RecordVotes, read_records

UNCLASSIFIED = "Examples that an annotator saw and gave no class, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the parts of an export."""
    names = keys(seen)
    return {"examples", "relations", "schema"} <= names and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all classifications. Errors: ReadError where the file has no examples."""
    records = read_records(path)
    votes = RecordVotes()
    n = 0
    for row, record in records.rows:
        for example in votes.objects(row, "examples", record.get("examples")):
            n += 1
            _add(votes, n, example)
    if not n:
        raise ReadError.of(path, "holds no examples of LightTag.", "Export the data set as JSON.")
    return votes.export("lighttag", records)


def _add(votes: RecordVotes, row: int, example: dict[str, Any]) -> None:
    item = text(example.get("example_id"))
    chosen: defaultdict[str | None, list[object]] = defaultdict(list)
    times: dict[str | None, str | None] = {}
    for entry in votes.objects(row, "classifications", example.get("classifications")):
        for by in votes.objects(row, "classified_by", entry.get("classified_by")):
            rater = text(by.get("annotator")) or text(by.get("annotator_id"))
            chosen[rater].append(entry.get("classname"))
            times[rater] = text(by.get("timestamp"))
    for rater, names in chosen.items():
        plain = [name for name in names if not isinstance(name, dict | list)]
        if (label := label_set(plain)) is None:
            votes.reject(row, "classname", names, "empty_answer", "The class has no name.")
        else:
            votes.add(row, None, item, rater, label, rated_at=times[rater])
            votes.describe(None, item, {"content": example.get("content")})
    for _ in votes.objects(row, "annotations", example.get("annotations")):
        votes.reject(row, "annotations", item, "per_region", "A span was marked.")
    for by in votes.objects(row, "seen_by", example.get("seen_by")):
        if (text(by.get("annotator")) or text(by.get("annotator_id"))) not in chosen:
            votes.skip(UNCLASSIFIED)


LIGHTTAG = Format(
    name="lighttag",
    describe="LightTag: the classes that annotators gave whole examples.",
    extensions=(".json",),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
