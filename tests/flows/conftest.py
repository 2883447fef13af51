"""What the tests of commands share."""

from collections.abc import Iterator

import pytest

from flows.cli.command_hints import HintProject


@pytest.fixture(autouse=True)
def no_project_is_remembered() -> Iterator[None]:
    """Forget the project of commands that a test called in its own process: a real process has one command."""
    yield
    HintProject.option = ""
