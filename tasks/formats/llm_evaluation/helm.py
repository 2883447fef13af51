"""Read HELM's `per_instance_stats.json`: the verdicts of metrics. The shape is from memory; no real file was seen.

The item is the instance, the question the metric. Only metrics whose means are 0 or 1 throughout are verdicts; others
(lengths, times, probabilities) are skipped. The file names no model: it is the one name under `systems`, else the one
in the folder's name (`TASK,model=NAME`).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, mapping, text
from tasks.formats.parsing.tools.record_votes import FileRecords, Record, RecordVotes, read_records

MODEL = re.compile(r"model=([^,]+)")
UNNAMED = "unnamed model"
VERDICTS = ("0", "1")
NO_VERDICT = "Statistics that are not verdicts (not 0 or 1 throughout), counted as skipped: {n}."
Stat = tuple[int, str | None, str | None, str | None]


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the keys of an instance's statistics."""
    return {"instance_id", "stats", "train_trial_index"} <= keys(seen) and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read the verdicts. Errors: ReadError where there are no statistics."""
    records = read_records(path)
    votes = RecordVotes()
    stats = list(_stats(votes, records))
    if not stats:
        raise ReadError.of(path, "holds no statistics of HELM.", "Give the file per_instance_stats.json of a run.")
    verdicts = {metric for _, _, metric, _ in stats} - {
        metric for _, _, metric, mean in stats if mean is not None and mean not in VERDICTS
    }
    match = MODEL.search(path.absolute().parent.name)
    system = next(iter(options.systems)) if len(options.systems) == 1 else match[1] if match else UNNAMED
    for row, item, metric, mean in stats:
        if metric not in verdicts or mean is None:
            votes.skip(NO_VERDICT)
        else:
            votes.add(row, metric, item, system, mean, rater_kind="system")
    unnamed = "The file does not name the model, so the system is `unnamed model`. Name it with systems = [NAME]."
    return votes.export("helm", records, [unnamed] if system == UNNAMED else [])


def _stats(votes: RecordVotes, records: FileRecords) -> Iterator[Stat]:
    for row, record in records.rows:
        item = _item(record)
        for stat in votes.objects(row, "stats", record.get("stats")):
            yield row, item, _metric(stat), tidy_label(stat.get("mean"))


def _item(record: Record) -> str | None:
    instance, changed = text(record.get("instance_id")), mapping(record.get("perturbation"))
    trial = text(record.get("train_trial_index"))
    names = (instance, text(changed.get("name")), trial if trial not in (None, "0") else None)
    return "|".join(part for part in names if part) if instance else None


def _metric(stat: dict[str, Any]) -> str | None:
    name = mapping(stat.get("name"))
    return text(name.get("name")) if name else text(stat.get("name"))


HELM = Format(
    name="helm",
    describe="HELM's per_instance_stats.json: metrics of 0 and 1 per instance, of the model as a system.",
    extensions=(".json",),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
