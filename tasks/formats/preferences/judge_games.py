"""Read the answers of programs that judged two models twice, in both orders: MT-Bench's pairs, and Arena-Hard.

Each of the two games is a vote. In MT-Bench `model_1` and `model_2` name the same models in both games. In Arena-Hard
`A` is the answer that was shown first: the baseline's in the first game, the model's in the second.
"""

from pathlib import Path

from tasks.formats.columns.column_roles import ColumnChoice
from tasks.formats.columns.joined_columns import BAR
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, objects, parsed
from tasks.formats.parsing.tools.record_votes import Record, read_records
from tasks.formats.preferences import pairwise_table
from tasks.formats.preferences.preference_votes import PreferenceExport, PreferenceVotes, winner_of

GAMES = ("g1_winner", "g2_winner")
BASELINE = "baseline"
NO_BASELINE = f"The file does not name the model that the others were compared with. It is called {BASELINE!r} here."
STRENGTHS = "`A>>B` counts as one vote for A, as `A>B` does."
MT_BENCH = {
    "model_a": ("model_1",),
    "model_b": ("model_2",),
    "winner": GAMES,
    "item": ("question_id", "turn"),
    "judge": ("judge",),
}
ARENA_HARD = {
    "model_a": (BASELINE,),
    "model_b": ("model",),
    "winner": ("games",),
    "item": ("question_id or uid",),
    "judge": ("judge",),
}


def sniff_mt_bench(seen: FileLook) -> bool:
    """Check for the pairwise judgments of MT-Bench, as FastChat writes them."""
    return {"question_id", "model_1", "model_2", *GAMES} <= keys(seen)


def sniff_arena_hard(seen: FileLook) -> bool:
    """Check for the judgments of Arena-Hard."""
    return {"model", "judge", "games"} <= keys(seen) and bool({"question_id", "uid"} & keys(seen))


def read_mt_bench(path: Path, options: ReadOptions) -> PreferenceExport:
    """Read both games of each row, or a table of votes if the user maps columns."""
    if options.columns:
        return pairwise_table.read(path, options)
    records, votes = read_records(path), PreferenceVotes()
    for row, record in records.rows:
        pair = (tidy_label(record.get("model_1")), tidy_label(record.get("model_2")))
        for game, name in enumerate(GAMES):
            value = tidy_label(record.get(name))
            _add(votes, row, record, pair, value, winner_of(value, *pair), swapped=game == 1)
    return votes.export("mt_bench_pair", records.rejects, records.warnings, ColumnChoice(MT_BENCH))


def read_arena_hard(path: Path, options: ReadOptions) -> PreferenceExport:
    """Read all games of each row, or a table of votes if the user maps columns."""
    if options.columns:
        return pairwise_table.read(path, options)
    records, votes, is_named = read_records(path), PreferenceVotes(), True
    for row, record in records.rows:
        baseline, model = tidy_label(record.get(BASELINE)), tidy_label(record.get("model"))
        is_named = is_named and baseline is not None
        games = objects(record.get("games"))
        for game, answer in enumerate(games):
            pair = (baseline or BASELINE, model) if game % 2 == 0 else (model, baseline or BASELINE)
            value = tidy_label(answer.get("score"))
            _add(votes, row, record, pair, value, winner_of(value, None, None))
        if not games:
            votes.reject(row, "games", None, "empty_answer", "There is no game.")
    notes = [STRENGTHS] if is_named else [NO_BASELINE, STRENGTHS]
    return votes.export("arena_hard", records.rejects, (*records.warnings, *notes), ColumnChoice(ARENA_HARD))


def _add(
    votes: PreferenceVotes,
    row: int,
    record: Record,
    pair: tuple[str | None, str | None],
    value: str | None,
    outcome: str | None,
    *,
    swapped: bool = False,
) -> None:
    """Add a vote of a program. A judge that is written as a list with its prompt is named without it."""
    judge = parsed(record.get("judge"))
    question = tidy_label(record.get("question_id")) or tidy_label(record.get("uid"))
    turn = tidy_label(record.get("turn"))
    votes.add(
        row,
        pair,
        outcome,
        value=value,
        item=f"{question}{BAR}{turn}" if question and turn else question,
        cluster=question,
        rater=tidy_label(judge[0] if isinstance(judge, list) and judge else judge),
        rater_kind="system",
        swapped=swapped,
    )
