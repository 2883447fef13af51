"""Read logs of Inspect AI (.json or .eval): a model's answers. Nobody rates there; the model is a system.

The label is the answer that a scorer read from the model's output (`answer`), or the scorer's verdict (`value`: C, I, a
number). `--columns label=answer` or `label=value` chooses. By default it is the answer. It is the verdict if the scorer
keeps no answer on any sample, or keeps the model's whole text, as scorers do that let a model grade. The question is
the task, or `task/scorer` if there are several scorers. `target` is the benchmark's right answer. It is read, as the
gold rater `target`, only if `gold` names `target` and the label is an answer, too.

With `--columns rater=epoch` each epoch is a rater (`gpt`, `gpt #2`). With `rater=scorer` each scorer is, and the
question is the task. They count as people, unless `systems` names them.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import listed
from tasks.formats.parsing.cells import cell_text, label_set
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, mapping, text
from tasks.formats.parsing.tools.record_votes import RecordVotes, read_records

TARGET = "target"
EPOCHS = "Samples answered more than once (epochs): {n}. The last answer counts."
NO_TARGET = "Targets not read as gold, because the label is a verdict and a target is an answer: {n}."
RATERS = ("model", "epoch", "scorer")
"""Who may be the rater."""
LABELS = ("answer", "value")
"""What of a score may be the label."""
MODEL_GRADED = "model_graded"  # how the names of Inspect's own scorers begin that let a model grade
MAX_LABEL_LENGTH = 100  # characters: a longer answer is a text, no label


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the parts of a log. An unpacked .eval file has `header`."""
    return {"eval", "samples"} <= keys(seen) or {"header", "samples"} <= keys(seen)


def read(path: Path, options: ReadOptions) -> Export:
    """Read the answers of a log. Errors: ReadError for another file, without samples, or without a mapped column."""
    _check_columns(path, options)
    records = read_records(path)
    votes = RecordVotes()
    used: dict[str, str] = {}
    for row, log in records.rows:
        run = mapping(log.get("eval")) or mapping(mapping(log.get("header")).get("eval"))
        samples = votes.objects(row, "samples", log.get("samples"))
        if not run or not samples:
            raise ReadError.of(
                path,
                "is not a log of Inspect AI with samples.",
                "Write whole logs: `inspect log convert --to json`, without --log-samples false.",
            )
        _check_item(path, samples, options.columns.get("item"))
        used |= _add_log(votes, run, samples, options)
    return votes.export("inspect_ai", records, _verdict_notes(used))


def _check_columns(path: Path, options: ReadOptions) -> None:
    """Refuse a mapping that a log cannot follow, rather than ignore it."""
    label = options.columns.get("label")
    rater = options.columns.get("rater")
    if others := sorted(options.columns.keys() - {"item", "label", "rater"}):
        fault = f"nothing can be mapped to {', '.join(others)}"
    elif label is not None and label not in LABELS:
        fault = f"the label is the `answer` or the `value` of a score, not {label!r}"
    elif rater is not None and rater not in RATERS:
        fault = f"the rater is the `model`, each `epoch` or each `scorer`, not {rater!r}"
    else:
        return
    raise ReadError.of(
        path,
        f"is a log of Inspect AI: {fault}.",
        "Use --columns label=answer or label=value, rater=epoch or rater=scorer, and item=FIELD for a field of the "
        "samples' metadata. "
        "In a project, give logs a [[source]] without the columns of tables.",
    )


def _check_item(path: Path, samples: list[dict[str, Any]], field: str | None) -> None:
    if field is None or any(_item(sample, field) is not None for sample in samples):
        return
    fields = sorted({"id"}.union(*(mapping(sample.get("metadata")) for sample in samples)))
    raise ReadError(
        f"No sample of {path.name} has a field {field!r}; there are {listed(fields)}.",
        "Map the item to one of them (--columns item=FIELD), or leave it out: then it is the sample's id.",
        file=str(path),
        column=field,
    )


def _item(sample: Mapping[str, Any], field: str | None) -> str | None:
    return text(sample.get("id") if field in (None, "id") else mapping(sample.get("metadata")).get(field or ""))


def _verdict_notes(used: Mapping[str, str]) -> list[str]:
    """Return a sentence on the scorers whose verdicts are the labels."""
    names = sorted(scorer for scorer, label in used.items() if label == "value")
    if not names:
        return []
    return [
        f"The label is the verdict (`value`) of these scorers: {listed(names)}; --columns label=answer changes this."
    ]


def _add_log(
    votes: RecordVotes, run: Mapping[str, Any], samples: list[dict[str, Any]], options: ReadOptions
) -> dict[str, str]:
    """Add a log's answers; return what of each scorer's scores is the label, `answer` or `value`."""
    task, model = text(run.get("task")) or "task", text(run.get("model"))
    names = dict.fromkeys(name for sample in samples for name in mapping(sample.get("scores")))
    used = {name: options.columns.get("label") or _label_of(name, samples) for name in names}
    rater = options.columns.get("rater", RATERS[0])
    together = len(names) == 1 or rater == "scorer"
    questions = {name: task if together else f"{task}/{name}" for name in names}
    for row, sample in enumerate(samples, start=1):
        item = _item(sample, options.columns.get("item"))
        if rater == RATERS[0] and text(sample.get("epoch")) not in (None, "1"):
            votes.note(EPOCHS)
        if sample.get("error"):
            votes.reject(row, "error", sample["error"], "empty_answer", "The sample ended in an error.")
            continue
        if not mapping(sample.get("scores")):
            votes.reject(row, "scores", None, "empty_answer", "The sample has no score.")
        for name in mapping(sample.get("scores")):
            label = _value(_score(sample, name).get("value")) if used[name] == "value" else _answer(sample, name)
            by = _numbered(name if rater == "scorer" else model, sample) if rater != RATERS[0] else model
            kind = "system" if rater == RATERS[0] else None
            _add_answer(votes, row, sample, questions[name], item, (by, kind), label, run)
        if TARGET in options.gold:
            _add_target(
                votes, row, sample, item, [questions[n] for n in names if used[n] == "answer"] if names else [task]
            )
    return used


def _numbered(name: str | None, sample: Mapping[str, Any]) -> str | None:
    """Return the name of the rater of a sample's epoch, as for a rater's repeated readings: 'NAME', 'NAME #2', ..."""
    epoch = text(sample.get("epoch"))
    return name if name is None or epoch in (None, "1") else f"{name} #{epoch}"


def _label_of(scorer: str, samples: list[dict[str, Any]]) -> str:
    """Choose `value` if no answer can be a label: there are none, or they are the model's whole texts.

    Else choose `answer`.
    """
    answers = [answer for sample in samples if (answer := _answer(sample, scorer)) is not None]
    is_text = any(len(answer) > MAX_LABEL_LENGTH or "\n" in answer for answer in answers)
    graded = scorer.rpartition("/")[2].startswith(MODEL_GRADED) or any(
        "grading" in mapping(_score(sample, scorer).get("metadata")) for sample in samples
    )
    return "value" if is_text or graded or not answers else "answer"


def _score(sample: Mapping[str, Any], scorer: str) -> dict[str, Any]:
    return mapping(mapping(sample.get("scores")).get(scorer))


def _answer(sample: Mapping[str, Any], scorer: str) -> str | None:
    return text(_score(sample, scorer).get("answer"))


def _value(value: object) -> str | None:
    return label_set(value) if isinstance(value, list) else cell_text(value)


def _add_answer(
    votes: RecordVotes, row: int, sample: Mapping[str, Any], question: str, item: str | None,
    by: tuple[str | None, str | None], label: str | None, run: Mapping[str, Any],
) -> None:  # fmt: skip
    if label is None:
        votes.reject(row, question, None, "empty_answer", "The score has no such entry, or it is blank.")
        return
    votes.add(
        row, question, item, by[0], label,
        rater_kind=by[1],
        rated_at=sample.get("completed_at") or run.get("created"),
        duration_s=sample.get("total_time"),
        source_ref=text(sample.get("uuid")) or f"epoch:{text(sample.get('epoch')) or 1}",
    )  # fmt: skip
    shown = {"input": sample.get("input"), **mapping(sample.get("metadata"))}
    votes.describe(question, item, shown)


def _add_target(
    votes: RecordVotes, row: int, sample: Mapping[str, Any], item: str | None, questions: Sequence[str]
) -> None:
    label = _value(sample.get("target"))
    if label is not None and not questions:
        votes.note(NO_TARGET)
    for question in questions if label is not None else ():
        votes.add(row, question, item, TARGET, label, rater_kind="gold")


INSPECT_AI = Format(
    name="inspect_ai",
    describe="Logs of Inspect AI, .json or .eval: the model's answers, as a system.",
    extensions=(".json", ".eval"),
    sniff=sniff,
    reader=read,
)
