"""Samples by strata and samples at different times: the items are weighted by their probabilities."""

import csv
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stats.accuracy import accuracy
from tasks.audit.audit_draw import draw_audit
from tasks.audit.take_audit import take_audit
from tasks.errors import InputError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.gold.gold_inclusion import LEAST_DRAWN, gold_inclusion, is_unequal, on_other_gold
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.question_runs import process_questions
from tasks.runs.history import reproduce
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import read_table, stored_questions

LABELS = ("kind", "rude")
CONFIG = QuestionConfig(labels=LABELS, slices=("language",))
OPTIONS = EvaluationOptions(confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1")
SIZES = {"de": 12, "en": 108}
RIGHT = {"de": 0.5, "en": 0.95}
TRUTH = {f"{language}{i}": LABELS[i % 3 == 0] for language, n in SIZES.items() for i in range(n)}
TIMES = dict.fromkeys(("first_at", "gold_at"), pl.Datetime("us", "UTC"))
OTHERS = {"item": pl.String, "pattern": pl.String, **TIMES, "stratum": pl.String}
DAYS = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=i) for i in range(9)]


@pytest.fixture
def project(tmp_path: Path) -> InboxProject:
    """A bot that is mostly wrong in the rare language."""
    rng, made = random.Random(4), InboxProject(tmp_path)
    lines = [["item", "rater", "label", "language"]]
    for item, truth in TRUTH.items():
        for rater in ("ann", "bob", "cy", "bot"):
            right = RIGHT[item[:2]] if rater == "bot" else 0.8
            lines.append([item, rater, truth if rng.random() < right else LABELS[truth == "kind"], item[:2]])
    with (made.inbox / "tone.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    made.ingest(ReadOptions(question="tone", systems=frozenset({"bot"})))
    return made


def draw(project: InboxProject, n: int = 20, seed: int = 1, key: str | None = "language", **more: Any) -> pl.DataFrame:
    now = more.get("now", datetime.now(UTC) + timedelta(hours=1))
    out = project.folder / f"{seed}.csv"
    draw_audit(project.db, "tone", n=n, seed=seed, out=out, file_format="csv", now=now, stratify_by=key)
    return pl.read_csv(out, schema_overrides={"label": pl.String})


def answer(project: InboxProject, drawn: pl.DataFrame, name: str = "answers.csv") -> dict[str, Any]:
    path = project.folder / name
    drawn.with_columns(label=pl.col("item").replace_strict(TRUTH)).write_csv(path)
    return take_audit(project.db, path, "tone", CONFIG, confidence=0.95, seed=0).to_json()


def evaluate(project: InboxProject) -> list[Any]:
    with connect(project.db, read_only=True) as con:
        questions = stored_questions(con)
    return list(process_questions(project.db, "evaluate", questions, QuestionConfigs({}, CONFIG), OPTIONS))


def rows(project: InboxProject, query: str) -> list[Any]:
    with connect(project.db, read_only=True) as con:
        return con.execute(query).fetchall()


def test_strata_are_drawn_equally_and_their_items_weighted(project: InboxProject) -> None:
    drawn = draw(project)
    assert drawn["item"].str.slice(0, 2).value_counts().sort("item").rows() == [("de", 10), ("en", 10)]
    stored = rows(project, "select stratum, n_items, n_population from audit_strata order by stratum")
    assert stored == [("de", 10, 12), ("en", 10, 108)]
    assert rows(project, "select distinct stratum, inclusion_probability from audit_items order by all") == [
        ("de", pytest.approx(10 / 12)), ("en", pytest.approx(10 / 108)),
    ]  # fmt: skip
    value = answer(project, drawn)
    assert any("known probabilities that differ" in text for text in value["notes"])
    (bot,) = value["systems"]
    ratings = read_table_of(project)
    gold = drawn.select("item", label=pl.col("item").replace_strict(TRUTH)).with_columns(
        inclusion_probability=pl.when(pl.col("item").str.starts_with("de")).then(10 / 12).otherwise(10 / 108)
    )
    by_hand = accuracy(ratings, systems=["bot"], labels=LABELS, gold=gold, methods=["average"]).row(0, named=True)
    assert bot["after"]["accuracy"] == pytest.approx(by_hand["accuracy"], abs=1e-9)
    assert bot["after"]["low"] == pytest.approx(by_hand["low"], abs=1e-9)


def read_table_of(project: InboxProject) -> pl.DataFrame:
    with connect(project.db, read_only=True) as con:
        ratings = read_table(con, "current_ratings")
    return ratings.filter(pl.col("rater_kind") != "gold").select("item", "rater", "label")


def test_a_run_weights_all_figures_and_is_computed_again_alike(project: InboxProject) -> None:
    answer(project, draw(project))
    (result,) = evaluate(project)
    assert result.error is None
    assert any("drawn with probabilities that differ" in text for text in result.notes)
    results = dict(rows(project, "select scope, accuracy from latest_system_accuracy where method = 'average'"))
    right = dict(rows(project, _RIGHT))
    assert results["slice:language=de"] == pytest.approx(right["de"], abs=0.25)
    assert results["all"] > results["slice:language=de"] + 0.2
    (run,) = rows(project, "select run_id from runs where kind = 'evaluate'")
    assert reproduce(project.db, run[0]).differences == ()
    with connect(project.db) as con:
        assert {name for name, rows in run_checks(con).items() if rows.height} == set()


_RIGHT = """select substr(r.item, 1, 2), avg((r.label = g.label)::int) from current_ratings as r
inner join current_ratings as g on r.item = g.item and g.rater_kind = 'gold' where r.rater = 'bot' group by 1"""


def test_strata_without_a_label_are_named(project: InboxProject) -> None:
    """The expert has labelled one language so far: no figure is said to hold for the 108 items of the other."""
    drawn = draw(project)
    value = answer(project, drawn.filter(pl.col("item").str.starts_with("de")))
    assert any("These strata have 108 items" in text for text in value["notes"])
    (result,) = evaluate(project)
    assert any("These strata have 108 items" in text for text in result.notes)
    query = "select warnings from latest_system_accuracy where scope = 'all' and method = 'average'"
    assert any("These strata have 108 items" in text for text in rows(project, query)[0][0])
    (run,) = rows(project, "select run_id from runs where kind = 'evaluate'")
    draw(project, n=4, seed=2)  # nobody has answered it yet
    assert reproduce(project.db, run[0]).differences == ()
    assert not any("strata" in text for text in answer(project, drawn, "all.csv")["notes"])


def test_all_samples_are_drawn_alike(project: InboxProject) -> None:
    draw(project)
    for key, words in ((None, "--stratify language"), ("source", "--stratify language")):
        with pytest.raises(InputError, match="were drawn by 'language'") as refused:
            draw(project, seed=2, key=key)
        assert words in refused.value.hint
    again = draw(project, n=20, seed=3)
    assert again["item"].str.starts_with("de").sum() == 2  # all that are left


def test_too_few_for_the_strata_and_an_unknown_key(project: InboxProject) -> None:
    with pytest.raises(InputError, match="3 items are too few for 2 strata: each needs"):
        draw(project, n=3)
    with pytest.raises(InputError, match="No item has this property"):
        draw(project, key="colour")


def test_items_that_came_between_two_random_samples_count_more() -> None:
    """Items of the first 100 are in one sample or the other with 1 - .8 * .9, those that came later with .1."""
    first, later = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)
    rows = [(f"a{i}", "1", first) for i in range(20)] + [(f"b{i}", "2", first) for i in range(8)]
    rows += [(f"c{i}", "2", later) for i in range(10)]
    drawn = pl.DataFrame(
        [(item, item, audit, "", at) for item, audit, at in rows],
        schema=["item", "pattern", "audit_id", "stratum", "first_at"],
        orient="row",
    )
    strata = pl.DataFrame(
        {
            "audit_id": ["1", "2"], "stratum": ["", ""], "n_items": [20, 18], "n_population": [100, 180],
            "drawn_at": [first + timedelta(days=1), later + timedelta(days=1)],
        }
    )  # fmt: skip
    others = pl.DataFrame(schema=OTHERS)
    result = gold_inclusion(drawn, strata, others)
    assert result is not None
    by_kind = dict(result.group_by(pl.col("item").str.slice(0, 1)).agg(pl.col("inclusion_probability").mean()).rows())
    assert by_kind == {"a": pytest.approx(0.28), "b": pytest.approx(0.28), "c": pytest.approx(0.1)}
    early = drawn.filter(pl.col("first_at") == first)
    alike = gold_inclusion(early, strata, others)  # one simple random sample
    assert alike is not None
    assert not is_unequal(alike)


def drawn_items(*samples: tuple[str, str, int, datetime]) -> pl.DataFrame:
    """Drawn items that have gold. A sample is its name, the prefix of its items, their number and when they came."""
    rows = [(f"{kind}{i}", f"{kind}{i}", audit, "", at) for audit, kind, n, at in samples for i in range(n)]
    return pl.DataFrame(rows, schema=["item", "pattern", "audit_id", "stratum", "first_at"], orient="row")


def two_draws(*sizes: tuple[int, int]) -> pl.DataFrame:
    """Samples of the days 3 and 6: items drawn, and of how many."""
    drawn, population = zip(*sizes, strict=True)
    return pl.DataFrame(
        {"audit_id": ["1", "2"], "stratum": "", "n_items": drawn, "n_population": population,
         "drawn_at": [DAYS[3], DAYS[6]]}
    )  # fmt: skip


def other_items(**moments: tuple[int, int]) -> pl.DataFrame:
    """Items that no audit drew: the days on which item and gold came."""
    rows = [(item, item, DAYS[first], DAYS[gold], "") for item, (first, gold) in moments.items()]
    return pl.DataFrame(rows, schema=OTHERS, orient="row")


def probabilities(inclusion: pl.DataFrame | None) -> dict[str, float]:
    assert inclusion is not None
    return dict(inclusion.select("item", "inclusion_probability").iter_rows())


def test_other_gold_by_when_it_came() -> None:
    """Gold from before the first draw that could have drawn its item is sure; later gold has no probability."""
    drawn, strata = drawn_items(("1", "d", LEAST_DRAWN, DAYS[0])), two_draws((10, 100), (5, 95)).head(1)
    others = other_items(before=(0, 2), after=(0, 4), late_item=(5, 5))
    result = gold_inclusion(drawn, strata, others)
    assert result is not None
    undrawn = result.filter(~pl.col("drawn")).select("item", "inclusion_probability").rows()
    assert undrawn == [("before", 1.0)]
    notes = on_other_gold(result, LEAST_DRAWN + 3)
    assert [text.split(" of the gold")[0] for text in notes] == ["1", "2"]
    assert gold_inclusion(drawn.head(LEAST_DRAWN - 1), strata, others) is None
    assert gold_inclusion(drawn.head(LEAST_DRAWN - 1), strata, others.clear()) is not None


def test_gold_between_two_draws_counts_for_a_part() -> None:
    """The second draw left these items out, so only the first one stands for them."""
    drawn, strata = drawn_items(("1", "a", 20, DAYS[0]), ("2", "b", 20, DAYS[0])), two_draws((20, 200), (20, 100))
    result = gold_inclusion(drawn, strata, other_items(early=(0, 1), between=(0, 4), new=(4, 5), last=(0, 7)))
    p = 0.1 + 0.9 * 0.2
    of = probabilities(result)
    assert [of["a0"], of["b0"]] == [pytest.approx(p)] * 2
    assert {name: value for name, value in of.items() if len(name) > 3} == {
        "early": 1.0, "between": pytest.approx(p / 0.2)
    }  # fmt: skip
    assert of["new"] == 1.0
    assert result is not None
    notes = on_other_gold(result, result.height + 1)
    assert [text[:2] for text in notes] == ["2 ", "1 ", "1 "]
    assert "They had gold before its last draw, but not before the first that could have drawn them" in notes[1]


def test_items_that_nobody_labelled_are_left_out_of_the_next_draw() -> None:
    """Of 100 drawn items 10 have gold. So each of the 100 others is left for the second draw, of 200 items."""
    drawn = drawn_items(("1", "a", 10, DAYS[0]), ("2", "b", 10, DAYS[0]), ("2", "c", 10, DAYS[4]))
    result = gold_inclusion(drawn, two_draws((100, 200), (20, 200)), other_items())
    of = probabilities(result)
    assert of["a0"] == of["b0"] == pytest.approx(10 / 200 + 100 / 200 * 20 / 200)
    assert of["c0"] == pytest.approx(0.1)


def test_the_weights_are_right_whoever_chose_the_gold_between_two_draws() -> None:
    """A fifth of the items are hard. Somebody gives gold to most of those that the first draw left."""
    rng, shares, hard = random.Random(6), [], 60
    for _ in range(300):
        items = list(range(300))
        first = rng.sample(items, 15)
        picked = [item for item in range(45) if item not in first]  # hard ones
        second = rng.sample([item for item in items if item not in {*first, *picked}], 40)
        rows = [(str(item), str(item), audit, "", DAYS[0]) for audit, sample in (("1", first), ("2", second)) for item in sample]  # fmt: skip # noqa: E501
        drawn = pl.DataFrame(rows, schema=["item", "pattern", "audit_id", "stratum", "first_at"], orient="row")
        others = other_items(**{str(item): (0, 4) for item in picked})
        of = probabilities(gold_inclusion(drawn, two_draws((15, 300), (40, 285 - len(picked))), others))
        shares.append(sum(1 / p for item, p in of.items() if int(item) < hard) / sum(1 / p for p in of.values()))
    assert sum(shares) / len(shares) == pytest.approx(hard / 300, abs=0.01)  # without them it would be .10
