"""The command that plans a study: how many ratings are needed."""

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
MISSING_OPTIONS = (
    "Give --question NAME for a question of the project, or --n-labels, --kappa and --half-width or --budget."
)


NLabelsOption = Annotated[int | None, typer.Option("--n-labels", help="Number of labels of the question.")]
NRatersOption = Annotated[int | None, typer.Option("--n-raters", help="Raters per item.")]
KappaOption = Annotated[float | None, typer.Option("--kappa", help="Expected agreement, between 0 and 1.")]
HalfWidthOption = Annotated[
    float | None,
    typer.Option("--half-width", help="Half-width of the interval you want, e.g. 0.1; 0.05 with --question."),
]
BudgetOption = Annotated[
    int | None, typer.Option("--budget", help="Ratings that you can pay for: compares numbers of raters per item.")
]
ConfidenceOption = Annotated[
    float | None, typer.Option("--confidence", help=f"Confidence of the interval; {CONFIDENCE} if not given.")
]
SystemAccuracyOption = Annotated[
    float | None,
    typer.Option("--system-accuracy", help=f"Expected accuracy of the system; {SYSTEM_ACCURACY} if not given."),
]
QuestionOption = Annotated[
    str | None,
    typer.Option(
        "--question",
        metavar="NAME",
        callback=opt.name_in_nfc,
        help="A question of the project: what it still needs, from its results so far.",
    ),
]


@app.command()
def plan(
    n_labels: NLabelsOption = None,
    n_raters: NRatersOption = None,
    kappa: KappaOption = None,
    half_width: HalfWidthOption = None,
    budget: BudgetOption = None,
    confidence: ConfidenceOption = None,
    system_accuracy: SystemAccuracyOption = None,
    question: QuestionOption = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Plan a study: how many items need ratings until the accuracy of a system is known to within a half-width.

    Also: how to spend a budget of ratings, how many random gold items would do instead, and what a question of the
    project still needs.

    [bold]Examples[/bold]

    \b
      kappaflow plan --n-labels 5 --n-raters 3 --kappa 0.3 --half-width 0.1
      kappaflow plan --n-labels 5 --kappa 0.3 --budget 600
      kappaflow plan --question tone --half-width 0.05
    """
    options = {"--n-labels": n_labels, "--kappa": kappa, "--confidence": confidence}
    options |= {"--system-accuracy": system_accuracy, "--n-raters": n_raters, "--budget": budget}
    if question is not None:
        _refuse_options(options, question)
        _plan_question(question, project, half_width, json)
        return
    if n_labels is None or kappa is None:
        raise InputError("A plan needs the number of labels and the expected agreement.", MISSING_OPTIONS)
    from tasks.single_file.plan_study import StudyDesign

    study = StudyDesign(
        n_labels=n_labels,
        kappa=kappa,
        confidence=CONFIDENCE if confidence is None else confidence,
        system_accuracy=SYSTEM_ACCURACY if system_accuracy is None else system_accuracy,
    )
    if budget is not None:
        _plan_budget(study, budget, n_raters, half_width, json)
    elif half_width is None or n_raters is None:
        raise InputError("A plan needs the half-width and the raters per item, or a budget.", MISSING_OPTIONS)
    else:
        _plan_items(study, n_raters, half_width, json)


def _plan_items(study: "StudyDesign", n_raters: int, half_width: float, json: bool) -> None:
    from flows.cli import plan_output as show
    from tasks.single_file.plan_study import plan_items

    plan = plan_items(study, n_raters=n_raters, half_width=half_width)
    if json:
        terminal.print_json(plan)
    else:
        show.print_items(plan)


def _plan_budget(study: "StudyDesign", budget: int, n_raters: int | None, half_width: float | None, json: bool) -> None:
    from flows.cli import plan_output as show
    from tasks.single_file.plan_study import plan_budget

    plan = plan_budget(study, budget=budget, n_raters=n_raters, half_width=half_width)
    if json:
        terminal.print_json(plan)
    else:
        show.print_budget(plan)


def _plan_question(question: str, project: "Path | None", half_width: float | None, json: bool) -> None:
    from flows.cli import plan_output as show
    from flows.cli.project_commands import published
    from tasks.evaluate.ratings_needed import HALF_WIDTH, plan_question

    plan = plan_question(
        published(project).snapshot, question, half_width=HALF_WIDTH if half_width is None else half_width
    )
    if json:
        terminal.print_json(plan)
    else:
        show.print_question(plan)


def _refuse_options(options: Mapping[str, object], question: str) -> None:
    """Refuse the options that come from the results of the question."""
    refused = [name for name, value in options.items() if value is not None]
    if refused:
        raise InputError(
            f"--question {question} takes these from its results: {', '.join(refused)}.",
            "Leave them out, or leave --question out to plan a new study.",
        )
