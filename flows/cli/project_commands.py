"""Commands on a project: init, run and its stages, report, status, sql, serve."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
def run(
    project: opt.Folder = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="Print a few lines: one figure a question and system, and what to do next.")
    ] = False,
) -> None:
    """Run the whole pipeline once: ingest, evaluate, monitor, publish, report.

    [bold]Examples[/bold]

    \b
      kappaflow run
      kappaflow run --project tone-project --json
      kappaflow run --brief
    """
    _run("pipeline", project, Talk(json, quiet, verbose, brief))


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
        typer.Option(
            "--retry-rejects", help="Also read files again that were rejected or had rejected rows, after a fix."
        ),
    ] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Store new export files. A file that is in the warehouse already changes nothing.

    [bold]Examples[/bold]

    \b
      kappaflow ingest
      kappaflow ingest monday.json tuesday.json
      kappaflow ingest "s3://bucket/labels/*.json"
      kappaflow ingest --retry-rejects
    """
    from tasks.sources.object_store.address import is_address

    absolute_paths = [path if is_address(path) else str(Path(path).resolve()) for path in paths or []]
    _run("ingest", project, Talk(json, quiet, verbose), paths=absolute_paths, retry_rejects=retry_rejects)


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
    _run("evaluate", project, Talk(json, quiet, verbose), everything=everything)


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
    from flows.cli import project_output as show

    project_status = show.read_status(published(project))
    if json:
        terminal.print_json(project_status)
    else:
        show.print_status(project_status)


@app.command()
def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SELECT on the published snapshot.")],
    project: opt.Folder = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, safe to open in a spreadsheet.")] = False,
    format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="csv, json, jsonl, md, parquet or xlsx.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to this file.")] = None,
    json: opt.Json = False,
) -> None:
    """Query the published snapshot with read-only SQL. Tables and views: `kappaflow help warehouse`.

    [bold]Examples[/bold]

    \b
      kappaflow sql "select * from latest_agreement"
      kappaflow sql "select question, system, accuracy, low, high from latest_system_accuracy" --json
      kappaflow sql "from current_ratings" --format parquet --out ratings.parquet
    """
    from flows.cli import project_output as show
    from flows.cli.export.table_output import chosen_format, print_or_write
    from warehouse.errors import WarehouseError
    from warehouse.publish import query as run_query

    if sum((csv, json, format is not None)) > 1:
        raise InputError("--csv, --json and --format exclude each other.", "Give only one.")
    file_format = chosen_format("csv" if csv else "json" if json else format, out)
    try:
        snapshot = published(project, any_version=True).snapshot
        with _exit_at_ctrl_c():
            rows = run_query(snapshot, query)
    except WarehouseError as error:
        raise InputError(str(error), error.hint) from None
    if json and out is None:
        terminal.print_json(rows.to_dicts())
    elif file_format is None:
        show.print_rows(rows)
    else:
        print_or_write(rows, file_format, out)


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
    doorbell: Annotated[str | None, typer.Option("--doorbell", hidden=True)] = None,  # --webhook in earlier versions
    project: opt.Folder = None,
) -> None:
    """Run the pipeline now and on a schedule until stopped. Starts a local Prefect server with a password, unless
    PREFECT_API_URL is set.

    [bold]Examples[/bold]

    \b
      kappaflow serve --every 15m
      kappaflow serve --cron "0 6 * * *" --port 4300
    """
    from flows.cli import project_output as show
    from flows.project_folder import find_project
    from flows.service.prefect_start import check_folder, check_prefect
    from flows.service.supervisor import serve as supervise
    from flows.settings.values import parse_cron, parse_seconds

    loaded_project = find_project(project)
    if every is not None and cron is not None:
        raise InputError("--every and --cron exclude each other.", "Give only one.")
    if cron is not None:
        parse_cron(cron)
    check_folder(loaded_project)
    check_prefect(loaded_project.folder)
    show.log_to_terminal()
    seconds = None if every is None else parse_seconds(every)
    sys.exit(supervise(loaded_project, every=seconds, cron=cron, host=host, port=port, webhook=webhook or doorbell))


@dataclass(frozen=True)
class Talk:
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


def _run(kind: str, folder: Path | None, talk: Talk, **parameters: object) -> None:
    """Run one flow on the project and print its results. Exit 1 if it failed."""
    from flows.cli import project_output as show
    from flows.cli.run_flow import run_flow
    from flows.cli.run_progress import Detail
    from flows.cli.runs.brief_output import print_brief
    from flows.idle_run import record_idle_run
    from flows.project_folder import find_project

    loaded_project = find_project(folder)
    idle = record_idle_run(loaded_project) if kind == "pipeline" else None
    if idle:
        result, failed = idle, False
    else:
        quiet = talk.quiet or (talk.json and not talk.verbose)
        detail = Detail.STEPS if talk.verbose else Detail.SPINNER if talk.brief else Detail.RESULTS
        result, failed = run_flow(kind, loaded_project, quiet=quiet, detail=detail, **parameters)
    if talk.json:
        terminal.print_json(show.as_json(result, loaded_project))
    elif talk.quiet:
        show.print_failures(result)
    elif talk.brief:
        print_brief(result, loaded_project)
    else:
        show.print_run_result(result, loaded_project)
    if failed:
        raise typer.Exit(1)


@contextmanager
def _exit_at_ctrl_c() -> Iterator[None]:
    """End the process at once with exit code 130 if Ctrl-C is pressed in the block, which must only read.

    Python handles a signal between two of its own steps, and a long query of DuckDB is one step. But the number of the
    signal is written to a socket at once, so a second thread can act on it.
    """
    receiver, sender = socket.socketpair()
    sender.setblocking(False)

    def wait() -> None:
        with receiver:
            while received := receiver.recv(1):
                if received[0] == signal.SIGINT:
                    os._exit(130)

    previous = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)
        sender.close()
        waiting.join()


def published(folder: Path | None, *, any_version: bool = False) -> "Project":
    """Return the project. Raises InputError if it has not been run yet.

    Unless any_version is true, raises it also if the project has not been run since kappaflow was updated.
    """
    from flows.project_folder import find_project
    from flows.settings.task_inputs import folder_sources
    from warehouse.connect import connect
    from warehouse.migrate import pending

    loaded_project = find_project(folder)
    if not loaded_project.snapshot.exists():
        folders = folder_sources(loaded_project)
        raise InputError(
            f"Nothing is published in {loaded_project.folder} yet.",
            f"Put exports into {folders[0].path} and run `kappaflow run`." if folders else "Run `kappaflow run`.",
        )
    with connect(loaded_project.snapshot, read_only=True) as con:
        if not any_version and pending(con):
            raise InputError(
                f"The snapshot {loaded_project.snapshot} was published by an earlier version of kappaflow.",
                "Run `kappaflow run` once: it brings the warehouse up to date, with all its ratings, and publishes it.",
            )
    return loaded_project
