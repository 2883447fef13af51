"""Print the result of a gate, and write it to files. Each form is made from the same GateResult."""

import sys
from pathlib import Path

from rich.text import Text

from flows.cli import terminal
from flows.cli.gate.check_junit import junit_text
from flows.cli.gate.check_markdown import markdown_text
from flows.cli.gate.check_words import judged_by, notes, rule_cells, verdict_words
from tasks.errors import InputError
from tasks.gate.judgement import GateResult

HEADERS = terminal.headers_of(
    "rule question subject estimate interval limit n_items verdict detail", subject="of", n_items="n", detail="why"
)
STYLES = {"pass": "bold green", "finding": "bold red", "unjudged": "bold yellow"}


def write_result(result: GateResult, *, json: bool, junit: Path | None, markdown: str | None) -> None:
    """Write the files, then print the result: as JSON, as Markdown with `markdown` '-', else as a table.

    Raises InputError if a file cannot be written, or if both JSON and Markdown are to be printed; then nothing is.
    """
    if json and markdown == "-":
        raise InputError("--json and --markdown - exclude each other.", "Give --markdown a path, or leave one out.")
    if junit is not None:
        _write(junit, junit_text(result))
    if markdown not in (None, "-"):
        _write(Path(str(markdown)), markdown_text(result))
    if json:
        terminal.print_json(result.to_json())
    elif markdown == "-":
        sys.stdout.write(markdown_text(result))
    else:
        print_result(result)


def print_result(result: GateResult) -> None:
    """Print a row for each rule, the notes, and the verdict."""
    rows = [rule_cells(rule) for rule in result.rules]
    headers = {name: header for name, header in HEADERS.items() if any(row[name] != "" for row in rows)}
    terminal.print_table(rows, title=f"{result.place}, {judged_by(result)}", headers=headers)
    for text in notes(result):
        terminal.print_notes(text)
    terminal.console.print(Text(verdict_words(result), style=STYLES[result.verdict]))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}.", "Check the folder and its permissions."
        ) from None
