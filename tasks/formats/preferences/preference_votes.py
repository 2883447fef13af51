"""Hold the votes of a file of preferences, and turn what files write for the winner into an outcome."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import polars as pl

from schemas.rating_columns import MAX_ID_LENGTH
from tasks.formats.columns.column_roles import ColumnChoice
from tasks.formats.parsing.json_fields import number
from tasks.formats.parsing.reject_rows import ReaderNotes, Reject, rejects_frame

VOTE_COLUMNS: dict[str, type[pl.DataType]] = {
    "question": pl.String,
    "item": pl.String,
    "cluster": pl.String,
    "rater": pl.String,
    "rater_kind": pl.String,
    "first": pl.String,
    "second": pl.String,
    "outcome": pl.String,
    "row_number": pl.Int64,
}
"""One row per vote. The model `first` was shown first. `cluster` is what the item belongs to."""

FIRST, SECOND, TIE = "first", "second", "tie"
A_WORDS = {"a", "modela", "model1", "first", "left", "systema", "responsea", "answera", "assistanta", "outputa"}
B_WORDS = {"b", "modelb", "model2", "second", "right", "systemb", "responseb", "answerb", "assistantb", "outputb"}
TIE_WORDS = {"tie", "tied", "draw", "equal", "same", "both", "neither", "bothbad", "bothgood", "tie(bothbad)"}
TIE_WORDS |= {"[[c]]"}  # the answer of a judge with MT-Bench's prompt, as are [[a]] and [[b]]
TIE_WORDS |= {"tie(inconsistent)"}  # MT-Bench: a judge that chose another answer when the order changed
NUMBERS = {1: FIRST, 2: SECOND, 0: TIE, 1.5: TIE}
VERDICT = re.compile(r"a(>>?|<<?|={1,2})b|b(>>?|<<?|={1,2})a")  # Arena-Hard: A>>B, A>B, A=B, B>A, B>>A
DIGEST_LENGTH = 16


@dataclass(frozen=True)
class PreferenceExport:
    """What a reader of preferences returns: VOTE_COLUMNS, and REJECTS with a reason each."""

    format: str
    votes: pl.DataFrame
    rejects: pl.DataFrame
    n_skipped: int = 0
    warnings: tuple[str, ...] = ()
    columns: ColumnChoice | None = None

    @property
    def n_comparisons(self) -> int:
        """Count the items and pairs that were voted on, whichever model was shown first."""
        low, high = pl.min_horizontal("first", "second"), pl.max_horizontal("first", "second")
        return self.votes.select("question", "item", low.alias("low"), high.alias("high")).n_unique()


@dataclass
class PreferenceVotes(ReaderNotes):
    """The votes so far. Each vote of the file must end in `rows`, in `rejects` or in `n_skipped`."""

    rows: list[tuple[object, ...]] = field(default_factory=list)

    def add(
        self,
        row: int,
        pair: tuple[str | None, str | None],
        outcome: str | None,
        *,
        item: str | None,
        value: str | None = None,
        cluster: str | None = None,
        rater: str | None = None,
        rater_kind: str = "human",
        question: str | None = None,
        swapped: bool = False,
    ) -> None:
        """Add a vote on `pair`, or reject it. `outcome` is of the pair as given; `swapped` if its second was first."""
        a, b = pair
        if a is None or b is None:
            self.reject(row, "model", None, "bad_record", "A model is blank.")
        elif a == b:
            self.reject(row, "model", a, "bad_record", "Both models are the same.")
        elif item is None:
            self.reject(row, "item", None, "missing_item", "The item is blank.")
        elif outcome is None and value is None:
            self.reject(row, "winner", None, "empty_answer", "Nobody was chosen.")
        elif outcome is None:
            self.reject(row, "winner", value, "unknown_label", "This names neither model, nor a tie.")
        else:
            if swapped:
                a, b, outcome = b, a, {FIRST: SECOND, SECOND: FIRST}.get(outcome, outcome)
            self.rows.append((question, item, cluster or item, rater, rater_kind, a, b, outcome, row))

    def export(
        self,
        format_: str,
        rejects: Iterable[Reject] = (),
        warnings: Iterable[str] = (),
        columns: ColumnChoice | None = None,
    ) -> PreferenceExport:
        """Return what the reader returns."""
        return PreferenceExport(
            format_,
            pl.DataFrame(self.rows, schema=VOTE_COLUMNS, orient="row"),
            rejects_frame([*rejects, *self.rejects]),
            self.n_skipped,
            (*warnings, *self.sentences),
            columns,
        )


@lru_cache(maxsize=50_000)
def winner_of(value: str | None, a: str | None, b: str | None) -> str | None:
    """Return the outcome that a file writes as a word, a number or the name of a model. Unknown words are None.

    >>> [winner_of(x, "m1", "m2") for x in ("model_b", "tie (inconsistent)", "Left", "m1", "1.0", "1.5", "-1", "maybe")]
    ['second', 'tie', 'first', 'first', 'first', 'tie', None, None]
    >>> [winner_of(x, "m1", "m2") for x in ("A>>B", "[[B>A]]", "A = B", "[[A]]", "[[C]]", "C")]
    ['first', 'second', 'tie', 'first', 'tie', None]
    """
    if value is None:
        return None
    if value in (a, b):
        return FIRST if value == a else SECOND
    if (as_number := number(value)) is not None:
        return NUMBERS.get(as_number)
    word = re.sub(r"[\s_.\-]+", "", value).lower()
    inner = word.strip("[]")
    if verdict := VERDICT.fullmatch(inner):
        sign = (verdict[1] or verdict[2])[0]
        return TIE if sign == "=" else FIRST if (sign == ">") == (inner[0] == "a") else SECOND
    if inner in A_WORDS:
        return FIRST
    if inner in B_WORDS:
        return SECOND
    return TIE if word in TIE_WORDS or inner in TIE_WORDS else None


def short_id(text: str | None) -> str | None:
    """Shorten the text of an instruction that is too long for an id: its beginning, and a digest of all of it.

    >>> short_id("a question"), len(short_id("word " * 500) or "")
    ('a question', 1000)
    """
    if text is None or len(text) <= MAX_ID_LENGTH:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    return f"{text[: MAX_ID_LENGTH - DIGEST_LENGTH - 2]} #{digest}"
