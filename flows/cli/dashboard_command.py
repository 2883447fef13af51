"""The command that serves the live pages."""

from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal

app = typer.Typer()


@app.command()
def dashboard(
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the pages.")] = 8500,
    host: Annotated[
        str,
        typer.Option("--host", help="Address of the pages. Addresses that other machines can reach need a token."),
    ] = "127.0.0.1",
    project: opt.Folder = None,
) -> None:
    """Serve live pages of the project until stopped: questions, annotators, systems, alerts, items to look at.

    The pages show the published snapshot, and the next snapshot as soon as a run has published it. On an address
    other than 127.0.0.1 visitors need a token: that of $KAPPAFLOW_DASHBOARD_TOKEN, or else the one that the command
    prints.

    [bold]Examples[/bold]

    \b
      kappaflow dashboard
      kappaflow dashboard --port 8600 --project tone-project
    """
    from flows.dashboard.start_dashboard import serve_dashboard
    from flows.project_folder import find_project

    serve_dashboard(find_project(project), host=host, port=port, say=terminal.line)
