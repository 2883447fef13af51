"""Write the items whose label is most in doubt to a file, for somebody to adjudicate."""

import json
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tasks.atomic_files import check_out, write_atomically
from tasks.counted_words import counted
from tasks.errors import InputError
from tasks.evaluate.dataset_questions import refuse_dataset
from tasks.export.table_files import write_table
from tasks.summary.other_answers import refuse_other_answers
from tasks.worklist.answers_file import check_not_filled_in
from warehouse.connect import connect
from warehouse.questions import read_table
from warehouse.worklist import answered_items, doubtful_items, labels_given, n_with_probability

FORMATS = ("csv", "xlsx", "label-studio")
MAX_ITEMS = 2**63 - 1  # more is no number for DuckDB
ENDINGS = {".csv": "csv", ".xlsx": "xlsx", ".json": "label-studio"}


@dataclass(frozen=True)
class Worklist:
    """The items of a list. The item whose next rating is worth most comes first. Items: item, text, labels_given.

    `n_doubtful` is the number of all items of the question whose label is in doubt. `n_answered` items are left out of
    both: answers of a worklist came for them after the last run.
    """

    question: str
    items: pl.DataFrame
    n_doubtful: int
    n_answered: int = 0

    def to_json(self) -> dict[str, object]:
        """Return the JSON value of `kappaflow worklist --json`."""
        return {
            "question": self.question,
            "n": self.items.height,
            "n_doubtful": self.n_doubtful,
            "n_answered": self.n_answered,
            "items": self.items.to_dicts(),
        }

    def left_out(self) -> str:
        """Say how many items are left out, and why; empty if none is."""
        if not self.n_answered:
            return ""
        items = counted(self.n_answered, "item is", "items are")
        return (
            f"{items} left out: answered since the last run. The next `kappaflow run` evaluates the question with the"
            " answers."
        )


def read_worklist(snapshot: Path, question: str, *, n: int) -> Worklist:
    """Read the n items of a question about whose label there is most to learn, with what annotators said of them.

    `labels_given` is a text such as "kind (by ann, bob); rude (by cy)". The labels of systems are left out: an
    adjudicator who sees them favours the system. Items that were answered since the last run are left out. Raises
    InputError for an unknown question, and if no item is in doubt.
    """
    with connect(snapshot, read_only=True) as con:
        answered = answered_items(con, question)
        rows = doubtful_items(con, question, min(n, MAX_ITEMS), answered)
        if rows.is_empty():
            refuse_dataset(con, question, "the warehouse does not have its items, and cannot list them")
            refuse_other_answers(con, question, "a worklist")
            questions = read_table(con, "latest_agreement")["question"].unique().sort().to_list()
            _refuse(question, questions, n_probable=n_with_probability(con, question), n_answered=len(answered))
        labels = labels_given(con, question, rows["item"].to_list())
    by_item = labels.select(
        "item", labels_given=pl.format("{} (by {})", "label", pl.col("raters").list.join(", "))
    ).group_by("item", maintain_order=True).agg(pl.col("labels_given").str.join("; "))  # fmt: skip
    items = rows.join(by_item, on="item", how="left", maintain_order="left")
    shown = items.select("item", pl.col("item_text").fill_null("").alias("text"), pl.col("labels_given").fill_null(""))
    return Worklist(question, shown, rows["n_doubtful"][0], len(answered))


def worklist_format(name: str | None, out: Path) -> str:
    """Return the format that the user names, else the one of the file's ending.

    Raises InputError if there is neither.
    """
    file_format = name or ENDINGS.get(out.suffix.lower())
    if file_format not in FORMATS:
        wrong = f"--format {name!r} is unknown." if name else f"The ending of {out} is not a format."
        raise InputError(wrong, f"{'Use' if name else 'Add --format with'} one of {', '.join(FORMATS)}.")
    return file_format


def write_worklist(worklist: Worklist, out: Path, file_format: str, *, blind: bool) -> None:
    """Write the list with its question and an empty column `label`. With `blind`, what annotators said is left out.

    In CSV and Excel a text that looks like a formula gets an apostrophe in front. Label Studio gets tasks whose data
    are item, text, question and labels_given. Raises InputError if the folder of `out` does not exist, and for a file
    that somebody filled in.
    """
    check_out(out)
    check_not_filled_in(out)
    items = worklist.items.drop("labels_given") if blind else worklist.items
    if file_format == "label-studio":
        tasks = [{"data": {**row, "question": worklist.question}} for row in items.iter_rows(named=True)]
        write_atomically(out, json.dumps(tasks, ensure_ascii=False, indent=2) + "\n")
    else:
        write_table(items.with_columns(question=pl.lit(worklist.question), label=pl.lit("")), out, file_format)


def _refuse(question: str, questions: list[str], *, n_probable: int, n_answered: int) -> None:
    if question not in questions:
        raise InputError(
            f"There is no question {question!r}.", f"There are: {', '.join(map(repr, questions))[:300] or 'none yet'}."
        )
    if n_answered:
        raise InputError(
            f"No other item of {question!r} is in doubt: {counted(n_answered, 'item was', 'items were')} answered since"
            " the last run.",
            "`kappaflow run` evaluates the question with the answers. Then list again.",
        )
    if not n_probable:
        raise InputError(
            f"No label of {question!r} has a probability, so it is not known which items are in doubt.",
            "It takes two labels or more, and items that two annotators or more rated. These must agree more often than"
            " chance alone gives. Or draw items at random with `kappaflow audit`.",
        )
    raise InputError(
        f"No item of {question!r} is in doubt: each has gold, or a label with a probability of .95 or more.",
        "For right answers on items drawn at random use `kappaflow audit`.",
    )
