"""Take the answers of an audit, and compare the question's figures before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from tasks.audit.audit_effect import RANDOM, SystemEffect, effects, origin_notes, question_accuracy
from tasks.counted_words import counted
from tasks.errors import ReadError, some
from tasks.evaluate.gold.gold_inclusion import Inclusion
from tasks.evaluate.gold.stored_audits import stored_inclusion
from tasks.evaluate.gold.usable_gold import on_differing_gold
from tasks.evaluate.patterns import from_warehouse
from tasks.evaluate.question_config import QuestionConfig
from tasks.worklist.answers_file import NO_ALIASES, TakenAnswers, take_answers
from tasks.worklist.filled_in_answers import AnswerSource, names_its_question
from warehouse.audits import GoldOrigin, drawn_items, gold_origin, questions_of_same_samples
from warehouse.connect import connect

AUDIT = AnswerSource("audit", rater="audit", rater_kind="gold", command="audit")


@dataclass(frozen=True)
class AuditOutcome:
    """What the answers brought.

    gold_differs: that gold raters differ on some items, in words; mostly empty. other_questions: those to which the
    table of answers could belong as well.
    """

    question: str
    answers: TakenAnswers
    origin: GoldOrigin
    systems: list[SystemEffect]
    inclusion: Inclusion | None = None
    gold_differs: tuple[str, ...] = ()
    other_questions: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value of `kappaflow audit --answers --json`."""
        return {
            "question": self.question,
            **self.answers.to_json(),
            "n_gold": self.origin.n_gold,
            "n_gold_drawn": self.origin.n_drawn,
            "systems": [effect.to_json() for effect in self.systems],
            "notes": self.notes(),
        }

    def notes(self) -> list[str]:
        """Say how the intervals changed, what more gold would bring, and what the gold is."""
        texts = self.answers.notes()
        if self.other_questions:
            names = some([repr(name) for name in self.other_questions])
            texts.append(
                f"The same items were drawn for {names}, and a table does not name its question: check that these are"
                f" the answers to {self.question!r}."
            )
        texts += [text for effect in self.systems if (text := _in_words(effect)) is not None]
        origin = origin_notes(self.origin, self.inclusion)
        return [*texts, *self.gold_differs, *(text for text in origin if text != RANDOM or not self.gold_differs)]


def take_audit(
    db: Path,
    path: Path,
    question: str,
    config: QuestionConfig,
    *,
    confidence: float,
    seed: int,
    aliases: Mapping[str, str] = NO_ALIASES,
) -> AuditOutcome:
    """Store the answers as gold, and return what they change. The next run evaluates the question again.

    `aliases` are further names of raters, as in `[raters]` of the settings.
    """
    with connect(db) as con:
        old = from_warehouse(con, question)
        drawn = stored_inclusion(con, question, old.names)
        now = datetime.now(UTC)
        answers = take_audit_answers(con, db, path, question, labels=config.labels, aliases=aliases, now=now)
        others = [] if names_its_question(path) else questions_of_same_samples(con, question)
        new, origin = from_warehouse(con, question), gold_origin(con, question)
        inclusion = stored_inclusion(con, question, new.names)
    before, after = (
        question_accuracy(question, patterns.frame, config, probabilities, confidence=confidence, seed=seed)
        for patterns, probabilities in ((old, drawn), (new, inclusion))
    )
    system_effects = effects(before, after, confidence=confidence)
    return AuditOutcome(question, answers, origin, system_effects, inclusion, on_differing_gold(new.frame), others)


def _in_words(effect: SystemEffect) -> str | None:
    """Say how the interval of a system changed, and what more gold items would bring."""
    before, after, further = effect.half_width_before, effect.half_width_after, effect.half_width_next
    if after is None:
        return None
    text = f"{effect.system}: the half-width is {after:.3f}"
    outer = effect.outer_half_width_before
    if before is not None and outer is not None and effect.after["n_gold"] and not effect.before["n_gold"]:
        text += f"; before, without gold, it was {before:.3f} if people err independently, and {outer:.3f} with errors"
        text += " as on real data (the outer interval)"
    elif before is not None and abs(before - after) > 1e-9:
        text += f", before it was {before:.3f}"
    if further is not None:
        more = counted(effect.n_gold_next or 0, "more gold item")
        text += f"; with {more} it would be about {further:.3f}"
    return text + "."


def take_audit_answers(
    con: duckdb.DuckDBPyConnection,
    db: Path,
    path: Path,
    question: str,
    *,
    labels: tuple[str, ...] | None,
    aliases: Mapping[str, str] = NO_ALIASES,
    now: datetime,
) -> TakenAnswers:
    """Store the answers as ratings of kind gold, each with the sample that its item was drawn for.

    `labels`, `aliases` and errors: as `take_answers`. Raises ReadError also where nothing was drawn for the question.
    """
    drawn = drawn_items(con, question)
    if drawn.is_empty():
        raise ReadError(
            f"No item was drawn for an audit of {question!r}.",
            f"Draw some first: kappaflow audit --question {question} --n 20 --seed 1 --out audit.csv",
        )
    items = drawn.select("item", pl.col("audit_id").alias("source_ref"))
    items_are = f"The item was not drawn for an audit. {counted(drawn.height, 'item was', 'items were')} drawn."
    return take_answers(
        con, db, path, question, AUDIT, items, items_are=items_are, labels=labels, aliases=aliases, now=now
    )
