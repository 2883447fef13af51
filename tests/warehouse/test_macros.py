"""The macros: what they give is what stats gives for the same ratings; each says what it is."""

import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from stats.agreement import agreement, by_rater, pairwise
from warehouse import migrate as module
from warehouse import sql
from warehouse.batches import METADATA, BatchCounts
from warehouse.connect import connect
from warehouse.migrate import macro_order, migrate
from warehouse.publication.snapshot import publish, query
from warehouse.raters.rater_kinds import KINDS, set_rater_kinds

Con = duckdb.DuckDBPyConnection
LABELS = ["A", "B", "C"]
RATERS = {"ann": "human", "bob": "human", "cyd": "human", "bot": "system", "lead": "gold"}
CALLS = {
    "agreement_by": "agreement_by('q', 'language')",
    "confusion": "confusion('q', 'ann', 'bob')",
    "current_ratings_where": "current_ratings_where('language', 'de')",
    "item_agreement": "item_agreement('q')",
    "incident_charts": "incident_charts('i1')",
    "label_confusion": "label_confusion('q')",
    "pair_agreement": "pair_agreement('q', 'ann', 'bob')",
    "pair_agreement_by": "pair_agreement_by('q', 'ann', 'bob', 'language')",
    "pair_agreement_over_time": "pair_agreement_over_time('q', 'ann', 'bob', 'week')",
    "rater_agreement_over_time": "rater_agreement_over_time('q', 'month')",
    "ratings_as_of": "ratings_as_of('q', '2026-03-02')",
}
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def metadata(rows: dict[str, str]) -> pl.DataFrame:
    results = [{"question": "q", "item": item, "key": "language", "value": value} for item, value in rows.items()]
    return pl.DataFrame(results, schema=dict(METADATA))


@pytest.fixture(params=range(3))
def filled(con: Con, store: Callable[..., BatchCounts], request: pytest.FixtureRequest) -> Con:
    """Two batches a month apart, with answers changed and items without a language; cyd is declared a system."""
    rng = random.Random(request.param)
    for batch in range(2):
        rows = [
            {"item": f"i{item}", "rater": rater, "rater_kind": kind,
             "label": rng.choice(LABELS) if rng.random() < 0.4 else LABELS[item % 3],
             "rated_at": START + timedelta(days=30 * batch + item % 3)}
            for item in rng.sample(range(40), 25)
            for rater, kind in RATERS.items()
            if rng.random() < 0.7
        ]  # fmt: skip
        languages = {f"i{item}": "de" if item % 2 else "fr" for item in range(30)}
        store(con, f"b{batch}", rows, metadata=metadata(languages), at=START + timedelta(days=30 * batch + 5))
    store(con, "other", [{"question": "other", "item": "i1", "rater": rater, "label": "A"} for rater in RATERS])
    if request.param % 2:
        set_rater_kinds(con, pl.DataFrame([("q", "cyd", "system")], schema=KINDS, orient="row"))
    return con


def frame(con: Con, call: str) -> pl.DataFrame:
    return sql.plain(con.sql(f"from {call}").pl())


def ratings(con: Con, *raters: str, items: str = "select item from current_ratings") -> pl.DataFrame:
    kept = con.sql(
        f"select item, rater, rater_kind, label from current_ratings where question = 'q' and item in ({items})"
    )
    result: pl.DataFrame = kept.pl()
    return result.filter(pl.col("rater").is_in(raters)) if raters else result.filter(rater_kind="human")


def of_language(value: str) -> str:
    return f"select item from item_metadata where question = 'q' and key = 'language' and value = '{value}'"


def same_pair(result: dict[str, Any], rows: pl.DataFrame) -> None:
    """The row of a macro equals what stats says of the ratings of two raters."""
    expected = {row["coefficient"]: row for row in pairwise(
        rows, labels=LABELS, coefficients=["percent_agreement", "cohen_kappa"]).to_dicts()}  # fmt: skip
    kappa = expected["cohen_kappa"]
    assert result["n_items"] == kappa["n_items"]
    assert result["cohen_kappa"] == pytest.approx(kappa["estimate"], abs=1e-12)
    assert result["reason"] == kappa["reason"]
    assert result["percent_agreement"] == pytest.approx(expected["percent_agreement"]["estimate"], abs=1e-12)
    assert result["percent_agreement"] == result["n_agree"] / result["n_items"]


@pytest.mark.parametrize("other", ["bob", "bot", "lead"])
def test_two_raters_agree_as_stats_says(filled: Con, other: str) -> None:
    (result,) = frame(filled, f"pair_agreement('q', 'ann', '{other}')").to_dicts()
    same_pair(result, ratings(filled, "ann", other))
    (turned,) = frame(filled, f"pair_agreement('q', '{other}', 'ann')").to_dicts()
    assert {**turned, "rater_a": "ann", "rater_b": other} == result


def test_two_raters_agree_by_metadata_as_stats_says(filled: Con) -> None:
    result = frame(filled, "pair_agreement_by('q', 'ann', 'bob', 'language')")
    assert set(result["value"]) == {"de", "fr"}
    for row in result.to_dicts():
        same_pair(row, ratings(filled, "ann", "bob", items=of_language(row["value"])))


def test_two_raters_agree_over_time_as_stats_says(filled: Con) -> None:
    result = frame(filled, "pair_agreement_over_time('q', 'ann', 'bob', 'month')")
    assert result["period_start"].dt.to_string("%Y-%m-%d").to_list() == ["2026-03-01", "2026-04-01"][: result.height]
    before = None
    for row in result.to_dicts():
        items = f"""select item from current_ratings where question = 'q' and rater_kind = 'human'
            group by item having date_trunc('month', max(rated_at)) = '{row["period_start"]}'"""
        same_pair(row, ratings(filled, "ann", "bob", items=items))
        assert row["difference"] == (None if before is None else pytest.approx(row["cohen_kappa"] - before))
        before = row["cohen_kappa"]


def test_the_confusion_is_the_contingency_table(filled: Con) -> None:
    result = frame(filled, "confusion('q', 'ann', 'bot')")
    wide = ratings(filled, "ann", "bot").pivot("rater", index="item", values="label").drop_nulls()
    counted = (
        wide.group_by(label_a="ann", label_b="bot").agg(n_items=pl.len().cast(pl.Int64)).sort("label_a", "label_b")
    )
    assert result.select("label_a", "label_b", "n_items").equals(counted)
    assert result.group_by("label_a").agg(pl.col("share_of_a").sum())["share_of_a"].to_list() == pytest.approx(
        [1] * result["label_a"].n_unique()
    )
    assert result.group_by("label_b").agg(pl.col("share_of_b").sum())["share_of_b"].to_list() == pytest.approx(
        [1] * result["label_b"].n_unique()
    )


def test_what_is_confused_is_counted_over_all_pairs_of_people(filled: Con) -> None:
    result = frame(filled, "label_confusion('q')")
    human = ratings(filled)
    pairs = human.join(human, on="item").filter(pl.col("rater") < pl.col("rater_right"))
    differ = pairs.filter(pl.col("label") != pl.col("label_right")).select(
        label_a=pl.min_horizontal("label", "label_right"), label_b=pl.max_horizontal("label", "label_right")
    )
    counted = differ.group_by("label_a", "label_b").agg(n_pairs=pl.len().cast(pl.Int64))
    assert (
        result.select("label_a", "label_b", "n_pairs")
        .sort("label_a", "label_b")
        .equals(counted.sort("label_a", "label_b"))
    )
    assert result["n_pairs"].to_list() == sorted(result["n_pairs"], reverse=True)
    assert result["share_of_disagreements"].to_list() == pytest.approx([n / differ.height for n in result["n_pairs"]])
    assert result["share_of_pairs"].to_list() == pytest.approx([n / pairs.height for n in result["n_pairs"]])


def test_items_are_counted_by_the_share_of_their_pairs_that_agree(filled: Con) -> None:
    result = frame(filled, "item_agreement('q')")
    votes = ratings(filled).group_by("item", "label").agg(n=pl.len()).group_by("item").agg(
        equal=(pl.col("n") * (pl.col("n") - 1)).sum(), m=pl.col("n").sum()
    ).filter(pl.col("m") > 1)  # fmt: skip
    tenths = [min(9, 10 * row["equal"] // (row["m"] * (row["m"] - 1))) for row in votes.to_dicts()]
    expected = [(tenth / 10, (tenth + 1) / 10, tenths.count(tenth)) for tenth in sorted(set(tenths))]
    assert result.select("agreement_low", "agreement_high", "n_items").rows() == expected
    assert result["share"].to_list() == pytest.approx([n / len(tenths) for _, _, n in expected])
    assert sum(n for _, _, n in expected) == votes.height > 10


def test_agreement_by_metadata_is_what_stats_says(filled: Con) -> None:
    result = frame(filled, "agreement_by('q', 'language')")
    assert set(result["value"]) == {"de", "fr"}
    for row in result.to_dicts():
        rows = ratings(filled, items=of_language(row["value"])).drop("rater_kind")
        expected = {each["name"]: each for each in agreement(
            rows, labels=LABELS, coefficients=["percent_agreement", "krippendorff_alpha"]).to_dicts()}  # fmt: skip
        alpha = expected["krippendorff_alpha"]
        assert (row["n_items"], row["n_ratings"], row["reason"]) == (
            alpha["n_items"], alpha["n_ratings"], alpha["reason"])  # fmt: skip
        assert row["krippendorff_alpha"] == pytest.approx(alpha["estimate"], abs=1e-12)
        assert row["percent_agreement"] == pytest.approx(expected["percent_agreement"]["estimate"], abs=1e-12)


def test_a_raters_agreement_over_time_is_what_stats_says(filled: Con) -> None:
    result = frame(filled, "rater_agreement_over_time('q', 'year')")
    human = ratings(filled)
    expected = by_rater(human.drop("rater_kind"), labels=LABELS)
    people = result.filter(rater_kind="human").sort("rater")
    assert people["rater"].to_list() == expected["rater"].to_list()
    assert people["n_items"].to_list() == expected["n_items"].to_list()
    assert people["agreement_with_others"].to_list() == pytest.approx(expected["agreement_with_others"].to_list())
    bot = ratings(filled, "bot").join(human, on="item")
    (row,) = result.filter(rater="bot").to_dicts()
    assert row["agreement_with_others"] == pytest.approx((bot["label"] == bot["label_right"]).mean())
    monthly = frame(filled, "rater_agreement_over_time('q', 'month')")
    assert (
        monthly.group_by("rater")
        .agg(pl.col("n_items").sum())
        .sort("rater")
        .equals(result.select("rater", "n_items").sort("rater"))
    )
    assert monthly["difference"].null_count() == monthly["rater"].n_unique()


@pytest.mark.field_trial(6)
def test_a_raters_agreement_over_time_has_the_interval_of_its_items(filled: Con) -> None:
    """Against the formulas on the ratings themselves: a ratio of sums over items, then Wilson's interval."""
    result = frame(filled, "rater_agreement_over_time('q', 'year')")
    human = ratings(filled)
    for row in result.filter(rater_kind="human").to_dicts():
        theirs = human.filter(rater=row["rater"]).select("item", own="label")
        others = human.filter(pl.col("rater") != row["rater"]).join(theirs, on="item").sort("item")
        items = others.group_by("item").agg(a=(pl.col("label") == pl.col("own")).sum(), p=pl.len()).sort("item")
        a, p, n = items["a"].to_numpy(), items["p"].to_numpy(), items.height
        share = a.sum() / p.sum()
        variance = n / (n - 1) * ((a - share * p) ** 2).sum() / p.sum() ** 2
        trials = min(share * (1 - share) / variance, p.sum())
        low, high = wilson(share, trials)
        assert (row["n_items"], row["agreement_with_others"]) == (n, pytest.approx(share))
        assert (row["low"], row["high"]) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.field_trial(6)
def test_without_any_variation_each_item_is_one_trial(con: Con, store: Callable[..., BatchCounts]) -> None:
    rows = [{"item": f"i{n}", "rater": rater, "label": "A"} for n in range(25) for rater in ("ann", "bob", "cyd")]
    store(con, "b", [*rows, {"question": "one", "item": "i", "rater": "ann", "label": "A"},
                     {"question": "one", "item": "i", "rater": "bob", "label": "B"}])  # fmt: skip
    for question, share, trials in (("q", 1, 25), ("one", 0, 1)):
        row, *_ = frame(con, f"rater_agreement_over_time('{question}', 'month')").to_dicts()
        assert row["agreement_with_others"] == share
        assert (row["low"], row["high"]) == pytest.approx(wilson(share, trials))


def wilson(share: float, trials: float) -> tuple[float, float]:
    """The 95 % interval, as the roots of the score equation (p - share)^2 = z^2 p (1 - p) / trials."""
    z2 = 1.959963984540054**2
    low, high = sorted(np.roots([1 + z2 / trials, -(2 * share + z2 / trials), share**2]).real)
    return float(low), float(high)


def test_ratings_as_of_a_moment_are_those_in_force_then(filled: Con) -> None:
    columns = "item, rater, label, batch_id"
    first = f"select {columns} from ratings where question = 'q' and batch_id = 'b0' order by all"
    then = f"select {columns} from ratings_as_of('q', '2026-03-20') order by all"
    now = f"select {columns} from ratings_as_of('q', now()) order by all"
    current = f"select {columns} from current_ratings where question = 'q' order by all"
    assert filled.execute(then).fetchall() == filled.execute(first).fetchall() != []
    assert filled.execute(now).fetchall() == filled.execute(current).fetchall()
    assert filled.execute("from ratings_as_of('q', '2026-02-01')").fetchall() == []


def test_current_ratings_of_a_slice(filled: Con) -> None:
    result = filled.execute("select item, rater, label from current_ratings_where('language', 'de') order by all")
    assert (
        result.fetchall()
        == filled.execute(
            f"""select item, rater, label from current_ratings
        where question = 'q' and item in ({of_language("de")}) order by all"""
        ).fetchall()
    )


def test_undefined_is_null_with_a_reason(con: Con, store: Callable[..., BatchCounts]) -> None:
    rows = [{"item": item, "rater": rater, "label": "A"} for item in "xy" for rater in ("ann", "bob")]
    store(con, "b", [*rows, {"item": "z", "rater": "cyd", "label": "A"}], metadata=metadata({"x": "de", "z": "fr"}))
    query = "select n_items, percent_agreement, cohen_kappa, reason from pair_agreement('q', 'ann', '{}')"
    assert con.execute(query.format("bob")).fetchall() == [(2, 1.0, None, "zero_denominator")]
    assert con.execute(query.format("cyd")).fetchall() == [(0, None, None, "too_few_items")]
    assert con.execute(query.format("nobody")).fetchall() == [(0, None, None, "too_few_items")]
    by_language = "select percent_agreement, krippendorff_alpha, reason from agreement_by('q', 'language')"
    assert con.execute(by_language).fetchall() == [(1.0, None, "zero_denominator"), (None, None, "too_few_items")]
    assert frame(con, "label_confusion('q')").is_empty()
    assert frame(con, "rater_agreement_over_time('q', 'day')").filter(rater="cyd").is_empty()


def test_every_pair_at_once(filled: Con) -> None:
    """A macro takes columns of another table, row by row."""
    rows = filled.execute(
        """select p.rater_a, p.rater_b, p.cohen_kappa
        from (select distinct rater from current_ratings where question = 'q' and rater <> 'ann') as r,
            pair_agreement('q', 'ann', r.rater) as p
        order by p.rater_b"""
    ).fetchall()
    assert [row[1] for row in rows] == ["bob", "bot", "cyd", "lead"]
    alone = [frame(filled, f"pair_agreement('q', 'ann', '{b}')")["cohen_kappa"][0] for _, b, _ in rows]
    assert [row[2] for row in rows] == alone


def test_the_snapshot_has_the_macros(warehouse: Path, store: Callable[..., BatchCounts], tmp_path: Path) -> None:
    rows = [
        {"item": item, "rater": rater, "label": label} for item in "xy" for rater, label in (("ann", "A"), ("bob", "B"))
    ]
    with connect(warehouse) as con:
        store(con, "b", rows, metadata=metadata({"x": "de", "y": "fr"}))
        con.execute(
            "insert into alerts by name select 'a1' as alert_id, 'i1' as incident_id, 'q' as question,"
            " 'agreement' as kind, now() as opened_at"
        )
        con.execute(
            "insert into internal.chart_points select question_id, 'agreement', null, null, '2026-03-01', 9, .5, 0, 1,"
            " 2, 1000, false from internal.questions"
        )
    snapshot = publish(warehouse, tmp_path / "published", parquet=True)
    for call in CALLS.values():
        assert query(snapshot, f"from {call}").height > 0, call


def test_every_macro_has_a_call_here_and_names_what_it_takes_and_gives(con: Con) -> None:
    rows = con.execute(
        """select schema_name, function_name, parameters, comment from duckdb_functions()
        where not internal and function_type like '%macro'"""
    ).fetchall()
    assert {name for _, name, *_ in rows} == set(sql.texts("macros"))
    assert {name for schema, name, *_ in rows if schema == "main"} == set(CALLS)
    for schema, name, parameters, comment in rows:
        assert comment, name
        if schema == "main":
            named = [line.partition(": ")[0] for line in comment.splitlines()[1:]]
            columns = con.sql(f"from {CALLS[name]}").columns
            assert sorted(named) == sorted({*parameters, *columns}), name


def test_macros_are_short_and_start_with_their_grain() -> None:
    for name, text in sql.texts("macros").items():
        assert text.startswith("-- One row"), name
        assert text.count("\n") <= 80, name
        assert f"create or replace macro {name}(" in text or f"create or replace macro internal.{name}(" in text


@pytest.mark.parametrize("folder", ["views", "macros"])
def test_older_drivers_know_what_views_and_macros_call(folder: str) -> None:
    """BI tools bring DuckDB 1.4, which does not know if(condition, a, b) once it is stored."""
    assert [name for name, text in sql.texts(folder).items() if re.search(r"\bif\(", text)] == []


def test_a_macro_that_changed_is_applied_again(con: Con, monkeypatch: pytest.MonkeyPatch) -> None:
    macros = {
        "a_first": "create or replace macro a_first() as table select n + 1 as n from z_last();",
        "z_last": "create or replace macro z_last() as table select 1 as n;",
    }
    texts = {**sql.texts("macros"), **macros}
    monkeypatch.setattr(sql, "texts", lambda folder, real=sql.texts: texts if folder == "macros" else real(folder))
    assert migrate(con) == ["views"]
    assert migrate(con) == []
    assert macro_order().index("z_last") < macro_order().index("a_first")
    assert con.execute("from a_first()").fetchall() == [(2,)]
    con.execute("create macro my_own() as table select * from pair_agreement('q', 'a', 'b')")
    monkeypatch.setattr(module, "_views_checksum", lambda: "other")
    assert migrate(con) == ["views"]
    assert len(con.execute("from my_own()").fetchall()) == 1
