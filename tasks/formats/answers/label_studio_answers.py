"""Read the rankings and texts in Label Studio's JSON: `Ranker` without buckets, and `TextArea` for the whole item.

The question is the name of the control. A ranker's value is an object with one list, the options from the first to the
last. With buckets it has several lists, which are groups and no order: such an answer is rejected. Several texts of one
text area are joined by line breaks.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tasks.formats.answers.answer_export import AnswerExport, Answers
from tasks.formats.label_studio import REGION, SKIPPED, annotator
from tasks.formats.parsing.cells import cell_text, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import dicts_in, mentions
from tasks.formats.parsing.tools.record_votes import read_records

RANKER, TEXTAREA = "ranker", "textarea"
BUCKETS = "The ranker has buckets, which are groups and no order."
Json = Mapping[str, Any]


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for tasks with a ranker or a text area."""
    shape = seen.shape
    tasks = shape.get("data") == "object" and "array" in (shape.get("annotations"), shape.get("predictions"))
    return seen.kind == "json" and tasks and (mentions(seen, RANKER) or mentions(seen, TEXTAREA))


def read(path: Path, options: ReadOptions, rankings: Collection[str] | None = ()) -> AnswerExport:
    """Read all tasks. Their controls say what is a ranking, whatever the user calls one (`rankings`)."""
    records, answers = read_records(path), Answers()
    field = options.columns.get("item", "").strip().removeprefix("data.")
    for row, task in records.rows:
        data = task.get("data")
        item = tidy_label(data.get(field) if field and isinstance(data, dict) else task.get("id"))
        for annotation in dicts_in(task.get("annotations")):
            if annotation.get("was_cancelled"):
                answers.notes[SKIPPED] += 1
                continue
            rater = annotator(annotation)
            _add(answers, row, (item, rater, "human"), annotation)
        for prediction in dicts_in(task.get("predictions")):
            version = tidy_label(prediction.get("model_version")) or "unnamed model"
            _add(answers, row, (item, version, "system"), prediction)
    return answers.export("label_studio", records.rejects, records.warnings)


def _add(answers: Answers, row: int, who: tuple[str | None, str | None, str], entry: Json) -> None:
    item, rater, kind = who
    ref = f"{'prediction' if kind == 'system' else 'annotation'}:{cell_text(entry.get('id'))}"
    answers.origin = cell_text(entry.get("updated_at") or entry.get("created_at")), ref
    for result in dicts_in(entry.get("result")):
        held = result.get("value")
        value: dict[str, Any] = held if isinstance(held, dict) else {}
        question = cell_text(result.get("from_name")) or "answers"
        if result.get("type") == RANKER:
            groups = value.get("ranker")
            lists = list(groups.values()) if isinstance(groups, dict) else []
            if len(lists) != 1 or not isinstance(lists[0], list):
                answers.reject(row, question, groups, "unsupported_control", BUCKETS)
            else:
                ranks = [(tidy_label(option), float(place)) for place, option in enumerate(lists[0], start=1)]
                answers.add_ranking(row, question, item, rater, ranks, kind)
        elif result.get("type") == TEXTAREA and REGION.isdisjoint(value):
            texts = value.get("text")
            values = texts if isinstance(texts, list) else [texts]
            lines = [part for part in values if isinstance(part, str)]
            if len(lines) < len(values):
                answers.reject(row, question, texts, "bad_record", "The text area holds no text.")
            else:
                answers.add_text(row, question, item, rater, "\n".join(lines), kind)
        elif result.get("type") == TEXTAREA:
            answers.reject(row, question, None, "per_region", "The text belongs to a part of the item.")
        else:
            answers.has_labels = True
