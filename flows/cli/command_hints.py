"""Hints that name a command: what is printed carries the project, so that a copied hint works from here.

The texts are made where nobody knows the folder from which the reader called: in tasks, in the warehouse. Reports, live
pages, messages and JSON keep them as they are.
"""

import os
import re
import shlex
from pathlib import Path

from flows.cli.help.command_list import MODULES

OF_FILES = "init agree accuracy inspect formats check judges prefer plan simulate help"
"""Commands that read files, or may do without a project: a hint that names one is not about the project."""
OF_PROJECT = sorted({name for names in MODULES.values() for name in names.split()} - set(OF_FILES.split()))
ALERT_COMMANDS = "list|show|ack|close|accept|mute"
HINT = re.compile(
    rf"kappaflow (?:alerts (?:{ALERT_COMMANDS})|{'|'.join(OF_PROJECT)}|plan(?= --question))(?![\w-])(?![^`]*--project)"
)


def project_option(folder: Path) -> str:
    """Return what a command needs to find the project in `folder` from here: nothing where it finds it anyway."""
    from flows.project_folder import nearest_project  # loads the settings, which not all commands need

    here, home = Path.cwd(), os.environ.get("KAPPAFLOW_HOME")
    if folder == (Path(home) if home else nearest_project(here)).resolve():
        return ""
    place = folder.relative_to(here) if folder.is_relative_to(here) else folder
    return f" --project {shlex.quote(str(place))}"


class HintProject:
    """The option that the commands in printed hints need: empty within the project, and without --project."""

    option = ""


def remember_project(folder: Path | None) -> Path | None:
    """Let hints carry the project that --project names."""
    HintProject.option = "" if folder is None else project_option(folder.resolve())
    return folder


def with_project(text: str) -> str:
    """Return a text for people whose commands find the project from here.

    >>> with_project("Run `kappaflow run`.")  # without --project
    'Run `kappaflow run`.'
    """
    option = HintProject.option
    return HINT.sub(lambda match: match[0] + option, text) if option else text
