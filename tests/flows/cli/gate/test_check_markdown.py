"""The Markdown of a gate."""

import pytest

from flows.cli.gate.check_markdown import markdown_text
from tasks.gate.judgement import GateResult
from tests.flows.cli.gate.test_check_junit import HOSTILE, rule


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_stays_in_its_cell_of_the_markdown_table(name: str) -> None:
    text = markdown_text(GateResult(name, (rule("pass", "pass", name), rule("pass", "pass")), "interval"))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 4
    assert {row.replace("\\|", "").count("|") for row in rows} == {10}
    assert all(char == "\n" or char.isprintable() for char in text)
    assert "<" not in text.replace("\\<", "")
    text.encode()
