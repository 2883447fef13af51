"""Commands on a project: init, report, status, serve."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import published
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def init(folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="The project folder to make.")] = Path()) -> None:
    """Make a project folder: a commented kappaflow.toml and an inbox/ for the exports.

    [bold]Example[/bold]

    \b
      kappaflow init tone-project
    """
    from flows.cli.new_project import create_project

    settings, inbox = create_project(folder)
    terminal.line(f"wrote {settings}")
    terminal.line(f"wrote {inbox}")
    terminal.line(f"Put exports into {inbox}, then: kappaflow run --project {shlex.quote(str(folder))}")


@app.command()
def report(
    project: opt.Folder = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
    json: opt.Json = False,
) -> None:
    """Write report.html from the published results and print its path.

    [bold]Example[/bold]

    \b
      kappaflow report --open
    """
    from flows.project_folder import CODE_VERSION
    from tasks.report.write_report import write_report

    loaded_project = published(project)
    path = write_report(
        loaded_project.snapshot,
        loaded_project.report,
        title=loaded_project.settings.project.name,
        code_version=CODE_VERSION,
    )
    if json:
        terminal.print_json({"report": str(path)})
    else:
        terminal.line(str(path))
    if open_page:
        typer.launch(path.as_uri())


@app.command()
def status(project: opt.Folder = None, json: opt.Json = False) -> None:
    """Show what is in the warehouse: files, ratings, questions, last runs, open alerts.

    [bold]Example[/bold]

    \b
      kappaflow status --json
    """
    from flows.cli.status_output import print_status
    from flows.project_status import read_project_status

    loaded_project = published(project)
    project_status = read_project_status(loaded_project)
    if json:
        terminal.print_json(project_status)
    else:
        print_status(project_status, loaded_project)


@app.command()
def serve(
    every: Annotated[
        str | None,
        typer.Option(
            "--every",
            metavar="TIME",
            help="Run at this interval: 15, 30m, 6h. Default: the schedule in kappaflow.toml.",
        ),
    ] = None,
    cron: Annotated[str | None, typer.Option("--cron", metavar="LINE", help="Run at the times of a cron line.")] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address at which the local Prefect server listens.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the local Prefect server.")] = 4200,
    webhook: Annotated[
        str | None,
        typer.Option(
            "--webhook",
            metavar="[HOST:]PORT",
            help="Also run when this port gets a POST to /run with the token in $KAPPAFLOW_WEBHOOK_TOKEN.",
        ),
    ] = None,
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="Also serve the live pages, as `kappaflow dashboard` does.")
    ] = False,
    dashboard_at: Annotated[
        str | None,
        typer.Option(
            "--dashboard-at", metavar="[HOST:]PORT", help="Where the live pages are served. Default: 127.0.0.1:8500."
        ),
    ] = None,
    doorbell: Annotated[str | None, typer.Option("--doorbell", hidden=True)] = None,  # --webhook in earlier versions
    project: opt.Folder = None,
) -> None:
    """Run the pipeline now and on a schedule until stopped. Starts a local Prefect server with a password, unless
    PREFECT_API_URL is set.

    [bold]Examples[/bold]

    \b
      kappaflow serve --every 15m
      kappaflow serve --every 15m --dashboard
      kappaflow serve --cron "0 6 * * *" --port 4300
    """
    from flows.cli import project_output as show
    from flows.project_folder import find_project
    from flows.service.prefect_start import check_folder, check_prefect
    from flows.service.supervisor import serve as supervise
    from flows.settings.target_inputs import publish_targets
    from tasks.publish.publish_targets import require_extras

    loaded_project = find_project(project)
    require_extras(publish_targets(loaded_project))
    seconds = _interval(every, cron)
    check_folder(loaded_project)
    check_prefect(loaded_project)
    show.log_to_terminal()
    pages = dashboard_at or ("127.0.0.1:8500" if dashboard else None)
    sys.exit(
        supervise(
            loaded_project,
            every=seconds,
            cron=cron,
            host=host,
            port=port,
            webhook=webhook or doorbell,
            dashboard=pages,
        )
    )


def _interval(every: str | None, cron: str | None) -> int | None:
    """Check --every and --cron, and return the seconds of --every."""
    from flows.settings.values import parse_cron, parse_seconds

    if every is not None and cron is not None:
        raise InputError("--every and --cron exclude each other.", "Give only one.")
    if cron is not None:
        parse_cron(cron)
    return None if every is None else parse_seconds(every)
