"""Agreement and accuracy of one bare file: no warehouse, no project, no Prefect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from stats.accuracy import accuracy, bins, summary
from stats.agreement import agreement
from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.labels import Labels, declared_or_inferred
from tasks.read import read_export, read_gold
from tasks.validate import validate


@dataclass(frozen=True)
class Asked:
    """What the command line asked of a file; `question` None and not `all_questions` means the only one."""

    options: ReadOptions = field(default_factory=ReadOptions)
    question: str | None = None
    all_questions: bool = False
    labels: tuple[str, ...] | None = None
    scale: str = "nominal"
    weights: str | None = None
    confidence: float = 0.95
    seed: int = 0


@dataclass(frozen=True)
class _Loaded:
    """One question of the file: its current ratings (with rater_kind), its labels, what the reader must know."""

    question: str
    ratings: pl.DataFrame
    labels: Labels
    warnings: tuple[str, ...]


def agree(path: Path, asked: Asked) -> list[dict[str, object]]:
    """Every coefficient for each question asked for, in the shape of `agree --json`.

    Raises ReadError for a file that is no export, InputError for a question that is not in it or not named.
    """
    return [_agree(loaded, asked) for loaded in _load(path, asked)]


def estimate(path: Path, asked: Asked, *, gold: Path | None = None) -> list[dict[str, object]]:
    """The accuracy of each system for each question asked for, in the shape of `accuracy --json`.

    The systems are those of `asked.options.systems`, else those that the file itself marks as such.
    Raises InputError where there is none, or one that was named is not in the file.
    """
    audited = None if gold is None else read_gold(gold, asked.options)
    return [_estimate(loaded, asked, audited) for loaded in _load(path, asked)]


def latest(ratings: pl.DataFrame) -> pl.DataFrame:
    """One rating per question, item and rater: the newest by rated_at (no time counts as oldest), then by row."""
    return ratings.sort("rated_at", "row_number", nulls_last=False).unique(
        ["question", "item", "rater"], keep="last", maintain_order=True
    )


def _load(path: Path, asked: Asked) -> list[_Loaded]:
    export = read_export(path, replace(asked.options, fallback_question=path.stem))
    names = export.rows["question"].unique().drop_nulls().sort().to_list()
    wanted = _wanted(names, asked, path)
    declared: Mapping[str, Sequence[str]] = dict.fromkeys(wanted, asked.labels) if asked.labels else {}
    # Its rules are those of the contract: checking that too would make a quick look wait for pandera.
    checked = validate(export, labels=declared, contract=False)
    warnings = (*export.warnings, *_rejected(checked.rejects), *_superseded(checked.ratings))
    current = latest(checked.ratings)
    loaded = []
    for name in wanted:
        ratings = current.filter(pl.col("question") == name)
        labels = declared_or_inferred(ratings["label"], asked.labels, asked.scale, name)
        loaded.append(_Loaded(name, ratings, labels, (*warnings, *([labels.note] if labels.note else []))))
    return loaded


def _wanted(names: list[str], asked: Asked, path: Path) -> list[str]:
    if not names:
        raise InputError(f"{path} holds no rating.", f"See what is in it with `kappaflow inspect {path}`.")
    if asked.question is not None and asked.question not in names:
        raise InputError(f"{path} has no question '{asked.question}'.", f"It has: {', '.join(names)}.")
    if asked.question is None and len(names) > 1 and not asked.all_questions:
        raise InputError(
            f"{path} holds {len(names)} questions: {', '.join(names)}.",
            "Name one with --question NAME, or ask for --all-questions.",
        )
    return names if asked.question is None else [asked.question]


def _rejected(rejects: pl.DataFrame) -> list[str]:
    reasons = rejects.group_by("reason").len().sort("len", "reason", descending=[True, False])
    return [f"{row['len']:,} rows were rejected: {row['reason']}." for row in reasons.iter_rows(named=True)]


def _superseded(ratings: pl.DataFrame) -> list[str]:
    older = ratings.height - ratings.select("question", "item", "rater").n_unique()
    return [f"{older:,} ratings were superseded by a later one of the same rater on the same item."] if older else []


def _agree(loaded: _Loaded, asked: Asked) -> dict[str, object]:
    human = loaded.ratings.filter(pl.col("rater_kind") == "human").select("item", "rater", "label")
    found = agreement(
        human, labels=loaded.labels.names, scale=asked.scale, weights=asked.weights, confidence=asked.confidence
    )
    return {
        "question": loaded.question,
        "labels": list(loaded.labels.names),
        "scale": asked.scale,
        "n_items": human["item"].n_unique(),
        "n_raters": human["rater"].n_unique(),
        "n_ratings": human.height,
        "coefficients": found.to_dicts(),
        "warnings": list(loaded.warnings),
    }


def _estimate(loaded: _Loaded, asked: Asked, gold: pl.DataFrame | None) -> dict[str, object]:
    systems = _systems(loaded, asked)
    rated = loaded.ratings.filter((pl.col("rater_kind") == "human") | pl.col("rater").is_in(systems)).select(
        "item", "rater", "label"
    )
    human = rated.filter(~pl.col("rater").is_in(systems))
    names = loaded.labels.names
    found = accuracy(
        rated, systems=systems, labels=names, scale=asked.scale, gold=gold, confidence=asked.confidence, seed=asked.seed
    )
    whole = summary(human, labels=names)
    return {
        "question": loaded.question,
        "labels": list(names),
        "n_items": whole.n_items,
        "kappa": whole.kappa,
        "rater_accuracy": whole.rater_accuracy,
        "systems": found.to_dicts(),
        "bins": bins(rated, systems=systems, labels=names).to_dicts(),
        "checks": [],
        "warnings": list(loaded.warnings),
    }


def _systems(loaded: _Loaded, asked: Asked) -> list[str]:
    raters = loaded.ratings["rater"].unique().sort().to_list()
    marked = loaded.ratings.filter(pl.col("rater_kind") == "system")["rater"].unique().sort().to_list()
    absent = sorted(asked.options.systems - set(raters))
    if absent:
        raise InputError(f"No rating of '{loaded.question}' is by '{absent[0]}'.", f"Its raters: {_some(raters)}.")
    if not marked:
        raise InputError(
            f"No rater of '{loaded.question}' is known to be a system.",
            f"Name one with --system NAME; its raters: {_some(raters)}.",
        )
    return sorted(asked.options.systems) if asked.options.systems else marked


def _some(names: list[str]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
