"""A value that needs no conversion is taken as it is, and any other is converted as Typer does."""

from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer import BadParameter

from flows.cli.help.plain_values import take_plain_values


def measure(
    files: list[str],
    name: str = "all",
    seed: Annotated[int, typer.Option(min=0)] = 7,
    share: Annotated[float, typer.Option(min=0.5)] = 0.95,
    labels: list[str] | None = None,
    folder: Path | None = None,
    quiet: bool = False,
) -> None: ...


def parsed(arguments: list[str], *, plain: bool) -> dict[str, Any]:
    app = typer.Typer()
    app.command()(measure)
    command = typer.main.get_command(app)
    if plain:
        params = command.get_params
        command.get_params = lambda ctx: take_plain_values(params(ctx))  # type: ignore[method-assign]
    return command.make_context("measure", [*arguments]).params


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.csv"],
        ["a.csv", "b.csv", "--name", "x", "--labels", "1", "--labels", "2"],
        ["a.csv", "--seed", "3", "--share", "0.6", "--folder", "here", "--quiet"],
    ],
)
def test_the_values_are_those_of_typer(arguments: list[str]) -> None:
    values = parsed(arguments, plain=True)
    expected = parsed(arguments, plain=False)
    assert values == expected
    assert {name: type(value) for name, value in values.items()} == {
        name: type(value) for name, value in expected.items()
    }


@pytest.mark.parametrize("option", [["--seed", "-1"], ["--seed", "x"], ["--share", "0.2"]])
def test_a_wrong_value_is_refused_in_the_words_of_typer(option: list[str]) -> None:
    refusals = []
    for plain in (False, True):
        with pytest.raises(BadParameter) as refused:
            parsed(["a.csv", *option], plain=plain)
        refusals.append(refused.value.format_message())
    assert refusals[0] == refusals[1]
