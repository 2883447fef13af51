"""Repeats of judges: by hand, against known populations, and where nothing is defined."""

import numpy as np
import polars as pl
import pytest

from stats.agreement.repeats.repeat_reliability import repeat_reliability
from stats.errors import StatsError

LABELS = ["A", "B"]


def frame(**judges: str) -> pl.DataFrame:
    """frame(gpt="AA AB BB"): one word per item, one letter per answer."""
    rows = [(f"i{i}", name, label) for name, text in judges.items() for i, word in enumerate(text.split()) for label in word]  # fmt: skip # noqa: E501
    return pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row")


def test_by_hand() -> None:
    # W = mean(0, 1, 0, 1/...): words AA AB BB; P = (1,0), (.5,.5), (0,1); T = 1 - 2(.5 + 0 + .5)/6 = 2/3; W = 1/3
    row = repeat_reliability(frame(gpt="AA AB BB"), labels=LABELS).row(0, named=True)
    assert row["flip_rate"] == pytest.approx(1 / 3)
    assert row["repeat_share"] == pytest.approx(1 / 2)
    assert row["reliability"] == pytest.approx(1 / 2)
    assert (row["n_items"], row["n_answers"], row["judge_share"]) == (3, 6, None)
    assert row["flip_low"] < 1 / 3 < row["flip_high"]


def test_the_split_of_a_known_population() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for i in range(3000):
        truth = rng.random() < 0.5
        for judge in ("a", "b"):
            believed = truth ^ (rng.random() < 0.1)
            rows += [(str(i), judge, LABELS[int(believed ^ (rng.random() < 0.05))]) for _ in range(3)]
    result = repeat_reliability(pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row"), labels=LABELS)
    row = result.row(-1, named=True)
    # W = 2(.05)(.95); answers to one item agree with the truth in .9(.95) + .1(.05) = .86: B = 2(.86)(.14); T = 1/2
    W, B, T = 0.095, 2 * 0.86 * 0.14, 0.5
    assert row["judge"] == "all judges"
    assert row["repeat_share"] == pytest.approx(W / T, abs=0.02)
    assert row["judge_share"] == pytest.approx((B - W) / T, abs=0.03)
    assert row["item_share"] + row["judge_share"] + row["repeat_share"] == pytest.approx(1)


def test_the_split_of_two_judges_by_hand() -> None:
    # W = 0, B = 2 / 4; T: of the 12 pairs of an answer of one and one of the other to another item 8 differ
    row = repeat_reliability(frame(glm="AA AA AA BB", gpt="AA BB BB BB"), labels=LABELS).row(-1, named=True)
    assert (row["item_share"], row["judge_share"], row["repeat_share"]) == pytest.approx((1 / 4, 3 / 4, 0))


def test_an_answer_that_a_judge_did_not_give_does_not_count_for_it() -> None:
    # of glm only i0 and i1: W = 0, B = 1 / 2; pairs weigh by 1 / judges of the item: i0, i1 .5 each, i2 1 for gpt
    answers = frame(glm="AA AA", gpt="AA BB BB")
    row = repeat_reliability(answers, labels=LABELS).row(-1, named=True)
    # glm i0 - gpt i1 .25 differs, glm i0 - gpt i2 .5 differs, glm i1 - gpt i0 .25 not, glm i1 - gpt i2 .5 differs
    T = (0.25 + 0.5 + 0.5) / 1.5
    assert (row["judge_share"], row["item_share"]) == pytest.approx((0.5 / T, 1 - 0.5 / T))


def test_judges_of_different_levels_split_as_their_population() -> None:
    """150 sets, each with three new judges. The repeats are .475; with T from all pairs they came out as .52."""
    rng = np.random.default_rng(11)

    def share(*effects: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-sum(effects)))

    def differ(first: np.ndarray, other: np.ndarray) -> float:
        return float(np.mean(first + other - 2 * first * other))

    items, judges, both = rng.normal(0, 2, (2, 200_000)), rng.normal(0, 2, (2, 200_000)), rng.normal(0, 0.5, (2, 200_000))  # fmt: skip # noqa: E501
    result = share(items[0], judges[0], both[0])
    W, B, T = (differ(result, share(item, judge, pair)) for item, judge, pair in (
        (items[0], judges[0], both[0]), (items[0], judges[1], both[1]), (items[1], judges[1], both[1])))  # fmt: skip
    results = []
    for _ in range(150):
        p = share(rng.normal(0, 2, (40, 1)), rng.normal(0, 2, (1, 3)), rng.normal(0, 0.5, (40, 3)))
        says = rng.random((40, 3, 2)) < p[:, :, None]
        answers = frame(**{f"j{j}": " ".join("".join(LABELS[int(x)] for x in word) for word in says[:, j]) for j in range(3)})  # fmt: skip # noqa: E501
        row = repeat_reliability(answers, labels=LABELS).row(-1, named=True)
        results.append((row["item_share"], row["judge_share"], row["repeat_share"]))
    assert np.mean(results, axis=0) == pytest.approx(((T - B) / T, (B - W) / T, W / T), abs=0.025)


def test_without_an_item_of_two_judges_their_part_is_not_known() -> None:
    rows = [(f"{judge}{i}", judge, label) for judge in ("gpt", "glm") for i, word in enumerate(("AA", "AB", "BB")) for label in word]  # fmt: skip # noqa: E501
    answers = pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row")
    row = repeat_reliability(answers, labels=LABELS).row(-1, named=True)
    assert (row["item_share"], row["judge_share"], row["reason"]) == (None, None, None)
    assert row["detail"].startswith("No item has answers of two judges")
    assert row["repeat_share"] == pytest.approx(1 - row["reliability"])


def test_errors_that_repeat_are_worth_one_answer_and_others_are_worth_all() -> None:
    gold = pl.DataFrame({"item": [f"i{i}" for i in range(8)], "label": "A"})
    stuck = repeat_reliability(frame(gpt="AAA BBB AAA AAA BBB AAA AAA AAA"), labels=LABELS, gold=gold)
    assert stuck["effective_committee"].item() == pytest.approx(1)
    assert stuck.select("effective_low", "effective_high").row(0) == (None, None)  # not [1, 1], of eight items
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(LABELS, 3, p=[0.7, 0.3])) for _ in range(400)]
    many = pl.DataFrame({"item": [f"i{i}" for i in range(400)], "label": "A"})
    free = repeat_reliability(frame(gpt=" ".join(words)), labels=LABELS, gold=many).row(0, named=True)
    assert free["effective_committee"] > 2.6
    assert free["effective_low"] <= free["effective_committee"] <= free["effective_high"] <= 3


WORTH = ("error_correlation", "effective_committee", "effective_low", "effective_high")


def test_drawn_gold_counts_for_the_items_that_it_stands_for() -> None:
    words = ["AAA", "BBB", "AAB", "ABA", "AAA", "BBA"]
    gold = pl.DataFrame({"item": [f"i{i}" for i in range(6)], "label": "A", "inclusion_probability": [0.5] * 3 + [1.0] * 3})  # fmt: skip # noqa: E501
    weighted = repeat_reliability(frame(gpt=" ".join(words)), labels=LABELS, gold=gold).row(0, named=True)
    twice = pl.DataFrame({"item": [f"i{i}" for i in range(9)], "label": "A"})
    repeated = repeat_reliability(frame(gpt=" ".join([*words[:3], *words])), labels=LABELS, gold=twice).row(
        0, named=True
    )
    assert weighted["n_gold"] == 6
    for name in WORTH[:2]:
        assert weighted[name] == pytest.approx(repeated[name], abs=1e-12)
    plain = repeat_reliability(frame(gpt=" ".join(words)), labels=LABELS, gold=gold.drop("inclusion_probability"))
    assert plain["error_correlation"].item() != pytest.approx(weighted["error_correlation"])
    alike = repeat_reliability(frame(gpt=" ".join(words)), labels=LABELS, gold=gold.with_columns(inclusion_probability=0.1))  # fmt: skip # noqa: E501
    assert alike.select(WORTH).row(0) == pytest.approx(plain.select(WORTH).row(0))


def test_gold_drawn_by_the_answers_gives_the_correlation_of_all_items() -> None:
    """Items with a divided answer were drawn five times as often: errors look less correlated than they are."""
    rng = np.random.default_rng(3)
    stuck = rng.random(4000) < 0.2
    wrong = np.where(stuck[:, None], rng.random((4000, 1)) < 0.5, rng.random((4000, 3)) < 0.2)
    words = ["".join(np.where(row, "B", "A")) for row in wrong]
    of_all = pl.DataFrame({"item": [f"i{i}" for i in range(4000)], "label": "A"})
    probability = np.where([len(set(word)) > 1 for word in words], 0.5, 0.1)
    drawn = of_all.with_columns(inclusion_probability=probability).filter(rng.random(4000) < probability)
    truth, weighted, plain = (
        repeat_reliability(frame(gpt=" ".join(words)), labels=LABELS, gold=gold).row(0, named=True)
        for gold in (of_all, drawn, drawn.drop("inclusion_probability"))
    )
    right = truth["effective_committee"]
    assert weighted["effective_low"] < right < weighted["effective_high"]
    assert not plain["effective_low"] < right < plain["effective_high"]


def test_a_probability_above_one_is_refused() -> None:
    gold = pl.DataFrame({"item": ["i0", "i1"], "label": "A", "inclusion_probability": [0.5, 2.0]})
    with pytest.raises(StatsError, match="above 0 and up to 1"):
        repeat_reliability(frame(gpt="AA AB"), labels=LABELS, gold=gold)


def test_a_judge_that_never_changes_its_mind_has_an_interval() -> None:
    row = repeat_reliability(frame(gpt=" ".join(["AA", "BB"] * 10)), labels=LABELS).row(0, named=True)
    assert (row["flip_rate"], row["flip_low"], row["reliability"]) == (0, 0, 1)
    assert 0.05 < row["flip_high"] < 0.3


def test_scores_by_hand() -> None:
    # answers 1 1, 1 3, 3 3: the squares of the differences in an item are 0, 4, 0, between items on average 8 / 3
    answers = pl.DataFrame({"item": list("112233"), "judge": "gpt", "label": list("111333")})
    near = pl.DataFrame({"item": list("112233"), "judge": "gpt", "label": list("111399")})
    labels = ["1", "3", "9"]
    row = repeat_reliability(answers, labels=labels, scale="interval").row(0, named=True)
    assert row["repeat_share"] == pytest.approx((4 / 3) / (8 / 3))
    # answers 1 1, 1 3, 9 9: between items (0 + 4) / 2, 64, (64 + 36) / 2
    row = repeat_reliability(near, labels=labels, scale="interval").row(0, named=True)
    assert row["repeat_share"] == pytest.approx((4 / 3) / ((2 + 64 + 50) / 3))
    nominal = repeat_reliability(near, labels=labels).row(0, named=True)
    assert row["flip_rate"] == nominal["flip_rate"] == pytest.approx(1 / 3)
    assert row["reliability"] > 0.9 > nominal["reliability"]


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
def test_scores_have_the_reliability_of_their_population(scale: str) -> None:
    """Quality is uniform, so ranks are as good as numbers: 1 - .5^2 / (variance of quality + .5^2), with rounding."""
    rng = np.random.default_rng(7)
    scores = np.rint(rng.uniform(1, 10, (4000, 1)) + rng.normal(0, 0.5, (4000, 3))).astype(int)
    rows = [(str(item), "gpt", str(score)) for item, of_item in enumerate(scores) for score in of_item]
    answers = pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row")
    labels = sorted(set(answers["label"]), key=int)
    few = answers.filter(pl.col("item").cast(pl.Int64) < 200)
    row = repeat_reliability(few, labels=labels, scale=scale).row(0, named=True)
    truth = 1 - (0.25 + 1 / 12) / (81 / 12 + 0.25 + 1 / 12)
    assert row["reliability_low"] < truth < row["reliability_high"]
    assert row["reliability_high"] - row["reliability_low"] < 0.04
    pairs = scores[:, :2].astype(float)
    assert truth == pytest.approx(np.corrcoef(pairs.T)[0, 1], abs=0.01), "the planted one is that of the data"
    assert repeat_reliability(few, labels=labels)["reliability"].item() < 0.6


def test_alike_scores_split_alike_on_all_scales_with_two_labels() -> None:
    answers = frame(gpt="AA AB BB AB AA", glm="AB AB BB BB AA").with_columns(
        pl.col("label").replace({"A": "1", "B": "2"})
    )
    rows = [repeat_reliability(answers, labels=["1", "2"], scale=scale) for scale in ("nominal", "ordinal", "interval")]
    for row in rows[1:]:
        for name in ("reliability", "reliability_low", "item_share", "judge_share", "repeat_share"):
            assert row[name].to_list() == pytest.approx(rows[0][name].to_list(), nan_ok=True)


def test_an_interval_scale_needs_numbers() -> None:
    with pytest.raises(StatsError, match="needs numbers as labels, found 'A'"):
        repeat_reliability(frame(gpt="AA AB BB"), labels=LABELS, scale="interval")


@pytest.mark.parametrize(("words", "reason"), [("A B A", "too_few_items"), ("AA AA AA", "zero_denominator")])
def test_undefined_with_a_reason(words: str, reason: str) -> None:
    row = repeat_reliability(frame(gpt=words), labels=LABELS).row(0, named=True)
    assert (row["reason"], row["reliability"], row["detail"] is None) == (reason, None, False)


def test_an_undeclared_label_is_refused() -> None:
    with pytest.raises(StatsError, match="'C' is not declared"):
        repeat_reliability(frame(gpt="AC AA"), labels=LABELS)
