"""What `agree` says of the weights beside its figures."""

from pathlib import Path
from typing import Any

STARS = "item,rater,label\n" + "".join(
    f"{item},{rater},{1 + (item + shift * (item % 3 == 0)) % 5}\n"
    for item in range(20)
    for rater, shift in (("ann", 0), ("ben", 1), ("cem", 0))
)


def test_weights_are_named_beside_the_scale_and_the_agreement_of_raters(tmp_path: Path, kappaflow: Any) -> None:
    file = tmp_path / "stars.csv"
    file.write_text(STARS)
    command = ("agree", file, "--scale", "ordinal", "--by", "rater")
    weighted = kappaflow(*command, "--weights", "linear").stdout
    assert "5 labels (ordinal, linear weights)" in weighted
    assert "weighted agreement with others" in weighted
    plain = kappaflow(*command).stdout
    assert "5 labels (ordinal)\n" in plain
    assert "agreement with others" in plain
    assert "weighted agreement" not in plain
