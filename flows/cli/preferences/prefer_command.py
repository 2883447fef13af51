"""The command on pairwise preferences."""

from collections.abc import Iterable
from typing import Any

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.preferences.models_output import rank_range
from tasks.counted_words import counted
from tasks.formats import ReadOptions
from tasks.single_file.load_file import FileOptions

app = typer.Typer()
MAX_SHOWN = 30  # raters in the printed table
MODELS = terminal.headers_of(
    "rank model strength interval ranks n_votes n_wins n_losses n_ties reason",
    ranks="rank between", n_votes="votes", n_wins="won", n_losses="lost", n_ties="tied",
)  # fmt: skip
FIGURES = terminal.headers_of(
    "name estimate interval n_comparisons n_raters reason",
    name="coefficient", n_comparisons="comparisons", n_raters="voters",
)  # fmt: skip
RATERS = terminal.headers_of(
    "rater agreement interval n_comparisons n_votes reason",
    rater="voter", agreement="agreement with others", n_comparisons="shared comparisons", n_votes="votes",
)  # fmt: skip
POSITIONS = terminal.headers_of(
    "rater first_wins interval n_votes n_first n_second reason",
    rater="voter", n_votes="votes", n_first="for the first", n_second="for the second",
)  # fmt: skip
JUDGES = terminal.headers_of(
    "judge agreement interval n_comparisons people their_interval difference its_interval n_with_several_people reason",
    agreement="agreement with people", n_comparisons="comparisons", people="people among themselves",
    n_with_several_people="with 2 people",
)  # fmt: skip


@app.command()
def prefer(
    file: opt.File,
    columns: opt.PreferenceColumns = None,
    no_header: opt.PreferenceNoHeader = False,
    system: opt.Systems = None,
    question: opt.Question = None,
    format: opt.PreferenceFormat = None,
    confidence: opt.Confidence = FileOptions.confidence,
    json: opt.Json = False,
) -> None:
    """Rank models by pairwise votes: strengths with intervals, agreement of the voters, position bias.

    Reads MT-Bench, Chatbot Arena, Arena-Hard, AlpacaEval, Label Studio's pairwise choices, and any table of two models
    and a winner.

    [bold]Examples[/bold]

    \b
      kappaflow prefer battles.jsonl
      kappaflow prefer votes.csv --columns model_a=left,model_b=right,winner=better,judge=who --json
      kappaflow prefer votes.csv --system gpt_judge
    """
    from tasks.formats.preferences.pairwise_table import ROLES
    from tasks.single_file.prefer_file import preferences_of_file

    reading = ReadOptions(
        format=format,
        columns=opt.parse_columns(columns, ROLES),
        header=not no_header,
        systems=frozenset(system or []),
    )
    result = preferences_of_file(file, reading, question=question, confidence=confidence).to_json()
    if json:
        terminal.print_json(result)
    else:
        _print(result)


def _print(result: dict[str, Any]) -> None:
    terminal.heading(
        f"{counted(result['n_votes'], 'vote')} on {counted(result['n_comparisons'], 'comparison')} of"
        f" {counted(result['n_models'], 'model')}"
    )
    how = "by item" if result["interval_method"] == "clustered" else "each vote by itself"
    models = [
        {**row, "ranks": rank_range(row["rank_low"], row["rank_high"])} for row in _with_intervals(result["models"])
    ]
    terminal.print_table(models, title=f"Strengths; intervals {how}", headers=MODELS)
    if result["tie_parameter"] is not None:
        terminal.print_table([_tie_row(result)], title="Ties (Davidson)")
    terminal.print_table(_with_intervals(result["agreement"]), title="Agreement of the voters", headers=FIGURES)
    raters = _with_intervals(result["raters"][:MAX_SHOWN])
    terminal.print_table(raters, title="Each voter and the others", headers=RATERS)
    everybody = "all people" if result["judges"] else "all"
    positions = [{**row, "rater": row["rater"] or everybody} for row in _shown(result["position"], result["judges"])]
    terminal.print_table(
        _with_intervals(positions),
        title="Position: how often the model shown first would win against an equal one",
        headers=POSITIONS,
    )
    judges = [_judge_row(row) for row in _with_intervals(result["judges"])]
    terminal.print_table(judges, title="Judges and people", headers=JUDGES)
    for row in result["judges"]:
        if row["difference"] is not None and row["n_with_several_people"] < row["n_comparisons"]:
            terminal.note(_on_which(row))
    if result["n_swapped"]:
        alike = f"{result['n_swapped_alike']:,} of {counted(result['n_swapped'], 'comparison')}"
        terminal.note(f"Asked in both orders, voters gave the same answer in {alike}.", style="dim")
    if len(result["raters"]) > MAX_SHOWN:
        terminal.note(f"Only in --json: {counted(len(result['raters']) - MAX_SHOWN, 'more voter')}.", style="dim")
    tables = ("models", "agreement", "raters", "position", "judges")
    details = dict.fromkeys(row["detail"] for name in tables for row in result[name] if row["detail"])
    for text in details:
        terminal.note(text)
    for text in (text for text in result["warnings"] if text not in details):
        terminal.print_notes(text)


def _on_which(row: dict[str, Any]) -> str:
    """Say that the difference is on fewer comparisons than the agreement beside it: the two need not fit together."""
    several, judge = counted(row["n_with_several_people"], "comparison"), row["judge"]
    own, people = terminal.cell(row["people"] + row["difference"]), terminal.cell(row["people"])
    return (
        f"{judge}: the difference is on the {several} that two or more people voted on, too."
        f" There {judge} agrees with people in {own}, people among themselves in {people}."
    )


def _tie_row(result: dict[str, Any]) -> dict[str, object]:
    return {
        "tie parameter": result["tie_parameter"],
        "interval": terminal.interval(result["tie_low"], result["tie_high"]),
        "equal models tie in": result["tie_parameter"] / (2 + result["tie_parameter"]),
    }


def _shown(position: list[dict[str, Any]], judges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows to print: all voters together, some of them, and the judges, who come last and are few."""
    systems = {row["judge"] for row in judges}
    voters = [row for row in position if row["rater"] not in systems]
    return voters[: MAX_SHOWN + 1] + [row for row in position if row["rater"] in systems][:MAX_SHOWN]


def _with_intervals(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "interval": terminal.interval(row["low"], row["high"])} for row in rows]


def _judge_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "their_interval": terminal.interval(row["people_low"], row["people_high"]),
        "its_interval": terminal.interval(row["difference_low"], row["difference_high"]),
    }
