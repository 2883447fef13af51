"""The command that queries the published snapshot."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import published
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SELECT on the published snapshot.")],
    project: opt.Folder = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, safe to open in a spreadsheet.")] = False,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv, json, jsonl, md, parquet or xlsx. Default: the ending of FILE, else a table to read.",
        ),
    ] = None,
    out: opt.OutFile = None,
    json: opt.Json = False,
) -> None:
    """Query the published snapshot with read-only SQL. Tables and views: `kappaflow help warehouse`.

    [bold]Examples[/bold]

    \b
      kappaflow sql "select question, coefficient, estimate, low, high from latest_agreement
                     where period = 'all' and scope = 'humans'"
      kappaflow sql "select question, system, method, accuracy, low, high from system_comparison" --json
      kappaflow sql "from current_ratings" --format parquet --out ratings.parquet
    """
    from flows.cli import project_output as show
    from flows.cli.export.table_output import chosen_format, print_or_write
    from warehouse.errors import WarehouseError
    from warehouse.publication.snapshot import query as run_query

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


@contextmanager
def _exit_at_ctrl_c() -> Iterator[None]:
    """End the process at once with exit code 130 if Ctrl-C is pressed in the block, which must only read.

    Python handles a signal only between two of its own steps, and a long query of DuckDB is one step. The
    signal's number is written to a socket at once, where a second thread sees it.
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
