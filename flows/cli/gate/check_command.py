"""The command that holds figures to limits and ends with an exit code: check."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from flows.cli.exit_code import exit_code
from flows.cli.files.file_options import read_options
from tasks.errors import InputError
from tasks.single_file.load_file import FileOptions

if TYPE_CHECKING:
    from flows.cli.gate.check_rules import RuleOptions
    from tasks.gate.judgement import GateResult

app = typer.Typer()
DEFAULTS = FileOptions()
SETTINGS_FILE = "kappaflow.toml"
# The options that only a file has. A project has them in kappaflow.toml.
FILE_OPTIONS = (
    "system",
    "gold",
    "format",
    "columns",
    "no_header",
    "labels",
    "scale",
    "duplicates",
    "confidence",
    "seed",
)

FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]", help="An export, as for agree. Without it: the project.", callback=opt.check_local
    ),
]
QuestionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--question",
        metavar="NAME",
        callback=opt.names_in_nfc,
        help="Check only this question; repeat for several. Default: all.",
    ),
]
AlphaOption = Annotated[
    str | None,
    typer.Option(
        "--min-alpha", metavar="LIMIT", help="The lowest Krippendorff's alpha that the human raters may have."
    ),
]
AgreementOption = Annotated[
    list[str] | None,
    typer.Option(
        "--min-agreement",
        metavar="COEFFICIENT=LIMIT",
        help="The lowest value of a coefficient, also of spans, boxes, rankings or texts; repeat for several.",
    ),
]
AccuracyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--min-accuracy",
        metavar="SYSTEM=LIMIT",
        callback=opt.names_in_nfc,
        help="The lowest accuracy that a system may have, such as 0.8 or 80%; repeat for several.",
    ),
]
AlertsOption = Annotated[bool, typer.Option("--no-open-alerts", help="No alert may be open. Only for a project.")]
RejectedOption = Annotated[
    str | None,
    typer.Option(
        "--max-rejected", metavar="SHARE", help="The largest share of rows that may be rejected, such as 2% or 0.02."
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="BY",
        help="interval: judge only where the whole interval is on one side of the limit. "
        "point: judge by the estimate. Default: interval.",
    ),
]
UnjudgedOption = Annotated[
    str | None,
    typer.Option(
        "--unjudged",
        metavar="AS",
        help="Count a rule that cannot be judged as pass or as finding. Default: neither, and exit code 3.",
    ),
]
GoldOption = Annotated[
    Path | None,
    typer.Option("--gold", metavar="FILE", help="Items with known right answers, as for accuracy."),
]
JunitOption = Annotated[
    Path | None, typer.Option("--junit", metavar="PATH", help="Write the results as JUnit XML to this file.")
]
MarkdownOption = Annotated[
    str | None,
    typer.Option("--markdown", metavar="PATH", help="Write the results as a Markdown table to this file; - prints it."),
]


@app.command()
def check(
    context: typer.Context,
    file: FileArgument = None,
    question: QuestionsOption = None,
    min_alpha: AlphaOption = None,
    min_agreement: AgreementOption = None,
    min_accuracy: AccuracyOption = None,
    no_open_alerts: AlertsOption = False,
    max_rejected: RejectedOption = None,
    judge: JudgeOption = None,
    unjudged: UnjudgedOption = None,
    system: opt.Systems = None,
    gold: GoldOption = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    no_header: opt.NoHeader = False,
    labels: opt.Labels = None,
    scale: opt.Scale = DEFAULTS.scale,
    duplicates: opt.Duplicates = DEFAULTS.duplicates,
    confidence: opt.Confidence = DEFAULTS.confidence,
    seed: opt.Seed = DEFAULTS.seed,
    project: opt.Folder = None,
    json: opt.Json = False,
    junit: JunitOption = None,
    markdown: MarkdownOption = None,
) -> None:
    """Compare the figures of a project or a file with limits, for CI. Exit 0: pass, 1: a finding, 3: unjudged.

    The options from --system to --seed are for a FILE. For a project, kappaflow.toml has these settings, and it may
    have rules, too.

    [bold]Examples[/bold]

    \b
      kappaflow check --min-alpha .6 --no-open-alerts --max-rejected 2%
      kappaflow check --question tone --min-accuracy gpt=.8 --junit check.xml
      kappaflow check labels.csv --min-alpha .6 --min-accuracy gpt=.8 --json
    """
    from flows.cli.gate.check_output import write_result
    from flows.cli.gate.check_rules import RuleOptions

    options = RuleOptions(
        question, min_alpha, min_agreement, min_accuracy, no_open_alerts, max_rejected, judge, unjudged
    )
    if file is None:
        _refuse_file_options(context)
        result = _check_project(project, options)
    else:
        _check_is_file(file, project)
        file_options = FileOptions(
            read_options(format, columns, system, no_header=no_header),
            labels=opt.parse_labels(labels),
            scale=opt.check_scale(scale),
            confidence=confidence,
            seed=seed,
            duplicates=duplicates,
        )
        result = _check_file(file, file_options, options, gold)
    with exit_code(result.exit_code):
        write_result(result, json=json, junit=junit, markdown=markdown)
    raise typer.Exit


def _check_project(folder: Path | None, options: "RuleOptions") -> "GateResult":
    """Judge the rules of the settings and the command line by the published snapshot.

    A snapshot that cannot be read is bad input: exit code 1 stands for a finding.
    """
    from flows.cli.gate.check_rules import with_options
    from flows.cli.published_project import published
    from flows.settings import task_inputs
    from tasks.gate.check_figures import check_figures
    from tasks.gate.project_figures import project_figures
    from warehouse.errors import WarehouseError

    try:
        loaded_project = published(folder)
        rules = with_options(task_inputs.gate_rules(loaded_project), options)
        settings = task_inputs.question_configs(loaded_project), task_inputs.evaluation_options(loaded_project)
        figures = project_figures(loaded_project.snapshot, str(loaded_project.folder), settings)
        return check_figures(rules, figures)
    except WarehouseError as error:
        raise InputError(str(error), error.hint) from None


def _check_file(file: Path, file_options: FileOptions, options: "RuleOptions", gold: Path | None) -> "GateResult":
    from flows.cli.gate.check_rules import with_options
    from tasks.gate.check_figures import check_figures
    from tasks.gate.file_figures import file_figures
    from tasks.gate.gate_rules import GateRules, require_rules
    from tasks.gate.other_file_figures import has_other_limits, other_file_figures

    rules = with_options(GateRules(), options)
    require_rules(rules)
    if rules.no_open_alerts:
        raise InputError("--no-open-alerts is for a project: a file has no alerts.", "Leave it out.")
    if has_other_limits(rules):
        return check_figures(rules, other_file_figures(file, file_options, rules))
    return check_figures(rules, file_figures(file, file_options, rules, gold=gold))


def _check_is_file(file: Path, project: Path | None) -> None:
    """Refuse a FILE beside --project, and a project folder in the place of FILE."""
    if project is not None:
        raise InputError("FILE and --project exclude each other.", "Give only one.")
    if (file / SETTINGS_FILE).is_file():
        raise InputError(f"{file} is a project folder.", f"Check it with --project {file}.")


def _refuse_file_options(context: typer.Context) -> None:
    """Refuse the options that concern only a file."""
    if refused := opt.options_given(context, FILE_OPTIONS):
        raise InputError(
            f"These options are only for a FILE: {', '.join(refused)}.",
            "Name the file, or set them in kappaflow.toml and run `kappaflow run`.",
        )
