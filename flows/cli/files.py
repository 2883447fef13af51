"""Commands on one bare file: agree, accuracy, inspect, formats. No project, no warehouse, no Prefect."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.render import bare, output
from tasks.bare import Asked
from tasks.formats import FORMATS, ReadOptions

app = typer.Typer()


@app.command()
def agree(
    file: opt.File,
    format: opt.Format = None,
    columns: opt.Columns = None,
    question: opt.Question = None,
    all_questions: opt.AllQuestions = False,
    labels: opt.Labels = None,
    scale: opt.Scale = "nominal",
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="NAME",
            help="identity, linear, quadratic, ordinal, radical, ratio, circular or bipolar.",
        ),
    ] = None,
    system: opt.Systems = None,
    confidence: opt.Confidence = 0.95,
    json: opt.Json = False,
) -> None:
    """How far the raters of one file agree, by every coefficient, with intervals.

    [bold]Examples[/bold]

    \b
      kappaflow agree labels.csv
      kappaflow agree labels.csv --labels low,mid,high --scale ordinal
      kappaflow agree export.json --question sentiment --json
      kappaflow agree sheet.csv --columns item=doc,rater=coder,label=code
    """
    from tasks.agree_file import agree as agree_file

    asked = _asked(format, columns, question, all_questions, labels, scale, confidence, system)
    found = agree_file(file, replace(asked, weights=weights))
    if json:
        output.print_json(found if all_questions else found[0])
    else:
        bare.print_agreement(found)


@app.command()
def accuracy(
    file: opt.File,
    system: opt.Systems = None,
    gold: Annotated[
        Path | None,
        typer.Option("--gold", metavar="FILE", help="Audited items: a table with an item and a label column."),
    ] = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    question: opt.Question = None,
    all_questions: opt.AllQuestions = False,
    labels: opt.Labels = None,
    scale: opt.Scale = "nominal",
    confidence: opt.Confidence = 0.95,
    seed: opt.Seed = 0,
    json: opt.Json = False,
) -> None:
    """How accurate each system is, estimated from the raters alone (Lehner 2015), even if it is better than they are.

    [bold]Examples[/bold]

    \b
      kappaflow accuracy labels.csv --system gpt
      kappaflow accuracy labels.csv --system gpt --system rules --labels yes,no,unclear
      kappaflow accuracy export.json --question tone --gold audited.csv --json
    """
    from tasks.accuracy_file import estimate as estimate_file

    asked = _asked(format, columns, question, all_questions, labels, scale, confidence, system)
    found = estimate_file(file, replace(asked, seed=seed), gold=gold)
    if json:
        output.print_json(found if all_questions else found[0])
    else:
        bare.print_accuracy(found)


@app.command()
def inspect(
    file: opt.File,
    format: opt.Format = None,
    columns: opt.Columns = None,
    system: opt.Systems = None,
    json: opt.Json = False,
) -> None:
    """What a reader sees in a file: format, questions, raters, labels, what it would reject. Stores nothing.

    [bold]Examples[/bold]

    \b
      kappaflow inspect export.json
      kappaflow inspect sheet.csv --columns item=doc,rater=coder,label=code
    """
    from tasks.inspect import inspect_file

    found = inspect_file(
        file,
        ReadOptions(format=format, columns=opt.parse_columns(columns), systems=frozenset(system or [])),
    )
    if json:
        output.print_json(found)
    else:
        bare.print_inspection(found)


@app.command()
def formats(json: opt.Json = False) -> None:
    """The export formats that can be read.

    [bold]Example[/bold]

    \b
      kappaflow formats
    """
    rows = [
        {"format": name, "files": " ".join(known.extensions), "what": known.describe} for name, known in FORMATS.items()
    ]
    if json:
        output.print_json(rows)
    else:
        output.print_table(rows)


def _asked(
    format: str | None,
    columns: list[str] | None,
    question: str | None,
    all_questions: bool,
    labels: str | None,
    scale: str,
    confidence: float,
    system: list[str] | None,
) -> Asked:
    read = ReadOptions(format=format, columns=opt.parse_columns(columns), systems=frozenset(system or []))
    return Asked(read, question, all_questions, opt.parse_labels(labels), opt.check_scale(scale), confidence=confidence)
