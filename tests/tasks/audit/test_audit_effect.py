"""An audit has an effect on accuracies only where there are any."""

import polars as pl
import pytest

from tasks.audit.audit_effect import question_accuracy
from tasks.evaluate.question_config import QuestionConfig

KINDS = {"ann": "human", "bob": "human", "bot": "system", "expert": "gold"}


def patterns(n_labels: int) -> pl.DataFrame:
    """Return 120 items, each a pattern of its own. All raters of an item give it the same number."""
    rows = [
        (item, rater, kind, str(item % n_labels), 1) for item in range(120) for rater, kind in KINDS.items()
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label", "n_items"], orient="row")


@pytest.mark.parametrize(("n_labels", "systems"), [(5, ["bot"]), (40, [])])
def test_scores_have_no_accuracy_before_and_after_an_audit(n_labels: int, systems: list[str]) -> None:
    config = QuestionConfig(scale="interval")
    result = question_accuracy("score", patterns(n_labels), config, None, confidence=0.95, seed=0)
    assert sorted(result.rows) == systems
