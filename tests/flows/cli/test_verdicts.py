"""One accuracy of the annotators, and gold in every verdict: what command, warehouse and report say of one question."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from stats.simulate import simulate_ratings

Json = Callable[..., Any]
SETTINGS = '[questions.tone]\nlabels = ["A", "B", "C"]\nsystems = ["bot", "rules"]\ngold = ["lead"]\n'
DOCS = Path(__file__).parents[3] / "docs"


def trapped(n_gold: int) -> pl.DataFrame:
    """People who all give the same wrong label on three items in ten, two systems that do not, and some gold."""
    world = simulate_ratings(
        n_items=150, labels=list("ABC"), raters={"ann": 0.7, "bob": 0.75, "cy": 0.7},
        systems={"bot": 0.9, "rules": 0.7}, rng=np.random.default_rng(1),
    )  # fmt: skip
    wrong = pl.col("truth").replace_strict({"A": "B", "B": "C", "C": "A"})
    caught = (pl.col("item").cast(pl.Int64) % 10 < 3) & pl.col("rater").is_in(["ann", "bob", "cy"])
    rated = world.with_columns(label=pl.when(caught).then(wrong).otherwise(pl.col("label")))
    gold = world.select("item", rater=pl.lit("lead"), label="truth").unique().sort("item").sample(n_gold, seed=3)
    return pl.concat([rated.select("item", "rater", "label"), gold])


def text_of(page: Path) -> str:
    plain = re.sub(r"<svg.*?</svg>", " ", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", plain))).replace(" ,", ",")


@pytest.fixture(scope="module", params=[50, 0], ids=["gold", "no gold"])
def n_gold(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.mark.field_trial(1)
@pytest.mark.field_trial(2)
@pytest.mark.field_trial(9)
def test_command_warehouse_and_report_say_the_same(
    tmp_path: Path, kappaflow: Any, kappaflow_json: Json, prefect_server: str, n_gold: int
) -> None:
    kappaflow("init", tmp_path / "p")
    project = tmp_path / "p"
    settings = SETTINGS if n_gold else SETTINGS.replace('gold = ["lead"]\n', "")
    (project / "kappaflow.toml").write_text(settings)
    trapped(n_gold).write_csv(project / "inbox" / "tone.csv")
    kappaflow("run", "--project", project, PREFECT_API_URL=prefect_server, timeout=300)

    def sql(query: str) -> list[dict[str, Any]]:
        with duckdb.connect(str(project / "published" / "snapshot.duckdb"), read_only=True) as con:
            return con.sql(query).pl().to_dicts()

    headline = {row["system"]: row for row in sql("from latest_system_accuracy where method = 'average'")}
    against = sql("from latest_systems_against_raters")
    average = {row["system"]: row for row in against if row["compared_with"] == "average_rater"}
    best = [row for row in against if row["compared_with"] == "best_rater"]
    (annotators,) = {row["rater_accuracy"] for row in average.values()}
    leader = sql("from rater_leaderboard where rank_by_accuracy = 1")[0]
    assert {(row["rater"], row["rater_accuracy"]) for row in best} == {(leader["rater"], leader["accuracy"])}
    for row in against:
        assert row["accuracy"] == headline[row["system"]]["accuracy"]
        assert row["n_gold"] == n_gold
    (pair,) = sql("from latest_system_differences")
    gap = headline["bot"]["accuracy"] - headline["rules"]["accuracy"]
    assert pair["difference"] == pytest.approx(gap, abs=1e-9)
    assert {row["mean_rater_accuracy"] for row in sql("from system_comparison")} == {annotators}
    # the truth: people are right in .50, the system in .9
    if n_gold:
        assert headline["bot"]["accuracy"] > 0.8
        assert annotators < 0.65
        assert average["bot"]["p_system_better"] > 0.99
        assert pair["p_a_better"] > 0.9
        assert all(row["n_gold"] > 30 for row in sql("from rater_leaderboard"))
    else:
        assert average["bot"]["difference"] < 0.1

    page = text_of(project / "report.html")
    assert f"Dotted line: the annotators' accuracy, {annotators:.3f}." in page
    assert f"the annotators' accuracy is {100 * annotators:.1f}" in page
    verdict = re.search(r"bot is right on an estimated[^.]*\.\d.*?accuracy is", page)
    assert verdict is not None
    assert ("if people err independently" in verdict[0]) is (n_gold == 0)
    assert (f"audited with {n_gold}" in verdict[0]) is (n_gold > 0)

    file = tmp_path / "tone.csv"
    trapped(n_gold).filter(pl.col("rater") != "lead").write_csv(file)
    arguments: list[Any] = ["accuracy", file, "--system", "bot", "--system", "rules", "--labels", "A,B,C"]
    if n_gold:
        trapped(n_gold).filter(pl.col("rater") == "lead").select("item", "label").write_csv(tmp_path / "gold.csv")
        arguments += ["--gold", tmp_path / "gold.csv"]
    result = kappaflow_json(*arguments)
    assert result["annotators"]["accuracy"] == pytest.approx(annotators, abs=1e-6)
    assert result["annotators"]["best_rater"] == leader["rater"] == result["annotators"]["raters"][0]["rater"]
    for row in result["against_raters"]:
        if row["compared_with"] == "average_rater":
            assert row["rater_accuracy"] == result["annotators"]["accuracy"]
            assert row["difference"] == pytest.approx(average[row["system"]]["difference"], abs=1e-6)
    output = kappaflow(*arguments).stdout
    titles = [line for line in output.splitlines() if line.startswith(("Accuracy of", "Systems compared", "The human"))]
    assert len(titles) == 4
    words = "audited with gold" if n_gold else "without gold, if people err independently"
    assert all(words in line for line in titles)
    assert "its accuracy" not in output
    assert f"the annotators' accuracy {result['annotators']['accuracy']:.3f}" in output


@pytest.mark.field_trial(9)
def test_the_limits_name_the_trap_that_the_system_avoids() -> None:
    page = (DOCS / "explanation" / "accuracy-limits.md").read_text(encoding="utf-8")
    assert "The raters share a trap and the system does not" in page
    assert ".22 below the truth" in page
