"""The command that draws items for an audit and takes their labels back as gold."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import published
from tasks.errors import InputError

if TYPE_CHECKING:
    from flows.project_folder import Project

app = typer.Typer()
MAX_REJECTS = 20  # rejected rows on a terminal; --json has all


@app.command()
def audit(
    question: Annotated[str, opt.question_option("The question to audit.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Draw items and write them to this file.")
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="How many items to draw.")] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draw; the same one repeats it.")] = 0,
    stratify: Annotated[
        str | None,
        typer.Option(
            "--stratify",
            metavar="KEY",
            help="Draw equally many items for each value of this metadata key. The estimates weight them.",
        ),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="csv (item, text, label) or label-studio (tasks).")
    ] = "csv",
    answers: Annotated[
        Path | None, typer.Option("--answers", metavar="FILE", help="Take the labels of drawn items as gold.")
    ] = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Draw items at random for an expert to label, and take the answers back as gold.

    A few right answers correct every figure, if the items are a random sample. So this command draws them.

    [bold]Examples[/bold]

    \b
      kappaflow audit --question tone --n 20 --seed 1 --out audit.csv
      kappaflow audit --question tone --n 20 --out tasks.json --format label-studio
      kappaflow audit --question tone --answers audit.csv
    """
    if (out is None) == (answers is None):
        raise InputError("Give --out FILE to draw items, or --answers FILE to take their labels.", "Give one of them.")
    loaded = published(project)
    value = (
        _draw(loaded, question, n, seed, out, format, stratify)
        if out
        else _take(loaded, question, answers or Path(), stratify)
    )
    if json:
        terminal.print_json(value)
    elif out:
        _print_drawn(value)
    else:
        print_taken(value)


def _draw(
    project: "Project", question: str, n: int, seed: int, out: Path, format: str, stratify: str | None
) -> dict[str, Any]:
    from datetime import UTC, datetime

    from tasks.audit.audit_draw import draw_audit

    drawn = draw_audit(
        project.warehouse, question, n=n, seed=seed, out=out, file_format=format, now=datetime.now(UTC),
        stratify_by=stratify,
    )  # fmt: skip
    _publish(project)
    return drawn.to_json()


def _take(project: "Project", question: str, answers: Path, stratify: str | None) -> dict[str, Any]:
    from flows.settings.task_inputs import ingest_rules, question_configs
    from tasks.audit.take_audit import take_audit
    from tasks.formats.parsing.file_look import check_file

    if stratify is not None:
        raise InputError("--stratify goes with --out, which draws items.", "Leave it out.")
    check_file(answers)
    evaluation = project.settings.evaluate
    audit_answers = take_audit(
        project.warehouse,
        answers,
        question,
        question_configs(project).of(question),
        confidence=evaluation.confidence,
        seed=evaluation.seed,
        aliases=ingest_rules(project).aliases,
    )
    _publish(project)
    return audit_answers.to_json()


def _publish(project: "Project") -> None:
    """Show what was drawn or taken in the snapshot. Figures change with the next run."""
    from warehouse.publication.snapshot import publish

    publish(project.warehouse, project.published, **project.publishing)


def _print_drawn(value: dict[str, Any]) -> None:
    again = " They were drawn before, with the same number and seed." if value["repeated"] else ""
    terminal.line(f"wrote {value['file']}")
    how = "each as likely as any other" if value["stratify_by"] is None else "as many of each " + value["stratify_by"]
    terminal.note(
        f"{value['n']:,} of {value['n_items']:,} items, {how} (seed {value['seed']}).{again}"
        " Have an expert fill in the labels, then take them back with --answers.",
        style="dim",
    )


def print_taken(value: dict[str, Any]) -> None:
    """Print what became of the answers, and what they change."""
    terminal.heading(
        f"{value['question']}: {value['n_ratings']:,} gold labels taken, {value['n_unchanged']:,} unchanged, "
        f"{value['n_unlabelled']:,} without a label yet, {value['n_rejected']:,} rejected"
    )
    terminal.print_table(value["rejected"][:MAX_REJECTS], title="Rejected rows")
    if value["n_rejected"] > MAX_REJECTS:
        terminal.note(f"These are the first {MAX_REJECTS} of {value['n_rejected']:,} rejected rows; --json has all.")
    rows = _effect_rows(value["systems"])
    terminal.print_table(rows, title=f"What {value['n_gold']:,} gold items change")
    for text in value["notes"]:
        terminal.note(text)


def _effect_rows(effects: "list[dict[str, Any]]") -> list[dict[str, object]]:
    """Return a row for each system. The interval before is the outer one where a system had no gold then."""
    had_gold = [bool(effect["before"]["n_gold"]) for effect in effects]
    before = "interval before" if any(had_gold) else "outer interval before"
    mark = " (outer)" if any(had_gold) else ""
    return [_effect_row(effect, before, "" if gold else mark) for effect, gold in zip(effects, had_gold, strict=True)]


def _effect_row(row: dict[str, Any], before: str, mark: str) -> dict[str, object]:
    interval_before = terminal.interval(row["before"]["outer_low"], row["before"]["outer_high"])
    return {
        "system": row["system"],
        "before": row["before"]["accuracy"],
        before: interval_before + mark,
        "accuracy": row["after"]["accuracy"],
        "interval": terminal.interval(row["after"]["low"], row["after"]["high"]),
        "gold": row["after"]["n_gold"],
        "why not": row["after"]["reason"],
    }
