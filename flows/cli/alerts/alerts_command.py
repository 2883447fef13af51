"""The commands on alerts: list, show, ack, close, accept, mute."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.command_hints import project_option
from flows.cli.published_project import published
from tasks.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from tasks.monitor.act_on_alerts import AlertDesk


class ListingGroup(TyperGroup):
    """A group of commands that lists when no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `list` before the options, if they do not begin with a command."""
        is_help = args[:1] in (["--help"], ["-h"])
        return super().parse_args(ctx, args if is_help or (args and not args[0].startswith("-")) else ["list", *args])


app = typer.Typer(
    cls=ListingGroup,
    rich_markup_mode="rich",
    help="""List the open alerts, show one, acknowledge, close, accept or mute it. Without a command: list.

    [bold]Examples[/bold]

    \b
      kappaflow alerts
      kappaflow alerts show 8f14
      kappaflow alerts ack 8f14
    """,
)
Ids = Annotated[
    list[str],
    typer.Argument(
        metavar="ID...", help="Ids of alerts, or the first characters. The id of an incident means all its open alerts."
    ),
]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who does it. Default: the login name.")]


@app.command("list")
def list_alerts(
    question: Annotated[str | None, opt.question_option("Only of this question.")] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Only of this kind, such as rater or low_agreement.")
    ] = None,
    severity: Annotated[
        str | None, typer.Option("--severity", metavar="NAME", help="Only of this severity: warning or critical.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also the closed alerts.")] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """List the alerts of the published snapshot, critical before warnings: only the open ones, unless --all is given.

    [bold]Examples[/bold]

    \b
      kappaflow alerts
      kappaflow alerts list --question tone --kind rater
      kappaflow alerts --all --json
    """
    from flows.cli.alerts import alerts_output as show
    from tasks.monitor.act_on_alerts import read_alerts

    loaded_project = published(project)
    rows = read_alerts(loaded_project.snapshot, question=question, kind=kind, severity=severity, only_open=not every)
    if json:
        terminal.print_json(rows.to_dicts())
    else:
        show.print_alerts(rows, project_option(loaded_project.folder), only_open=not every)


@app.command("show")
def show_alert(
    alert_id: Annotated[str, typer.Argument(metavar="ID", help="Id of an alert, or its first characters.")],
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Show one alert: the finding, its figures and their SQL, what to look at, and who got a message.

    [bold]Example[/bold]

    \b
      kappaflow alerts show 8f14
    """
    from flows.cli.alerts import alerts_output as show
    from flows.settings.task_inputs import message_context
    from tasks.notify.alert_details import read_alert_details

    loaded_project = published(project)
    details = read_alert_details(
        loaded_project.snapshot, alert_id, message_context(loaded_project), now=datetime.now(UTC)
    )
    if json:
        terminal.print_json(details.to_json())
    else:
        show.print_alert(details)


@app.command()
def ack(ids: Ids, by: By = None, project: opt.Folder = None, json: opt.Json = False) -> None:
    """Acknowledge alerts: you took note of them. They stay open, but send no more reminders.

    [bold]Examples[/bold]

    \b
      kappaflow alerts ack 8f14
      kappaflow alerts ack 8f14 6c83 --by ann
    """
    _act(project, by, json, "acknowledged", lambda desk: desk.acknowledge(ids))


@app.command()
def close(
    ids: Ids,
    because: Annotated[str | None, typer.Option("--because", metavar="TEXT", help="The reason, in your words.")] = None,
    by: By = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Close alerts. The same finding opens a new one only if its cause ends and comes back.

    [bold]Examples[/bold]

    \b
      kappaflow alerts close 8f14
      kappaflow alerts close 8f14 --because "the guideline was changed"
    """
    _act(project, by, json, "closed", lambda desk: desk.close(ids, because))


@app.command()
def accept(ids: Ids, by: By = None, project: opt.Folder = None, json: opt.Json = False) -> None:
    """Accept the changes of chart alerts as the new normal, and close the alerts.

    From the next run on their charts compare with the days since the change.

    [bold]Example[/bold]

    \b
      kappaflow alerts accept 8f14
    """
    _act(project, by, json, "accepted as the new normal", lambda desk: desk.accept(ids))


@app.command()
def mute(
    ids: Ids,
    until: Annotated[
        str, typer.Option("--until", metavar="DATE", help="The day from which messages are sent again, as 2026-12-31.")
    ],
    by: By = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Send no messages about alerts until a day. Lists still show them. A day in the past ends the mute.

    [bold]Example[/bold]

    \b
      kappaflow alerts mute 8f14 --until 2026-12-31
    """
    try:
        day = date.fromisoformat(until)
    except ValueError:
        raise InputError(f"--until {until!r} is not a day.", "Write it as 2026-12-31.") from None
    _act(project, by, json, f"muted until {day}", lambda desk: desk.mute(ids, day), "not muted")


def _act(
    project: Path | None,
    by: str | None,
    json: bool,
    result_text: str,
    action: "Callable[[AlertDesk], pl.DataFrame]",
    unmuted_text: str = "",
) -> None:
    """Do something about alerts in the warehouse, publish it, and print the alerts."""
    from flows.cli.alerts import alerts_output as show
    from flows.project_folder import find_project
    from flows.settings.task_inputs import message_routes
    from tasks.monitor.act_on_alerts import AlertDesk, login_name
    from warehouse.publication.snapshot import publish

    loaded_project = find_project(project)
    desk = AlertDesk(loaded_project.warehouse, message_routes(loaded_project), by or login_name())
    rows = action(desk)
    publish(loaded_project.warehouse, loaded_project.published, **loaded_project.publishing)
    if json:
        terminal.print_json(rows.to_dicts())
    else:
        show.print_done(rows, result_text, unmuted_text)
