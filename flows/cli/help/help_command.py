"""The command that prints pages of the documentation: help."""

import sys
from typing import Annotated, Any

import typer

from flows.cli import options as opt
from flows.cli import terminal

app = typer.Typer()


@app.command("help")
def print_help(
    context: typer.Context,
    topic: Annotated[
        str | None,
        typer.Argument(metavar="[TOPIC]", help="A topic, such as settings, or a command. Without it: all topics."),
    ] = None,
    section: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SECTION]", help="Words of a heading: only the sections that have them."),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Print the documentation of a topic or the help of a command, or list the topics.

    [bold]Examples[/bold]

    \b
      kappaflow help
      kappaflow help settings
      kappaflow help settings publish
    """
    from flows.cli.help import help_topics

    if topic is None:
        _list_topics(json)
        return
    if not help_topics.is_topic(topic) and _print_command_help(context, topic):
        return
    text = help_topics.page_text(topic, " ".join(section) if section else None)
    if json:
        terminal.print_json({"topic": topic, "text": text})
    elif terminal.console.is_terminal:
        from rich.markdown import Markdown

        terminal.console.print(Markdown(text))
    else:
        sys.stdout.write(text)


def _list_topics(json: bool) -> None:
    from flows.cli.help import help_topics

    rows = [{"topic": name, "about": help_topics.title(page)} for name, page in help_topics.topics().items()]
    if json:
        terminal.print_json(rows)
        return
    terminal.print_table(rows)
    terminal.note("Print one with `kappaflow help TOPIC`. For a command: `kappaflow COMMAND --help`.", style="dim")


def _print_command_help(context: typer.Context, name: str) -> bool:
    """Print the help of the command `name`, if there is one. Return whether there is."""
    group: Any = context.parent.command if context.parent else None
    command = group and group.commands.get(name)
    if command is None:
        return False
    with command.make_context(name, [], parent=context.parent, resilient_parsing=True) as of_command:
        print(command.get_help(of_command).rstrip())
    return True
