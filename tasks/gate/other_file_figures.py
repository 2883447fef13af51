"""Compute the figures of spans, boxes, rankings or texts that a gate judges from a single file, without a project."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tasks.errors import InputError
from tasks.formats.answers.answer_export import RANKING, TEXT
from tasks.gate.gate_figures import GateFigures, RowCounts, agreement_figure
from tasks.gate.gate_rules import FigureLimits, GateRules
from tasks.region_coefficients import NAMES, what_is_compared
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.load_file import FileOptions


def has_other_limits(rules: GateRules) -> bool:
    """Check whether a limit is of a coefficient of spans, boxes, rankings or texts."""
    return any(name in NAMES for name in rules.limits.min_agreement)


def other_file_figures(path: Path, options: FileOptions, rules: GateRules) -> GateFigures:
    """Compute these figures for each question of the file, as `kappaflow agree` does.

    Raises ReadError if the file is not an export, and InputError for limits of labels beside those of other answers,
    for a limit of the rejected rows, and for a file of labels.
    """
    _refuse_limits_of_labels(rules)
    question = rules.questions[0] if len(rules.questions) == 1 else None
    options = replace(options, question=question, all_questions=question is None)
    results: list[dict[str, Any]] = agree(path, options, AgreementDetail(answers=_answers(rules)))
    if any("regions" not in result and "answers" not in result for result in results):
        raise InputError(
            f"{path} holds labels, and {next(iter(rules.limits.min_agreement))} is not of labels.",
            "Give --min-alpha or a coefficient of labels.",
        )
    return GateFigures(
        place=str(path),
        questions=tuple(result["question"] for result in results),
        rows=RowCounts(0, 0),
        agreement={
            (result["question"], row["name"]): agreement_figure({**row, "observed": None, "expected": None})
            for result in results
            for row in result["coefficients"]
        },
        warnings=tuple(dict.fromkeys(text for result in results for text in result["warnings"])),
        without_labels=frozenset(result["question"] for result in results),
    )


def _refuse_limits_of_labels(rules: GateRules) -> None:
    own = {name: limit for name, limit in rules.limits.min_agreement.items() if name in NAMES}
    if rules.limits != FigureLimits(min_agreement=own) or rules.max_rejected is not None:
        raise InputError(
            f"In one file {', '.join(own)} cannot be checked together with --min-alpha, --min-accuracy, --max-rejected "
            "or coefficients of labels.",
            "Check them with two commands, or in a project.",
        )


def _answers(rules: GateRules) -> str | None:
    """Return what the answers are that the limits are about: None for spans and boxes."""
    names = sorted(rules.limits.min_agreement)
    kinds = {what_is_compared(name) for name in names}
    if len(kinds) > 1:
        raise InputError(
            f"The answers of a file are of one kind, and {', '.join(names)} are of several.",
            "Check them with one command for each kind.",
        )
    return {"rankings": RANKING, "texts": TEXT}.get(kinds.pop())
