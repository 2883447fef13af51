"""Read lists of votes that name nobody: `annotator_labels` of SNLI and MultiNLI.

`-` and a blank are no answer and count as skipped. `gold_label` is the majority, no right answer, and describes the
item.
"""

from dataclasses import replace
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.parsing.cells import listed_labels, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, parsed, text
from tasks.formats.parsing.tools.record_votes import RecordVotes, each, read_records
from tasks.formats.votes.unnamed_votes import MAX_VOTES, UNNAMED, Counts, vote_rows

LIST, IDS = "annotator_labels", ("pairID", "uid", "id")
NO_ANSWER = "-"
SKIPPED = "Votes without an answer, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the list of votes and an id beside it."""
    return LIST in keys(seen) and bool({*IDS} & keys(seen)) and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read the votes. Errors: ReadError where no record has any."""
    records = read_records(path)
    votes = RecordVotes()
    counts: Counts = []
    n_lists = 0
    for row, record in each(records):
        item = next(filter(None, (text(record.get(key)) for key in IDS)), None)
        value = parsed(record.get(LIST))
        labels = listed_labels(value) if isinstance(value, str) else value
        if not isinstance(labels, list) or len(labels) > MAX_VOTES or any(isinstance(o, dict | list) for o in labels):
            votes.reject(row, LIST, value, "bad_record", "A list of labels is expected here.")
            continue
        n_lists += 1
        answers = [label for label in map(tidy_label, labels) if label not in (None, NO_ANSWER)]
        for _ in range(len(labels) - len(answers)):
            votes.skip(SKIPPED)
        if item is None:
            votes.reject(row, IDS[0], None, "missing_item", "The item is blank.")
        elif not labels:
            votes.reject(row, LIST, None, "empty_answer", "There are no votes.")
        else:
            counts += [(row, None, item, answer, 1) for answer in answers if answer]
            votes.describe(None, item, {k: v for k, v in record.items() if k not in (*IDS, LIST)})
    if not n_lists:
        raise ReadError.of(path, "holds no lists of votes.", "Its records need annotator_labels.")
    return replace(votes.export("vote_lists", records, [UNNAMED]), rows=vote_rows(counts))


VOTE_LISTS = Format(
    name="vote_lists",
    describe="Lists of votes without names: annotator_labels of SNLI and MultiNLI.",
    extensions=(".jsonl", ".json", ".parquet"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
