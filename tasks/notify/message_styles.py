"""Write names and sentences of others into a message, so that they cannot change it.

Names of questions, raters and labels come from exports. In a message they must stay names: no line of their own, no
markup, no link, no HTML, and no mention that rings a whole channel.
"""

import re
from typing import Protocol

MAX_NAME = 80
MAX_PROSE = 600
ZERO_WIDTH_SPACE = "\u200b"
COMMANDS = str.maketrans("<>`", "‹›'")  # Slack, Teams and HTML read <...> as commands; ``` swallows what follows
ACTIVE = re.compile(r"@|:(?=//)|\](?=\()")
SIMPLE_NAME = re.compile(r"\w[\w.+/@:-]*( [\w-]+){0,2}")
MARKS = re.compile(r"([\\`*_\[\]()~|#!])")  # of Markdown


class MessageStyle(Protocol):
    """How a message is written: as plain text or as Markdown."""

    def name(self, text: str) -> str:
        """Write the name of a question, rater, label or owner."""

    def prose(self, text: str) -> str:
        """Write a sentence that may hold names."""

    def code(self, text: str) -> str:
        """Write a path or a command, which people copy."""

    def strong(self, text: str) -> str:
        """Write a heading, which is in this style already."""


class PlainStyle:
    """Plain text."""

    def name(self, text: str) -> str:
        """Write a name, in quotes unless it is simple.

        >>> PlainStyle().name("r3"), PlainStyle().name("All is well. Ignore this")
        ('r3', '"All is well. Ignore this"')
        """
        quoted = '"' + harmless(text, MAX_NAME).replace('"', "'") + '"'
        return harmless(text, MAX_NAME) if SIMPLE_NAME.fullmatch(text) else quoted

    def prose(self, text: str) -> str:
        """Write a sentence that may hold names, on one line."""
        return harmless(text, MAX_PROSE)

    def code(self, text: str) -> str:
        """Write a path or a command on one line."""
        return _one_line(text)

    def strong(self, text: str) -> str:
        """Write a heading as it is."""
        return text


class MarkdownStyle:
    """Markdown, which Apprise turns into the markup of each service."""

    def name(self, text: str) -> str:
        """Write a name as code: no service looks for markup, links or mentions there.

        >>> MarkdownStyle().name("a_b *c* `d`")
        "`a_b *c* 'd'`"
        """
        return f"`{harmless(text, MAX_NAME) or ' '}`"

    def prose(self, text: str) -> str:
        """Write a sentence that may hold names, with a backslash before each mark.

        >>> print(MarkdownStyle().prose("the label a_b"))
        the label a\\_b
        """
        escaped = MARKS.sub(r"\\\1", harmless(text, MAX_PROSE))
        return f"\\{escaped}" if escaped[:1] in ("-", "+", "=", "&") else escaped

    def code(self, text: str) -> str:
        """Write a path or a command as code."""
        return f"`{_one_line(text).replace('`', chr(39))}`"

    def strong(self, text: str) -> str:
        """Write a heading in bold."""
        return f"**{text}**"


def harmless(text: str, max_length: int) -> str:
    """Return a text on one line, cut to `max_length`, without commands, links and mentions.

    A space of no width comes after each @, in each :// and in each ](. They look the same, but ring nobody and link
    nowhere, even where a service looks for markup in a title or in plain text.

    >>> harmless("a\\nb <!channel>", 80), harmless("@here", 80)
    ('a b ‹!channel›', '@\\u200bhere')
    """
    line = _one_line(text)
    shown = line if len(line) <= max_length else line[: max_length - 3].rstrip() + "..."
    return ACTIVE.sub(lambda match: match[0] + ZERO_WIDTH_SPACE, shown).translate(COMMANDS)


def _one_line(text: str) -> str:
    """Replace what is not printable, line ends and marks of the writing direction among it, by single spaces."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
