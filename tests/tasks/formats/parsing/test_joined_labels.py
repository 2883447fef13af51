"""The note on labels that are very likely sets: its sentence, the commands that print it, and where it stays away."""

import json
from pathlib import Path

import polars as pl
import pytest

from tasks.formats import ReadOptions
from tasks.formats.parsing.joined_labels import joined_labels_note
from tasks.ingest.chunked_read import read_validated
from tasks.ingest.datasets.dataset_columns import judged_columns
from tasks.ingest.read_export import read_export
from tasks.sources.dataset import DatasetSource
from tests.conftest import Kappaflow

TAGS = ["billing;bug", "billing;bug", "bug;ui", "billing; ui", "ui", "bug"]
SENTENCE = (
    "4 of 6 answers look like several labels joined by ';', such as 'billing;bug'. Each combination now counts as "
    'one label. If they are sets of labels, write label_separator = ";" into `columns` of the source (for a '
    "single file --columns 'label_separator=;'), else \"none\"."
)


def note(*labels: str, separator: str | None = None) -> tuple[str, ...]:
    return joined_labels_note(pl.Series("label", labels, dtype=pl.String), separator)


@pytest.mark.parametrize(("separator", "shown"), [("|", "|"), (";", ";"), (",", ","), (", ", ",")])
def test_sets_are_recognised_with_each_separator(separator: str, shown: str) -> None:
    (text,) = note(*(label.replace("; ", ";").replace(";", separator) for label in TAGS))
    assert text.startswith(f"4 of 6 answers look like several labels joined by {shown!r}")
    assert f'label_separator = "{shown}"' in text


@pytest.mark.parametrize(
    "labels",
    [
        ["Yes", "No", "Yes; with comments"],
        ["Yes", "No", "Perhaps", "Yes; with comments", "No; with comments", "Perhaps; with comments"],
        ["Yes", "No", "Yes; with comments", "No; with comments", "Yes; unsure", "No; unsure"],
        ["positive, high", "positive, low", "negative, high", "negative, low"],
        ["Paris, France", "Lyon, France", "Nice, France", "Paris, Texas", "Paris"],
        ["1", "2", "3", "1,5", "2,5", "1,2", "2,3", "5"],  # decimal commas
        ["Good, but slow", "Good", "Slow, good in parts", "Slow", "Fine, thanks", "Well, it works, mostly", "It works"],
        ["x;y", "x;y", "x", "y"],  # one combination
        ['["x;y", "z"]', '["y;z", "x"]', '["x;z"]', "x", "y", "z"],
        ["x;x", "y;y", "z;z", "x", "y", "z"],
        [";", "x;", ";y", "x", "y"],
        [],
    ],
)  # fmt: skip
def test_other_labels_with_separators_are_not_sets(labels: list[str]) -> None:
    assert note(*labels) == ()


def test_codes_of_one_digit_are_sets_where_they_are_no_decimals() -> None:
    (text,) = note("1", "2", "3", "1, 2", "2, 3", "1, 3", "1, 2, 3")
    assert text.startswith("4 of 7 answers look like several labels joined by ','")


@pytest.mark.parametrize("separator", [";", "none"])
def test_nothing_is_said_once_the_separator_is_declared(separator: str) -> None:
    assert note(*TAGS) == (SENTENCE,)
    assert note(*TAGS, separator=separator) == ()


def rows() -> pl.DataFrame:
    items = [str(i // 2) for i in range(len(TAGS))]
    return pl.DataFrame({"item": items, "rater": ["ann", "ben"] * 3, "label": TAGS})


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
def test_each_kind_of_table_says_it_and_keeps_its_labels(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"tags.{kind}"
    getattr(rows(), {"csv": "write_csv", "xlsx": "write_excel", "parquet": "write_parquet"}[kind])(path)
    export = read_export(path)
    assert SENTENCE in export.warnings
    assert export.rows["label"].to_list() == TAGS


def test_a_wide_table_says_it(tmp_path: Path) -> None:
    path = tmp_path / "tags.csv"
    rows().pivot("rater", index="item", values="label").write_csv(path)
    options = {"item": "item", "raters": "ann|ben"}
    assert SENTENCE in read_export(path, ReadOptions(format="wide", columns=options)).warnings
    with_separator = ReadOptions(format="wide", columns=options | {"label_separator": ";"})
    assert not [text for text in read_export(path, with_separator).warnings if "label_separator" in text]


def test_labels_of_the_settings_decide(tmp_path: Path) -> None:
    path = tmp_path / "tags.csv"
    rows().write_csv(path)

    def notes(*labels: str) -> list[str]:
        export, checked = read_validated(path, labels={"tags": labels})
        assert checked.rejects.height == sum(label not in labels for label in TAGS)
        return [text for text in export.warnings if "label_separator" in text]

    assert notes("billing", "bug", "ui") == [
        "4 of 6 answers to 'tags' are declared labels joined by ';', such as 'billing;bug', and are rejected. If they "
        'are sets of labels, write label_separator = ";" into `columns` of the source (for a single file --columns '
        "'label_separator=;')."
    ]
    assert notes("bug", "ui", "x") == [
        "1 of 6 answers to 'tags' are declared labels joined by ';', such as 'bug;ui', and are rejected. If they are "
        'sets of labels, write label_separator = ";" into `columns` of the source (for a single file --columns '
        "'label_separator=;')."
    ]
    assert notes("billing", "bug", "ui", "billing;bug", "bug;ui", "billing; ui") == []
    assert notes("billing", "bug", "ui", "bug;other") == []


def test_agree_judges_by_the_labels_that_it_is_given(tmp_path: Path, kappaflow: Kappaflow) -> None:
    path = tmp_path / "tags.csv"
    rows().write_csv(path)
    output = kappaflow("agree", path, "--labels", "billing,bug,ui,billing;bug,bug;ui,billing; ui").stdout
    assert "label_separator" not in output


def test_a_dataset_says_it_of_its_first_rows(tmp_path: Path) -> None:
    source = DatasetSource(name="tags", path=tmp_path, options=ReadOptions(question="tags"))
    assert SENTENCE.replace("4 of 6", "4 of the first 6") in judged_columns(rows(), source).notes


def test_inspect_and_agree_say_it_and_the_option_helps(tmp_path: Path, kappaflow: Kappaflow) -> None:
    path = tmp_path / "tags.csv"
    rows().write_csv(path)
    assert SENTENCE in json.loads(kappaflow("inspect", path, "--json").stdout)["warnings"]
    assert SENTENCE in " ".join(kappaflow("agree", path).stdout.split())
    output = kappaflow("agree", path, "--columns", "label_separator=;", "--json").stdout
    assert "look like several" not in output
    assert '["billing", "bug"]' in json.loads(output)["labels"]
