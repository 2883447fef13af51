"""Evaluate and monitor the questions that changed: read, compute, write, one question at a time."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import polars as pl

from stats.errors import StatsError
from tasks.errors import InputError
from tasks.evaluate import Declared, evaluate
from tasks.fingerprint import as_json, fingerprint
from tasks.monitor import alerts, trend
from warehouse.alerts import sync_alerts
from warehouse.connect import connect
from warehouse.raters import KINDS as KINDS_OF_RATERS
from warehouse.raters import set_rater_kinds
from warehouse.reads import Question, changed_questions, current_ratings, questions, system_versions
from warehouse.results import Run, write_results

log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class Asked:
    """How every question is evaluated in this run; part of what makes a result out of date when it changes."""

    confidence: float
    seed: int
    alert_coefficient: str
    code_version: str


@dataclass(frozen=True)
class Declarations:
    """What the settings say of each question that they name, and of any other."""

    questions: Mapping[str, Declared]
    default: Declared = field(default_factory=Declared)

    def of(self, question: str) -> Declared:
        return self.questions.get(question, self.default)


@dataclass(frozen=True)
class Outcome:
    """What became of one question: `error` is the sentence of why it could not be evaluated, else None."""

    kind: str
    question: str
    n_ratings: int
    notes: tuple[str, ...]
    error: str | None = None


@dataclass(frozen=True)
class Material:
    """What is known of one question: its ratings in force (item, rater, rater_kind, system_version, label, times),
    and what each version of its systems answered (`warehouse.reads.system_versions`)."""

    ratings: pl.DataFrame
    versions: pl.DataFrame


@dataclass(frozen=True)
class Computed:
    """What a kind of run makes of a question: result tables and notes; open alerts, if it watches for them."""

    tables: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...] = ()
    alerts: pl.DataFrame | None = None


def pending(db: Path, kind: str, declared: Declarations, asked: Asked, *, everything: bool) -> list[Question]:
    """The questions whose ratings or settings changed since their last good run of this kind; or every one.

    What the settings say of who is a system or gold goes to the warehouse first: people query it there too.
    """
    with connect(db) as con:
        set_rater_kinds(con, _kinds(declared))
        known = questions(con)
        if everything:
            return known
        settings = {one.question: fingerprint(declared.of(one.question), asked) for one in known}
        return changed_questions(con, kind=kind, settings_hash=settings)


def _kinds(declared: Declarations) -> pl.DataFrame:
    rows = [
        (question, rater, kind)
        for question, said in declared.questions.items()
        for kind, raters in (("gold", said.gold), ("system", said.systems - said.gold))
        for rater in sorted(raters)
    ]
    return pl.DataFrame(rows, schema=KINDS_OF_RATERS, orient="row")


def work_through(
    db: Path, kind: str, due: Sequence[Question], declared: Declarations, asked: Asked
) -> Iterator[Outcome]:
    """Compute each question and store the results; one that cannot be evaluated is a failed run, the others go on."""
    for number, question in enumerate(due, start=1):
        outcome = _work(db, kind, question, declared.of(question.question), asked)
        said = outcome.error or f"{outcome.n_ratings:,} ratings"
        log.info("%s %d/%d %s: %s", kind, number, len(due), outcome.question, said)
        yield outcome


def _work(db: Path, kind: str, due: Question, declared: Declared, asked: Asked) -> Outcome:
    started = datetime.now(UTC)
    with connect(db) as con:
        material = Material(current_ratings(con, due.question), system_versions(con, due.question))
    try:
        computed, error = KINDS[kind](due.question, material, declared, asked), None
    except (InputError, StatsError) as wrong:
        computed, error = Computed({}), f"{wrong} {getattr(wrong, 'hint', '')}".strip()
    ended = datetime.now(UTC)
    run = Run(
        run_id=uuid4().hex,
        kind=kind,
        question=due.question,
        status="failed" if error else "succeeded",
        code_version=asked.code_version,
        settings=as_json(declared, asked),
        settings_hash=fingerprint(declared, asked),
        seed=asked.seed,
        # As it was before the ratings were read: what arrives in between is evaluated once more, never missed.
        input_revision=due.revision,
        n_ratings=material.ratings.height,
        started_at=started,
        ended_at=ended,
        detail=error or " ".join(computed.notes) or None,
    )
    with connect(db) as con:
        write_results(con, run, computed.tables)
        if computed.alerts is not None:
            sync_alerts(con, question=due.question, open_alerts=computed.alerts, now=ended)
    return Outcome(kind, due.question, material.ratings.height, computed.notes, error)


def _evaluate(question: str, material: Material, declared: Declared, asked: Asked) -> Computed:
    found = evaluate(
        question,
        material.ratings,
        declared,
        confidence=asked.confidence,
        seed=asked.seed,
        versions=material.versions,
    )
    return Computed(found.tables, found.notes)


def _monitor(question: str, material: Material, declared: Declared, asked: Asked) -> Computed:
    ratings = material.ratings
    windows = trend(question, ratings, declared, confidence=asked.confidence)
    return Computed(
        {"agreement": windows} if windows.height else {},
        alerts=alerts(question, ratings, declared, coefficient=asked.alert_coefficient, confidence=asked.confidence),
    )


KINDS: Mapping[str, Callable[[str, Material, Declared, Asked], Computed]] = {
    "evaluate": _evaluate,
    "monitor": _monitor,
}
