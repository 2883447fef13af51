"""The kappaflow.toml of a new project: the template, with the defaults of the settings' model filled in."""

import json
import re
from pathlib import Path

from flows.settings.model import SECTIONS
from flows.settings.values import format_seconds, format_size

TEMPLATE = Path(__file__).with_name("kappaflow.template.toml")
PLACEHOLDER = re.compile(r"<(\w+)\.(\w+)>")
COMMENT_COLUMN = 37
DURATIONS = {"every", "patience"}
SIZES = {"max_file_size", "max_unpacked_size"}


def settings_template() -> str:
    """Return the text of a new kappaflow.toml. `<section.key>` in the template stands for the setting's default."""
    return "".join(_filled(line) for line in TEMPLATE.read_text(encoding="utf-8").splitlines(keepends=True))


def _filled(line: str) -> str:
    """Return a line of the template with its default filled in and its comment back in the column of the others."""
    if not PLACEHOLDER.search(line):
        return line
    setting, mark, comment = PLACEHOLDER.sub(lambda match: _default(match[1], match[2]), line).partition("  # ")
    return f"{setting:<{COMMENT_COLUMN}}# {comment}" if mark else setting


def _default(section: str, key: str) -> str:
    """Return the default of a setting as it is written in TOML."""
    default = SECTIONS[section].model_fields[key].default
    if key in DURATIONS:
        default = format_seconds(default)
    elif key in SIZES:
        default = format_size(default)
    return json.dumps(default)
