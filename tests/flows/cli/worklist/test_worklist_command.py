"""`kappaflow worklist`: what it refuses, and the list after answers."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.formats import ReadOptions
from tests.tasks.inbox import InboxProject
from warehouse.publication.snapshot import publish


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--gold",), "--gold and --rater go with --answers FILE."),
        (("--answers", "a.csv"), "The command needs to know whose answers these are."),
        (("--answers", "a.csv", "--gold", "--rater", "eve"), "The command needs to know whose answers these are."),
        (("--answers", "a.csv", "--gold", "--out", "b.csv"), "--answers excludes --out and --blind."),
        ((), "Nothing is published"),
    ],
)
def test_bad_input_is_two_lines_and_exit_code_2(
    arguments: tuple[str, ...], text: str, tmp_path: Path, kappaflow: Any
) -> None:
    result = kappaflow("worklist", "--question", "tone", "--project", tmp_path, *arguments, code=2)
    assert text in result.stderr
    assert len(result.stderr.splitlines()) == 2


def test_the_next_list_has_other_items_before_the_next_run(tmp_path: Path, kappaflow: Any) -> None:
    made = InboxProject(tmp_path)
    (tmp_path / "kappaflow.toml").write_text("")
    rows = [
        (f"i{n}", rater, rater_label) for n in range(9) for rater, rater_label in (("ann", "kind"), ("bob", "rude"))
    ]
    rows += [(f"s{n}", rater, "rude" if n % 3 else "kind") for n in range(40) for rater in ("ann", "bob", "cy")]
    with (made.inbox / "tone.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("item", "rater", "label"), *rows])
    made.ingest(ReadOptions(question="tone"))
    made.work("evaluate", QuestionConfigs({}), EvaluationOptions(0.95, 0, "krippendorff_alpha", "1"))
    publish(made.db, tmp_path / "published")
    arguments = ("worklist", "--question", "tone", "--project", tmp_path)
    first = json.loads(kappaflow(*arguments, "--n", "4", "--json").stdout)
    everything = json.loads(kappaflow(*arguments, "--n", str(10**20), "--json").stdout)
    assert len(everything["items"]) == first["n_doubtful"]
    for command, name, text in (("audit", "none.csv", "There is no file"), ("audit", "", "is a folder, not a file"),
                                ("worklist", "", "is a folder, not a file")):  # fmt: skip
        whose = ("--gold",) if command == "worklist" else ()
        answers = ("--answers", tmp_path / name, *whose)
        assert text in kappaflow(command, *arguments[1:], *answers, code=2).stderr.splitlines()[0]
    error = kappaflow(*arguments, "--format", "csv", code=2).stderr
    assert error == "--format goes with --out FILE.\nAdd --out, or leave it out.\n"
    assert (first["n_doubtful"] >= 9, first["n_answered"]) == (True, 0)
    answers = tmp_path / "answers.csv"
    answers.write_text("item,label\n" + "".join(f"{item['item']},kind\n" for item in first["items"]))
    kappaflow(*arguments, "--answers", answers, "--gold")
    second = json.loads(kappaflow(*arguments, "--n", "4", "--json").stdout)
    assert (second["n_doubtful"], second["n_answered"]) == (first["n_doubtful"] - 4, 4)
    assert not {item["item"] for item in first["items"]} & {item["item"] for item in second["items"]}
    assert "4 items are left out: answered since the last run." in kappaflow(*arguments).stdout
    answers.write_text("item,label\n" + "".join(f"x{n},kind\n" for n in range(25)))
    refused = " ".join(kappaflow(*arguments, "--answers", answers, "--gold").stdout.split())
    assert "0 gold labels taken, 0 unchanged, 0 without a label yet, 25 rejected" in refused
    assert "These are the first 20 of 25 rejected rows; --json has all." in refused
    assert "The next `kappaflow run` evaluates" not in refused
