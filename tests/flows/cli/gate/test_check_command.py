"""`kappaflow check`: exit codes, JSON, files, and the rules of the settings."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from flows.cli import app
from tasks.errors import InputError
from tests.gate_project import make_project, rating_rows, write_table

Kappaflow = Callable[..., Any]
Check = Callable[..., dict[str, Any]]
SYSTEMS = '[questions.tone]\nsystems = ["gpt"]\n'


@pytest.fixture(scope="module")
def made_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("check") / "project").folder


@pytest.fixture
def project(made_project: Path, tmp_path: Path) -> Path:
    """A copy, whose settings a test may change."""
    return Path(shutil.copytree(made_project, tmp_path / "project", ignore=shutil.ignore_patterns("warehouse.*")))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "tone.csv", [*rating_rows(120), "1,dan,"])


def settings(project: Path, text: str) -> None:
    (project / "kappaflow.toml").write_text(SYSTEMS + text, encoding="utf-8")


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    """Run the command in this process: the value of --json, after a look at the exit code that belongs to it."""

    def run(*arguments: str | Path, code: int) -> dict[str, Any]:
        assert app(["check", *map(str, arguments), "--json"], standalone_mode=False) == code
        result: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert result["verdict"] == {0: "pass", 1: "finding", 3: "unjudged"}[code]
        return result

    return run


@pytest.mark.parametrize(("limit", "code"), [(".3", 0), (".95", 1), (".7", 3)])
def test_the_installed_command_ends_with_the_exit_code(
    kappaflow: Kappaflow, table: Path, limit: str, code: int
) -> None:
    arguments = ["check", table, "--system", "gpt", "--min-alpha", limit]
    shown = kappaflow(*arguments, code=code).stdout
    assert shown.splitlines()[-1].startswith({0: "pass: ", 1: "finding: ", 3: "unjudged: "}[code])


def test_bad_input_is_two_lines_and_exit_code_2(kappaflow: Kappaflow, table: Path) -> None:
    assert len(kappaflow("check", table, "--json", code=2).stderr.strip().splitlines()) == 2


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (["--min-alpha", ".3", "--min-accuracy", "gpt=.6", "--max-rejected", "2%"], 0),
        (["--min-alpha", ".95"], 1),
        (["--min-alpha", ".7", "--min-accuracy", "gpt=.999"], 1),
        (["--min-alpha", ".7"], 3),
        (["--min-alpha", ".7", "--max-rejected", "0"], 1),
        (["--min-alpha", ".7", "--unjudged", "pass"], 0),
        (["--min-alpha", ".7", "--unjudged", "finding"], 1),
        (["--min-alpha", ".7", "--judge", "point"], 0),
        (["--min-agreement", "gwet_ac1=.3", "--question", "tone"], 0),
    ],
)
def test_a_file_ends_with_the_exit_code_of_its_verdict(check: Check, table: Path, limits: list[str], code: int) -> None:
    result = check(table, "--system", "gpt", *limits, code=code)
    for rule in result["rules"]:
        assert list(rule)[:8] == ["rule", "question", "verdict", "estimate", "low", "high", "limit", "n_items"]


def test_the_figures_of_a_file_are_those_of_agree(check: Check, kappaflow_json: Kappaflow, table: Path) -> None:
    (rule,) = check(table, "--min-alpha", ".6", "--system", "gpt", "--confidence", ".8", code=0)["rules"]
    agree = kappaflow_json("agree", table, "--system", "gpt", "--confidence", ".8")
    alpha = next(row for row in agree["coefficients"] if row["name"] == "krippendorff_alpha")
    assert {name: rule[name] for name in ("estimate", "low", "high", "n_items")} == {
        name: alpha[name] for name in ("estimate", "low", "high", "n_items")
    }
    assert (rule["rule"], rule["question"], rule["limit"], rule["confidence"]) == ("min_alpha", "tone", 0.6, 0.8)


@pytest.mark.parametrize(
    ("arguments", "what", "hint"),
    [
        (["FILE"], "There is no rule to check.", "--max-rejected 2%"),
        (["--project", "PROJECT"], "There is no rule to check.", "[check] in kappaflow.toml"),
        (["FILE", "--min-alpha", "high"], "--min-alpha 'high'", ""),
        (["FILE", "--min-alpha", ".5", "--judge", "eye"], "--judge 'eye' is unknown.", "interval or point"),
        (["FILE", "--min-alpha", ".5", "--unjudged", "ok"], "--unjudged 'ok' is unknown.", "pass or finding"),
        (["FILE", "--min-agreement", "kappa=.5"], "no coefficient 'kappa'", "fleiss_kappa"),
        (["FILE", "--min-accuracy", "gtp=.5"], "by 'gtp'", "ann, bob, cem, gpt"),
        (["FILE", "--min-alpha", ".5", "--question", "tne"], "no question 'tne'", "tone"),
        (["FILE", "--min-alpha", ".5", "--no-open-alerts"], "a file has no alerts", ""),
        (["FILE", "--min-alpha", ".5", "--project", "PROJECT"], "FILE and --project exclude each other.", ""),
        (["FILE", "--min-alpha", ".5", "--json", "--markdown", "-"], "--json and --markdown -", ""),
        (["FILE", "--min-alpha", ".5", "--junit", "none/x.xml"], "cannot be written: No such file", "folder"),
        (["PROJECT", "--min-alpha", ".5"], "is a project folder", "--project"),
        (["--project", "PROJECT", "--min-alpha", ".5", "--scale", "ordinal"], "only for a FILE: --scale", ""),
        (["--project", "PROJECT", "--min-accuracy", "ann=.5"], "No system 'ann' has ratings", "gpt"),
        (["--project", "PROJECT", "--min-alpha", ".5", "--question", "tne"], "no question 'tne'", "alone, tone"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(
    table: Path, project: Path, arguments: list[str], what: str, hint: str
) -> None:
    places = {"FILE": str(table), "PROJECT": str(project)}
    with pytest.raises(InputError) as caught:
        app(["check", *[places.get(argument, argument) for argument in arguments]], standalone_mode=False)
    assert what in str(caught.value)
    assert hint in caught.value.hint


def test_a_project_is_judged_by_its_snapshot(check: Check, project: Path) -> None:
    rules = ["--min-alpha", ".5", "--min-accuracy", "gpt=.6", "--no-open-alerts", "--max-rejected", "2%"]
    result = check("--project", project, *rules, code=1)
    assert [(rule["rule"], rule["question"], rule["verdict"]) for rule in result["rules"]] == [
        ("min_alpha", "alone", "unjudged"),
        ("min_alpha", "tone", "pass"),
        ("min_accuracy", "tone", "pass"),
        ("no_open_alerts", None, "finding"),
        ("max_rejected", None, "pass"),
    ]
    assert [rule["reason"] for rule in result["rules"]] == ["too_few_raters", None, None, None, None]
    assert check("--project", project, *rules[:4], "--question", "tone", code=0)
    assert check("--project", project, *rules[:2], code=3)


def test_the_settings_have_rules_and_options_come_before_them(check: Check, project: Path) -> None:
    settings(
        project,
        """
        [questions.tone.check]
        min_alpha = 0.5
        min_accuracy = { gpt = "60%" }
        [questions.alone.check]
        min_agreement = { gwet_ac1 = 0.2 }
        [check]
        max_rejected = "2%"
        unjudged = "pass"
        """,
    )
    result = check("--project", project, code=0)
    assert [(rule["rule"], rule["question"], rule["limit"], rule["counts_as"]) for rule in result["rules"]] == [
        ("min_alpha", "tone", 0.5, "pass"),
        ("min_agreement", "alone", 0.2, "pass"),
        ("min_accuracy", "tone", 0.6, "pass"),
        ("max_rejected", None, 0.02, "pass"),
    ]
    stricter = ["--min-alpha", ".99", "--max-rejected", "0.1%", "--question", "tone", "--unjudged", "finding"]
    result = check("--project", project, *stricter, code=1)
    assert [(rule["rule"], rule["limit"], rule["verdict"]) for rule in result["rules"]] == [
        ("min_alpha", 0.99, "finding"),
        ("min_accuracy", 0.6, "pass"),
        ("max_rejected", 0.001, "finding"),
    ]


def test_json_junit_and_markdown_tell_the_same(
    check: Check, kappaflow: Kappaflow, project: Path, tmp_path: Path
) -> None:
    junit, markdown = tmp_path / "check.xml", tmp_path / "check.md"
    rules = ["--min-alpha", ".5", "--no-open-alerts", "--max-rejected", "2%", "--junit", junit, "--markdown", markdown]
    result = check("--project", project, *rules, code=1)
    cases = ElementTree.parse(junit).getroot().findall("testsuite/testcase")
    from_xml = ["finding" if case.find("failure") is not None else "unjudged" if case.find("skipped") is not None
                else "pass" for case in cases]  # fmt: skip
    rows = [line.split(" | ") for line in markdown.read_text().splitlines() if line.startswith("| ")][2:]
    verdicts = [rule["verdict"] for rule in result["rules"]]
    assert from_xml == verdicts == [row[-2] for row in rows]
    assert markdown.read_text().startswith("**finding**: 2 of 4 rules met, 1 not met, 1 unjudged")
    printed = kappaflow("check", "--project", project, *rules[:5], "--markdown", "-", code=1).stdout
    assert printed == markdown.read_text()


def test_the_table_says_what_each_rule_compared(kappaflow: Kappaflow, table: Path) -> None:
    shown = kappaflow("check", table, "--min-alpha", ".7", "--min-accuracy", "gpt=.7", "--max-rejected", "2%", code=3)
    title, _, lines = shown.stdout.partition("\nrule ")
    assert "".join(title.split()).endswith("tone.csv,judgedbytheintervals(95%)")  # a long path folds the title
    header, alpha, accuracy, rejected, *rest = filter(None, f"rule {lines}".splitlines())
    assert header.split() == ["rule", "question", "of", "estimate", "interval", "limit", "n", "verdict", "why"]
    assert alpha.split()[:2] == ["min_alpha", "tone"]
    assert alpha.rstrip().endswith("0.7    120  unjudged  The interval holds the limit.")
    assert accuracy.split()[:3] == ["min_accuracy", "tone", "gpt"]
    assert " ".join(rejected.split()) == "max_rejected 0.21 % 2 % 481 pass 1 of 481 rows was rejected."
    assert rest[-1] == "unjudged: 2 of 3 rules met, 1 unjudged"
    assert any("without gold, if people err independently" in line for line in rest)
    assert any("Its interval is the outer one" in line for line in rest)


def test_a_snapshot_that_cannot_be_read_is_no_finding(kappaflow: Kappaflow, project: Path) -> None:
    (project / "published" / "snapshot.duckdb").write_text("nothing")
    assert "is not a DuckDB file" in kappaflow("check", "--project", project, "--min-alpha", ".5", code=2).stderr


def test_five_items_without_a_difference_prove_little(kappaflow: Kappaflow, tmp_path: Path) -> None:
    def file_of(n_items: int) -> Path:
        rows = [f"{item},{rater},{'ab'[item % 2]}" for item in range(n_items) for rater in ("ann", "bob")]
        path = tmp_path / f"same{n_items}.csv"
        path.write_text("\n".join(["item,rater,label", *rows]) + "\n")
        return path

    (few,) = json.loads(kappaflow("check", file_of(5), "--min-alpha", ".6", "--json", code=3).stdout)["rules"]
    assert (few["estimate"], few["high"]) == (1, 1)
    assert few["low"] < 0.2
    (many,) = json.loads(kappaflow("check", file_of(200), "--min-alpha", ".6", "--json").stdout)["rules"]
    assert 0.95 < many["low"] < 1
