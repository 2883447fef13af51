"""What shared errors would do to the accuracy of each system: the chart and the figures beside it."""

import re
from typing import Any
from xml.etree import ElementTree

from tasks.report.sections.sensitivity_section import SensitivitySection, sensitivity_section

ROW = {"system": "gpt", "system_version": None, "method": "average", "accuracy": 0.9, "n_gold": 0, "outer_low": 0.8,
       "outer_high": 0.95}  # fmt: skip


def section(*rows: dict[str, Any], n_labels: int | None = 3) -> SensitivitySection:
    result = sensitivity_section([ROW | row for row in rows], n_labels)
    assert result is not None
    return result


def drawing(result: SensitivitySection) -> ElementTree.Element:
    return ElementTree.fromstring(str(result.chart))


def test_the_figures_are_those_of_the_formula_without_gold_and_at_each_share() -> None:
    table = section({}, {"system": "rules", "accuracy": 1 / 3}).table
    assert [column.title.replace("\u00a0", " ") for column in table.columns] == ["System", "0 %", "5 %", "15 %", "25 %"]
    # 0.9 - d (3 * 0.9 - 1) / 2, and an accuracy by chance stays
    assert list(map(str, table.rows[0])) == ["<bdi>gpt</bdi>", "0.900", "0.858", "0.772", "0.688"]
    assert list(map(str, table.rows[1]))[1:] == ["0.333"] * 4
    assert table.aside is not None
    assert "median of this share was 4 %" in table.aside[1]


def test_the_chart_names_its_axes_and_says_its_figures_in_words() -> None:
    result = section({})
    chart = drawing(result)
    texts = [element.text for element in chart.iter("text")]
    assert {"gpt", "accuracy", "share of items wrong together", "5%", "15%", "25%"} <= set(texts)
    assert chart.get("role") == "img"
    spoken = (chart.get("aria-label") or "").replace("\u00a0", " ")
    assert spoken == "Accuracy if raters share errors: gpt, 0 %: 0.900 (0.800 – 0.950), 25 %: 0.688"
    tips = [(title.text or "").replace("\u00a0", " ") for title in chart.iter("title")]
    assert tips == ["gpt, 0 %: 0.900 (0.800 – 0.950)", "gpt, 5 %: 0.858", "gpt, 15 %: 0.772", "gpt, 25 %: 0.688"]


def test_one_colour_of_the_page_serves_light_and_dark() -> None:
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', str(section({}, {"system": "rules"}).chart)))
    assert "var(--accent)" in colours
    assert {colour for colour in colours if colour not in ("none", "transparent")} <= {
        "var(--accent)", "var(--ink)", "var(--line)", "var(--muted)",
    }  # fmt: skip


def test_an_outer_interval_is_drawn_where_there_is_one() -> None:
    def lines(**changes: Any) -> int:
        return sum(element.get("stroke-width") == "3" for element in drawing(section(changes)).iter())

    assert lines() == 1
    assert lines(outer_low=None, outer_high=None) == 0


def test_of_many_systems_the_first_four_are_drawn_and_all_listed() -> None:
    result = section(*({"system": f"s{place}"} for place in range(8)))
    texts = {element.text for element in drawing(result).iter("text")}
    assert {"s0", "s3"} <= texts
    assert "s4" not in texts
    assert len(result.table.rows) == 8
    assert result.table.note == "Drawn: the first 4."


def test_a_name_of_a_system_stays_text() -> None:
    assert "<script>" not in str(section({"system": "<script>alert(1)</script>"}).chart)


def test_audited_and_other_estimates_have_none() -> None:
    for change in ({"n_gold": 30}, {"method": "one_coin"}, {"accuracy": None}):
        assert sensitivity_section([ROW | change], 3) is None
    assert sensitivity_section([ROW], None) is None
    assert sensitivity_section([], 3) is None
