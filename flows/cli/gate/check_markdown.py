"""Write the result of a gate as Markdown, for the summary of a CI job or a comment."""

import re

from flows.cli.gate.check_words import judged_by, notes, rule_cells, verdict_words
from flows.cli.terminal import clean
from tasks.gate.judgement import GateResult

HEADERS = {
    "rule": "Rule",
    "question": "Question",
    "subject": "Of",
    "estimate": "Estimate",
    "interval": "Interval",
    "limit": "Limit",
    "n_items": "n",
    "verdict": "Verdict",
    "detail": "Why",
}
RIGHT = ("estimate", "interval", "limit", "n_items")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&!$@])")  # each may begin markup, a link, HTML or a cell


def markdown_text(result: GateResult) -> str:
    """Return a line with the verdict, a table with a row for each rule, and the notes."""
    verdict, _, counts = verdict_words(result).partition(": ")
    lines = [
        f"**{verdict}**: {escaped(counts)}, {escaped(judged_by(result))}. {escaped(result.place)}",
        "",
        f"| {' | '.join(HEADERS.values())} |",
        f"| {' | '.join('---:' if name in RIGHT else '---' for name in HEADERS)} |",
    ]
    for rule in result.rules:
        cells = rule_cells(rule)
        lines.append(f"| {' | '.join(escaped(cells[name] or '') for name in HEADERS)} |")
    bullets = [f"- {escaped(text)}" for text in notes(result)]
    return "\n".join([*lines, *([""] if bullets else []), *bullets]) + "\n"


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is, on one line.

    >>> escaped("a|b *c*")
    'a\\\\|b \\\\*c\\\\*'
    """
    return SPECIAL.sub(r"\\\1", " ".join(clean(text).split()))
