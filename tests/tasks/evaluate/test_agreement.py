"""One question from its ratings to the rows of the result tables, where the data leaves something undefined."""

from datetime import UTC, datetime

import polars as pl
import pytest

from stats.accuracy import DEFAULT_METHODS
from tasks.errors import InputError
from tasks.evaluate.agreement import EvaluationTables, SystemVersions, evaluate
from tasks.evaluate.patterns import from_ratings, windows_of_ratings
from tasks.evaluate.question_config import QuestionConfig
from tasks.monitor.windows.agreement_windows import agreement_rows, human_patterns
from tasks.monitor.windows.window_spans import WindowSettings, item_windows

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def _ratings(rows: list[tuple[str, str, str, str]], days: dict[str, int] | None = None) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label"], orient="row")
    day = pl.col("item").replace_strict(days or {}, default=0, return_dtype=pl.Int64)
    return frame.with_columns(
        item_id=pl.col("item").cast(pl.Int64),
        rated_at=pl.lit(NOW) + pl.duration(days=day),
        ingested_at=pl.lit(NOW),
        batch_id=pl.lit("b1"),
    )


def _evaluate(
    rows: list[tuple[str, str, str, str]], config: QuestionConfig | None = None, names: tuple[str, ...] = ("v2",)
) -> EvaluationTables:
    patterns = from_ratings(_ratings(rows)).frame
    in_force = pl.DataFrame({"rater": "sys", "system_version": names, "n_ratings": 30})
    text = SystemVersions(in_force=in_force)
    return evaluate("tone", patterns, config or QuestionConfig(), confidence=0.95, seed=0, versions=text)


TWO = [(str(i), r, "human", "yes" if i % 3 else "no") for i in range(30) for r in ("ann", "bob")]


def test_systems_and_gold_never_enter_agreement() -> None:
    rows = [*TWO, *((str(i), "sys", "system", "yes") for i in range(30)), ("1", "lead", "gold", "no")]
    assert _evaluate(rows).tables["agreement"].equals(_evaluate(TWO).tables["agreement"])


def test_several_versions_of_a_system_stand_in_the_order_of_their_numbers() -> None:
    rows = [*TWO, *((str(i), "sys", "system", "yes") for i in range(30))]
    result = _evaluate(rows, names=("v10", "v2", "v1")).tables["system_accuracy"]
    assert set(result["system_version"]) == {"v1, v2, v10"}
    notes = [notes for notes, a in result["warnings", "accuracy"].rows() if a is not None]
    assert notes
    assert all(
        each[-1].startswith("This figure is over the versions v1, v2, v10 together and may hold for none of them")
        for each in notes
    )
    assert all("compare them if the charts of the question have their reference" in each[-1] for each in notes)


def test_a_figure_of_one_version_says_nothing_of_versions() -> None:
    rows = [*TWO, *((str(i), "sys", "system", "yes") for i in range(30))]
    result = _evaluate(rows, names=("v2", "v2")).tables["system_accuracy"]
    assert not any("over the versions" in text for notes in result["warnings"] for text in notes)


def test_systems_have_a_row_each_with_their_version_and_are_no_raters() -> None:
    result = _evaluate([*TWO, *((str(i), "sys", "system", "yes") for i in range(30))]).tables
    assert result["system_accuracy"]["method"].to_list() == list(DEFAULT_METHODS)
    assert set(result["system_accuracy"].select("system", "system_version").rows()) == {("sys", "v2")}
    assert result["rater_quality"]["rater"].to_list() == ["ann", "bob"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("1", "sys", "system", "yes"), ("2", "sys", "system", "no")], "too_few_raters"),
        ([("1", "ann", "human", "yes"), ("2", "ann", "human", "no"), ("1", "sys", "system", "no")], "too_few_raters"),
        ([("1", "ann", "human", "yes"), ("1", "bob", "human", "yes"), ("1", "sys", "system", "yes")], "not_identified"),
    ],
)
def test_what_cannot_be_estimated_is_null_with_a_reason(rows: list[tuple[str, str, str, str]], reason: str) -> None:
    result = _evaluate(rows).tables
    assert result["system_accuracy"].select("accuracy", "reason").unique().rows() == [(None, reason)]
    agreement = result["agreement"]
    assert agreement.filter(pl.col("estimate").is_null() & pl.col("reason").is_null()).is_empty()


def test_inferred_labels_are_said() -> None:
    assert _evaluate(TWO).notes == ("tone: Its labels were not declared; the 2 found were used: no, yes.",)
    assert _evaluate(TWO, QuestionConfig(labels=("no", "yes"))).notes == ()
    result = _evaluate([("1", "ann", "human", "yes"), ("1", "bob", "human", "yes")])
    assert result.notes[0] == "tone: Its labels were not declared; the one found was used: yes."


def test_an_ordered_scale_without_its_order_is_refused_unless_it_is_of_numbers() -> None:
    with pytest.raises(InputError, match="no declared order"):
        _evaluate(TWO, QuestionConfig(scale="ordinal"))
    stars = [(item, rater, kind, {"yes": "10", "no": "9"}[label]) for item, rater, kind, label in TWO]
    assert "used: 9, 10" in _evaluate(stars, QuestionConfig(scale="ordinal")).notes[0]


def test_numbers_in_an_odd_order_are_said() -> None:
    stars = [(item, rater, kind, {"yes": "10", "no": "9"}[label]) for item, rater, kind, label in TWO]
    for order, odd in ((("9", "10", "8"), True), (("8", "9", "10"), False), (("10", "9", "8"), False)):
        notes = _evaluate(stars, QuestionConfig(scale="ordinal", labels=order)).notes
        assert any("are declared in the order 9, 10, 8." in note for note in notes) == odd
    assert _evaluate(stars, QuestionConfig(labels=("9", "10", "8"))).notes == ()


def test_further_readings_are_no_further_annotators() -> None:
    """Of ann and bob with two readings each, two "raters" that agree may be one person."""
    again = [(item, f"{rater} #2", kind, label) for item, rater, kind, label in TWO]
    (note,) = _evaluate([*TWO, *again], QuestionConfig(labels=("no", "yes"))).notes
    assert note.startswith("tone: 4 raters are 2 annotators: further readings (ann #2, bob #2) count as raters.")
    (other,) = _evaluate(again).notes  # nobody is called ann or bob
    assert "were not declared" in other


def test_a_label_that_was_declared_away_is_left_out_and_said() -> None:
    rows = [*TWO, ("31", "ann", "human", "maybe"), ("31", "bob", "human", "yes")]
    result = _evaluate(rows, QuestionConfig(labels=("no", "yes")))
    assert result.tables["agreement"]["n_ratings"].unique().to_list() == [61]
    assert "1 stored rating with a label that is not declared ('maybe')" in result.notes[0]


def test_an_item_on_which_gold_raters_differ_is_no_gold() -> None:
    system = [(str(i), "sys", "system", "yes") for i in range(30)]
    gold = [(str(i), "lead", "gold", "no" if i < 2 else "yes") for i in range(9)]
    result = _evaluate([*TWO, *system, *gold, ("1", "boss", "gold", "yes")])
    assert result.tables["system_accuracy"]["n_gold"].unique().to_list() == [8]
    assert any("On 1 item the gold raters differ" in note for note in result.notes)


def test_labels_chosen_together_are_a_label_of_their_own() -> None:
    rows = [*TWO, ("31", "ann", "human", '["no", "yes"]'), ("31", "bob", "human", "yes")]
    result = _evaluate(rows, QuestionConfig(labels=("no", "yes"))).tables["agreement"]
    assert result.filter(scope="humans")["n_labels"].unique().to_list() == [3]
    # each label against the rest is a question of two labels, and a set counts as each of its members
    by_label = result.filter(pl.col("scope") != "humans")
    assert by_label.select("scope", "n_labels").rows() == [("label:no", 2), ("label:yes", 2)]


def test_a_window_holds_whole_items_on_the_day_of_their_last_rating() -> None:
    rows = [(str(i), r, "human", "yes" if (i + len(r)) % 2 else "no") for i in range(8) for r in ("ann", "bobby")]
    ratings = _ratings(rows, days={str(i): i // 4 for i in range(8)})
    # One rater answers a day later: the item moves there whole.
    late = pl.when((pl.col("item") == "0") & (pl.col("rater") == "ann")).then(pl.lit(NOW) + pl.duration(days=1))
    result = _trend(ratings.with_columns(rated_at=late.otherwise(pl.col("rated_at"))))
    days = result.filter((pl.col("period") == "day") & (pl.col("coefficient") == "percent_agreement"))
    assert days.sort("period_start")["n_ratings"].to_list() == [6, 10]
    batch = result.filter((pl.col("period") == "batch") & (pl.col("coefficient") == "percent_agreement"))
    assert (batch["batch_id"].to_list(), batch["n_ratings"].to_list()) == (["b1"], [16])


def test_the_items_rated_last_are_a_window_without_start_and_end() -> None:
    # On the last day they disagree on each item, before that on none.
    rows = [(str(i), r, "human", "yes" if (i + (i > 5) * len(r)) % 2 else "no") for i in range(9) for r in ("a", "bo")]
    ratings = _ratings(rows, days={str(i): i // 3 for i in range(9)})
    result = _trend(ratings, n_last=3).filter(period="last_n", coefficient="percent_agreement")
    assert result.select("estimate", "n_items", "period_start", "period_end", "batch_id").rows() == [
        (0.0, 3, None, None, None)
    ]
    # Of items of the same time the one that came last goes first.
    result = _trend(ratings, n_last=4).filter(period="last_n", coefficient="percent_agreement")
    assert result.select("estimate", "n_items").rows() == [(0.25, 4)]
    assert _trend(ratings, n_last=0).filter(period="last_n").is_empty()


def _trend(ratings: pl.DataFrame, n_last: int = 2) -> pl.DataFrame:
    result = from_ratings(ratings)
    windows = windows_of_ratings(ratings, result.names, n_last)
    human, names, labels = human_patterns("tone", result.frame, QuestionConfig())
    spans, settings = item_windows(windows, WindowSettings()), WindowSettings()
    return agreement_rows(human, names, labels, spans, QuestionConfig(), 0.9, settings)


def test_gold_audits_a_system_without_people() -> None:
    rows = [(str(i), "sys", "system", "yes" if i % 3 else "no") for i in range(30)]
    result = _evaluate([*rows, *((str(i), "lead", "gold", "yes") for i in range(12))]).tables
    (row,) = result["system_accuracy"].filter(method="average").to_dicts()
    assert (row["accuracy"], row["n_gold"], row["gold_origin"]) == (pytest.approx(8 / 12), 12, "unknown")
    assert result["assumption_checks"].is_empty()
    assert "ppi" in result["label_rates"]["method"].to_list()
    assert _evaluate(rows).tables["system_accuracy"]["reason"].to_list() == ["too_few_raters"]


def test_the_effective_number_of_raters_needs_gold() -> None:
    (row,) = _evaluate(TWO).tables["shared_errors"].to_dicts()
    assert (row["correlation"], row["n_effective"], row["reason"]) == (None, None, "no_gold")
    wrong = [(item, rater, kind, "no" if int(item) < 5 else label) for item, rater, kind, label in TWO]
    gold = [(str(i), "lead", "gold", "yes" if i % 3 else "no") for i in range(20)]
    (row,) = _evaluate([*wrong, *gold]).tables["shared_errors"].to_dicts()
    assert row["correlation"] == pytest.approx(1)  # both err on the same items
    assert row["n_effective"] == pytest.approx(1)
    assert (row["n_items"], row["raters_per_item"]) == (20, 2)


def test_a_system_with_other_labels_has_a_row_that_says_so() -> None:
    rows = [*TWO, *((str(i), "sys", "system", "Yes") for i in range(30))]
    result = _evaluate(rows)
    ((system, accuracy, n_items, reason),) = (
        result.tables["system_accuracy"].select("system", "accuracy", "n_items", "reason").rows()
    )
    assert (system, accuracy, n_items, reason) == ("sys", None, 30, "other_labels")
    assert "label_quality" not in result.tables
    assert any("Left out: 30 answers of 'sys'" in note for note in result.notes)


@pytest.mark.parametrize("with_system", [False, True])
def test_an_annotator_of_nearly_one_label_is_named_once(with_system: bool) -> None:
    people = {"ann": "abc", "bob": "abc", "lazy": "aaa"}
    rows = [(str(i), name, "human", labels[i % 3]) for name, labels in people.items() for i in range(60)]
    rows += [(str(i), "sys", "system", "abc"[i % 3]) for i in range(60)] if with_system else []
    result = _evaluate(rows)
    of_systems = (
        [] if not with_system else [text for each in result.tables["system_accuracy"]["warnings"] for text in each]
    )
    named = {text for text in (*result.notes, *of_systems) if "Nearly always the same label" in text}
    assert len(named) == 1
    assert "came from lazy." in named.pop()
