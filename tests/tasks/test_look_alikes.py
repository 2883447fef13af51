"""Names that count as different and that a reader takes for one."""

from pathlib import Path

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.labels import doubtful_labels
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.look_alikes import item_note, label_look_alikes
from tasks.single_file.accuracy_file import AccuracyDetail, estimate
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions, load_file, refuse_misspelling
from tests.tasks.inbox import InboxProject


def write(tmp_path: Path, *rows: tuple[str, str, str]) -> Path:
    path = tmp_path / "q.csv"
    path.write_text("item,rater,label\n" + "\n".join(",".join(row) for row in rows) + "\n", encoding="utf-8")
    return path


def test_a_file_names_raters_and_items_that_look_alike(tmp_path: Path) -> None:
    path = write(tmp_path, ("7", "Anna", "x"), ("007", "ben", "y"), ("7.0", "anna", "x"), ("8", "ben", "x"))
    (loaded,) = load_file(path, FileOptions())
    assert [text for text in loaded.warnings if "look alike" in text] == [
        "q: Some raters look alike and count as different: 'Anna' and 'anna'. Correct the export if they are the same.",
        "q: Some items (3) look alike and count as different: '007' and '7' and '7.0'. Correct the export if they are "
        "the same.",
    ]
    assert sum("look alike" in text for text in inspect_file(path)["warnings"]) == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("items", "alike"),
    [
        (["7", "007"], True),
        (["7", "7.0"], True),
        (["0", "00"], True),
        (["Doc 1", "doc  1 "], True),
        (["1.1", "1.10"], False),
        (["1,000", "1"], False),
        (["a7", "a07"], False),
        (["0x1", "x1"], False),
        (["2026-01-05", "2026-01-05 00:00:00"], True),
        (["2026-01-05", "2026-01-05T00:00"], True),
        (["2026-01-05", "2026-01-05 00:01"], False),
        (["=1+1", "'=1+1"], True),
        (["a", "'a"], False),
    ],
)
def test_items(items: list[str], alike: bool) -> None:
    assert (item_note(pl.Series(items)) is not None) == alike


@pytest.mark.parametrize(
    ("labels", "groups"),
    [
        (["0", "1", "false", "true"], [["0", "false"], ["1", "true"]]),
        (["y", "yes", "n", "no"], [["n", "no"], ["y", "yes"]]),
        (["0", "1", "2", "n"], []),
        (["yes", "no", "1"], []),
        (["2,5", "2.5"], [["2,5", "2.5"]]),
        (["0.5", "50%", "50 %", "12,5%", ".125"], [["0.5", "50 %", "50%"]]),
        (["50", "50%", "1,000%", "10"], [["50", "50%"]]),
        (["0.5", "50", "50%"], [["0.5", "50%"]]),
        (["50", "60%"], []),
        (["positive", "p\u043esitive", "neutral"], [["positive", "p\u043esitive"]]),
        (["\u043d\u0435\u0442", "\u043d\u0415\u0442", "\u0434\u0430"], [["\u043d\u0415\u0442", "\u043d\u0435\u0442"]]),
        (["\u03b1", "\u03b2", "\u03b3"], []),
    ],
)
def test_labels(labels: list[str], groups: list[list[str]]) -> None:
    assert label_look_alikes(labels) == groups


def test_letters_of_another_script_are_shown_by_their_codes(tmp_path: Path) -> None:
    path = write(tmp_path, ("1", "ann", "p\u043esitive"), ("1", "ben", "positive"), ("2", "ann", "neutral"))
    text = "Some labels look alike and count as different: 'positive' and 'p\\u043esitive'."
    assert any(text in warning for warning in load_file(path, FileOptions())[0].warnings)
    assert any(text in warning for warning in inspect_file(path)["warnings"])  # type: ignore[attr-defined]


def test_a_system_with_letters_of_another_script_is_left_out(tmp_path: Path) -> None:
    rows = [(str(i), rater, "xexe" if i % 3 else "yoyo") for i in range(30) for rater in ("ann", "ben", "cy")]
    rows += [(item, "bot", label.replace("e", "\u0435")) for item, _, label in rows[::3]]
    (loaded,) = load_file(write(tmp_path, *rows), FileOptions(ReadOptions(systems=frozenset({"bot"}))))
    assert loaded.labels.misspelling == ("bot",)
    assert any("Their labels ('x\\u0435x\\u0435')" in warning for warning in loaded.warnings)
    with pytest.raises(InputError, match=r"The labels of 'bot' \('x\\u0435x\\u0435'\) are not those"):
        refuse_misspelling(loaded, ["bot"])


@pytest.mark.parametrize("missing", ["-", "?", "skip", "N/A", "n.a.", "TBD", "none"])
def test_labels_that_may_stand_for_no_answer_are_said(tmp_path: Path, missing: str) -> None:
    path = write(tmp_path, ("1", "ann", "x"), ("1", "ben", missing), ("2", "ann", "y"), ("2", "ben", "y"))
    text = (
        f"If '{missing}' stands for no answer, declare the labels without: others are rejected, and count in no figure."
    )
    assert any(text in warning for warning in load_file(path, FileOptions())[0].warnings)
    result = inspect_file(path)
    assert any(text in warning for warning in result["warnings"])  # type: ignore[attr-defined]
    assert f'# without "{missing}", if it stands for no answer' in str(result["toml"])


def test_a_code_far_from_the_numbers_is_one_of_them() -> None:
    assert "If '99' stands for no answer" in doubtful_labels(["1", "2", "3", "99"])[0]
    assert doubtful_labels(["97", "98", "99"]) == []
    assert doubtful_labels(["-1", "0", "1"]) == []


def test_a_run_names_raters_and_items_that_look_alike(tmp_path: Path) -> None:
    """The ids of two files: a spreadsheet dropped the zeros of one."""
    project = InboxProject(tmp_path)
    for name, rater, zeros in (("a", "Anna", ""), ("b", "anna", "00"), ("c", "ben", "")):
        rows = "".join(f"{zeros}{i},{rater},{'xy'[i % 2]}\n" for i in range(1, 5))
        path = tmp_path / "inbox" / "q" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("item,rater,label\n" + rows, encoding="utf-8")
    project.ingest()
    (result,) = project.work(
        "evaluate", QuestionConfigs({}, QuestionConfig()), EvaluationOptions(0.95, 0, "gwet_ac1", "1")
    )
    notes = [text for text in result.notes if "look alike" in text]
    assert notes[0].startswith("q: Some raters look alike and count as different: 'Anna' and 'anna'.")
    assert notes[1].startswith("q: Some items (8) look alike and count as different: '001' and '1'; ")


@pytest.mark.parametrize(("item", "other"), [("2026-01-05", "2026-01-05 00:00:00"), ("@ann", "'@ann")])
def test_what_a_spreadsheet_makes_of_items_is_said_by_a_run(tmp_path: Path, item: str, other: str) -> None:
    project = InboxProject(tmp_path)
    rows = [f"{name},{rater},x" for name, rater in ((item, "ann"), (item, "bob"), (other, "cy"), ("i2", "cy"))]
    (project.inbox / "q.csv").write_text("\n".join(["item,rater,label", *rows]), encoding="utf-8")
    project.ingest()
    config = QuestionConfigs({}, QuestionConfig())
    (result,) = project.work("evaluate", config, EvaluationOptions(0.95, 0, "gwet_ac1", "1"))
    (text,) = [text for text in result.notes if text.startswith("q: Some items (2) look alike and count as different")]
    assert ("write it there as text (format the column as text" in text) == (item == "2026-01-05")


def test_gold_items_that_look_like_rated_ones_are_said(tmp_path: Path) -> None:
    """With `040` for 40, only the items from 100 on would be audited."""
    rows = [
        (str(i), rater, "xyz"[(i + (i % 7 == place)) % 3]) for i in range(90, 130) for place, rater in enumerate("abcs")
    ]
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\n" + "".join(f"{i:03d},{'xyz'[i % 3]}\n" for i in range(90, 130)), encoding="utf-8")
    options = FileOptions(reading=ReadOptions(systems=frozenset("s")))
    (result,) = estimate(write(tmp_path, *rows), options, gold=gold, detail=AccuracyDetail(methods=("average",)))
    (note,) = [text for text in result["warnings"] if "look alike" in text]  # type: ignore[attr-defined]
    assert note.startswith("Gold and ratings: Some items (20) look alike and count as different: '090' and '90';")
