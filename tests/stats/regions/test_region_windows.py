"""Regions in windows: each window equals the same figures of its items alone, whatever the others are."""

import numpy as np
import polars as pl
import pytest

from stats.regions import (
    BOXES,
    DONE,
    LENGTHS,
    SPANS,
    by_label,
    character_alpha,
    match_boxes,
    match_spans,
    unitised_alpha,
)
from stats.regions import region_agreement as agreement_on_regions
from stats.regions.region_windows import MarkedTexts, region_windows

Frames = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]


def drawn(seed: int) -> Frames:
    """Return spans, done, lengths and members: 30 texts, some by two of three raters or one, some without a length."""
    rng = np.random.default_rng(seed)
    spans, result, lengths = [], [], []
    for number in range(30):
        item = f"i{number}"
        if number % 7:
            lengths.append((item, 60))
        for rater in rng.choice(["ann", "ben", "cem"], int(rng.integers(1, 4)), replace=False).tolist():
            result.append((item, rater))
            for place in range(int(rng.integers(0, 3))):
                start = 20 * place + int(rng.integers(0, 4))
                end = start + int(rng.integers(3, 9))
                spans.append((item, rater, start, end, str(rng.choice(["PER", "LOC"]))))
    members = [(window, f"i{number}") for window in range(6) for number in range(5 * window, min(30, 5 * window + 9))]
    members += [(6, "i1"), (7, "nowhere")]
    return (
        pl.DataFrame(spans, schema=dict(SPANS), orient="row"),
        pl.DataFrame(result, schema=dict(DONE), orient="row"),
        pl.DataFrame(lengths, schema=dict(LENGTHS), orient="row"),
        pl.DataFrame(members, schema=["window", "item"], orient="row"),
    )


def only(frame: pl.DataFrame, items: list[str]) -> pl.DataFrame:
    return frame.filter(pl.col("item").is_in(items))


@pytest.mark.parametrize("seed", range(6))
def test_a_window_has_the_figures_of_its_items_alone(seed: int) -> None:
    spans, result, lengths, members = drawn(seed)
    texts = MarkedTexts(spans, result, lengths)
    results = region_windows(match_spans(spans, result), result, members, texts=texts)
    assert results["window"].n_unique() >= 6
    for (window,), rows in results.group_by("window"):
        items = members.filter(pl.col("window") == window)["item"].to_list()
        part, who, sizes = (only(frame, items) for frame in (spans, result, lengths))
        matches = match_spans(part, who)
        for label in (None, "PER", "LOC"):
            own = {row["name"]: row for row in rows.filter(pl.col("label").eq_missing(label)).to_dicts()}
            if not own:
                assert label not in matches["label"]
                continue
            whole = agreement_on_regions(matches, who) if label is None else by_label(matches, who)
            whole = whole if label is None else whole.filter(pl.col("label") == label)
            for row in whole.to_dicts():
                for name, value in row.items():
                    assert own[row["name"]][name] == (pytest.approx(value) if isinstance(value, float) else value), name
            marked = part if label is None else part.filter(pl.col("label") == label)
            of_all = sizes.join(who.filter(pl.len().over("item") == who["rater"].n_unique()), on="item", how="semi")
            assert own["unitised_alpha"]["n_items"] == of_all.height, "texts that all raters of the window did"
            counted = marked.join(of_all, on="item", how="semi").join(who, on=["item", "rater"], how="semi")
            assert own["unitised_alpha"]["n_regions"] == counted.height
            for name, alpha in (("character_alpha", character_alpha), ("unitised_alpha", unitised_alpha)):
                figure = alpha(marked, who, sizes)
                shown = own[name]
                if own["f1_exact"]["n_items"] and not own["character_alpha"]["n_items"]:
                    assert shown["reason"] == "not_identified"
                    continue
                assert (shown["reason"], shown["detail"]) == (figure.reason, figure.detail)
                for key in ("estimate", "low", "high", "se"):
                    assert shown[key] == pytest.approx(getattr(figure, key)), (name, key)


def test_boxes_have_their_own_coefficients() -> None:
    places = [("a", 0, 10), ("b", 5, 15), ("c", 40, 50)]
    rows = [(item, rater, float(low + shift), 0.0, float(high), 10.0, "car")
            for item, low, high in places for rater, shift in (("ann", 0), ("ben", 2))]  # fmt: skip
    boxes = pl.DataFrame(rows, schema=dict(BOXES), orient="row")
    result = boxes.select("item", "rater").unique()
    members = pl.DataFrame({"window": [0, 0, 1], "item": ["a", "b", "c"]})
    results = region_windows(match_boxes(boxes, result), result, members, labels=False)
    assert results.select("window", "name", "estimate").rows() == [
        (window, name, pytest.approx(value))
        for window in (0, 1)
        for name, value in (("f1_iou50", 1), ("f1_iou75", 1), ("mean_iou", 0.8))
    ]


def test_a_window_that_one_rater_did_has_no_figures() -> None:
    spans = pl.DataFrame([("a", "ann", 0, 4, "PER")], schema=dict(SPANS), orient="row")
    result, members = spans.select("item", "rater"), pl.DataFrame({"window": [0], "item": ["a"]})
    assert region_windows(match_spans(spans, result), result, members).is_empty()
