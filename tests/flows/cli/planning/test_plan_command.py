"""`kappaflow plan`: a new study, a budget, and a question of the project."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.summary.plan_notes import SECOND_RATER
from tasks.summary.ratings_needed import plan_question
from warehouse.connect import connect
from warehouse.migrate import migrate
from warehouse.runs.run_results import Run, write_results

Json = Callable[..., Any]
NEW = ("plan", "--n-labels", "5", "--kappa", "0.3")
ALARM = ("plan", "--n-labels", "2", "--n-raters", "3", "--kappa", "0.6", "--alarm")
START = datetime(2026, 3, 1, tzinfo=UTC)
HUMANS = {"scope": "humans", "period": "all", "scale": "nominal", "weights": "identity", "confidence": 0.95}


def coefficient(name: str, estimate: float, low: float, high: float) -> dict[str, Any]:
    counts = {"n_items": 200, "n_ratings": 600, "n_labels": 3}
    return HUMANS | counts | {"coefficient": name, "estimate": estimate, "low": low, "high": high}


def system(name: str, accuracy: float | None, low: float | None, high: float | None, **more: Any) -> dict[str, Any]:
    usual = {"system": name, "method": "average", "accuracy": accuracy, "low": low, "high": high, "confidence": 0.95}
    return usual | {"n_items": 200, "n_gold": 0, "spread_low": None, "spread_high": None, "reason": None} | more


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose last run found these figures for the question 'tone'."""
    (tmp_path / "kappaflow.toml").write_text("")
    (tmp_path / "published").mkdir()
    tables = {
        "agreement": [
            coefficient("percent_agreement", 0.6, 0.55, 0.65),
            coefficient("brennan_prediger", 0.4, 0.32, 0.48),
            coefficient("krippendorff_alpha", 0.4, 0.3, 0.5),
            coefficient("gwet_ac1", 0.9, 0.86, 0.94),
        ],
        "system_accuracy": [
            system("bad", 0.5, 0.4, 0.6, spread_low=0.4, spread_high=0.6),
            system("bad", 0.1, 0.0, 0.2, method="lehner"),
            system("good", 0.9, 0.86, 0.94, outer_low=0.82, outer_high=0.96),
            system("known", 0.8, 0.7, 0.9, n_gold=50, outer_low=0.7, outer_high=0.9),
            system("lost", None, None, None, reason="not_identified", detail="Because."),
        ],
    }
    with connect(tmp_path / "published" / "snapshot.duckdb") as con:
        migrate(con)
        run = Run(run_id="r", kind="evaluate", question="tone", code_version="0", status="succeeded", started_at=START)
        write_results(con, run, {name: pl.DataFrame(rows, strict=False) for name, rows in tables.items()})
    return tmp_path


def test_the_plain_form_keeps_its_keys(kappaflow_json: Json) -> None:
    result = kappaflow_json(*NEW, "--n-raters", "3", "--half-width", "0.1")
    assert (result["n_items"], result["n_ratings"], result["half_width"], result["confidence"]) == (54, 162, 0.1, 0.9)
    assert result["gold"]["n_gold"] < result["gold"]["n_gold_alone"] == 28
    assert result["warnings"] == []
    # by hand: U = (.443 / sqrt(54) / .09)^2, logit(.9) +- 1.6449 sqrt(U + .09)
    assert result["outer_half_width"] == pytest.approx(0.1194, abs=2e-4)
    assert result["outer_half_width_least"] == pytest.approx(0.04522, abs=1e-5)


def test_no_outer_half_width_is_below_the_inner_one(kappaflow_json: Json) -> None:
    result = kappaflow_json(*NEW, "--budget", "10")
    assert max(row["half_width"] for row in result["shares"]) > 0.5
    assert all(row["outer_half_width"] >= row["half_width"] for row in result["shares"])


def test_a_budget_needs_no_number_of_raters(kappaflow_json: Json) -> None:
    result = kappaflow_json(*NEW, "--budget", "600", "--half-width", "0.05")
    assert [row["n_raters"] for row in result["shares"]] == list(range(2, 11))
    assert [row["n_raters"] for row in result["shares"] if row["best"]] == [3]
    widths = [(row["half_width"], row["outer_half_width"]) for row in result["shares"]]
    assert all(inner < outer for inner, outer in widths)
    assert min(outer for _, outer in widths) > result["outer_half_width_least"]
    assert result["for_half_width"] == {"n_raters": 3, "n_items": 213, "n_ratings": 639, "half_width": 0.05}
    more = kappaflow_json(*NEW, "--budget", "600", "--n-raters", "12")
    assert [row["n_raters"] for row in more["shares"]][-1] == 12
    assert more["for_half_width"] is None


def test_a_half_width_takes_no_more_than_a_budget_that_reaches_it(kappaflow_json: Json) -> None:
    design = ("--n-labels", "2", "--kappa", "0.02", "--n-raters", "40", "--budget", "6000")
    result = kappaflow_json("plan", *design, "--half-width", "0.08")
    best = next(row for row in result["shares"] if row["best"])
    assert best["n_raters"] == 40
    assert best["half_width"] < 0.08
    assert result["for_half_width"]["n_ratings"] < 6000


def test_gold_items_are_counted_without_the_ratings_where_these_cannot_help(project: Path) -> None:
    with connect(project / "published" / "snapshot.duckdb") as con:
        con.execute("update agreement set estimate = -0.1 where coefficient = 'brennan_prediger'")
    bad, *_ = plan_question(project / "published" / "snapshot.duckdb", "tone", half_width=0.1)["systems"]
    assert bad["more_gold"] == 99  # by hand: t(98) sqrt(.25 / 99) < .1 < t(97) sqrt(.25 / 98)


def test_gold_items_are_counted_without_ratings_whose_agreement_has_weights(project: Path) -> None:
    """Kappa with weights is no share of equal labels: of 82 gold items, the plan asked for 38, and they gave ±.107."""
    snapshot = project / "published" / "snapshot.duckdb"
    before = plan_question(snapshot, "tone", half_width=0.1)
    with connect(snapshot) as con:
        con.execute("update agreement set weights = 'quadratic', estimate = 0.8")
    result = plan_question(snapshot, "tone", half_width=0.1)
    (note,) = [text for text in result["warnings"] if "without any ratings" in text]
    assert "Agreement with weights" in note
    assert (before["kappa"], result["kappa"]) == (0.4, None)
    assert (before["systems"][0]["more_gold"], result["systems"][0]["more_gold"]) == (48, 99)
    assert not any("without any ratings" in text for text in before["warnings"])


def test_a_question_tells_what_it_still_needs(kappaflow_json: Json, project: Path) -> None:
    result = kappaflow_json("plan", "--question", "tone", "--project", project)
    assert (result["half_width"], result["kappa"], result["n_labels"], result["ratings_per_item"]) == (0.05, 0.4, 3, 3)
    bad, good, known, lost = result["systems"]
    assert (bad["method"], bad["enough"], bad["more_items"], bad["more_ratings"]) == ("average", False, 600, 1800)
    assert (good["enough"], good["more_items"], good["more_ratings"]) == (True, 0, 0)
    assert (known["more_items"], known["more_gold"], known["enough"]) == (None, 203, False)
    assert (lost["enough"], lost["more_ratings"], lost["reason"], lost["detail"]) == (
        None, None, "not_identified", "Because.",
    )  # fmt: skip
    assert good["outer_half_width_now"] == pytest.approx(0.07)
    assert good["outer_half_width_least"] == pytest.approx(0.0543, abs=1e-4)  # logit(.9) +- 1.96 * .3
    assert known["outer_half_width_now"] is None
    assert any(
        text.startswith("known: only 150 of its items have no gold, so the other") for text in result["warnings"]
    )
    assert any(text.startswith("good: with errors as on real data no number") for text in result["warnings"])
    alpha, ac1 = result["coefficients"]
    assert (alpha["coefficient"], alpha["more_items"], alpha["more_ratings"]) == ("krippendorff_alpha", 600, 1800)
    assert ac1["enough"] is True
    assert any(text.startswith("bad: the models compared lie further apart") for text in result["warnings"])


def test_a_wider_interval_needs_less(project: Path) -> None:
    snapshot = project / "published" / "snapshot.duckdb"
    wide, narrow = (plan_question(snapshot, "tone", half_width=h)["systems"][0] for h in (0.08, 0.02))
    assert wide["more_items"] < narrow["more_items"]
    assert all(row["enough"] is not False for row in plan_question(snapshot, "tone", half_width=0.2)["systems"])
    assert any("says nothing" in text for text in plan_question(snapshot, "tone", half_width=0.6)["warnings"])


def test_an_interval_that_says_nothing_plans_nothing(kappaflow: Json, project: Path) -> None:
    """Two items whose alpha lay between -5.6 and 1 asked for 51,022 ratings."""
    snapshot = project / "published" / "snapshot.duckdb"
    with connect(snapshot) as con:
        con.execute("update agreement set n_items = 2, n_ratings = 4, estimate = 0, low = -5.6, high = 1")
        con.execute("delete from system_accuracy")
    result = plan_question(snapshot, "tone", half_width=0.5)
    assert [(row["enough"], row["more_ratings"]) for row in result["coefficients"]] == [(None, None)] * 2
    assert not any("further items are like" in text for text in result["warnings"])
    shown = " ".join(kappaflow("plan", "--question", "tone", "--project", project, COLUMNS="200").stdout.split())
    assert "So wide an interval does not tell how many items are needed. Rate 30 more, and plan again." in shown


def test_one_annotator_needs_a_second_one_on_the_same_items(project: Path) -> None:
    snapshot = project / "published" / "snapshot.duckdb"
    with connect(snapshot) as con:
        con.execute("update agreement set n_ratings = n_items, estimate = null, low = null, high = null, reason = 'x'")
        con.execute("delete from system_accuracy")
    assert plan_question(snapshot, "tone")["warnings"] == [SECOND_RATER]


def test_a_system_that_answers_some_items_needs_more_rated_items(kappaflow_json: Json, project: Path) -> None:
    with connect(project / "published" / "snapshot.duckdb") as con:
        con.execute("update agreement set n_items = 250, n_ratings = 750")
    result = kappaflow_json("plan", "--question", "tone", "--project", project)
    bad, good, known, _ = result["systems"]
    # 600 more answers: it answered 200 of 250 items, so 750 items; 203 more gold items that it answered: 254 drawn
    assert known["more_gold"] == 254
    assert (bad["more_items"], bad["more_ratings"], good["more_items"]) == (750, 2250, 0)
    assert any(text.startswith("bad: The system answered 200 of 250 rated items.") for text in result["warnings"])
    assert not any(text.startswith("good: The system answered") for text in result["warnings"])


def test_an_unknown_question_is_named_with_the_known(kappaflow: Json, project: Path) -> None:
    output = kappaflow("plan", "--question", "mood", "--project", project, code=2).stderr
    assert "'mood'" in output
    assert "There are results for tone." in output
    with pytest.raises(InputError, match="no results"):
        plan_question(project / "published" / "snapshot.duckdb", "mood")


def test_no_interval_of_width_zero_is_enough(project: Path) -> None:
    with connect(project / "published" / "snapshot.duckdb") as con:
        con.execute("update agreement set estimate = 1, low = 1, high = 1")
    result = plan_question(project / "published" / "snapshot.duckdb", "tone")
    assert [row["enough"] for row in result["coefficients"]] == [None, None]
    assert "width 0 and says nothing" in result["coefficients"][0]["detail"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plan",), "number of labels"),
        (NEW, "needs the half-width and the raters"),
        ((*NEW, "--half-width", "0.1"), "raters per item"),
        ((*NEW, "--budget", "1"), "at least the 2 ratings of one item, found 1"),
        ((*NEW, "--budget", "0"), "found 0"),
        ((*NEW, "--budget", "600", "--n-raters", "99"), "lies between 2 and 40, found 99"),
        (("plan", "--n-labels", "99", "--kappa", "0.3", "--budget", "9"), "n_labels lies between 2 and 50, found 99"),
        ((*NEW, "--budget", "600", "--confidence", "95"), "confidence lies between 0 and 1"),
        ((*NEW, "--n-raters", "3", "--half-width", "9"), "half_width lies between 0 and 1"),
        (("plan", "--n-labels", "5", "--kappa", "-0.2", "--budget", "600"), "kappa lies between 0 and 1"),
        (("plan", "--question", "tone", "--kappa", "0.3"), "takes these from its results: --kappa"),
        (("plan", "--question", "tone", "--half-width", "3"), "Nothing is published"),
        ((*NEW, "--drop", "0.1"), "These options need --alarm: --drop."),
        (("plan", "--alarm", "foo"), "--alarm 'foo' is unknown."),
        ((*NEW, "--alarm", "agreement"), "A plan for an alarm needs the number of labels, the raters per item"),
        ((*ALARM, "speed"), "Use one of agreement, rater, system."),
        ((*ALARM, "agreement", "--budget", "9"), "do not go with --alarm: --budget."),
        ((*ALARM, "agreement", "--n-systems", "2"), "--alarm agreement does not use these options: --n-systems."),
        ((*ALARM, "rater", "--n-raters", "2"), "With two raters per item an alarm cannot say which of them changed"),
        ((*ALARM, "agreement", "--drop", "0.7"), "--drop 0.7 is too large: 0.60 is the most."),
        ((*ALARM, "agreement", "--false-alarms-per-year", "0"), "false_alarms_per_year is above 0, found 0"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(kappaflow: Json, arguments: tuple[str, ...], words: str) -> None:
    assert words in kappaflow(*arguments, code=2).stderr


@pytest.mark.parametrize("width", ["60", "200"])
def test_tables_are_aligned_and_absurd_wishes_answered(kappaflow: Json, project: Path, width: str) -> None:
    shown = kappaflow(*NEW, "--budget", "600", COLUMNS=width).stdout.splitlines()
    head = next(number for number, line in enumerate(shown) if line.startswith("raters per item"))
    rows = shown[head + 1 : head + 10]
    assert len({line.index(".") for line in rows}) == 1
    assert sum("best" in line for line in rows) == 1
    assert "says nothing" in " ".join(kappaflow(*NEW, "--n-raters", "3", "--half-width", "0.9").stdout.split())
    told = kappaflow("plan", "--question", "tone", "--project", project, COLUMNS=width).stdout
    for words in ("1,800 ratings (600 items)", "nothing, enough", "203 more gold items", "Because."):
        assert words in told


def test_a_wide_outer_interval_is_not_enough(kappaflow: Json, kappaflow_json: Json, project: Path) -> None:
    """The outer interval of 'good' is ±.07, wider than the ±.05 wanted, and its inner one ±.04."""
    good = kappaflow_json("plan", "--question", "tone", "--project", project)["systems"][1]
    shown = [line.split() for line in kappaflow("plan", "--question", "tone", "--project", project).stdout.splitlines()]
    row = next(words for words in shown if words[:1] == ["good"])
    assert " ".join(row).endswith(f"0.070 0.040 nothing for the inner interval {good['more_gold']} —")
    row = next(words for words in shown if words[:1] == ["gwet_ac1"])
    assert " ".join(row).endswith("0.040 nothing, enough")
    wide = kappaflow("plan", "--question", "tone", "--half-width", "0.08", "--project", project).stdout
    row = next(line for line in wide.splitlines() if line.startswith("good"))
    assert "nothing, enough" in row
    assert str(good["more_gold"]) not in row


def test_an_alarm_by_its_formula(kappaflow_json: Json) -> None:
    """By hand in tests/tasks/single_file/test_plan_alarms.py."""
    result = kappaflow_json(*ALARM, "agreement", "--drop", "0.15", "--items-before", "5000")
    assert (result["median_items"], result["items_80"], result["days_80"]) == (360, 580, 29)
    assert result["score_variance"] == pytest.approx(0.7 * 0.3 * (2 / 3) ** 2 / 0.25)
    assert (result["false_alarms_per_year"], result["chart_alarms_per_year"], result["threshold"]) == (1, 0.25, 1000)
    assert [row["threshold"] for row in result["budgets"]] == [4000, 2000, 1000, 500, 250]
    assert result["power"] is None
    assert result["warnings"] == []


def test_no_method_is_said_in_a_sentence(kappaflow: Json) -> None:
    """Issue: 3 raters, 2 labels, kappa .4 to .6, a drop of .15 in 200 items, 5 % false alarms in 300 looks."""
    wish = ("agreement", "--drop", "0.15", "--within", "200", "--false-alarms-per-year", "0.1667")
    shown = " ".join(kappaflow(*ALARM, *wish, "--day-correlation", "0").stdout.split())
    assert "No method finds a drop of 0.15 within 200 items in 80 % of cases with so few false alarms" in shown


def test_alarms_in_words(kappaflow: Json) -> None:
    def show(*arguments: str) -> str:
        return " ".join(kappaflow(*ALARM, *arguments, COLUMNS="60").stdout.split())

    shown = show("agreement", "--items-before", "5000", "--n-questions", "10")
    for words in (
        "Kappa drops by 0.15, from 0.60 to 0.45: found within 360 items (18 days) in half of cases, within 580 items "
        "(29 days) in 80 %",
        "False alarms: about 1 a year of all charts of a question, 0.25 of this one; 10 of 10 questions together.",
        "no method finds it in 80 % of cases in fewer than",
        "asked for",
    ):
        assert words in shown
    shown = show("rater", "--n-annotators", "6")
    assert "A rater agrees with the others 0.09 less than they with each other: found within" in shown
    assert "A rater who clicks at random on 30% of his items agrees 0.09 less; one who always does, 0.30 less." in shown
    assert "from 0.90 to 0.80" in show("system", "--within", "500")
    shown = show("agreement", "--drop", "0.07")
    assert "from 0.60 to 0.53: not found · A chart that seeks a change of 0.15 does not find a drop of 0.07" in shown
    assert "asked for" not in shown
    assert "never in 80 %" in show("agreement", "--items-before", "420", "--false-alarms-per-year", "0.2")


def test_a_confidence_just_below_1_is_not_printed_as_100_percent(kappaflow: Any) -> None:
    result = kappaflow(*NEW, "--n-raters", "3", "--half-width", "0.1", "--confidence", "0.999")
    assert "in a 99.9% interval" in result.stdout


def test_a_drop_with_three_decimals_fits_the_levels_beside_it(kappaflow: Any) -> None:
    shown = kappaflow(*ALARM, "agreement", "--drop", "0.125").stdout
    assert "Kappa drops by 0.125, from 0.60 to 0.475: found within" in " ".join(shown.split())
