"""Logs of Inspect AI (.json, or .eval): a model's answers. No person rates there; the model is a system.

The label is the answer that a scorer read from the model's output; a scorer that keeps no answer on any sample gives
its value (C, I, a number) instead. The question is the task, or `task/scorer` where there are several. `target` is the
benchmark's own answer: it is read, as the gold rater `target`, only if `gold` names `target`.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.base import Export, Format, ReadOptions
from tasks.formats.cells import cell_text, label_set
from tasks.formats.fields import keys, mapping, text
from tasks.formats.peek import Peek
from tasks.formats.votes import Records, Votes, read_records

TARGET = "target"
EPOCHS = "Samples answered more than once (epochs), of which the last counts: {n}."


def sniff(seen: Peek, options: ReadOptions) -> bool:
    """The parts of a log; `header` where an .eval file was unpacked."""
    return {"eval", "samples"} <= keys(seen) or {"header", "samples"} <= keys(seen)


def read(path: Path, options: ReadOptions) -> Export:
    """Read the answers of a log. Errors: ReadError where it is none, or holds no samples."""
    records = read_records(path)
    votes = Votes()
    scorers: set[str] = set()
    for row, log in records.rows:
        run = mapping(log.get("eval")) or mapping(mapping(log.get("header")).get("eval"))
        samples = votes.objects(row, "samples", log.get("samples"))
        if not run or not samples:
            raise ReadError(
                f"{path.name} is no log of Inspect AI with samples.",
                "Write whole logs: `inspect log convert --to json`, without --log-samples false.",
                file=str(path),
            )
        scorers |= _add_log(votes, run, samples, options)
    by_value = sorted(s for s in scorers if s.endswith("="))
    said = [f"Scorers that keep no answer, so that their value is the label: {', '.join(s[:-1] for s in by_value)}."]
    return votes.export("inspect_ai", Records("json", (), records.rejects, records.warnings), said if by_value else [])


def _add_log(votes: Votes, run: Mapping[str, Any], samples: list[dict[str, Any]], options: ReadOptions) -> set[str]:
    """Add a log's answers; the names of its scorers, with = for those whose value is the label."""
    task, model = text(run.get("task")) or "task", text(run.get("model"))
    names = dict.fromkeys(name for sample in samples for name in mapping(sample.get("scores")))
    answered = {name for name in names if any(_answer(sample, name) for sample in samples)}
    for row, sample in enumerate(samples, start=1):
        item = text(sample.get("id"))
        if text(sample.get("epoch")) not in (None, "1"):
            votes.note(EPOCHS)
        if sample.get("error"):
            votes.reject(row, "error", sample["error"], "empty_answer", "The sample ended in an error.")
            continue
        if not mapping(sample.get("scores")):
            votes.reject(row, "scores", None, "empty_answer", "The sample has no score.")
        for name, score in mapping(sample.get("scores")).items():
            question = task if len(names) == 1 else f"{task}/{name}"
            label = _answer(sample, name) if name in answered else _value(mapping(score).get("value"))
            _add_answer(votes, row, sample, question, item, model, label, run)
        if TARGET in options.gold:
            _add_target(votes, row, sample, [task] if len(names) < 2 else [f"{task}/{name}" for name in names])
    return {name if name in answered else f"{name}=" for name in names}


def _answer(sample: Mapping[str, Any], scorer: str) -> str | None:
    return text(mapping(mapping(sample.get("scores")).get(scorer)).get("answer"))


def _value(value: object) -> str | None:
    return label_set(value) if isinstance(value, list) else cell_text(value)


def _add_answer(
    votes: Votes, row: int, sample: Mapping[str, Any], question: str, item: str | None, model: str | None,
    label: str | None, run: Mapping[str, Any],
) -> None:  # fmt: skip
    if label is None:
        votes.reject(row, question, None, "empty_answer", "The scorer found no answer.")
        return
    votes.add(
        row, question, item, model, label,
        rater_kind="system",
        rated_at=sample.get("completed_at") or run.get("created"),
        duration_s=sample.get("total_time"),
        source_ref=text(sample.get("uuid")) or f"epoch:{text(sample.get('epoch')) or 1}",
    )  # fmt: skip
    shown = {"input": sample.get("input"), **mapping(sample.get("metadata"))}
    votes.describe(question, item, shown)


def _add_target(votes: Votes, row: int, sample: Mapping[str, Any], questions: Iterable[str]) -> None:
    label = _value(sample.get("target"))
    for question in questions:
        if label is not None:
            votes.add(row, question, text(sample.get("id")), TARGET, label, rater_kind="gold")


INSPECT_AI = Format(
    name="inspect_ai",
    describe="Logs of Inspect AI, .json or .eval: the model's answers, as a system.",
    extensions=(".json", ".eval"),
    sniff=sniff,
    reader=read,
)
