"""What a run and the status list at the end."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.summary.poor_agreement import BY_CHANCE, GUIDELINE, ConfusedLabels
from tasks.summary.run_figures import poor_sentences, read_brief_figures
from warehouse.connect import connect
from warehouse.questions import open_alerts
from warehouse.runs.run_results import Run, write_results
from warehouse.status import read_status


def test_open_alerts_are_listed_in_one_order(db: Path) -> None:
    with connect(db) as con:
        con.execute(
            "insert into alerts (alert_id, question, kind, subject, severity, opened_at) values"
            " ('1', 'q', 'rater', 'b', 'warning', '2026-03-01'), ('2', 'q', 'rater', 'a', 'warning', '2026-03-01'),"
            " ('3', 'q', 'agreement', null, 'warning', '2026-03-01'),"
            " ('4', 'p', 'rater', 'a', 'warning', '2026-03-02'),"
            " ('5', 'q', 'batch_late', null, 'critical', '2026-02-01'),"
            " ('6', 'q', 'batch_late', null, 'critical', '2026-02-09')"
        )
        in_order = read_status(con).open_alerts["kind", "subject", "alert_id"].rows()
        of_run = [alert["kind"] for alert in open_alerts(con)]
    assert [alert_id for *_, alert_id in in_order] == ["6", "5", "4", "3", "2", "1"]
    assert of_run == [kind for kind, *_ in in_order]
    assert [alert["alert_id"] for alert in read_brief_figures(db).open_alerts] == [row[-1] for row in in_order]


def test_each_question_of_poor_agreement_has_a_sentence() -> None:
    rows = pl.DataFrame({"question": ["confused", "fair", "chance"], "high": [0.39, 0.4, 0.09]}).with_columns(
        coefficient=pl.lit("krippendorff_alpha"), scope=pl.lit("humans"), period=pl.lit("all"),
        estimate=pl.col("high") - 0.05, low=pl.col("high") - 0.1,
    )  # fmt: skip
    others = rows.with_columns(high=pl.lit(0.3))
    rows = pl.concat([
        rows,
        others.with_columns(period=pl.lit("day")),
        others.with_columns(scope=pl.lit("all")),
        others.with_columns(coefficient=pl.lit("fleiss_kappa")),
    ])  # fmt: skip
    confused = pl.DataFrame({"question": ["confused", "fair"], "share": [0.5, 0.5], "lead": [4.0, 9.0]}).with_columns(
        label_a=pl.lit("a"), label_b=pl.lit("b"), by_chance=pl.lit(0.2), n_numbers=None
    )
    lies = "the whole interval of agreement lies below 0.4."
    assert poor_sentences(rows, confused, pl.DataFrame()) == [
        f"chance: {lies} {BY_CHANCE}",
        f"confused: {lies} {ConfusedLabels('a', 'b', 0.5, 0.2).sentence}",
    ]


def test_who_contradicts_the_others_comes_before_poor_agreement(db: Path) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    low = {"coefficient": "krippendorff_alpha", "estimate": 0.1, "low": 0.05, "high": 0.2, "n_items": 90}
    pairs = [
        {"rater_a": a, "rater_b": b, "coefficient": "cohen_kappa", "estimate": value, "low": value - 0.1,
         "high": value + 0.1, "n_items": 90}
        for a, b, value in (("a", "b", -0.8), ("a", "c", -0.8), ("b", "c", 0.8))
    ]  # fmt: skip
    names = {"estimate": "weighted_kappa", "low": "weighted_low", "high": "weighted_high"}
    by_scale = pl.DataFrame(pairs).rename(names).with_columns(estimate=0.0, low=-0.1, high=0.1)
    agreement = pl.DataFrame([low | {"scope": "humans", "period": "all", "scale": "nominal", "weights": "identity"}])
    with connect(db) as con:
        for question, tables in (
            ("plain", {"agreement": agreement}),
            ("contrary", {"agreement": agreement, "pairwise_agreement": pl.DataFrame(pairs)}),
            ("upside_down", {"agreement": agreement, "pairwise_agreement": by_scale}),
        ):
            run = Run(run_id=question, kind="evaluate", question=question, code_version="1", status="succeeded",
                      started_at=now)  # fmt: skip
            write_results(con, run, tables)
    figures = read_brief_figures(db)
    assert figures.poor == [f"plain: the whole interval of agreement lies below 0.4. {GUIDELINE}"]
    contrary, upside_down = figures.contradictions
    assert contrary.startswith("contrary: a contradicts the others (kappa -0.80")
    assert upside_down.startswith("upside_down: a contradicts the others (kappa with quadratic weights -0.80")
