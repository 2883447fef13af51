"""Draw docs/images/demo.svg, the picture of a terminal in the README, from real output: `python -m docs.picture`."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

COMMANDS = (
    "kappaflow accuracy examples/demo/inbox/helpfulness.csv --system gpt_judge --labels unhelpful,partly,helpful",
)
WIDTH = 108


def main() -> None:
    """Run the commands and draw them; no path of this machine may stand in the picture."""
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    for shown in COMMANDS:
        console.print(Text(f"$ {shown}", style="bold"))
        console.print(Text.from_ansi(_output(shown)))
        console.print()
    svg = console.export_svg(title="kappaflow")
    svg = svg.replace("<!-- Generated with Rich https://www.textualize.io -->", "")
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # no fonts from the network
    assert str(Path.home()) not in svg
    assert str(Path.cwd()) not in svg
    (Path(__file__).parent / "images" / "demo.svg").write_text(svg, encoding="utf-8")


def _output(command: str) -> str:
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)}
    words = [str(Path(sys.executable).with_name("kappaflow")), *shlex.split(command)[1:]]
    process = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return process.stdout.strip("\n")


if __name__ == "__main__":
    main()
