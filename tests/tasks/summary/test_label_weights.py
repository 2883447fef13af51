"""Which figures go by the scale, said where others stand beside them."""

from pathlib import Path
from typing import Any

import pytest

from flows.cli.project_output import note_scales
from tasks.report.sections.agreement_section import coefficient_table
from tasks.summary.label_weights import scale_sentence


def row(name: str, weights: str = "identity", **figures: Any) -> dict[str, Any]:
    columns = ("low", "high", "se", "p_value", "observed", "expected", "confidence", "detail", "reason")
    return dict.fromkeys(columns) | {
        "question": "tone", "coefficient": name, "weights": weights, "scale": "ordinal", "estimate": 0.5, "n_labels": 5,
        "n_items": 9, "n_raters": 3, "n_ratings": 27,
    } | figures  # fmt: skip


ALPHA, KAPPA = row("krippendorff_alpha", "metric"), row("fleiss_kappa")
SENTENCE = (
    "Krippendorff's alpha goes by the ordinal scale. To the other coefficients a near miss is as bad as a far one, "
    "unless you give them weights."
)


def test_it_is_said_where_a_figure_by_the_scale_stands_beside_one_without() -> None:
    assert scale_sentence([ALPHA, KAPPA]) == SENTENCE
    with_icc = scale_sentence([ALPHA | {"scale": "interval"}, row("icc1", scale="interval"), KAPPA])
    assert with_icc.startswith("Krippendorff's alpha and the ICCs go by the interval scale")


@pytest.mark.parametrize(
    "rows",
    [
        [ALPHA],
        [ALPHA | {"n_labels": 2}, KAPPA | {"n_labels": 2}],
        [ALPHA | {"scale": "nominal"}, KAPPA | {"scale": "nominal"}],
        [ALPHA | {"weights": "linear"}, row("fleiss_kappa", "linear")],
        [ALPHA | {"estimate": None}, KAPPA],
        [ALPHA, row("icc1")],
        [],
    ],
)
def test_elsewhere_there_is_nothing_to_say(rows: list[dict[str, Any]]) -> None:
    assert scale_sentence(rows) == ""


def test_report_run_and_agree_say_it(tmp_path: Path, kappaflow: Any, capsys: pytest.CaptureFixture[str]) -> None:
    names = [cells[0] for cells in coefficient_table([ALPHA, KAPPA]).rows]
    assert names == ["Krippendorff's alpha, ordinal scale", "Fleiss' kappa"]
    note_scales([ALPHA, KAPPA, *(each | {"question": "other"} for each in (ALPHA, KAPPA))])
    assert " ".join(capsys.readouterr().out.split()).count(SENTENCE) == 1
    file = tmp_path / "grades.csv"
    grades = zip("123322113", "123222133", strict=True)
    file.write_text("item,rater,label\n" + "".join(f"{i},a,{a}\n{i},b,{b}\n" for i, (a, b) in enumerate(grades)))
    for options, n in ((["--scale", "ordinal"], 1), ([], 0)):
        text = " ".join(kappaflow("agree", file, "--labels", "1,2,3", *options).stdout.split())
        assert text.count(SENTENCE) == n
