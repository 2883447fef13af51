"""`kappaflow simulate` and its flow: shapes, files, own designs, what is refused; one seed gives the same bytes."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.simulate import simulate as simulate_flow

Json = Callable[..., Any]
FILES = ["simulation.html", "simulation.parquet", "closeness.csv"]
OWN = ["--items", "60", "--raters", ".6,.6,.7", "--systems", ".7,.9", "--n-labels", "4"]


def test_several_figures_to_a_folder(tmp_path: Path, kappaflow_json: Json) -> None:
    result = kappaflow_json("simulate", "--figure", "6,3", "--runs", "10", "--method", "one_coin", "--out", "new/sim")
    assert [outcome["figure"] for outcome in result["figures"]] == [3, 6]
    assert {tuple(row) for outcome in result["figures"] for row in outcome["systems"]} == {
        ("system_accuracy", "expected_accuracy", "method", "mean", "rmse")
    }
    assert [row["method"] for row in result["overall"]] == ["lehner", "one_coin"]
    lehner, one_coin = result["overall"]
    assert lehner["ratio_to_lehner"] == 1
    assert one_coin["ratio_to_lehner"] == pytest.approx(one_coin["rmse"] / lehner["rmse"])
    assert result["files"] == [str(tmp_path / "new" / "sim" / name) for name in FILES]
    runs = pl.read_parquet(tmp_path / "new" / "sim" / "simulation.parquet")
    assert runs.height == 2 * 10 * 5 * 2
    assert runs.columns[:4] == ["figure", "run", "system_accuracy", "method"]


def test_a_figure_does_not_depend_on_the_others_and_the_seed_decides_every_byte(
    tmp_path: Path, kappaflow_json: Json
) -> None:
    both = kappaflow_json("simulate", "--figure", "5,13", "--runs", "4", "--seed", "7", "--out", "a")
    again = kappaflow_json("simulate", "--figure", "5,13", "--runs", "4", "--seed", "7", "--out", "b")
    alone = kappaflow_json("simulate", "--figure", "13", "--runs", "4", "--seed", "7")
    assert both["figures"] == again["figures"]
    assert both["figures"][1] == alone
    assert alone != kappaflow_json("simulate", "--figure", "13", "--runs", "4", "--seed", "8")
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_terminal_shows_each_figure_beside_the_printed_kappa(kappaflow: Any) -> None:
    result = kappaflow("simulate", "--figure", "2,3", "--runs", "5")
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith("Figure")]
    assert [(row[1], row[3]) for row in rows] == [("2", "0.065"), ("3", "0.255")]
    assert "of lehner's" in result.stdout
    assert result.stderr == ""  # the bar is for terminals
    assert "(printed 0.255)" in kappaflow("simulate", "--figure", "3", "--runs", "5").stdout


def test_an_own_design_with_every_method_and_intervals(tmp_path: Path, kappaflow_json: Json) -> None:
    result = kappaflow_json("simulate", *OWN, "--runs", "3", "--method", "all", "--intervals", "--out", "own")
    assert (result["figure"], result["printed_kappa"]) == (None, None)
    assert len(result["overall"]) == 9
    assert {row["system_accuracy"] for row in result["systems"]} == {0.7, 0.9}
    by_method = {row["method"]: row for row in result["systems"] if row["system_accuracy"] == 0.9}
    # the labels were not said to have an order
    assert by_method["ordinal"]["mean"] is None
    assert by_method["ordinal"]["coverage"] is None
    assert 0 <= by_method["average"]["coverage"] <= 1
    assert 0 < by_method["average"]["mean_width"] < 1
    with (tmp_path / "own" / "closeness.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9 * 2
    assert {row["figure"] for row in rows} == {""}
    assert {row["n_undefined"] for row in rows if row["method"] == "ordinal"} == {"3"}
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@", "\t"))]


def test_an_order_is_told_and_errors_are_shaped(kappaflow_json: Json) -> None:
    shape = ["--asymmetry", "2", "--error-range", "1", "--difficulty", ".2", "--ordered", "--method", "ordinal"]
    result = kappaflow_json("simulate", *OWN, *shape, "--runs", "5")
    rows = {(row["system_accuracy"], row["method"]): row for row in result["systems"]}
    # .9 on average items, 1 (cut) on easy ones, .7 on difficult ones
    assert rows[0.9, "ordinal"]["expected_accuracy"] == pytest.approx((0.7 + 0.9 + 1) / 3)
    assert rows[0.9, "ordinal"]["mean"] is not None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "neither --figure nor a design"),
        (["--figure", "15"], "no figure 15"),
        (["--figure", "0"], "no figure 0"),
        (["--figure", "3;4"], "'3;4' is not a list of figures"),
        (["--figure", "²"], "is not a list of figures"),
        (["--figure", "3", "--items", "5"], "--figure and --items exclude"),
        (["--figure", "3", "--nominal"], "--figure and --ordered exclude"),
        (["--figure", "3", "--method", "oracle"], "no method 'oracle'"),
        (["--figure", "3", "--runs", "0"], "greater than or equal to 1"),
        (["--figure", "3", "--out", "taken"], "taken is not a folder"),
        (["--figure", "3", "--out", "taken/below"], "is not a folder"),
        (OWN[:4], "--systems, --n-labels not given"),
        ([*OWN, "--raters", ".6,x"], "'.6,x' is not a list of accuracies"),
        ([*OWN, "--raters", ".6"], "two raters or more, found 1."),
        ([*OWN, "--raters", ".6,nan"], "found nan"),
        ([*OWN, "--raters", ",".join([".6"] * 51)], "at most 50 raters"),
        ([*OWN, "--systems", "1.2"], "found 1.2"),
        ([*OWN, "--systems", ".7,.70"], "same accuracy"),
        ([*OWN, "--items", "2000000"], "at most 1,000,000 items"),
        ([*OWN, "--n-labels", "51"], "less than or equal to 50"),
        ([*OWN, "--asymmetry", "0"], "found 0"),
        ([*OWN, "--asymmetry", "inf"], "found inf"),
        ([*OWN, "--error-range", "2"], "found 2.0"),
        ([*OWN, "--difficulty", "-.1"], "found -0.1"),
        ([*OWN, "--confidence", "95"], "less than or equal to 0.9999"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_simulated_is_said_in_two_lines(
    arguments: list[str], words: str, tmp_path: Path, kappaflow: Any
) -> None:
    (tmp_path / "taken").write_text("")
    text = kappaflow("simulate", *arguments, code=2).stderr.strip().splitlines()
    assert len(text) == 2, text
    assert words in text[0]


def test_the_flow_writes_the_same_files_and_leaves_a_table(
    tmp_path: Path, kappaflow_json: Json, prefect_server: str
) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey
    from prefect.settings import PREFECT_API_URL, PREFECT_LOGGING_TO_API_ENABLED, temporary_settings

    by_hand = kappaflow_json("simulate", "--figure", "3,6", "--runs", "4", "--seed", "2", "--out", "hand")
    # the server ends before this process does, which would then complain of log lines it cannot deliver
    with temporary_settings({PREFECT_API_URL: prefect_server, PREFECT_LOGGING_TO_API_ENABLED: False}):
        result = simulate_flow(figures=[6, 3], runs=4, seed=2, out=str(tmp_path / "flow"))
        with get_client(sync_client=True) as client:
            tables = client.read_artifacts(artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=["experiments"])))
    assert result["figures"] == by_hand["figures"]
    assert result["overall"] == by_hand["overall"]
    assert len(tables) == 1
    assert str(tables[0].data).count('"method"') == 2 * 5
    for name in FILES:
        assert (tmp_path / "flow" / name).read_bytes() == (tmp_path / "hand" / name).read_bytes()
