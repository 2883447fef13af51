"""Evaluate and monitor the questions that changed: read, compute, write.

DuckDB has one writer at a time, so that reading and writing stay in this process, each for a moment. Computing is a
function of plain values (`compute`), which may as well be called elsewhere: see `work_through`.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import duckdb
import polars as pl

from stats.errors import StatsError
from tasks.errors import InputError
from tasks.evaluate import NO_CONSENSUS, Declared, evaluate
from tasks.fingerprint import as_json, fingerprint
from tasks.material import Material, recounted, stored_material
from tasks.monitor import ALERTS, alerts, trend
from tasks.slices import by_slice, stored_slices
from warehouse.alerts import sync_alerts
from warehouse.connect import connect
from warehouse.patterns import miscounted, slices_state
from warehouse.raters import KINDS as KINDS_OF_RATERS
from warehouse.raters import set_rater_kinds
from warehouse.reads import Question, changed_questions, questions
from warehouse.results import Run, write_results

log = logging.getLogger("kappaflow")
CONSENSUS = "item_consensus"


@dataclass(frozen=True)
class Asked:
    """How every question is evaluated in this run; part of what makes a result out of date when it changes."""

    confidence: float
    seed: int
    alert_coefficient: str
    code_version: str
    last_items: int = 0  # agreement on so many items that were rated last; 0 is none


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
class Computed:
    """What a kind of run makes of a question: result tables and notes; open alerts, if it watches for them. The table
    item_consensus names patterns (`item`), as the material does."""

    tables: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...] = ()
    alerts: pl.DataFrame | None = None


@dataclass(frozen=True)
class Job:
    """One question with all that computing it needs, so that it can be sent to a worker. `settings_hash` is of what it
    is computed with, beside its ratings; `repaired` says what was wrong with its patterns."""

    kind: str
    due: Question
    material: Material
    declared: Declared
    asked: Asked
    started_at: datetime
    settings_hash: str
    repaired: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """What became of a job: `error` is the sentence of why it could not be computed, else None."""

    computed: Computed
    error: str | None
    ended_at: datetime


Computing = Callable[[Iterator[Job]], Iterator[tuple[Job, Result]]]


def pending(db: Path, kind: str, declared: Declarations, asked: Asked, *, everything: bool) -> list[Question]:
    """The questions whose ratings, settings or slices changed since their last good run of this kind; or every one.

    What the settings say of who is a system or gold goes to the warehouse first: people query it there too.
    """
    with connect(db) as con:
        set_rater_kinds(con, _kinds(declared))
        known = questions(con)
        if everything:
            return known
        settings = {
            one.question: _settings_hash(con, kind, one.question, declared.of(one.question), asked) for one in known
        }
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
    db: Path,
    kind: str,
    due: Sequence[Question],
    declared: Declarations,
    asked: Asked,
    *,
    recount: bool = False,
    computing: Computing | None = None,
) -> Iterator[Outcome]:
    """Compute each question and store the results; one that cannot be evaluated is a failed run, the others go on.

    `computing` says where: it draws jobs, which are read as they are drawn, and gives each with its result (in any
    order). Without it that is here, one after another. With `recount` the patterns are counted from the ratings and
    must equal those that the warehouse keeps up, and so must its counts by day, batch and version; where they do not,
    that is said, they are made anew, and the results are those of the ratings.
    """
    wrong = _miscounted(db) if recount else None
    jobs = (_read(db, kind, question, declared.of(question.question), asked, wrong) for question in due)
    for number, (job, result) in enumerate((computing or _here)(jobs), start=1):
        outcome = _store(db, job, result)
        said = outcome.error or f"{outcome.n_ratings:,} ratings"
        log.info("%s %d/%d %s: %s", kind, number, len(due), outcome.question, said)
        yield outcome


def compute(job: Job) -> Result:
    """The result of a job; a question that cannot be evaluated is one, too."""
    try:
        computed, error = KINDS[job.kind](job.due.question, job.material, job.declared, job.asked), None
    except (InputError, StatsError) as wrong:
        computed, error = Computed({}), f"{wrong} {getattr(wrong, 'hint', '')}".strip()
    return Result(computed, error, datetime.now(UTC))


def _here(jobs: Iterator[Job]) -> Iterator[tuple[Job, Result]]:
    return ((job, compute(job)) for job in jobs)


def _miscounted(db: Path) -> frozenset[str]:
    with connect(db, read_only=True) as con:
        return frozenset(miscounted(con))


def _read(db: Path, kind: str, due: Question, declared: Declared, asked: Asked, wrong: frozenset[str] | None) -> Job:
    """`wrong`: the questions that are miscounted; None where nothing is proved."""
    started, question = datetime.now(UTC), due.question
    with connect(db) as con:
        repaired = () if wrong is None else recounted(con, question, sound=question not in wrong)
        material = stored_material(con, kind, question, asked.last_items)
        slices = stored_slices(con, question, _keys(kind, declared), material.patterns.names)
        settings_hash = _settings_hash(con, kind, question, declared, asked)
    return Job(kind, due, replace(material, slices=slices), declared, asked, started, settings_hash, repaired)


def _settings_hash(con: duckdb.DuckDBPyConnection, kind: str, question: str, declared: Declared, asked: Asked) -> str:
    """What makes the last run out of date when it changes: the settings, and the metadata that make the slices."""
    keys = _keys(kind, declared)
    return fingerprint(declared, asked, *([slices_state(con, question, keys)] if keys else []))


def _keys(kind: str, declared: Declared) -> tuple[str, ...]:
    """The keys of the items' metadata that this kind of run slices by."""
    return declared.slices if kind == "evaluate" else ()


def _store(db: Path, job: Job, result: Result) -> Outcome:
    computed, question, n_ratings = result.computed, job.due.question, job.material.patterns.n_ratings
    notes = (*job.repaired, *computed.notes)
    run = Run(
        run_id=uuid4().hex,
        kind=job.kind,
        question=question,
        status="failed" if result.error else "succeeded",
        code_version=job.asked.code_version,
        settings=as_json(job.declared, job.asked),
        settings_hash=job.settings_hash,
        seed=job.asked.seed,
        # As it was before the ratings were read: what arrives in between is evaluated once more, never missed.
        input_revision=job.due.revision,
        n_ratings=n_ratings,
        started_at=job.started_at,
        ended_at=result.ended_at,
        detail=result.error or " ".join(notes) or None,
    )
    with connect(db) as con:
        # The run last: killed in between, the question is still due, and both are done again.
        if computed.alerts is not None:
            sync_alerts(con, question=question, open_alerts=computed.alerts, now=result.ended_at)
        write_results(con, run, _by_pattern_id(computed.tables, job.material))
    return Outcome(job.kind, question, n_ratings, notes, result.error)


def _by_pattern_id(tables: Mapping[str, pl.DataFrame], material: Material) -> dict[str, pl.DataFrame]:
    """The tables with the consensus of each pattern_id."""
    if CONSENSUS not in tables:
        return dict(tables)
    found = tables[CONSENSUS].join(material.patterns.names, on="item").drop("item")
    return {**tables, CONSENSUS: found.rename({"source": "pattern_id"}).sort("pattern_id")}


def _evaluate(question: str, material: Material, declared: Declared, asked: Asked) -> Computed:
    if material.patterns.frame.is_empty():
        return Computed({CONSENSUS: NO_CONSENSUS}, (f"{question}: it has no ratings any more.",))
    found = evaluate(
        question,
        material.patterns.frame,
        declared,
        confidence=asked.confidence,
        seed=asked.seed,
        versions=material.versions,
    )
    if not material.slices:
        return Computed(found.tables, found.notes)
    sliced = by_slice(
        question,
        material.patterns.frame,
        material.slices,
        declared,
        found.tables.get("system_accuracy"),
        confidence=asked.confidence,
        seed=asked.seed,
    )
    tables = {
        name: pl.concat([rows, sliced.tables[name]], how="diagonal_relaxed") if name in sliced.tables else rows
        for name, rows in found.tables.items()
    }
    return Computed(tables, (*found.notes, *sliced.notes))


def _monitor(question: str, material: Material, declared: Declared, asked: Asked) -> Computed:
    patterns = material.patterns.frame
    if patterns.is_empty():
        return Computed({}, alerts=pl.DataFrame(schema=ALERTS))  # there is nothing left to alert about
    windows = trend(question, patterns, material.windows, declared, confidence=asked.confidence)
    return Computed(
        {"agreement": windows} if windows.height else {},
        alerts=alerts(question, patterns, declared, coefficient=asked.alert_coefficient, confidence=asked.confidence),
    )


KINDS: Mapping[str, Callable[[str, Material, Declared, Asked], Computed]] = {
    "evaluate": _evaluate,
    "monitor": _monitor,
}
