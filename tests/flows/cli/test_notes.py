"""What is said about a file: how it was read is a note, what is doubtful a warning."""

import pytest

from flows.cli import terminal


@pytest.mark.parametrize(
    ("text", "style"),
    [("Read as a wide table: the item is column 'id', the raters are ann, ben.", "dim"), ("4 rows twice.", "yellow")],
)
def test_how_a_file_was_read_is_no_warning(text: str, style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, str]] = []
    monkeypatch.setattr(terminal, "note", lambda text, style="yellow": heard.append((text, style)))
    terminal.print_notes(text, "day.csv: ")
    assert heard == [(f"day.csv: {text}", style)]
