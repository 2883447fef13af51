"""Wide tables whose columns are named by question and rater."""

from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.formats.columns.header_grid import two_names
from tasks.ingest.read_export import read_export

ROWS = "".join(f"{i},{'yes' if i % 2 else 'no'},yes,{'no' if i % 3 else 'yes'},no\n" for i in range(20))


def write(tmp_path: Path, header: str) -> Path:
    path = tmp_path / "q.csv"
    path.write_text(f"id,{header}\n{ROWS}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("header", "mapping"),
    [
        ("toxic_anna,toxic_bob,spam_anna,spam_bob", "'item=id,raters=toxic_anna|toxic_bob' or "),
        ("anna_q1,anna_q2,bob_q1,bob_q2", "'item=id,raters=anna_q1|bob_q1' or 'item=id,raters=anna_q2|bob_q2'"),
        ("anna_round1,bob_round1,anna_round2,bob_round2", "'item=id,raters=anna_round1|bob_round1' or "),
        (
            "anna: a b,anna: c d,eva: a b,eva: c d",
            "'item=id,raters=anna: a b|anna: c d' or 'item=id,raters=anna: a b|eva: a b'",
        ),
    ],
)
def test_is_refused_and_each_question_can_be_read(tmp_path: Path, header: str, mapping: str) -> None:
    """Read as four raters, agreement on two questions would be taken for disagreement on one."""
    path = write(tmp_path, header)
    with pytest.raises(ReadError) as refused:
        read_export(path)
    assert "have names of two parts" in str(refused.value)
    assert mapping in str(refused.value)
    raters = mapping.split("'")[1].split("raters=")[1]
    export = read_export(path, ReadOptions(format="wide", columns={"item": "id", "raters": raters}))
    assert sorted(set(export.rows["rater"])) == sorted(raters.split("|"))


@pytest.mark.parametrize(
    "headers",
    [
        ["expert_1", "expert_2", "crowd_1", "crowd_2"],
        ["rater_a", "rater_b", "model_a", "model_b"],
        ["anna_k", "bob_k", "chloe_m"],
        ["anna", "bob", "chloe", "dan"],
        ["rater 1", "rater 2", "rater 3", "rater 4"],
    ],
)
def test_people_are_no_grid(headers: list[str]) -> None:
    assert two_names("id", headers) is None


def test_several_sets_of_columns_come_with_a_mapping_for_each(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("id,ann,ben,ann_conf,ben_conf\n1,x,y,1,2\n2,y,y,2,2\n3,x,x,1,1\n", encoding="utf-8")
    with pytest.raises(ReadError, match=r"'item=id,raters=ann\|ben' or 'item=id,raters=ann_conf\|ben_conf'"):
        read_export(path)
