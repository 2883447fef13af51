"""What a run says while it works."""

import io
import logging
import threading

import pytest
from rich.console import Console

from flows.cli.runs import run_progress as module
from flows.cli.runs.run_progress import Detail, _Lines, run_progress


def test_steps_are_printed_only_if_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for detail in Detail:
        with run_progress(quiet=False, detail=detail):
            logging.getLogger("kappaflow.steps").debug("reading %s", "[a].csv")
            logging.getLogger("kappaflow").info("read [a].csv")
        shown = capsys.readouterr().err
        assert ("reading [a].csv" in shown) is (detail is Detail.STEPS)
        assert ("read [a].csv" in shown) is (detail is not Detail.SPINNER)


def test_a_file_with_line_breaks_in_its_name_takes_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with run_progress(quiet=False):
        logging.getLogger("kappaflow").info("1/1 %s: 4 new ratings", "a\nb\tc\r.csv")
    assert capsys.readouterr().err.splitlines() == ["1/1 a�b�c�.csv: 4 new ratings"]


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with run_progress(quiet=True):
        logging.getLogger("kappaflow").warning("a file is still being written")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_a_long_step_shows_that_it_still_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SILENCE", 0.0)

    class Ended(threading.Event):
        ticks = 0

        def wait(self, timeout: float | None = None) -> bool:
            self.ticks += 1
            return self.ticks > 2

    output = io.StringIO()
    lines = _Lines(Console(file=output, width=80))
    lines.emit(logging.LogRecord("kappaflow.steps", logging.DEBUG, "", 0, "evaluate 1/1 tone", None, None))
    lines.tick(Ended())
    assert output.getvalue().splitlines() == ["evaluate 1/1 tone ... 0 s"] * 2
