"""What is said about mistyped commands and options."""

from pathlib import Path

import pytest
from typer.exceptions import TyperException

from flows.cli import app
from flows.cli.help.usage_errors import explain


def explained(*arguments: str) -> tuple[str, str]:
    with pytest.raises(TyperException) as caught:
        app(list(arguments), prog_name="kappaflow", standalone_mode=False)
    return explain(caught.value)


@pytest.mark.parametrize(
    ("arguments", "sentence", "hint"),
    [
        (["aggree"], "There is no command 'aggree'. Did you mean `kappaflow agree`?", "See `kappaflow --help`."),
        (["alerts", "shw"], "There is no command 'shw'. Did you mean `kappaflow alerts show`?",
         "See `kappaflow alerts --help`."),
        (["version"], "There is no command 'version'. Did you mean `kappaflow --version`?", "See `kappaflow --help`."),
        (["zzz"], "There is no command 'zzz'.", "See `kappaflow --help`."),
        (["agree", "x", "--sytem"], "There is no option --sytem. Did you mean `--system`?",
         "See `kappaflow agree --help`."),
        (["agree", "x", "--scal"], "There is no option --scal. Did you mean `--scale`?",
         "See `kappaflow agree --help`."),
        (["simulate", "--nlabels"], "There is no option --nlabels. Did you mean `--n-labels`?",
         "See `kappaflow simulate --help`."),
        (["agree", "x", "--zzz"], "There is no option --zzz.", "See `kappaflow agree --help`."),
        (["judges"], "Missing argument 'FILE'.", "See `kappaflow judges --help`."),
    ],
)  # fmt: skip
def test_the_nearest_name_is_offered_and_no_other(arguments: list[str], sentence: str, hint: str) -> None:
    assert explained(*arguments) == (sentence, hint)


def test_a_file_in_place_of_a_command(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.touch()
    assert explained(str(file))[1] == f"Try `kappaflow agree {file}` or `kappaflow inspect {file}`."
