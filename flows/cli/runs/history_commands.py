"""Commands on past runs: show, reproduce, as-of."""

from datetime import UTC, date, datetime, time
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.exit_code import exit_code
from flows.cli.published_project import published
from tasks.errors import InputError

app = typer.Typer()
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of the run, or its first characters.")]


@app.command()
def show(run: RunId, project: opt.Folder = None, json: opt.Json = False) -> None:
    """Show a past run: its question, its settings and its results.

    [bold]Examples[/bold]

    \b
      kappaflow sql "select run_id, kind, question, started_at from runs"
      kappaflow show 3f9a
    """
    from flows.cli.runs import history_output
    from tasks.runs.history import past_run

    run_record = past_run(published(project).snapshot, run)
    if json:
        terminal.print_json(history_output.run_as_json(run_record))
    else:
        history_output.print_run(run_record)


@app.command()
def reproduce(run: RunId, project: opt.Folder = None, json: opt.Json = False) -> None:
    """Compute a past run again from the ratings and settings of that time. Exit 1 if a figure differs.

    [bold]Example[/bold]

    \b
      kappaflow reproduce 3f9a
    """
    from flows.cli.runs import history_output
    from tasks.runs.history import reproduce as compute_again

    reproduced = compute_again(published(project).snapshot, run)
    with exit_code(1 if reproduced.differences else 0):
        if json:
            terminal.print_json(history_output.reproduced_as_json(reproduced))
        else:
            history_output.print_reproduced(reproduced)


@app.command("as-of")
def as_of(
    moment: Annotated[
        str, typer.Argument(metavar="TIME", help="A day, which means its end, or a time in UTC: 2026-10-01T12:00.")
    ],
    question: Annotated[str, opt.question_option("The question.")],
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Compute the agreement on a question at a past moment, from its ratings and today's settings.

    [bold]Example[/bold]

    \b
      kappaflow as-of 2026-10-01 --question tone
    """
    from flows.cli.runs import history_output
    from flows.settings import task_inputs
    from tasks.runs.history import agreement_as_of

    loaded_project = published(project)
    agreement = agreement_as_of(
        loaded_project.snapshot,
        question,
        parse_moment(moment),
        task_inputs.question_configs(loaded_project).of(question),
        loaded_project.settings.evaluate.confidence,
    )
    if json:
        terminal.print_json(agreement.to_dicts())
    else:
        history_output.print_agreement(agreement)


def parse_moment(text: str) -> datetime:
    """Return a time, or the last microsecond of a day, in UTC. A text without a zone is in UTC.

    >>> parse_moment("2026-10-01").isoformat()
    '2026-10-01T23:59:59.999999+00:00'
    >>> parse_moment("2026-10-01T12:00+02:00").isoformat()
    '2026-10-01T10:00:00+00:00'
    """
    try:
        if len(text.strip()) == 10:
            return datetime.combine(date.fromisoformat(text.strip()), time.max, UTC)
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # in UTC the first and last days of the calendar can overflow
        raise InputError(f"{text!r} is neither a day nor a time.", "Write 2026-10-01 or 2026-10-01T12:00.") from None
