"""What is asked of the systems of one question, as evaluate and the command line put it together."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from schemas.contracts import check
from stats.errors import StatsError
from stats.simulate import simulate_ratings
from tasks.evaluate import systems as systems_module
from tasks.evaluate.agreement import evaluate
from tasks.evaluate.gold.usable_gold import gold_of
from tasks.evaluate.patterns import from_ratings
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.systems import SystemRatings, compare_versions, estimate_systems, in_order, violated_checks

LABELS = ("A", "B", "C")
KEYS = ("run_id", "question")
GOLD = pl.DataFrame({"item": ["1", "2", "3"], "label": ["A", "B", "A"]})
NEVER_TYPE = pl.Datetime("us", "UTC")
NEVER = pl.lit(None, NEVER_TYPE)
TABLES = ("system_differences", "systems_against_raters", "annotator_tests", "label_quality", "assumption_checks")


def ratings(systems: dict[str, float], n_items: int = 120, seed: int = 1) -> pl.DataFrame:
    raters = {"ann": 0.7, "bob": 0.75, "cyd": 0.7}
    return simulate_ratings(
        n_items=n_items, labels=LABELS, raters=raters, systems=systems, rng=np.random.default_rng(seed)
    ).drop("truth")


def question(systems: dict[str, float]) -> SystemRatings:
    return SystemRatings(ratings(systems), list(systems), LABELS, "nominal")


def test_every_figure_is_there_and_the_first_is_the_average() -> None:
    result = estimate_systems(question({"gpt": 0.9, "rules": 0.5}))
    assert result.accuracy["method"][0] == "average"
    assert result.comparison.select("system_a", "system_b").rows() == [("gpt", "rules")]
    assert result.comparison["difference"][0] > 0.2
    assert result.comparison["p_a_better"][0] > 0.99
    assert set(result.against_raters["compared_with"]) == {"average_rater", "best_rater"}
    assert result.annotator_test["system"].to_list() == ["gpt", "rules"]
    assert {"pairs", "raters", "difficulty"} <= set(result.checks["name"])
    assert not result.bins.is_empty()


def test_one_system_is_compared_with_nobody() -> None:
    assert estimate_systems(question({"gpt": 0.9}), methods=["average"]).comparison.is_empty()


def test_of_many_systems_the_best_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems_module, "COMPARED", 2)
    result = estimate_systems(question({"worst": 0.3, "best": 0.95, "good": 0.8}), methods=["average"])
    assert result.comparison.select("system_a", "system_b").rows() == [("best", "good")]


def test_what_the_checks_found_is_among_the_warnings() -> None:
    copied = question({"gpt": 0.9})
    ann = copied.rated.filter(pl.col("rater") == "ann")
    parrot = ann.with_columns(rater=pl.lit("parrot"))
    both = SystemRatings(pl.concat([copied.rated, parrot]), ["gpt", "parrot"], LABELS, "nominal")
    result = estimate_systems(both, methods=["average"])
    warned = {row["system"]: " ".join(row["warnings"]) for row in result.accuracy.to_dicts()}
    assert "ann" in warned["parrot"]
    assert "ann" not in warned["gpt"]


def test_of_pairs_the_conspicuous_are_kept() -> None:
    rows = [
        ("pairs", None, None, None, 0.5, False),
        ("copying", "s", "a", None, 0.01, True),
        ("copying", "s", "b", None, 0.02, True),
        ("copying", "s", "c", None, 0.5, False),
        ("copying", "t", "c", None, 0.6, False),
        ("copying", "t", "a", None, 0.4, False),
        ("copying", "u", "a", None, 0.03, None),  # unclear
        ("copying", "u", "b", None, 0.01, False),
    ]
    names = ["name", "system", "rater", "other", "p_value", "violated"]
    schema = {**dict.fromkeys(names, pl.String), "p_value": pl.Float64, "violated": pl.Boolean}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    kept = violated_checks(frame.with_columns(reason=pl.lit(None, pl.String)))
    assert kept.select("name", "system", "rater").rows() == [
        ("pairs", None, None),
        ("copying", "s", "a"),
        ("copying", "s", "b"),
        ("copying", "t", "a"),
        ("copying", "u", "b"),
        ("copying", "u", "a"),
    ]


def test_versions_of_a_system_are_compared() -> None:
    config = question({"bot": 0.9})
    old = ratings({"bot": 0.5}, seed=2).filter(pl.col("rater") == "bot").with_columns(system_version=pl.lit("v1"))
    new = config.rated.filter(pl.col("rater") == "bot").with_columns(system_version=pl.lit("v2"))
    odd = old.with_columns(label=pl.lit("never declared"), system_version=pl.lit("v0"))
    config = replace(config, rated=config.rated.with_columns(n_items=pl.lit(1, pl.Int64)))
    old, new, odd = (answers.with_columns(pattern=pl.col("item"), first_at=NEVER) for answers in (old, new, odd))
    result = compare_versions(config, pl.concat([old, new]))
    row = result.row(0, named=True)
    assert (row["system_a"], row["version_a"], row["system_b"], row["version_b"]) == ("bot", "v1", "bot", "v2")
    assert row["difference"] < -0.2
    assert compare_versions(config, pl.concat([old, odd])).is_empty()
    assert compare_versions(config, old.clear()).is_empty()


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ({"v2": None, "v10": None, "v1": None}, ["v1", "v2", "v10"]),
        ({"1.9.0": None, "1.10.0-rc": None, "1.10.0": None}, ["1.9.0", "1.10.0", "1.10.0-rc"]),
        (
            {"2024-11-05": None, "beta": None, "": None, "v01": None, "v1": None},
            ["", "2024-11-05", "beta", "v01", "v1"],
        ),
        ({"zeta": 1, "alpha": 3, "v10": 2, "v9": 2}, ["zeta", "v9", "v10", "alpha"]),
        ({"zeta": 1, "alpha": None}, ["alpha", "zeta"]),
    ],
)
def test_versions_follow_each_other_by_time_or_else_by_the_numbers_in_their_names(
    days: dict[str, int | None], expected: list[str]
) -> None:
    times = [day and datetime(2026, 3, day, tzinfo=UTC) for day in days.values()]
    frame = pl.DataFrame({"system_version": list(days), "first_at": times}, schema_overrides={"first_at": NEVER_TYPE})
    assert in_order(frame) == expected
    assert in_order(pl.concat([frame, frame.reverse()])) == expected


def test_of_many_versions_the_last_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems_module, "COMPARED", 2)
    config = question({"bot": 0.9})
    config = replace(config, rated=config.rated.with_columns(n_items=pl.lit(1, pl.Int64)))
    bot = config.rated.filter(pl.col("rater") == "bot").with_columns(pattern=pl.col("item"), first_at=NEVER)
    result = compare_versions(config, pl.concat([bot.with_columns(system_version=pl.lit(f"v{n}")) for n in (2, 9, 10)]))
    assert result.select("version_a", "version_b").rows() == [("v9", "v10")]


def test_versions_compared_by_pattern_are_those_compared_item_by_item() -> None:
    config = replace(question({"bot": 0.9}), gold=GOLD)
    old = ratings({"bot": 0.5}, n_items=90, seed=2).filter(pl.col("rater") == "bot")
    new = config.rated.filter(pl.col("rater") == "bot").sample(80, seed=3)
    answers = pl.concat([old.with_columns(system_version=pl.lit("v1")), new.with_columns(system_version=pl.lit("v2"))])
    kinds = pl.when(pl.col("rater") == "bot").then(pl.lit("system")).otherwise(pl.lit("human"))
    audited = GOLD.with_columns(rater=pl.lit("lead"), rater_kind=pl.lit("gold"))
    patterns = from_ratings(pl.concat([config.rated.with_columns(rater_kind=kinds), audited], how="diagonal"))
    weighted = replace(
        config,
        rated=patterns.frame.filter(pl.col("rater_kind") != "gold").drop("rater_kind"),
        gold=gold_of(patterns.frame),
    )
    names = patterns.names.rename({"source": "item", "item": "pattern"})
    answers = answers.with_columns(first_at=NEVER)
    result = compare_versions(weighted, answers.join(names, on="item"))
    singly = replace(config, rated=config.rated.with_columns(n_items=pl.lit(1, pl.Int64)))
    expected = compare_versions(singly, answers.with_columns(pattern=pl.col("item")))
    assert_frame_equal(result, expected, abs_tol=1e-9)


def test_the_tables_keep_their_contracts() -> None:
    config = question({"gpt": 0.9, "rules": 0.5})
    kinds = pl.when(pl.col("rater").is_in(["gpt", "rules"])).then(pl.lit("system")).otherwise(pl.lit("human"))
    rated = config.rated.with_columns(rater_kind=kinds)
    result = evaluate("q", from_ratings(rated).frame, QuestionConfig(labels=LABELS), confidence=0.95, seed=0).tables
    for name in TABLES:
        assert not result[name].is_empty()
        check(name, result[name], without=KEYS)
    assert result["item_consensus"]["expected_gain"].is_between(0, 2).all()


def test_computed_at_once_every_table_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = question({"gpt": 0.9, "rules": 0.5, "llama": 0.7})
    for gold in (None, GOLD):
        of_gold = replace(inputs, gold=gold)
        expected = estimate_systems(of_gold, labels=True, rates=True)
        with monkeypatch.context() as patched:
            patched.setattr("stats.threads.MIN_ROWS", 0)
            patched.setattr("os.cpu_count", lambda: 2)
            at_once = estimate_systems(of_gold, labels=True, rates=True)
        for name, table in vars(expected).items():
            assert_frame_equal(vars(at_once)[name], table, check_exact=True)
        assert expected.label_quality is not None
        assert expected.label_rates is not None


def test_computed_at_once_an_error_is_still_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stats.threads.MIN_ROWS", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    elsewhere = pl.DataFrame({"item": ["x", "y"], "label": ["A", "B"]})
    with pytest.raises(StatsError, match="None of the gold items \\(2\\) is among the items that gpt, rules answered"):
        estimate_systems(replace(question({"gpt": 0.9, "rules": 0.5}), gold=elsewhere))


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(StatsError, match="no method 'guess'"):
        estimate_systems(question({"gpt": 0.9}), methods=["guess"])
