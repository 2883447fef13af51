"""Which labels count as one: members of sets, paths and subtrees, in projects and for a file."""

import json
from pathlib import Path

import polars as pl
import pytest

from stats.agreement import agreement, by_label
from stats.counts import count_ratings
from stats.errors import StatsError
from tasks.evaluate.agreement import evaluate
from tasks.evaluate.label_groups import label_groups
from tasks.evaluate.question_config import QuestionConfig
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.load_file import FileOptions

SETS = [
    ('["a", "b"]', '["a", "b"]'), ('["a", "b"]', "a"), ("b", '["b", "c"]'), ("c", "c"), ("a", "c"), ("c", '["b", "c"]'),
    ("b", "b"), ("a", "a"),
]  # fmt: skip
PATHS = [
    ("animal/cat", "animal/cat"), ("animal/cat", "animal/dog"), ("plant", "plant"), ("animal/dog/pug", "animal/dog"),
    ("plant", "animal/dog"), ("animal/dog", "animal/dog/pug"), ("plant", "plant"), ("animal/cat", "plant"),
]  # fmt: skip


def ratings(pairs: list[tuple[str, str]]) -> pl.DataFrame:
    rows = [(str(i), rater, label) for i, pair in enumerate(pairs) for rater, label in zip("xy", pair, strict=True)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def evaluated(pairs: list[tuple[str, str]], **config: str) -> pl.DataFrame:
    patterns = ratings(pairs).with_columns(rater_kind=pl.lit("human"), n_items=pl.lit(1, pl.Int64))
    return evaluate("q", patterns, QuestionConfig(**config), confidence=0.95, seed=0).tables["agreement"]  # type: ignore[arg-type]


def present(pairs: list[tuple[str, str]], inside: set[str]) -> float | None:
    """Fleiss' kappa of the question whether a label of `inside` is there, from recoded ratings."""
    there = pl.when(pl.col("label").is_in(inside)).then(pl.lit("1")).otherwise(pl.lit("0"))
    recoded = ratings(pairs).with_columns(label=there)
    result = agreement(recoded, labels=["0", "1"], coefficients=["fleiss_kappa"])
    value: float | None = result["estimate"][0]
    return value


def test_a_set_counts_as_each_of_its_members() -> None:
    rows = evaluated(SETS).filter(pl.col("scope").str.starts_with("label:"))
    assert rows["scope"].to_list() == ["label:a", "label:b", "label:c"]
    for member, estimate in rows.select(pl.col("scope").str.slice(6), "estimate").rows():
        holders = {label for pair in SETS for label in pair if label == member or f'"{member}"' in label}
        assert estimate == pytest.approx(present(SETS, holders), abs=1e-12)


def test_paths_and_subtrees_stand_against_the_rest() -> None:
    rows = evaluated(PATHS, taxonomy="/")
    scopes = rows.filter(pl.col("scope") != "humans")["scope"].to_list()
    assert scopes == [
        "label:animal/cat", "label:animal/dog", "label:animal/dog/pug", "label:plant", "subtree:animal",
        "subtree:animal/dog",
    ]  # fmt: skip
    results = dict(rows.filter(pl.col("coefficient") == "fleiss_kappa").select("scope", "estimate").rows())
    assert results["subtree:animal/dog"] == pytest.approx(present(PATHS, {"animal/dog", "animal/dog/pug"}), abs=1e-12)
    animals = {label for pair in PATHS for label in pair if label.startswith("animal")}
    assert results["subtree:animal"] == pytest.approx(present(PATHS, animals), abs=1e-12)
    assert results["label:animal/dog"] == pytest.approx(present(PATHS, {"animal/dog"}), abs=1e-12)


def test_weights_of_a_question_are_those_of_its_coefficients() -> None:
    rows = evaluated(SETS, weights="masi").filter(scope="humans")
    labels = sorted({label for pair in SETS for label in pair})
    expected = agreement(ratings(SETS), labels=labels, weights="masi")
    assert rows["estimate"].to_list() == expected["estimate"].to_list()
    assert set(rows.filter(coefficient="krippendorff_alpha")["weights"]) == {"masi"}
    assert evaluated(SETS).filter(coefficient="krippendorff_alpha", scope="humans")["estimate"][0] != expected.filter(
        name="krippendorff_alpha"
    )["estimate"][0]  # fmt: skip


def test_exclusive_labels_have_no_groups_and_unknown_ones_are_refused() -> None:
    assert label_groups(["a", "b", "[sic]"], None) is None
    assert label_groups(["a", "[]"], None) == {"a": {"a"}}
    counted = count_ratings(ratings([("a", "b")]).with_columns(n_items=pl.lit(1)), labels=["a", "b"])
    with pytest.raises(StatsError, match="label 'c', which is not declared"):
        by_label(counted, labels=["a", "b"], groups={"x": ["a", "c"]})


def test_agree_on_a_file_shows_the_same(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    frame = ratings(PATHS)
    path.write_text(frame.write_csv())
    (result,) = agree(path, FileOptions(taxonomy="/"), AgreementDetail(by=("label",)))
    rows = result["by_label"]
    assert isinstance(rows, list)
    results = {row["label"]: row["estimate"] for row in rows}
    stored = evaluated(PATHS, taxonomy="/").filter(pl.col("scope") != "humans").select("scope", "estimate").rows()
    assert results == {scope.removeprefix("label:"): estimate for scope, estimate in stored}
    assert json.dumps(rows)


def test_a_path_of_sets_and_spaces_around_the_separator() -> None:
    groups = label_groups(['["Animal / Cat", "Plant"]', "Animal / Dog"], "/")
    assert groups is not None
    assert groups["subtree:Animal"] == {'["Animal / Cat", "Plant"]', "Animal / Dog"}
    assert list(groups) == ["Animal / Dog", "Animal / Cat", "Plant", "subtree:Animal"]
