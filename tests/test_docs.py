"""Every code block of the README and of docs/ is executed: shell, Python, SQL, TOML, JSON, YAML. `no-run` opts out.

Shell blocks of one page run in order in one folder, which has the examples beside it; SQL runs on the demo's snapshot.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from flows.cli.project_output import BATCH_QUERY, EXAMPLE_QUERY, REGION_QUERY
from flows.settings.model import Settings
from warehouse.publication.snapshot import query

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
COMPARED = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", ROOT / "docs" / "how-to" / "plan-a-study.md"]
WIDTH = "140"  # of the terminal whose output the pages show: no table is divided
EXECUTED = {"sh", "python", "sql", "toml", "json", "yaml"}


@dataclass(frozen=True)
class Block:
    """One fenced block: `name` is page:line, `info` what stands behind the fence."""

    name: str
    info: str
    body: str

    @property
    def language(self) -> str:
        return (self.info.split() or [""])[0]

    @property
    def runs(self) -> bool:
        return self.language in EXECUTED and "no-run" not in self.info.split()


def _blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(f"{page.relative_to(ROOT)}:{text[: block.start()].count(chr(10)) + 1}", block["info"], block["body"])
        for block in FENCE.finditer(text)
    ]


BLOCKS = [block for page in PAGES for block in _blocks(page)]


def _of(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.runs and block.language == language]


def test_every_block_says_what_it_is() -> None:
    odd = [block.name for block in BLOCKS if block.language not in EXECUTED | {"text", "make", "html"}]
    assert odd == [], "a fence names its language; text is for what is not executed"


@pytest.mark.parametrize("block", _of("sql"), ids=lambda block: block.name)
def test_sql(block: Block, demo_project: Path) -> None:
    for statement in filter(None, (part.strip() for part in block.body.split(";"))):
        assert query(demo_project / "published" / "snapshot.duckdb", statement).width > 0


def test_queries_of_figures_say_of_which_items() -> None:
    """Without the scope the figures of labels and slices stand unnamed beside those of all items."""
    tables = "latest_agreement|agreement|latest_system_accuracy|latest_label_rates"
    queries = re.compile(rf"\bselect\s[^;]*?\sfrom\s+(?:kappaflow\.)?(?:{tables})\b[^;`]*", re.IGNORECASE)
    texts = [(block.name, block.body) for block in BLOCKS] + [("run", EXAMPLE_QUERY)]
    results = [(name, query) for name, text in texts for query in queries.findall(text)]
    assert len(results) > 10
    assert [name for name, query in results if "scope" not in query] == []


def test_the_query_that_a_run_proposes_has_one_figure_of_each_coefficient(demo_project: Path) -> None:
    snapshot = demo_project / "published" / "snapshot.duckdb"
    rows = query(snapshot, EXAMPLE_QUERY).select("question", "coefficient")
    assert rows.height == rows.n_unique() > 100
    assert "label is null" in REGION_QUERY
    assert query(snapshot, BATCH_QUERY).height > 0


@pytest.mark.parametrize("block", _of("python"), ids=lambda block: block.name)
def test_python(block: Block, demo_project: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_project, tmp_path / "demo")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    result = subprocess.run([sys.executable, "-W", "error", "-c", block.body], cwd=tmp_path, capture_output=True,
                            text=True, timeout=120, check=False)  # fmt: skip
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("block", _of("toml"), ids=lambda block: block.name)
def test_toml(block: Block) -> None:
    Settings.model_validate(tomllib.loads(block.body))


@pytest.mark.parametrize("block", _of("json"), ids=lambda block: block.name)
def test_json(block: Block) -> None:
    json.loads(block.body)


@pytest.mark.parametrize("block", _of("yaml"), ids=lambda block: block.name)
def test_yaml(block: Block, demo_project: Path, tmp_path: Path, search_path: str) -> None:
    """The checks of a workflow run on the demo and find something to judge; the other steps are those of the reader."""
    shutil.copytree(demo_project, tmp_path / "annotation")
    jobs = yaml.safe_load(block.body)["jobs"].values()
    commands = [step["run"] for job in jobs for step in job["steps"] if "kappaflow check" in step.get("run", "")]
    assert commands
    environment = {**os.environ, "HOME": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
                   "PATH": search_path}  # fmt: skip
    for command in commands:
        result = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, timeout=120,
                                capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)  # fmt: skip
        assert result.returncode in (0, 1, 3), result.stderr
    assert "| Rule |" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize("page", [page for page in PAGES if any(b.runs and b.language == "sh" for b in _blocks(page))],
                         ids=lambda page: str(page.relative_to(ROOT)))  # fmt: skip
def test_shell(page: Path, demo_project: Path, tmp_path: Path, prefect_server: str, search_path: str) -> None:
    """The README's commands start the installed program; those of the other pages a copy of the preloaded process."""
    installed = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shutil.copytree(demo_project, tmp_path / "demo")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    commands = "\n".join(block.body for block in _blocks(page) if block.runs and block.language == "sh")
    environment = {**os.environ, "HOME": str(tmp_path), "PREFECT_API_URL": prefect_server, "COLUMNS": WIDTH,
                   "PATH": installed if page.name == "README.md" else search_path}  # fmt: skip
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=tmp_path, env=environment, timeout=300,
                            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)  # fmt: skip
    assert result.returncode == 0, f"{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
    if page in COMPARED:
        printed = " ".join((result.stdout + result.stderr).split())
        assert [line for line in _lines_after_commands(page) if line not in printed] == []


def _lines_after_commands(page: Path) -> list[str]:
    """The lines of the text blocks that come right after commands, without runs of spaces; not of `text no-run`."""
    shown = [
        line
        for commands, text in pairwise(_blocks(page))
        if commands.runs and commands.language == "sh" and text.info == "text"
        for line in text.body.splitlines()
    ]
    lines = [" ".join(line.split()) for line in shown]
    assert len(lines) > 10
    return [line for line in lines if line != "..."]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"],
                         ids=lambda page: str(page.relative_to(ROOT)))  # fmt: skip
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    """To a file that is there, and to a heading of it where an anchor is named."""
    for target in re.findall(r"\]\((?!https?://|mailto:)([^)\s]+)\)", FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = target.partition("#")
        leads = (page.parent / path).resolve() if path else page
        assert leads.exists(), f"{page.name}: {target}"
        assert leads.is_relative_to(ROOT), f"{page.name}: {target}"
        assert not anchor or leads.suffix != ".md" or anchor in _anchors(leads), f"{page.name}: {target}"


@cache
def _anchors(page: Path) -> set[str]:
    """The anchors that headings get on code hosts: the second heading of one text ends in -1."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    results: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} +(.+?) *$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        results[slug] = results.get(slug, -1) + 1
    return {f"{slug}-{n}" if n else slug for slug, last in results.items() for n in range(last + 1)}


POWER = (("AD=2", "adjacent"), ("AD=2", "pairs"), ("raters .4 .6 .8", "raters"), ("raters .5 .6 .7", "raters"),
         ("PER=1", "pairs"), ("difficulty .2", "difficulty"), ("rater copies 30 %", "copying"),
         ("system copies 30 %", "copying"))  # fmt: skip


def test_the_limits_show_the_measured_power_of_the_checks() -> None:
    measured = (ROOT / "docs" / "accuracy-checks.md").read_text(encoding="utf-8")
    limits = (ROOT / "docs" / "explanation" / "accuracy-limits.md").read_text(encoding="utf-8")
    shown = limits.split("## What the checks can see")[1].split("\n- ")[0].splitlines()
    table = measured.split("### 3 raters")[1].split("### 4 raters")[0].strip().splitlines()
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table if line.startswith("|")]
    result = [line.split("|")[3].strip() for line in shown[2:] if line.startswith("|")][2:]
    assert [power.split(" (")[0] for power in result] == [
        " / ".join(row[header.index(check)] for row in rows if row[0] == violation) for violation, check in POWER
    ]
