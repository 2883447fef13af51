"""Estimates beside gold: who is a system, what they are compared with, what the page says."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.real_data import accuracy as real_data
from benchmarks.real_data.accuracy import SCHEMA, study, systems_of
from benchmarks.real_data.accuracy_page import KIND_OF_WARNING, SETS, by_set, judged, order_of, overall, page
from benchmarks.real_data.real_sets import Choice, RealSet
from stats.simulate import simulate_ratings

METHODS = ("average", "lehner", "ordinal")
RATERS = {"ann": 0.8, "bob": 0.7, "cleo": 0.75}


@pytest.fixture(scope="module")
def drawn() -> RealSet:
    rng = np.random.default_rng(7)
    rows = simulate_ratings(n_items=300, labels=list("ABC"), raters=RATERS, systems={"bot": 0.9}, rng=rng)
    gold = rows.select("item", gold="truth").unique().sort("item").head(200)
    return RealSet("Drawn", rows.select("item", "rater", "label"), gold, ("A", "B", "C"))


@pytest.fixture(scope="module")
def result(drawn: RealSet) -> pl.DataFrame:
    return study(drawn, Choice(), METHODS)


def test_every_rater_with_enough_gold_is_a_system_in_turn(drawn: RealSet) -> None:
    assert systems_of(drawn, Choice()) == ["ann", "bob", "bot", "cleo"]
    assert systems_of(drawn, Choice(least_items=201)) == []
    some = systems_of(drawn, Choice(most_systems=2))
    assert len(some) == 2
    assert some == systems_of(drawn, Choice(most_systems=2))


def test_named_systems_never_rate_each_other(drawn: RealSet) -> None:
    named = RealSet("Named", drawn.ratings, drawn.gold, drawn.labels, systems=("bot", "ann"))
    alone = RealSet("Alone", drawn.ratings.filter(pl.col("rater") != "ann"), drawn.gold, drawn.labels, systems=("bot",))
    both, result = (study(part, Choice(), ("average",)).filter(system="bot") for part in (named, alone))
    assert both["estimate"].item() == result["estimate"].item()
    assert both["kappa"].item() == result["kappa"].item()


def test_the_gold_accuracy_is_the_share_of_right_answers_on_gold_items(drawn: RealSet, result: pl.DataFrame) -> None:
    own = drawn.ratings.filter(rater="bot").join(drawn.gold, on="item")
    row = result.filter(system="bot", method="average").row(0, named=True)
    assert row["gold_accuracy"] == pytest.approx((own["label"] == own["gold"]).mean())
    assert row["n_gold"] == 200
    assert abs(row["estimate"] - row["gold_accuracy"]) < 0.1
    assert row["low"] < row["estimate"] < row["high"]


def test_an_item_that_nobody_else_rated_is_left_out(drawn: RealSet) -> None:
    lonely = drawn.gold["item"][0]
    ratings = drawn.ratings.filter((pl.col("item") != lonely) | (pl.col("rater") == "bot"))
    rows = study(RealSet("Lonely", ratings, drawn.gold, drawn.labels, systems=("bot",)), Choice(), ("average",))
    assert rows["n_gold"].to_list() == [199]


def test_gold_stays_hidden(drawn: RealSet, result: pl.DataFrame) -> None:
    wrong = drawn.gold.with_columns(gold=pl.lit("A"))
    other = study(RealSet("Drawn", drawn.ratings, wrong, drawn.labels), Choice(), METHODS)
    assert other["estimate"].equals(result["estimate"])
    assert not other["gold_accuracy"].equals(result["gold_accuracy"])


def test_errors_and_intervals_are_judged_by_gold() -> None:
    row = dict.fromkeys(SCHEMA) | {"set": "S", "system": "a", "method": "average", "n_gold": 100, "warnings": []}
    rows = [
        row | {"gold_accuracy": gold, "estimate": 0.8, "low": 0.75, "high": 0.85, "system": system}
        for system, gold in {"a": 0.78, "b": 0.72, "c": 0.5}.items()
    ]
    result = judged(pl.DataFrame(rows, schema=SCHEMA))
    assert result["holds"].to_list() == [True, False, False]
    assert result["holds_widely"].to_list() == [True, True, False]
    means = by_set(result).row(0, named=True)
    assert means["bias"] == pytest.approx((0.02 + 0.08 + 0.3) / 3)
    assert means["rmse"] == pytest.approx(((0.02**2 + 0.08**2 + 0.3**2) / 3) ** 0.5)
    assert means["holds"] == pytest.approx(1 / 3)


def test_a_method_that_applies_to_some_sets_only_has_no_overall_figure(result: pl.DataFrame) -> None:
    assert result.filter(method="ordinal")["estimate"].null_count() == 4
    assert overall(judged(result))["method"].to_list() == ["average", "lehner"]
    assert order_of(judged(result))["rank"].item() > 0.5


@pytest.mark.parametrize(
    ("warning", "kind"),
    [
        ("The estimate rests on few items: 57 (fewer than 200). More.", "The estimate rests on few items"),
        ("The raters agree little (kappa 0.1, below 0.2).", "The raters agree little"),
    ],
)
def test_a_warning_is_known_by_its_first_words(warning: str, kind: str) -> None:
    assert pl.Series([warning]).str.extract(KIND_OF_WARNING).to_list() == [kind]


def test_the_command_reads_a_folder_and_writes_a_page_without_its_path(
    drawn: RealSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "music_genre"
    folder.mkdir()
    drawn.ratings.select(item_id="item", annotator_id="rater", label="label").write_csv(folder / "labels.csv")
    drawn.gold.select(item_id="item", label="gold").write_csv(folder / "gold.csv")
    out = tmp_path / "page.md"
    arguments = ["real_data", str(tmp_path), "--out", str(out), "--most-systems", "2", "--simulated", "2"]
    monkeypatch.setattr("sys.argv", arguments)
    real_data.main()
    text = out.read_text(encoding="utf-8")
    assert text.startswith("<!-- Written by")
    assert "Music genre" in text
    assert str(tmp_path) not in text
    assert "Rodrigues" in text
    assert "None" not in text
    assert "| `mixture` |" in text
    assert "| `mixture, left out` |" not in text  # one set has no others
    assert capsys.readouterr().out == "Music genre: 2 systems\n"


def test_a_pair_of_files_is_printed(
    drawn: RealSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn.ratings.write_csv(tmp_path / "ratings.csv")
    drawn.gold.write_csv(tmp_path / "right.csv")
    files = [str(tmp_path / name) for name in ("ratings.csv", "right.csv")]
    monkeypatch.setattr("sys.argv", ["real_data", *files, "--name", "Mine", "--systems", "bot"])
    real_data.main()
    printed = capsys.readouterr().out
    assert "Mine: 1 systems" in printed
    assert "`average`" in printed


def test_the_page_names_every_set_it_has_with_its_source(drawn: RealSet, result: pl.DataFrame) -> None:
    title = SETS["pandalm_judges"].title
    known = RealSet(title, drawn.ratings, drawn.gold, drawn.labels)
    text = page(result.with_columns(set=pl.lit(title)), [known], Choice())
    assert "arXiv 2306.05087" in text
    assert "2310.07641" not in text
