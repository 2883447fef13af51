"""When labels are too many for an accuracy."""

import pytest

from stats.numeric_labels import MAX_NUMBERS, why_too_many_labels

HALVES = [str(score / 2) for score in range(80)]
WHOLE = [str(score) for score in range(80)]


@pytest.mark.parametrize(
    ("labels", "scale", "config", "too_many"),
    [
        (WHOLE, "interval", True, True),
        (WHOLE, "ratio", False, True),
        (WHOLE, "ordinal", False, True),
        (WHOLE, "nominal", False, False),  # they may be the names of classes
        (HALVES, "nominal", False, True),
        (HALVES, "nominal", True, False),
        (WHOLE[:MAX_NUMBERS], "interval", False, False),
        ([f"intent {number}" for number in range(80)], "nominal", False, False),
    ],
)
def test_many_numbers_of_a_scale(labels: list[str], scale: str, config: bool, too_many: bool) -> None:
    why = why_too_many_labels(labels, scale, n_items=400, are_declared=config)
    assert (why is not None) == too_many
    assert why_too_many_labels(labels, scale, n_items=400, are_declared=config, audited=True) == why


def test_many_labels_need_items() -> None:
    names = [f"place {number}" for number in range(300)]
    why = why_too_many_labels(names, "nominal", n_items=599, are_declared=True)
    assert why is not None
    assert why[0] == "too_many_labels"
    assert why[1].startswith("There are 300 labels for 599 items.")
    assert why_too_many_labels(names, "nominal", n_items=600, are_declared=True) is None
    assert why_too_many_labels(names, "nominal", n_items=599, are_declared=True, audited=True) is None
    assert why_too_many_labels(names[:200], "nominal", n_items=10, are_declared=True) is None
