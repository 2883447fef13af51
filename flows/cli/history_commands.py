"""Commands on the past of a project: show, reproduce, as-of."""

from datetime import UTC, date, datetime, time
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.project_commands import published
from tasks.errors import InputError

app = typer.Typer()
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or the beginning of it.")]


@app.command()
def show(run: RunId, project: opt.Folder = None, json: opt.Json = False) -> None:
    """A past run: what it was asked, under which settings, and what it found.

    [bold]Example[/bold]

    \b
      kappaflow sql "select run_id, kind, question, started_at from runs"
      kappaflow show 3f9a
    """
    from flows.cli import history_output
    from tasks.evaluate.history import past_run

    found = past_run(published(project).snapshot, run)
    if json:
        terminal.print_json(history_output.run_as_json(found))
    else:
        history_output.print_run(found)


@app.command()
def reproduce(run: RunId, project: opt.Folder = None, json: opt.Json = False) -> None:
    """Compute a past run again, from the ratings and settings of that time; exit 1 where a figure differs.

    [bold]Example[/bold]

    \b
      kappaflow reproduce 3f9a
    """
    from flows.cli import history_output
    from tasks.evaluate.history import reproduce as compute_again

    found = compute_again(published(project).snapshot, run)
    if json:
        terminal.print_json(history_output.reproduced_as_json(found))
    else:
        history_output.print_reproduced(found)
    if found.differences:
        raise typer.Exit(1)


@app.command("as-of")
def as_of(
    moment: Annotated[str, typer.Argument(metavar="TIME", help="A day (its end) or a time in UTC: 2026-10-01T12:00.")],
    question: Annotated[
        str, typer.Option("--question", metavar="NAME", callback=opt.name_in_nfc, help="The question.")
    ],
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """The agreement on a question as it was at any moment, computed from the ratings that were in force then.

    [bold]Example[/bold]

    \b
      kappaflow as-of 2026-10-01 --question tone
    """
    from flows.cli import history_output
    from flows.settings import task_inputs
    from tasks.evaluate.history import agreement_as_of

    here = published(project)
    found = agreement_as_of(
        here.snapshot,
        question,
        parse_moment(moment),
        task_inputs.question_configs(here).of(question),
        here.settings.evaluate.confidence,
    )
    if json:
        terminal.print_json(found.to_dicts())
    else:
        history_output.print_agreement(found)


def parse_moment(text: str) -> datetime:
    """A day as its last microsecond, or a time; UTC unless the text has a zone.

    >>> parse_moment("2026-10-01").isoformat()
    '2026-10-01T23:59:59.999999+00:00'
    >>> parse_moment("2026-10-01T12:00+02:00").isoformat()
    '2026-10-01T10:00:00+00:00'
    """
    try:
        if len(text.strip()) == 10:
            return datetime.combine(date.fromisoformat(text.strip()), time.max, UTC)
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # in UTC the first and the last day of the calendar may lie beyond it
        raise InputError(f"{text!r} is no day and no time.", "Write 2026-10-01 or 2026-10-01T12:00.") from None
