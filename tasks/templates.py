"""Read Jinja templates, all with the same rules."""

from pathlib import Path

import jinja2


def templates(*folders: Path, autoescape: bool = True) -> jinja2.Environment:
    """Return the templates of these folders. A name that a template lacks is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=autoescape,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
