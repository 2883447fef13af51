"""Read Datasaur's row labelling. The shape is from memory; no real file was seen.

The item is the row, the rater the labeler's e-mail address, the question the row's question.
"""

from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.parsing.cells import label_set, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, mapping, mentions, parsed, text
from tasks.formats.parsing.tools.record_votes import RecordVotes, read_records

UNANSWERED = "Rows without an answer, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the parts of a project."""
    has_fields = {"projectName", "rows"} <= keys(seen) and mentions(seen, "answers", "labelerEmail")
    return has_fields and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all answers. Errors: ReadError where the file has no rows."""
    records = read_records(path)
    votes = RecordVotes()
    n = 0
    for row, record in records.rows:
        for line in votes.objects(row, "rows", record.get("rows")):
            n += 1
            answers = votes.objects(n, "answers", line.get("answers"))
            if not answers:
                votes.skip(UNANSWERED)
            for answer in answers:
                question, value = text(answer.get("question")), parsed(answer.get("value"))
                label = label_set(value) if isinstance(value, list) else tidy_label(value)
                if isinstance(value, dict) or label is None:
                    votes.reject(n, question, value, "empty_answer", "There is no label.")
                    continue
                item = text(line.get("id"))
                votes.add(n, question, item, text(answer.get("labelerEmail")), label)
                if not votes.knows(question, item):
                    votes.describe(question, item, mapping(line.get("columns")))
    if not n:
        raise ReadError.of(path, "holds no rows of Datasaur.", "Export the project as JSON.")
    return votes.export("datasaur", records)


DATASAUR = Format(
    name="datasaur",
    describe="Datasaur's row labelling: the answers of each labeler.",
    extensions=(".json",),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
