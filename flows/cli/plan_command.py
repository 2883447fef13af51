"""The command that plans a study: how many ratings does it take?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from tasks.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tasks.single_file.plan_study import StudyDesign

app = typer.Typer()
CONFIDENCE, SYSTEM_ACCURACY = 0.9, 0.9
NEEDED = "Give --question NAME for a question of the project, or --n-labels, --kappa and --half-width or --budget."


@app.command()
def plan(
    n_labels: Annotated[int | None, typer.Option("--n-labels", help="Labels of the question.")] = None,
    n_raters: Annotated[int | None, typer.Option("--n-raters", help="Raters per item.")] = None,
    kappa: Annotated[float | None, typer.Option("--kappa", help="Agreement expected, between 0 and 1.")] = None,
    half_width: Annotated[
        float | None, typer.Option("--half-width", help="Of the interval you want, e.g. 0.1; 0.05 with --question.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", help="Ratings that you can pay: compares raters per item.")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", help=f"Of the interval; {CONFIDENCE} if not given.")
    ] = None,
    system_accuracy: Annotated[
        float | None,
        typer.Option("--system-accuracy", help=f"Accuracy that you expect; {SYSTEM_ACCURACY} if not given."),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            metavar="NAME",
            callback=opt.name_in_nfc,
            help="A question of the project: what it still needs, by its own results.",
        ),
    ] = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """How many items need ratings before a system's accuracy is known to within a half-width.

    Also: how many raters per item a budget of ratings is best spent on, how many random gold items would do, and what
    a question of the project still needs.

    [bold]Examples[/bold]

    \b
      kappaflow plan --n-labels 5 --n-raters 3 --kappa 0.3 --half-width 0.1
      kappaflow plan --n-labels 5 --kappa 0.3 --budget 600
      kappaflow plan --question tone --half-width 0.05
    """
    expected = {"--n-labels": n_labels, "--kappa": kappa, "--confidence": confidence}
    expected |= {"--system-accuracy": system_accuracy, "--n-raters": n_raters, "--budget": budget}
    if question is not None:
        _refuse(expected, question)
        _question(question, project, half_width, json)
        return
    if n_labels is None or kappa is None:
        raise InputError("A plan needs the number of labels and the agreement to expect.", NEEDED)
    from tasks.single_file.plan_study import StudyDesign

    study = StudyDesign(
        n_labels=n_labels,
        kappa=kappa,
        confidence=CONFIDENCE if confidence is None else confidence,
        system_accuracy=SYSTEM_ACCURACY if system_accuracy is None else system_accuracy,
    )
    if budget is not None:
        _budget(study, budget, n_raters, half_width, json)
    elif half_width is None or n_raters is None:
        raise InputError("A plan needs the half-width to reach and the raters per item, or a budget.", NEEDED)
    else:
        _items(study, n_raters, half_width, json)


def _items(study: "StudyDesign", n_raters: int, half_width: float, json: bool) -> None:
    from flows.cli import plan_output as show
    from tasks.single_file.plan_study import plan_items

    found = plan_items(study, n_raters=n_raters, half_width=half_width)
    if json:
        terminal.print_json(found)
    else:
        show.print_items(found)


def _budget(study: "StudyDesign", budget: int, n_raters: int | None, half_width: float | None, json: bool) -> None:
    from flows.cli import plan_output as show
    from tasks.single_file.plan_study import plan_budget

    found = plan_budget(study, budget=budget, n_raters=n_raters, half_width=half_width)
    if json:
        terminal.print_json(found)
    else:
        show.print_budget(found)


def _question(question: str, project: "Path | None", half_width: float | None, json: bool) -> None:
    from flows.cli import plan_output as show
    from flows.cli.project_commands import published
    from tasks.evaluate.plan_question import HALF_WIDTH, plan_question

    wanted = HALF_WIDTH if half_width is None else half_width
    found = plan_question(published(project).snapshot, question, half_width=wanted)
    if json:
        terminal.print_json(found)
    else:
        show.print_question(found)


def _refuse(given: Mapping[str, object], question: str) -> None:
    """What the question's own results tell is not to be given beside it."""
    odd = [name for name, value in given.items() if value is not None]
    if odd:
        raise InputError(
            f"--question {question} takes these from its own results: {', '.join(odd)}.",
            "Leave them out, or leave --question out to plan a new study.",
        )
