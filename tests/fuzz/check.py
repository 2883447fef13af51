"""Read a hostile file, and find out whether all went well: read or refused, in time, within memory, all rows told.

A fault is an AssertionError that names the case; `python -m tests.fuzz FORMAT NUMBER` makes it again.
"""

import json
import math
import signal
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from stats.errors import StatsError
from tasks.errors import InputError, ReadError
from tasks.formats.answers.read_answers import read_answers
from tasks.formats.parsing.export import LABELS
from tasks.formats.regions.read_regions import read_regions
from tasks.ingest.incoming_answers import with_answers
from tasks.ingest.incoming_votes import read_votes
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import ValidatedExport, validate
from tasks.single_file.agree_answers import agree_on_answers
from tasks.single_file.agree_regions import agree_on_regions
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions
from tasks.single_file.prefer_file import preferences_of_file
from tests.fuzz.cases import ANSWERS, PREFERENCES, REGIONS, Case

SECONDS = 20  # what a file of this size may take on a busy machine before it counts as a hang
MEMORY_MB = 400
MAY_BE_NULL = {"rated_at", "source_ref"}  # where the file does not say when, or names no annotation
NO_LABEL = {"nan", "NaN", "inf", "-inf", "", " "}


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    read: bool
    n_ratings: int = 0
    n_rejects: int = 0
    n_skipped: int = 0


def check(case: Case, folder: Path) -> Outcome:
    """Read the case as a file in `folder`. Raises AssertionError for anything that is neither read nor refused."""
    path = folder / case.file
    path.write_bytes(case.data)
    for kind, read in READ_OTHERWISE.items():
        if case.name.startswith(kind):
            return _check_other(case, path, read)
    try:
        with limits(case.name):
            export = read_export(path, case.options)
            checked = validate(export, contract=False)
            shown = inspect_file(path, case.options)
    except (ReadError, InputError) as error:
        _is_a_sentence(case, str(error))
        _is_a_sentence(case, error.hint)
        return Outcome(read=False)
    except AssertionError:
        raise
    except BaseException as error:
        raise AssertionError(f"{case.name}: {type(error).__name__}: {error}") from error
    finally:
        path.unlink()
    _all_rows_are_told(case, checked)
    for warning in export.warnings:
        _is_a_sentence(case, warning)
    json.dumps(shown, allow_nan=False)
    tomllib.loads(str(shown["toml"]))
    return Outcome(True, checked.ratings.height, checked.rejects.height, checked.n_skipped)


def _check_other(case: Case, path: Path, read: Callable[[Case, Path], Outcome]) -> Outcome:
    try:
        with limits(case.name):
            return read(case, path)
    except (ReadError, InputError, StatsError) as error:
        _is_a_sentence(case, str(error))
        return Outcome(read=False)
    except AssertionError as error:
        raise AssertionError(f"{case.name}: {error}") from error
    except BaseException as error:
        raise AssertionError(f"{case.name}: {type(error).__name__}: {error}") from error
    finally:
        path.unlink()


def _read_preferences(case: Case, path: Path) -> Outcome:
    """Read the votes as a project does and as `prefer` does."""
    incoming = read_votes(path, case.options)
    _all_rows_are_told(case, incoming.checked)
    votes = incoming.votes(incoming.checked)
    assert (votes["model_a"] < votes["model_b"]).all(), case.name
    assert set(votes["winner"]) <= {"model_a", "model_b", "tie"}, case.name
    assert votes.height == incoming.checked.ratings.height, case.name
    assert not any(votes[name].null_count() for name in votes.columns if name != "row_number"), case.name
    for warning in incoming.export.warnings:
        _is_a_sentence(case, warning)
    figures = preferences_of_file(path, case.options).to_json()
    json.dumps(figures, allow_nan=False)
    for row in figures["models"]:
        assert row["n_votes"] == row["n_wins"] + row["n_losses"] + row["n_ties"], case.name
        assert (row["strength"] is None) <= (row["reason"] is not None), case.name
    return Outcome(True, votes.height, incoming.checked.rejects.height, incoming.checked.n_skipped)


def _read_regions(case: Case, path: Path) -> Outcome:
    """Read spans and boxes, compare them, and read their labels as ratings."""
    held = read_regions([path], case.options)
    if held is None:
        return Outcome(read=False)
    assert (held.spans["start"] <= held.spans["end"]).all(), case.name
    assert (held.boxes["left"] <= held.boxes["right"]).all(), case.name
    for frame in (held.spans, held.boxes, held.assignments):
        assert not any(frame[name].null_count() for name in set(frame.columns) - MAY_BE_NULL), case.name
    for warning in held.warnings:
        _is_a_sentence(case, warning)
    assert (held.rejects["detail"].str.len_chars() > 0).all(), case.name
    options = FileOptions(reading=case.options, all_questions=True)
    json.dumps(agree_on_regions(held, options, by=("pair", "label")), allow_nan=False)
    labels = read_export(path, replace(case.options, regions=LABELS, format=None))
    _all_rows_are_told(case, validate(labels, contract=False))
    assert labels.rows["question"].null_count() == 0, case.name
    return Outcome(True, held.n_regions, held.rejects.height, held.n_skipped)


def _read_answers(case: Case, path: Path) -> Outcome:
    """Read rankings and texts, compare them, and read them as a project does."""
    held = read_answers([path], case.options)
    if held is None:
        return Outcome(read=False)
    assert not any(held.rows[name].null_count() for name in set(held.rows.columns) - MAY_BE_NULL), case.name
    assert (held.rejects["detail"].str.len_chars() > 0).all(), case.name
    for warning in held.warnings:
        _is_a_sentence(case, warning)
    options = FileOptions(reading=case.options, all_questions=True)
    json.dumps(agree_on_answers(held, options, None, by=("pair",)), allow_nan=False)
    export = read_export(path, case.options)
    prefix = f"{case.options.prefix}/" if case.options.prefix else ""
    kinds = {f"{prefix}{question}": kind for question, kind in held.rows.select("question", "kind").unique().rows()}
    result = with_answers(path, case.options, kinds, export, validate(export, contract=False), None)
    assert result is not None, case.name
    checked, incoming = result
    work = incoming.work_of(incoming.checked)
    assert not any(work[name].null_count() for name in ("question", "item", "rater", "regions")), case.name
    counted = checked.ratings.height + work.height + checked.rejects.height + checked.n_skipped
    assert checked.n_rows == counted, case.name
    return Outcome(True, held.rows.height, held.rejects.height)


READ_OTHERWISE: dict[str, Callable[[Case, Path], Outcome]] = {
    PREFERENCES: _read_preferences,
    REGIONS: _read_regions,
    ANSWERS: _read_answers,
}


def _is_a_sentence(case: Case, text: str) -> None:
    assert text.strip(), case.name
    assert text.isprintable(), f"{case.name}: {text[:100]!r}"
    assert len(text) < 3_000, f"{case.name}: {len(text)} characters"


def _all_rows_are_told(case: Case, checked: ValidatedExport) -> None:
    result = checked.ratings.height + checked.rejects.height + checked.n_skipped
    assert checked.n_rows == result, case.name
    assert checked.n_skipped >= 0, case.name
    for name in ("score", "duration_s"):
        assert all(math.isfinite(value) for value in checked.ratings[name].drop_nulls()), case.name
    for name in ("question", "item", "rater", "label", "rater_kind"):
        assert not checked.ratings[name].null_count(), case.name
        assert not NO_LABEL & set(checked.ratings[name]) or name != "label", case.name
        assert not checked.ratings[name].str.contains("\0", literal=True).any(), case.name
    assert (checked.rejects["value"].drop_nulls().str.len_chars() <= 200).all(), case.name
    assert (checked.rejects["detail"].drop_nulls().str.len_chars() <= 1_000).all(), case.name


@contextmanager
def limits(name: str) -> Iterator[None]:
    """Raise AssertionError where the block takes longer or more memory than any such file should."""
    before = _memory_mb("VmRSS", reset=True)
    old = signal.signal(signal.SIGALRM, _hang) if hasattr(signal, "SIGALRM") else None
    if old is not None:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        if old is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
    memory = _memory_mb("VmHWM") - before
    assert memory < MEMORY_MB, f"{name}: {memory:.0f} MB"


def _hang(*_: object) -> None:
    raise AssertionError(f"not done after {SECONDS} s")


def _memory_mb(key: str, *, reset: bool = False) -> float:
    """Resident memory, or its peak since the last reset; 0 where the system does not tell."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(key)), 0.0)
