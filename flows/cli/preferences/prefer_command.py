"""The command on pairwise preferences."""

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


@app.command()
def prefer(
    file: opt.File,
    columns: opt.PreferenceColumns = None,
    no_header: opt.NoHeader = False,
    system: opt.Systems = None,
    question: opt.Question = None,
    format: opt.PreferenceFormat = None,
    confidence: opt.Confidence = FileOptions.confidence,
    json: opt.Json = False,
) -> None:
    """Rank models by pairwise votes: strengths with intervals, agreement of the voters, position bias.

    Reads MT-Bench, Chatbot Arena, AlpacaEval, Label Studio's pairwise choices, and any table of two models and a
    winner.

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
    terminal.print_table([_model_row(row) for row in result["models"]], title=f"Strengths; intervals {how}")
    if result["tie_parameter"] is not None:
        terminal.print_table([_tie_row(result)], title="Ties (Davidson)")
    terminal.print_table([_figure_row(row) for row in result["agreement"]], title="Agreement of the voters")
    terminal.print_table([_rater_row(row) for row in result["raters"][:MAX_SHOWN]], title="Each voter and the others")
    everybody = "all people" if result["judges"] else "all"
    terminal.print_table(
        [_position_row(row, everybody) for row in _shown(result["position"], result["judges"])],
        title="Position: how often the model shown first would win against an equal one",
    )
    terminal.print_table([_judge_row(row) for row in result["judges"]], title="Judges and people")
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


def _model_row(row: dict[str, Any]) -> dict[str, object]:
    return {
        "rank": row["rank"],
        "model": row["model"],
        "strength": row["strength"],
        "interval": terminal.interval(row["low"], row["high"]),
        "rank between": rank_range(row["rank_low"], row["rank_high"]),
        "votes": row["n_votes"],
        "won": row["n_wins"],
        "lost": row["n_losses"],
        "tied": row["n_ties"],
        "why not": row["reason"],
    }


def _tie_row(result: dict[str, Any]) -> dict[str, object]:
    return {
        "tie parameter": result["tie_parameter"],
        "interval": terminal.interval(result["tie_low"], result["tie_high"]),
        "equal models tie in": result["tie_parameter"] / (2 + result["tie_parameter"]),
    }


def _figure_row(row: dict[str, Any]) -> dict[str, object]:
    return {
        "coefficient": row["name"],
        "estimate": row["estimate"],
        "interval": terminal.interval(row["low"], row["high"]),
        "comparisons": row["n_comparisons"],
        "voters": row["n_raters"],
        "why not": row["reason"],
    }


def _rater_row(row: dict[str, Any]) -> dict[str, object]:
    return {
        "voter": row["rater"],
        "agreement with others": row["agreement"],
        "interval": terminal.interval(row["low"], row["high"]),
        "shared comparisons": row["n_comparisons"],
        "votes": row["n_votes"],
        "why not": row["reason"],
    }


def _shown(position: list[dict[str, Any]], judges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows to print: all voters together, some of them, and the judges, who come last and are few."""
    systems = {row["judge"] for row in judges}
    voters = [row for row in position if row["rater"] not in systems]
    return voters[: MAX_SHOWN + 1] + [row for row in position if row["rater"] in systems][:MAX_SHOWN]


def _position_row(row: dict[str, Any], everybody: str) -> dict[str, object]:
    return {
        "voter": row["rater"] or everybody,
        "first wins": row["first_wins"],
        "interval": terminal.interval(row["low"], row["high"]),
        "votes": row["n_votes"],
        "for the first": row["n_first"],
        "for the second": row["n_second"],
        "why not": row["reason"],
    }


def _judge_row(row: dict[str, Any]) -> dict[str, object]:
    return {
        "judge": row["judge"],
        "agreement with people": row["agreement"],
        "interval": terminal.interval(row["low"], row["high"]),
        "comparisons": row["n_comparisons"],
        "people among themselves": row["people"],
        "their interval": terminal.interval(row["people_low"], row["people_high"]),
        "difference": row["difference"],
        "its interval": terminal.interval(row["difference_low"], row["difference_high"]),
        "with 2 people": row["n_with_several_people"],
        "why not": row["reason"],
    }
