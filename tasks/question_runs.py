"""Evaluate and monitor the questions that changed: read, compute, write.

DuckDB allows one writer at a time. So this process does all reading and writing, and holds the warehouse only briefly.
The computation (`compute_question`) is a function of plain values and can run on a worker: see `process_questions`.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from uuid import uuid4

import polars as pl

from schemas import ContractError
from schemas.rating_columns import IS_GOLD
from stats.errors import StatsError
from tasks.counted_words import counted
from tasks.errors import InputError
from tasks.evaluate.agreement import NO_CONSENSUS, evaluate
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.gold.stored_audits import stored_inclusion
from tasks.evaluate.gold.unused_probabilities import UNUSED_PROBABILITIES
from tasks.evaluate.gold.worklist_gold import with_worklist_origin
from tasks.evaluate.pending_questions import settings_hash_of, slice_keys
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.question_inputs import QuestionInputs, read_question_inputs, repair_patterns
from tasks.evaluate.slices import by_slice, gold_in_slices, stored_slices
from tasks.fingerprint import as_json
from tasks.look_alikes import note
from tasks.monitor.windows.window_tables import NO_WINDOWS, WindowTables, window_tables
from tasks.question_result import DIFFICULT_GOLD, QuestionResult
from warehouse.audits import count_worklist_gold, has_probabilities
from warehouse.connect import connect, kept_open
from warehouse.patterns import miscounted
from warehouse.questions import StoredQuestion
from warehouse.runs.run_results import CONSENSUS, Run, last_evaluations, write_results

log, step_log = logging.getLogger("kappaflow"), logging.getLogger("kappaflow.steps")
TOGETHER = {"evaluate": 1, "monitor": 10}  # questions that are read and stored together; evaluations take long
MAX_PATTERN_RATINGS = 500_000  # ratings of patterns that are held at once, before the last question that is read
NOTHING_TO_DO = {"evaluate": "nothing to evaluate", "monitor": "no ratings of items, so no windows"}


@dataclass(frozen=True)
class ComputedTables:
    """The results of one question for one kind of run.

    `tables` are result tables by name. In the table item_consensus, `item` is the name of a rating pattern, as in
    QuestionInputs. `digests` are of windows, for `warehouse.runs.run_results.write_results`.
    """

    tables: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...] = ()
    digests: pl.DataFrame | None = None


@dataclass(frozen=True)
class QuestionJob:
    """One question with everything that its computation needs, so that it can be sent to a worker.

    `settings_hash` covers all inputs except the ratings. `repaired` says what was wrong with the stored patterns.
    """

    kind: str
    stored_question: StoredQuestion
    inputs: QuestionInputs
    config: QuestionConfig
    options: EvaluationOptions
    started_at: datetime
    settings_hash: str
    repaired: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobResult:
    """The outcome of a job. `error` says why it could not be computed; None if it was."""

    computed: ComputedTables
    error: str | None
    ended_at: datetime


Computing = Callable[[Iterator[QuestionJob]], Iterator[tuple[QuestionJob, JobResult]]]


def process_questions(
    db: Path,
    kind: str,
    questions: Sequence[StoredQuestion],
    configs: QuestionConfigs,
    options: EvaluationOptions,
    *,
    recount: bool = False,
    computing: Computing | None = None,
) -> Iterator[QuestionResult]:
    """Compute each question and store the results. A question that cannot be evaluated is stored as a failed run.

    `computing` runs the jobs. It iterates over them and yields each job with its result, in any order. A job is read
    from the warehouse only when the iterator reaches it. By default, jobs run in this process, one after another.

    With `recount`, the patterns are counted from the ratings and compared with the stored patterns. The stored counts
    by day, batch and version are checked too. If something differs, it is reported and rebuilt before the question is
    computed.
    """
    if recount:
        step_log.debug("counting the stored ratings again")
    miscounted_questions = _miscounted(db) if recount else None

    def read_job(number: int, question: StoredQuestion) -> QuestionJob:
        step_log.debug("%s %d/%d %s", kind, number, len(questions), question.question)
        return _read_job(db, kind, question, configs.of(question.question), options, miscounted_questions)

    jobs = (read_job(number, question) for number, question in enumerate(questions, start=1))
    if computing is None:
        outcomes = _compute_in_process(db, kind, jobs)
    else:
        outcomes = (_store(db, job, result) for job, result in computing(jobs))
    for number, outcome in enumerate(outcomes, start=1):
        summary = outcome.error or (counted(outcome.n_ratings, "rating") if outcome.n_ratings else NOTHING_TO_DO[kind])
        log.info("%s %d/%d %s: %s", kind, number, len(questions), outcome.question, summary)
        yield outcome


def compute_question(job: QuestionJob) -> JobResult:
    """Compute a job. A question that cannot be evaluated returns a result with `error`; nothing is raised."""
    try:
        computed, error = KINDS[job.kind](job.stored_question.question, job.inputs, job.config, job.options), None
    except (InputError, StatsError) as problem:
        computed, error = ComputedTables({}), f"{problem} {getattr(problem, 'hint', '')}".strip()
    return JobResult(computed, error, datetime.now(UTC))


def _compute_in_process(db: Path, kind: str, jobs: Iterator[QuestionJob]) -> Iterator[QuestionResult]:
    """Compute the jobs in this process, one after another.

    To open and close the warehouse can take longer than the computation. So it is opened once to store the results of
    some questions and to read the next ones. Nobody waits for it while questions are computed.
    """
    computed: list[tuple[QuestionJob, JobResult]] = []
    while True:
        with kept_open(db):
            outcomes = [_store(db, job, result) for job, result in computed]
            part = _some_jobs(jobs, TOGETHER[kind])
        yield from outcomes
        if not part:
            return
        computed = [(job, compute_question(job)) for job in part]


def _some_jobs(jobs: Iterator[QuestionJob], n: int) -> list[QuestionJob]:
    """Read up to `n` jobs, fewer if they are large."""
    part: list[QuestionJob] = []
    n_ratings = 0
    for job in islice(jobs, n):
        part.append(job)
        n_ratings += job.inputs.patterns.frame.height
        if n_ratings >= MAX_PATTERN_RATINGS:
            break
    return part


def _miscounted(db: Path) -> frozenset[str]:
    """Return the questions whose stored counts do not match their ratings."""
    with connect(db, read_only=True) as con:
        return frozenset(miscounted(con))


def _read_job(
    db: Path,
    kind: str,
    stored_question: StoredQuestion,
    config: QuestionConfig,
    options: EvaluationOptions,
    to_repair: frozenset[str] | None,
) -> QuestionJob:
    """Read a job from the warehouse.

    `to_repair` are the questions whose stored counts are wrong; None means that nothing is checked.
    """
    started, question = datetime.now(UTC), stored_question.question
    with connect(db) as con:
        repaired = () if to_repair is None else repair_patterns(con, question, sound=question not in to_repair)
        inputs = read_question_inputs(con, kind, question, options.last_items)
        keys = slice_keys(kind, config)
        slices = stored_slices(con, question, keys, inputs.patterns.names)
        inclusion = stored_inclusion(con, question, inputs.patterns.names)
        in_slices = gold_in_slices(con, question, keys, inclusion)
        has_gold = inclusion is None and inputs.patterns.frame.select(IS_GOLD.any()).item()
        n_worklist_gold = count_worklist_gold(con, question) if has_gold else 0
        unused_probabilities = has_gold and has_probabilities(con, question)
        settings_hash = settings_hash_of(con, kind, question, config, options, last_evaluations(con).get(question))
    inputs = replace(
        inputs,
        slices=slices,
        inclusion=inclusion,
        gold_in_slices=in_slices,
        n_worklist_gold=n_worklist_gold,
        unused_probabilities=unused_probabilities,
    )
    return QuestionJob(kind, stored_question, inputs, config, options, started, settings_hash, repaired)


def _store(db: Path, job: QuestionJob, result: JobResult) -> QuestionResult:
    """Write the run and its results to the warehouse."""
    result = _checked(job, result)
    computed, question, n_ratings = result.computed, job.stored_question.question, job.inputs.n_ratings
    notes = (*job.repaired, *computed.notes)
    run = Run(
        run_id=uuid4().hex,
        kind=job.kind,
        question=question,
        status="failed" if result.error else "succeeded",
        code_version=job.options.code_version,
        settings=as_json(job.config, job.options),
        settings_hash=job.settings_hash,
        seed=job.options.seed,
        # The revision from before the ratings were read. Ratings that arrived since then make the question due again.
        input_revision=job.stored_question.revision,
        n_ratings=n_ratings,
        started_at=job.started_at,
        ended_at=result.ended_at,
        detail=result.error or " ".join(notes) or None,
    )
    with connect(db) as con:
        write_results(con, run, computed.tables, digests=computed.digests)
    return QuestionResult(job.kind, question, n_ratings, notes, result.error)


def _checked(job: QuestionJob, result: JobResult) -> JobResult:
    """Check the result tables against their contracts. If one breaks its contract, the question has failed."""
    from schemas.contracts import check_results  # half a second to import

    tables = _by_pattern_id(result.computed.tables, job.inputs)
    try:
        tables = {name: check_results(name, rows) for name, rows in tables.items()}
    except ContractError as error:
        sentence = f"{error} This is an error of kappaflow: please report it."
        return replace(result, computed=ComputedTables({}), error=sentence)
    return replace(result, computed=replace(result.computed, tables=tables))


def _by_pattern_id(tables: Mapping[str, pl.DataFrame], inputs: QuestionInputs) -> dict[str, pl.DataFrame]:
    """Replace the pattern names in the consensus table by pattern_ids."""
    if CONSENSUS not in tables:
        return dict(tables)
    consensus = tables[CONSENSUS].join(inputs.patterns.names, on="item").drop("item")
    return {**tables, CONSENSUS: consensus.rename({"source": "pattern_id"}).sort("pattern_id")}


def _evaluate(
    question: str, inputs: QuestionInputs, config: QuestionConfig, options: EvaluationOptions
) -> ComputedTables:
    further: dict[str, pl.DataFrame] = {}
    notes: tuple[str, ...] = ()
    if inputs.region_work is not None and inputs.region_work.height:
        from tasks.evaluate.regions.region_figures import region_tables  # loads scipy.optimize

        further, notes = region_tables(question, inputs.region_work, config, options.confidence)
    if inputs.votes is not None and inputs.votes.height:
        from tasks.evaluate.preference_figures import preference_tables  # loads scipy.sparse

        votes, more = preference_tables(question, inputs.votes, config, options.confidence)
        further, notes = {**further, **votes}, (*notes, *more)
    if inputs.patterns.frame.is_empty():
        nothing = () if further or notes else (f"{question}: it no longer has ratings.",)
        return ComputedTables({CONSENSUS: NO_CONSENSUS, **further}, (*nothing, *notes))
    rated = _evaluate_ratings(question, inputs, config, options)
    return ComputedTables({**rated.tables, **further}, (*rated.notes, *notes))


def _evaluate_ratings(
    question: str, inputs: QuestionInputs, config: QuestionConfig, options: EvaluationOptions
) -> ComputedTables:
    whole = evaluate(
        question,
        inputs.patterns.frame,
        config,
        confidence=options.confidence,
        seed=options.seed,
        versions=inputs.versions,
        inclusion=inputs.inclusion,
    )
    own_notes = (*_items_alike(question, inputs), *_difficult_gold(question, inputs.n_worklist_gold))
    if inputs.unused_probabilities:
        own_notes = (*own_notes, f"{question}: {UNUSED_PROBABILITIES}")
    from_worklist = with_worklist_origin if inputs.n_worklist_gold else dict
    if not inputs.slices:
        return ComputedTables(from_worklist(whole.tables), (*whole.notes, *own_notes))
    sliced = by_slice(
        question,
        inputs.patterns.frame,
        inputs.slices,
        config,
        whole.tables.get("system_accuracy"),
        confidence=options.confidence,
        seed=options.seed,
        inclusion=inputs.gold_in_slices,
    )
    tables = {
        name: pl.concat([rows, sliced.tables[name]], how="diagonal_relaxed") if name in sliced.tables else rows
        for name, rows in whole.tables.items()
    }
    return ComputedTables(from_worklist(tables), (*whole.notes, *own_notes, *sliced.notes))


def _difficult_gold(question: str, n_items: int) -> tuple[str, ...]:
    """Say that gold of a worklist is no sample of all items."""
    if not n_items:
        return ()
    return (
        f"{question}: {DIFFICULT_GOLD} {counted(n_items, 'gold item')} came from a worklist, which lists the items in "
        "doubt. Accuracies that are audited with gold are then about such items, and mostly lower than over all items. "
        "Draw gold at random with `kappaflow audit`.",
    )


def _items_alike(question: str, inputs: QuestionInputs) -> tuple[str, ...]:
    if inputs.look_alikes is None or inputs.look_alikes.is_empty():
        return ()
    n_items = int(inputs.look_alikes["n_items"].sum())
    return (f"{question}: {note(inputs.look_alikes['items'].to_list(), f'items ({n_items:,})')}",)


def _monitor(
    question: str, inputs: QuestionInputs, config: QuestionConfig, options: EvaluationOptions
) -> ComputedTables:
    # Without ratings, all windows of ratings are deleted.
    rated = not inputs.patterns.frame.is_empty()
    windows = window_tables(question, inputs, config, options) if rated else WindowTables(NO_WINDOWS)
    tables = dict(windows.tables)
    if inputs.region_work is not None and inputs.region_work.height:
        from tasks.monitor.windows.region_windows import region_rows  # loads scipy.optimize

        tables["region_windows"] = region_rows(inputs.region_work, config, options)
    return ComputedTables(tables, digests=windows.digests)


KINDS: Mapping[str, Callable[[str, QuestionInputs, QuestionConfig, EvaluationOptions], ComputedTables]] = {
    "evaluate": _evaluate,
    "monitor": _monitor,
}
