"""Long lists of annotators: which rows stay visible, and the sentence about the rows that do not."""

from typing import Any

from tasks.report.folded_rows import LEFT_OUT, MAX_UNFOLDED, fold_annotators


def row(number: int, value: float | None, half: float = 0.1, **more: Any) -> dict[str, Any]:
    high = None if value is None else value + half
    return {"rater": f"r{number:03}", "share": value, "high": high, "confidence": 0.95, "n_open_alerts": 0, **more}


def names(rows: Any) -> list[str]:
    return [result["rater"] for result in rows]


def test_a_short_list_stays_as_it_is() -> None:
    rows = [row(number, 0.5) for number in range(MAX_UNFOLDED, 0, -1)]
    parts = fold_annotators(rows, "share", "high")
    assert (parts.shown, parts.folded, parts.note) == (rows, (), "")


def test_who_lies_below_the_average_or_has_an_alert_comes_first() -> None:
    rows = [row(number, 0.8) for number in range(197)]
    rows += [row(900, 0.5), row(901, 0.4), row(902, 0.9, n_open_alerts=1), row(903, None)]
    parts = fold_annotators(rows, "share", "high", limit=500)
    assert names(parts.shown) == ["r901", "r900", "r902", "r000", "r001"]
    assert sorted(names(parts.shown) + names(parts.folded)) == sorted(names(rows))
    assert names(parts.folded)[-1] == "r903"
    assert parts.title == "The other 196\xa0annotators"
    assert parts.note == (
        "3 of 201\xa0annotators stand out: an open alert, or an interval below the average, 0.797. With so many"
        " annotators about 5 would by chance alone."
    )


def test_nobody_stands_out() -> None:
    parts = fold_annotators([row(number, 0.8) for number in range(60)], "share", "high", 0.8, limit=50)
    assert (len(parts.shown), len(parts.folded), parts.title) == (5, 45, "The next 45\xa0annotators")
    assert parts.note == f"The lowest 5; no interval lies below the average, 0.800. {LEFT_OUT}"
