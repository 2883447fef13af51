"""What the commands say of the columns of a table: those taken, kept and passed over, and all of them in a refusal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SHEET = "id,annotator,prompt,response,score\n1,a,p,hello,4\n1,b,p,hello,2\n2,a,q,bye,5\n2,b,q,bye,4\n"
COLUMNS_USED = "Columns used: item 'id', rater 'annotator', label 'score'; metadata of the items: 'prompt', 'response'."


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "sheet.csv"
    path.write_text(SHEET, encoding="utf-8")
    return path


@pytest.mark.field_trial(10)
@pytest.mark.field_trial(20)
@pytest.mark.parametrize("command", ["agree", "inspect"])
def test_a_refused_table_is_shown_and_the_option_works(sheet: Path, command: str, kappaflow: Any) -> None:
    refused = kappaflow(command, sheet, code=2)
    lines = refused.stderr.splitlines()
    assert refused.stdout == ""
    assert lines[0].startswith("Column 'response' of sheet.csv is probably not the label")
    assert lines[1] == "Name one: --columns label=score, or --columns label=response."
    assert [line.split()[0] for line in lines[3:]] == ["id", "annotator", "prompt", "response", "score"]
    assert lines[-1].split()[1:] == ["4,", "2,", "5"]
    assert COLUMNS_USED in " ".join(kappaflow(command, sheet, "--columns", "label=score").stdout.split())


@pytest.mark.field_trial(10)
def test_accuracy_says_the_columns(sheet: Path, kappaflow_json: Callable[..., Any]) -> None:
    rows = [f"{i},{rater},p,hello,{4 + (i + n) % 2}" for i in range(12) for n, rater in enumerate("abc")]
    sheet.write_text("\n".join([SHEET.splitlines()[0], *rows]), encoding="utf-8")
    result = kappaflow_json("accuracy", sheet, "--columns", "label=score", "--system", "c")
    assert result["columns"]["passed_over"] == ["prompt", "response"]


@pytest.mark.field_trial(20)
def test_a_format_of_times_with_a_comma_is_given_alone(tmp_path: Path, kappaflow_json: Callable[..., Any]) -> None:
    path = tmp_path / "dated.csv"
    path.write_text('item,rater,label,date\n1,a,x,"Mar 4, 2026"\n1,b,y,"Mar 5, 2026"\n', encoding="utf-8")
    options = ("--columns", "time=date", "--columns", "time_format=%b %d, %Y")
    result = kappaflow_json("inspect", path, *options)
    assert result["n_rejected"] == 0
    assert [row["rated_at"][:10] for row in result["first_rows"]] == ["2026-03-04", "2026-03-05"]
