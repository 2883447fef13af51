"""The command that plans a study: how many ratings are needed, and how soon an alarm finds a change."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli import options as opt
from flows.cli import terminal
from tasks.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

app = typer.Typer()
CONFIDENCE, SYSTEM_ACCURACY = 0.9, 0.9
MISSING_OPTIONS = (
    "Give --question NAME for a question of the project, or --n-labels, --kappa and --half-width or --budget."
)
ONLY_FOR = {"n_annotators": "rater", "n_systems": "system", "system_accuracy": "system"}  # options of one alarm


NLabelsOption = Annotated[int | None, typer.Option("--n-labels", help="Number of labels of the question.")]
NRatersOption = Annotated[int | None, typer.Option("--n-raters", help="Raters per item.")]
KappaOption = Annotated[float | None, typer.Option("--kappa", help="Expected agreement, between 0 and 1.")]
HalfWidthOption = Annotated[
    float | None,
    typer.Option("--half-width", help="Half-width of the interval you want, e.g. 0.1; 0.05 with --question."),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget", help="Ratings that you can pay for. Compares designs with fewer and more raters per item."
    ),
]
ConfidenceOption = Annotated[
    float | None, typer.Option("--confidence", help=f"Confidence of the interval; {CONFIDENCE} if not given.")
]
SystemAccuracyOption = Annotated[
    float | None,
    typer.Option("--system-accuracy", help=f"Expected accuracy of the system; {SYSTEM_ACCURACY} if not given."),
]
QuestionOption = Annotated[
    str | None, opt.question_option("A question of the project. Shows what it still needs, given its results so far.")
]
AlarmOption = Annotated[
    str | None,
    typer.Option(
        "--alarm",
        metavar="NAME",
        help="Plan an alarm: how soon it finds a drop. NAME is agreement, rater or system.",
    ),
]
DropOption = Annotated[
    float | None,
    typer.Option(
        "--drop",
        help="With --alarm: how far kappa drops (default 0.15), a system's accuracy (0.1), or a rater's agreement with "
        "the others (by default what random clicks on 30 % of the items cost).",
    ),
]
WithinOption = Annotated[
    int | None,
    typer.Option(
        "--within", metavar="ITEMS", help="With --alarm: within how many items the alarm should find the drop."
    ),
]
FalseAlarmsOption = Annotated[
    float | None,
    typer.Option(
        "--false-alarms-per-year",
        help="With --alarm: false alarms that you accept, of all charts of the question together; 1 if not given.",
    ),
]
LooksOption = Annotated[
    float | None, typer.Option("--looks-per-year", help="With --alarm: days with ratings in a year; 250 if not given.")
]
ItemsPerDayOption = Annotated[
    int | None, typer.Option("--items-per-day", help="With --alarm: items rated on a day; 20 if not given.")
]
ItemsBeforeOption = Annotated[
    int | None,
    typer.Option("--items-before", help="With --alarm: items rated before the drop; those of 50 days if not given."),
]
DayCorrelationOption = Annotated[
    float | None,
    typer.Option(
        "--day-correlation",
        help="With --alarm: correlation of the scores of a day's items; 0.03 if not given, for a rater 0.01.",
    ),
]
NAnnotatorsOption = Annotated[
    int | None,
    typer.Option(
        "--n-annotators", help="With --alarm rater: annotators of the question; as many as --n-raters if not given."
    ),
]
NSystemsOption = Annotated[
    int | None, typer.Option("--n-systems", help="With --alarm system: systems of the question; 1 if not given.")
]
NQuestionsOption = Annotated[
    int | None,
    typer.Option(
        "--n-questions", help="With --alarm: questions of the project. Their false alarms add up; 1 if not given."
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
    alarm: AlarmOption = None,
    drop: DropOption = None,
    within: WithinOption = None,
    false_alarms_per_year: FalseAlarmsOption = None,
    looks_per_year: LooksOption = None,
    items_per_day: ItemsPerDayOption = None,
    items_before: ItemsBeforeOption = None,
    day_correlation: DayCorrelationOption = None,
    n_annotators: NAnnotatorsOption = None,
    n_systems: NSystemsOption = None,
    n_questions: NQuestionsOption = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Plan a study: how many items need ratings until the accuracy of a system is known to within a half-width.

    Also: how to spend a budget of ratings, how many random gold items would do instead, what a question of the project
    still needs, and how soon an alarm finds a drop.

    [bold]Examples[/bold]

    \b
      kappaflow plan --n-labels 5 --n-raters 3 --kappa 0.3 --half-width 0.1
      kappaflow plan --n-labels 5 --kappa 0.3 --budget 600
      kappaflow plan --question tone --half-width 0.05
      kappaflow plan --alarm agreement --drop 0.15 --n-labels 5 --n-raters 3 --kappa 0.6
    """
    study = {"n_labels": n_labels, "n_raters": n_raters, "kappa": kappa, "system_accuracy": system_accuracy}
    aim = {"question": question, "half_width": half_width, "budget": budget, "confidence": confidence}
    alarms = {
        "drop": drop, "within": within, "false_alarms_per_year": false_alarms_per_year,
        "looks_per_year": looks_per_year, "items_per_day": items_per_day, "items_before": items_before,
        "day_correlation": day_correlation, "n_annotators": n_annotators, "n_systems": n_systems,
        "n_questions": n_questions,
    }  # fmt: skip
    if alarm is None:
        _refuse(alarms, "These options need --alarm", "Add --alarm agreement, rater or system, or leave them out.")
    if alarm is not None:
        kind, result = "alarms", _plan_alarm(alarm, aim, study | alarms)
    elif question is not None:
        _refuse(
            study | {"budget": budget, "confidence": confidence},
            f"--question {question} takes these from its results",
            "Leave them out, or leave --question out to plan a new study.",
        )
        kind, result = "question", _plan_question(question, project, half_width)
    else:
        kind, result = "items" if budget is None else "budget", _plan_study(study, aim)
    if json:
        terminal.print_json(result)
        return
    from flows.cli.planning.plan_output import PRINTED

    PRINTED[kind](result)


def _plan_study(options: Mapping[str, Any], aim: Mapping[str, Any]) -> dict[str, Any]:
    """Plan a new study: its size, or how to spend a budget."""
    n_labels, kappa = options["n_labels"], options["kappa"]
    if n_labels is None or kappa is None:
        raise InputError("A plan needs the number of labels and the expected agreement.", MISSING_OPTIONS)
    from tasks.single_file.plan_study import StudyDesign, plan_budget, plan_items

    confidence, system_accuracy = aim["confidence"], options["system_accuracy"]
    study = StudyDesign(
        n_labels=n_labels,
        kappa=kappa,
        confidence=CONFIDENCE if confidence is None else confidence,
        system_accuracy=SYSTEM_ACCURACY if system_accuracy is None else system_accuracy,
    )
    n_raters, half_width = options["n_raters"], aim["half_width"]
    if aim["budget"] is not None:
        return plan_budget(study, budget=aim["budget"], n_raters=n_raters, half_width=half_width)
    if half_width is None or n_raters is None:
        raise InputError("A plan needs the half-width and the raters per item, or a budget.", MISSING_OPTIONS)
    return plan_items(study, n_raters=n_raters, half_width=half_width)


def _plan_alarm(alarm: str, aim: Mapping[str, object], options: Mapping[str, Any]) -> dict[str, Any]:
    """Plan an alarm. `aim` has the options of other plans."""
    from tasks.single_file.plan_alarms import AlarmDesign, check_alarm, plan_alarms

    check_alarm(alarm)
    _refuse(aim, "These options do not go with --alarm", "Leave them out, or leave --alarm out.")
    other = {name: options[name] for name, owner in ONLY_FOR.items() if owner != alarm}
    _refuse(other, f"--alarm {alarm} does not use these options", "Leave them out.")
    if None in (options["n_labels"], options["n_raters"], options["kappa"]):
        raise InputError(
            "A plan for an alarm needs the number of labels, the raters per item and the expected agreement.",
            f"For example: kappaflow plan --alarm {alarm} --n-labels 5 --n-raters 3 --kappa 0.6",
        )
    names = {"day_correlation": "correlation"}
    wanted = {names.get(name, name): value for name, value in options.items() if value is not None}
    return plan_alarms(AlarmDesign(alarm=alarm, **wanted))


def _plan_question(question: str, project: "Path | None", half_width: float | None) -> dict[str, Any]:
    from flows.cli.published_project import published
    from tasks.summary.ratings_needed import HALF_WIDTH, plan_question

    loaded = published(project)
    return plan_question(
        loaded.snapshot,
        question,
        half_width=HALF_WIDTH if half_width is None else half_width,
        outer_error=loaded.settings.evaluate.outer_error,
    )


def _refuse(options: Mapping[str, object], what: str, hint: str) -> None:
    """Refuse the options that are given: `what`, and their names."""
    refused = [f"--{name.replace('_', '-')}" for name, value in options.items() if value is not None]
    if refused:
        raise InputError(f"{what}: {', '.join(refused)}.", hint)
