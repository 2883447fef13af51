"""The commands that run the pipeline or one of its stages: run, ingest, evaluate."""

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.exit_code import exit_code
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def run(
    project: opt.Folder = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
    brief: Annotated[
        bool,
        typer.Option(
            "--brief", help="Print a short summary: one figure for each question and system, and what to do next."
        ),
    ] = False,
) -> None:
    """Run the whole pipeline once: ingest, evaluate, monitor, publish, report.

    [bold]Examples[/bold]

    \b
      kappaflow run
      kappaflow run --project tone-project --json
      kappaflow run --brief
    """
    _run("pipeline", project, RunOutput(json, quiet, verbose, brief))


@app.command()
def ingest(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH...]",
            help="Files, folders, or s3://, gs:// or az:// addresses. Default: the project's sources.",
        ),
    ] = None,
    retry_rejects: Annotated[
        bool,
        typer.Option("--retry-rejects", help="After a fix: read rejected files again, and files with rejected rows."),
    ] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Store new export files. A file that is already stored changes nothing.

    [bold]Examples[/bold]

    \b
      kappaflow ingest
      kappaflow ingest monday.json tuesday.json
      kappaflow ingest "s3://bucket/labels/*.json"
      kappaflow ingest --retry-rejects
    """
    from tasks.formats.parsing.system_errors import leads_to_itself
    from tasks.sources.object_store.address import is_address

    for path in paths or []:
        if not is_address(path) and not lexists(path):
            raise InputError(
                f"There is no file or folder {path}.", "Check the path: it is taken from the current folder."
            )
        if leads_to_itself(Path(path)):  # from Python 3.13 on no other call says so
            raise InputError(f"{path} is a symbolic link that leads back to itself.", "Point it to a file or a folder.")
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise InputError(f"{path} is a device or a pipe, not a file.", "Save the export as a file first.")
    absolute_paths = [path if is_address(path) else str(Path(path).resolve()) for path in paths or []]
    _run("ingest", project, RunOutput(json, quiet, verbose), paths=absolute_paths, again=retry_rejects)


@app.command()
def evaluate(
    project: opt.Folder = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Evaluate every question, changed or not, and count its ratings again.")
    ] = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Compute agreement and accuracy of the questions that changed since they were last evaluated.

    [bold]Examples[/bold]

    \b
      kappaflow evaluate
      kappaflow evaluate --all
    """
    _run("evaluate", project, RunOutput(json, quiet, verbose), again=everything)


@dataclass(frozen=True)
class RunOutput:
    """How much a run prints."""

    json: bool = False
    quiet: bool = False
    verbose: bool = False
    brief: bool = False

    def __post_init__(self) -> None:
        chosen = {"--json": self.json, "--quiet": self.quiet, "--brief": self.brief}
        names = [name for name, is_chosen in chosen.items() if is_chosen]
        if self.verbose and (self.quiet or self.brief):
            names.append("--verbose")
        if len(names) > 1:
            raise InputError(f"{names[0]} and {names[1]} exclude each other.", "Give only one.")


def _run(kind: str, folder: Path | None, output: RunOutput, *, paths: Sequence[str] = (), again: bool = False) -> None:
    """Run one flow on the project and print its results. Exit 1 if it failed.

    Without `again`, look first without Prefect whether there is anything to do.
    """
    from flows.cli import project_output as show
    from flows.cli.runs.first_run import check_first_run
    from flows.idle_run import record_idle_run
    from flows.project_folder import find_project
    from flows.settings.target_inputs import publish_targets
    from tasks.publish.publish_targets import require_extras

    loaded_project = find_project(folder)
    require_extras(publish_targets(loaded_project))
    check_first_run(loaded_project, kind, paths)
    idle = None if again else record_idle_run(loaded_project, kind, paths)
    if idle:
        result, failed = idle, False
    else:
        from flows.cli.runs.run_flow import run_flow
        from flows.cli.runs.run_progress import Detail

        quiet = output.quiet or (output.json and not output.verbose)
        detail = Detail.STEPS if output.verbose else Detail.SPINNER if output.brief else Detail.RESULTS
        options: dict[str, object] = {}
        if kind == "ingest":
            options = {"paths": list(paths), "retry_rejects": again}
        elif kind == "evaluate":
            options = {"everything": again}
        result, failed = run_flow(kind, loaded_project, quiet=quiet, detail=detail, **options)
    with exit_code(1 if failed else 0):
        if output.json:
            terminal.print_json(show.as_json(result, loaded_project))
        elif output.quiet:
            show.print_failures(result)
        elif output.brief:
            from flows.cli.runs.brief_output import print_brief
            from tasks.summary.run_figures import read_brief_figures

            print_brief(result, read_brief_figures(loaded_project.snapshot), loaded_project)
        else:
            from tasks.summary.run_figures import read_run_figures

            figures = read_run_figures(loaded_project.snapshot, result.question_names, result.file_names)
            show.print_run_result(result, figures, loaded_project)
