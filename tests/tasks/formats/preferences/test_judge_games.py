"""MT-Bench's pairs and Arena-Hard: both games of a row are votes, each with the model that was shown first."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.formats.preferences.preference_votes import PreferenceExport
from tasks.formats.preferences.read_preferences import read_preferences
from tasks.ingest.read_export import read_export

MT_BENCH = [
    {"question_id": 81, "model_1": "x", "model_2": "y", "g1_winner": "model_1", "g2_winner": "tie", "turn": 2,
     "judge": ["gpt-4", "pair-v2-multi-turn"]},
    {"question_id": 82, "model_1": "x", "model_2": "y", "g1_winner": "error", "g2_winner": "model_1", "turn": 1,
     "judge": ["gpt-4", "pair-v2"]},
]  # fmt: skip
ARENA_HARD = [
    {"question_id": "q1", "model": "x", "judge": "gpt-4", "games": [{"score": "A>>B"}, {"score": "A>B"}]},
    {"question_id": "q2", "model": "x", "judge": "gpt-4", "games": [{"score": "A=B"}, {"score": None}]},
    {"question_id": "q3", "model": "x", "judge": "gpt-4", "games": []},
]


def read(path: Path, records: list[dict[str, Any]], **columns: str) -> PreferenceExport:
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n")
    return read_preferences(path, ReadOptions(columns=columns))


def test_in_mt_bench_the_second_game_shows_the_second_model_first(tmp_path: Path) -> None:
    export = read(tmp_path / "pair.jsonl", MT_BENCH)
    assert export.format == "mt_bench_pair"
    assert export.votes.select("item", "cluster", "rater", "rater_kind", "first", "second", "outcome").rows() == [
        ("81|2", "81", "gpt-4", "system", "x", "y", "first"),
        ("81|2", "81", "gpt-4", "system", "y", "x", "tie"),
        ("82|1", "82", "gpt-4", "system", "y", "x", "second"),
    ]
    assert export.rejects.select("row_number", "value").rows() == [(2, "error")]


def test_in_arena_hard_the_baseline_is_shown_first_in_the_first_game(tmp_path: Path) -> None:
    export = read(tmp_path / "hard.jsonl", ARENA_HARD)
    assert export.votes.select("item", "rater_kind", "first", "second", "outcome").rows() == [
        ("q1", "system", "baseline", "x", "first"),
        ("q1", "system", "x", "baseline", "first"),
        ("q2", "system", "baseline", "x", "tie"),
    ]
    assert export.rejects.select("row_number", "reason").rows() == [(2, "empty_answer"), (3, "empty_answer")]
    assert any("does not name the model" in note for note in export.warnings)


def test_a_baseline_that_is_named_has_its_name(tmp_path: Path) -> None:
    records = [{**record, "uid": record["question_id"], "baseline": "o3"} for record in ARENA_HARD[:1]]
    export = read(tmp_path / "hard.jsonl", records)
    assert export.votes["first"].to_list() == ["o3", "x"]
    assert not any("does not name the model" in note for note in export.warnings)


def test_mapped_columns_are_read_as_a_table(tmp_path: Path) -> None:
    export = read(tmp_path / "pair.jsonl", MT_BENCH, winner="g1_winner")
    assert (export.format, export.votes["outcome"].to_list()) == ("pairwise_table", ["first"])


@pytest.mark.parametrize("records", [MT_BENCH, ARENA_HARD])
def test_readers_of_ratings_refuse_them(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(records[0]) + "\n")
    with pytest.raises(ReadError, match="which of two models won"):
        read_export(path)
