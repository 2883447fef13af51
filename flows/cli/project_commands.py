"""Commands on a project folder: init, run and its parts, report, status, sql, serve."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from tasks.errors import InputError

if TYPE_CHECKING:
    from flows.project_folder import Project

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
    terminal.line(f"Put exports into {inbox}, then: kappaflow run --project {folder}")


@app.command()
def run(project: opt.Folder = None, json: opt.Json = False) -> None:
    """The whole pipeline once: ingest, evaluate, monitor, publish, report.

    [bold]Examples[/bold]

    \b
      kappaflow run
      kappaflow run --project tone-project --json
    """
    _run("pipeline", project, json)


@app.command()
def ingest(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH...]", help="Files, folders, or s3://, gs:// or az:// addresses; else the project's sources."
        ),
    ] = None,
    retry_rejects: Annotated[
        bool,
        typer.Option(
            "--retry-rejects", help="Also read refused files again, and those with rejected rows after a fix."
        ),
    ] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Take in new export files; a file that is in the warehouse already changes nothing.

    [bold]Examples[/bold]

    \b
      kappaflow ingest
      kappaflow ingest monday.json tuesday.json
      kappaflow ingest "s3://bucket/labels/*.json"
      kappaflow ingest --retry-rejects
    """
    from tasks.sources.object_store.address import is_address

    there = [path if is_address(path) else str(Path(path).resolve()) for path in paths or []]
    _run("ingest", project, json, paths=there, retry_rejects=retry_rejects)


@app.command()
def evaluate(
    project: opt.Folder = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every question, changed or not, counted from its ratings anew.")
    ] = False,
    json: opt.Json = False,
) -> None:
    """Agreement and accuracy of the questions that changed since they were last evaluated.

    [bold]Examples[/bold]

    \b
      kappaflow evaluate
      kappaflow evaluate --all
    """
    _run("evaluate", project, json, everything=everything)


@app.command()
def report(
    project: opt.Folder = None,
    open_page: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    json: opt.Json = False,
) -> None:
    """Write report.html from the published results and print its path.

    [bold]Example[/bold]

    \b
      kappaflow report --open
    """
    from flows.project_folder import CODE_VERSION
    from tasks.report.write_report import write_report

    here = published(project)
    path = write_report(here.snapshot, here.report, title=here.settings.project.name, code_version=CODE_VERSION)
    if json:
        terminal.print_json({"report": str(path)})
    else:
        terminal.line(str(path))
    if open_page:
        typer.launch(path.as_uri())


@app.command()
def status(project: opt.Folder = None, json: opt.Json = False) -> None:
    """What is in the warehouse: files, ratings, questions, last runs, open alerts.

    [bold]Example[/bold]

    \b
      kappaflow status --json
    """
    from flows.cli import project_output as show

    found = show.read_status(published(project))
    if json:
        terminal.print_json(found)
    else:
        show.print_status(found)


@app.command()
def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SELECT on the published snapshot.")],
    project: opt.Folder = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, safe to open in a spreadsheet.")] = False,
    json: opt.Json = False,
) -> None:
    """Read-only SQL on the published snapshot. Tables and views: docs/reference/warehouse.md.

    [bold]Examples[/bold]

    \b
      kappaflow sql "select * from latest_agreement"
      kappaflow sql "select question, system, accuracy, low, high from latest_system_accuracy" --json
    """
    from flows.cli import project_output as show
    from warehouse.errors import WarehouseError
    from warehouse.publish import query as run_query

    if csv and json:
        raise InputError("--csv and --json exclude each other.", "Give one of them.")
    try:
        snapshot = published(project).snapshot
        with _ends_at_ctrl_c():
            found = run_query(snapshot, query)
    except WarehouseError as error:
        raise InputError(str(error), error.hint) from None
    if json:
        terminal.print_json(found.to_dicts())
    elif csv:
        terminal.print_csv(found)
    else:
        show.print_rows(found)


@app.command()
def serve(
    every: Annotated[
        str | None,
        typer.Option(
            "--every",
            metavar="TIME",
            help="Run at this interval: 15, 30m, 6h. Without it the schedule of kappaflow.toml counts.",
        ),
    ] = None,
    cron: Annotated[str | None, typer.Option("--cron", metavar="LINE", help="Run by a cron line instead.")] = None,
    host: Annotated[str, typer.Option("--host", help="Where the local Prefect server listens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 4200,
    webhook: Annotated[
        str | None,
        typer.Option(
            "--webhook",
            metavar="[HOST:]PORT",
            help="Also run when this port gets a POST to /run with the token in $KAPPAFLOW_WEBHOOK_TOKEN.",
        ),
    ] = None,
    doorbell: Annotated[str | None, typer.Option("--doorbell", hidden=True)] = None,  # --webhook in earlier versions
    project: opt.Folder = None,
) -> None:
    """Run the pipeline now and on a schedule until stopped; starts a local Prefect server, closed by a password, unless
    PREFECT_API_URL is set.

    [bold]Examples[/bold]

    \b
      kappaflow serve --every 15m
      kappaflow serve --cron "0 6 * * *" --port 4300
    """
    from flows.cli import project_output as show
    from flows.project_folder import find_project
    from flows.service.prefect_start import check_folder
    from flows.service.supervisor import serve as supervise
    from flows.settings.values import parse_cron, parse_seconds

    here = find_project(project)
    if every is not None and cron is not None:
        raise InputError("--every and --cron exclude each other.", "Give one of them.")
    if cron is not None:
        parse_cron(cron)
    check_folder(here)
    show.log_to_terminal()
    seconds = None if every is None else parse_seconds(every)
    sys.exit(supervise(here, every=seconds, cron=cron, host=host, port=port, webhook=webhook or doorbell))


def _run(kind: str, folder: Path | None, json: bool, **parameters: object) -> None:
    """Run one flow on the project and show what came of it; exit 1 when a question could not be evaluated."""
    from flows.cli import project_output as show
    from flows.cli.run_flow import run_flow
    from flows.project_folder import find_project

    here = find_project(folder)

    done, failed = run_flow(kind, here, quiet=json, **parameters)
    if json:
        terminal.print_json(show.as_json(done, here))
    else:
        show.print_done(done, here)
    if failed:
        raise typer.Exit(1)


@contextmanager
def _ends_at_ctrl_c() -> Iterator[None]:
    """End the process at once, with exit code 130, when Ctrl-C comes inside: the work only reads.

    Python hears a signal between two of its own steps, and a long query of DuckDB is one step. The signal's number is
    written to a socket whatever the main thread does, so a second thread can act on it.
    """
    receiver, sender = socket.socketpair()
    sender.setblocking(False)

    def wait() -> None:
        while received := receiver.recv(1):
            if received[0] == signal.SIGINT:
                os._exit(130)

    former = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=wait, daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(former)
        sender.close()


def published(folder: Path | None) -> "Project":
    """Return the project. Raises InputError where it has not been run yet."""
    from flows.project_folder import find_project
    from flows.settings.task_inputs import folder_sources

    here = find_project(folder)
    if not here.snapshot.exists():
        folders = folder_sources(here)
        raise InputError(
            f"Nothing is published in {here.folder} yet.",
            f"Put exports into {folders[0].path} and run `kappaflow run`." if folders else "Run `kappaflow run`.",
        )
    return here
