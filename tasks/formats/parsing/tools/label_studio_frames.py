"""Collect what Label Studio's tasks hold while they are read, and pack it into frames.

Python's objects take ten times the memory of a frame, so they are packed every few thousand. Data that the results of
one annotation share is collected once. Each text is in memory once, and columns refer to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from schemas.rating_columns import MAX_METADATA_LENGTH, METADATA
from tasks.formats.parsing.export import CANONICAL, Export, canonical
from tasks.formats.parsing.reject_rows import Reject, rejects_frame

SOURCE: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "rater": pl.String,
    "rater_kind": pl.String,
    "system_version": pl.String,
    "rated_at": pl.String,
    "duration_s": pl.String,
    "source_ref": pl.String,
    "row_number": pl.Int64,
}
"""What the results of one annotation or prediction share."""
RESULT: dict[str, type[pl.DataType]] = {
    "source": pl.Int64,
    **dict.fromkeys(("question", "label", "score"), pl.String),
}
ABOUT: dict[str, type[pl.DataType]] = {"task": pl.Int64, **dict.fromkeys(("item", "key", "value"), pl.String)}
TASK_QUESTIONS: dict[str, type[pl.DataType]] = {"task": pl.Int64, "question": pl.String}

Source = tuple[str | None, str | None, str | None, str | None, str | None, str | None, str, int]


@dataclass
class TaskRows:
    """The data of the tasks so far.

    `n` numbers annotations and predictions in their order. Lists hold the data since the last `pack`: `results` have
    the number of their source, question, label and score; `metadata` the number of the task, item, key and value;
    `task_questions` the questions answered for each task. `labels` maps labels to their tidy form.
    """

    sources: list[Source] = field(default_factory=list)
    results: list[tuple[int, str | None, str, str | None]] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    metadata: list[tuple[int, str, str, str]] = field(default_factory=list)
    task_questions: list[tuple[int, str]] = field(default_factory=list)
    labels: dict[str, str | None] = field(default_factory=dict)
    data_keys: set[str] = field(default_factory=set)
    ordered: set[str] = field(default_factory=set)
    n_tasks: int = 0
    n: int = 0
    n_skipped: int = 0
    n_bare_predictions: int = 0
    n_ground_truth: int = 0
    n_drafts: int = 0
    n_by_others: int = 0
    n_mended: int = 0
    n_cut: int = 0
    items: list[str] = field(default_factory=list)
    packed: list[tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]] = field(default_factory=list)

    @property
    def n_waiting(self) -> int:
        """Return roughly how many Python objects wait to be packed."""
        return len(self.results) + len(self.metadata) + len(self.rejects)

    @property
    def n_packed(self) -> int:
        """Return how many rows of all kinds the next part would have."""
        return sum(frame.height for frames in self.packed for frame in frames)

    def pack(self) -> None:
        """Pack the collected data into frames."""
        self.packed.append((self._rows(), self._metadata(), rejects_frame(self.rejects)))
        for full in (self.sources, self.results, self.rejects, self.metadata, self.task_questions, self.labels):
            full.clear()

    def part(self) -> Export:
        """Return the data packed since the last part. If an item stands in the file twice, its first value counts."""
        rows, metadata, rejects = (pl.concat(frames) for frames in zip(*self.packed, strict=True))
        if len(set(self.items)) < len(self.items):
            metadata = metadata.unique(["question", "item", "key"], keep="first", maintain_order=True)
        is_long = metadata["value"].str.len_chars() > MAX_METADATA_LENGTH
        self.n_cut += is_long.sum()
        if is_long.any():
            metadata = metadata.with_columns(pl.col("value").str.slice(0, MAX_METADATA_LENGTH))
        export = Export(
            format="label_studio",
            rows=rows,
            rejects=rejects,
            n_skipped=self.n_skipped,
            metadata=metadata,
            ordered=frozenset(self.ordered),
        )
        self.n_skipped = 0
        self.packed.clear()
        self.items.clear()
        return export

    def _rows(self) -> pl.DataFrame:
        """Tidy each distinct text once, then join the rows by the number of their source."""
        sources = canonical(_frame(self.sources, SOURCE)).select(SOURCE.keys())
        results = _frame(self.results, RESULT)
        shared = sources[results["source"]]
        return canonical(results).select("question", "label", "score").hstack(shared).select(CANONICAL.keys())

    def _metadata(self) -> pl.DataFrame:
        # a join, so that each text is in memory once, and not once a question
        task_questions, about = _frame(self.task_questions, TASK_QUESTIONS), _frame(self.metadata, ABOUT)
        return task_questions.join(about, on="task", maintain_order="left_right").select(METADATA.keys())


def _frame(rows: Sequence[tuple[object, ...]], schema: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    # column by column: zip(*rows) takes four times as long
    return pl.DataFrame(
        [pl.Series(name, [row[i] for row in rows], dtype=dtype) for i, (name, dtype) in enumerate(schema.items())]
    )
