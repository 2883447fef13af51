"""Write a Jupyter notebook (nbformat 4.5) from the template, with the project's snapshot and a question filled in.

Jupyter and not marimo: a notebook of Jupyter opens in JupyterLab, VS Code and Colab without conversion, and is written
without a further package.
"""

import json
import re
from pathlib import Path

from tasks.atomic_files import check_out, write_atomically
from tasks.errors import InputError

_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TEMPLATE = Path(__file__).with_name("template.md")


def notebook_cells(title: str, snapshot: Path, question: str) -> list[tuple[str, str]]:
    """Return the cells as (kind, text); kind is markdown or code.

    Names go into code as Python literals and into the text without markup, so that no name is run.
    """
    text = _TEMPLATE.read_text(encoding="utf-8")
    text = text.replace("{{title}}", re.sub(r"[^\w .:,-]", " ", title).strip() or "Project")
    pieces = _CODE.split(text)
    # Filled in after splitting: a name may hold what separates cells.
    values = {"{{snapshot}}": repr(str(snapshot)), "{{question}}": repr(question)}
    cells = [("code" if number % 2 else "markdown", part.strip()) for number, part in enumerate(pieces)]
    return [(kind, _filled(part, values) if kind == "code" else part) for kind, part in cells if part]


def write_notebook(out: Path, *, title: str, snapshot: Path, question: str) -> None:
    """Write the notebook. Raises InputError if there is such a file, which may have been edited, or no such folder."""
    check_out(out)
    if out.exists():
        raise InputError(f"{out} is there already, and may have been edited.", "Name another file with --out.")
    cells: list[dict[str, object]] = [
        {
            "cell_type": kind,
            "id": f"kappaflow-{number}",
            "metadata": {},
            "source": text.splitlines(keepends=True),
            **({"execution_count": None, "outputs": []} if kind == "code" else {}),
        }
        for number, (kind, text) in enumerate(notebook_cells(title, snapshot, question), start=1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    write_atomically(out, json.dumps(notebook, ensure_ascii=False, indent=1) + "\n")


def _filled(code: str, values: dict[str, str]) -> str:
    return re.sub("|".join(map(re.escape, values)), lambda match: values[match[0]], code)
