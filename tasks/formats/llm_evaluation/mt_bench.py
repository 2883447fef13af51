"""Read the scores of MT-Bench, as FastChat writes them: a judge's score for each answer of a model.

The item is the answer: question, model and turn. The rater is the judge, of kind system, named without its prompt,
which changes with the turn. FastChat writes -1 where the judge gave no score.
"""

from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.columns.joined_columns import BAR
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, parsed, text
from tasks.formats.parsing.tools.record_votes import RecordVotes, read_records

FIELDS = {"question_id", "model", "judge", "judgment", "score", "turn"}
ITEM = ("question_id", "model", "turn")
NO_SCORE = "Answers of a judge without a score (-1), counted as skipped: {n}."
ABOUT = "Read as scores of MT-Bench: an item is a question, a model and a turn, and the judges are systems."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the fields of a single-answer judgment."""
    return keys(seen) >= FIELDS and "item" not in options.columns and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read the scores. Errors: ReadError where no record has a score."""
    records, votes = read_records(path), RecordVotes()
    if not any("score" in record for _, record in records.rows):
        raise ReadError.of(path, "holds no scores of MT-Bench.", "Give the file *_single.jsonl of model_judgment.")
    for row, record in records.rows:
        names = [text(record.get(field)) for field in ITEM]
        item = BAR.join(name for name in names if name) if all(names) else None
        judge, score = parsed(record.get("judge")), text(record.get("score"))
        rater = text(judge[0] if isinstance(judge, list) and judge else judge)
        if score == "-1":
            votes.skip(NO_SCORE)
            continue
        votes.describe(None, item, {field: record.get(field) for field in ("model", "turn")})
        votes.add(row, None, item, rater, score, rater_kind="system", rated_at=record.get("tstamp"))
    return votes.export("mt_bench", records, [ABOUT])


MT_BENCH = Format(
    name="mt_bench",
    describe="Scores of MT-Bench's judges, one per answer of a model. The judges are systems.",
    extensions=(".jsonl",),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
