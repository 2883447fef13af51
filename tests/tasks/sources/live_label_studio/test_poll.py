"""A live Label Studio, played by a small server: paging, errors, kills between pages, edits, skips, deletions."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polars as pl
import pytest

from tasks.errors import SourceError
from tasks.formats import ReadOptions
from tasks.ingest.ingest_rules import IngestRules
from tasks.runs.run_records import close_run, open_run
from tasks.sources.live_label_studio import poll as label_studio
from tasks.sources.live_label_studio.client import LabelStudioClient, TaskPage
from tasks.sources.live_label_studio.cursor import changes
from tasks.sources.live_label_studio.live_source import LiveSource
from tasks.sources.live_label_studio.poll import poll
from tasks.summary.published_views import read_views
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks

TOKEN = "0123456789abcdef0123456789abcdef01234567"
NAME = "TEST_LABEL_STUDIO_TOKEN"
DAY = datetime(2026, 3, 2, 8, tzinfo=UTC)


class Studio:
    """What the server shows: tasks of project 7. Each change moves the clock a second and the task's updated_at."""

    def __init__(self) -> None:
        self.tasks: dict[int, dict[str, Any]] = {}
        self.faults: list[Any] = []  # one for each request to come: a status, 'reset', 'html', 'junk', 'redirect'
        self.requests: list[str] = []
        self.secrets: list[str] = []
        self.accepted = f"Token {TOKEN}"
        self.n = 0
        self.longest_page = 10_000
        self.keeps_order = True
        self.on_page: Callable[[], None] = lambda: None
        self.url = ""

    def now(self) -> str:
        self.n += 1
        return (DAY + timedelta(minutes=self.n)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def task(self, number: int, **data: Any) -> None:
        self.tasks[number] = {"id": number, "data": {"text": f"text {number}", **data}, "annotations": [],
                              "predictions": [], "drafts": [], "updated_at": self.now(), "project": 7}  # fmt: skip

    def annotate(self, task: int, by: int, label: str, *, skip: bool = False) -> int:
        at = self.now()
        ref = 1000 + self.n
        results = {"id": ref, "completed_by": by, "was_cancelled": skip, "created_at": at, "updated_at": at,
                   "result": _choice(label), "lead_time": 2.5}  # fmt: skip
        self.tasks[task]["annotations"].append(results)
        self.tasks[task]["updated_at"] = at
        return ref

    def edit(self, task: int, ref: int, **change: Any) -> None:
        at = self.now()
        result = next(result for result in self.tasks[task]["annotations"] if result["id"] == ref)
        result.update(change, updated_at=at)
        self.tasks[task]["updated_at"] = at

    def delete(self, task: int, ref: int) -> None:
        self.tasks[task]["annotations"] = [result for result in self.tasks[task]["annotations"] if result["id"] != ref]
        self.tasks[task]["updated_at"] = self.now()

    def predict(self, task: int, version: str, label: str, score: float) -> None:
        at = self.now()
        results = {"id": 5000 + self.n, "model_version": version, "score": score, "result": _choice(label),
                   "created_at": at, "updated_at": at}  # fmt: skip
        self.tasks[task]["predictions"].append(results)
        self.tasks[task]["updated_at"] = at

    def expected(self) -> list[tuple[str, str, str]]:
        """What is in force, by the server's own account: item, rater and label of the latest answer of each."""
        latest: dict[tuple[str, str], tuple[str, str]] = {}
        for task in self.tasks.values():
            answers = [
                (outcome["completed_by"], outcome) for outcome in task["annotations"] if not outcome["was_cancelled"]
            ]
            answers += [(outcome["model_version"], outcome) for outcome in task["predictions"]]
            for rater, row in answers:
                for result in row["result"]:
                    key, text = (str(task["id"]), str(rater)), (row["updated_at"], result["value"]["choices"][0])
                    latest[key] = max(text, latest.get(key, text))
        return sorted((item, rater, label) for (item, rater), (_, label) in latest.items())

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        if path == "/api/projects/7/":
            n_predictions = sum(len(task["predictions"]) for task in self.tasks.values())
            return 200, {"id": 7, "task_number": len(self.tasks), "total_predictions_number": n_predictions}
        if path != "/api/tasks" or query.get("project") != "7":
            return 404, {"detail": "No Project matches the given query."}
        results = list(self.tasks.values())
        if "query" in query:
            filters = json.loads(query["query"])
            (condition,) = filters["filters"]["items"]
            assert (condition["operator"], filters["ordering"]) == ("greater_or_equal", ["tasks:updated_at"])
            results = [task for task in results if task["updated_at"] >= condition["value"]]
            if self.keeps_order:
                results.sort(key=lambda task: str(task["updated_at"]))
        size, page = min(int(query["page_size"]), self.longest_page), int(query["page"])
        shown = results[(page - 1) * size : page * size]
        if not shown and page > 1:
            return 404, {"detail": "Invalid page."}
        body = {"total": len(results), "tasks": json.loads(json.dumps(shown))}
        if query.get("include") == "id":
            body["tasks"] = [{"id": task["id"]} for task in shown]
        else:
            self.on_page()
        return 200, body


def _choice(label: str) -> list[dict[str, Any]]:
    return [{"from_name": "tone", "to_name": "text", "type": "choices", "value": {"choices": [label]}}] if label else []


class Handler(BaseHTTPRequestHandler):
    studio: Studio

    def do_GET(self) -> None:
        studio = self.studio
        studio.requests.append(self.path)
        studio.secrets.append(self.headers.get("Authorization", ""))
        fault = studio.faults.pop(0) if studio.faults else None
        if fault == "reset":
            self.connection.close()
        elif fault == "html":
            self.reply(200, b"<html>Log in</html>", "text/html")
        elif fault == "junk":
            self.reply(200, b"{]", "application/json")
        elif fault == "redirect":
            self.reply(302, b"", "text/html")
        elif fault is not None:
            self.reply(fault, b'{"detail": "no"}', "application/json")
        elif studio.secrets[-1] != studio.accepted:
            self.reply(401, b'{"detail": "Invalid token."}', "application/json")
        else:
            parts = urlsplit(self.path)
            status, body = studio.answer(parts.path, {k: v[0] for k, v in parse_qs(parts.query).items()})
            self.reply(status, json.dumps(body).encode(), "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/api/token/refresh/"
        self.studio.requests.append(self.path)
        if body != {"refresh": "aa.bb.cc"}:
            self.reply(401, b'{"detail": "Token is invalid"}', "application/json")
            return
        self.studio.accepted = f"Bearer access-{len(self.studio.requests)}"
        self.reply(200, json.dumps({"access": self.studio.accepted.removeprefix("Bearer ")}).encode(),
                   "application/json")  # fmt: skip

    def reply(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if status == 302:
            self.send_header("Location", "https://login.example.com/")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def studio(monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    monkeypatch.setenv(NAME, TOKEN)
    monkeypatch.setattr("tasks.sources.live_label_studio.client.FIRST_PAUSE", 0.01)
    result = Studio()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"studio": result}))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    result.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield result
    server.shutdown()
    server.server_close()
    thread.join()


class Warehouse:
    def __init__(self, path: Path, studio: Studio) -> None:
        self.path, self.studio = path, studio
        close_run(path, open_run(path, "test", "1", now=DAY), "succeeded", None, now=DAY)

    def source(self, **changes: Any) -> LiveSource:
        return LiveSource(**{"name": "live", "url": self.studio.url, "project": 7, "token_env": NAME,
                             "page_size": 3, "patience": 0.2, **changes})  # fmt: skip

    def poll(self, *, labels: Any = None, again: bool = False, **changes: Any) -> list[label_studio.FileResult]:
        return list(poll(self.path, [self.source(**changes)], IngestRules(labels or {}), again=again))

    def view(self, name: str) -> pl.DataFrame:
        return read_views(self.path, name)[name]

    def current(self) -> list[tuple[str, str, str]]:
        return sorted(self.view("current_ratings").select("item", "rater", "label").rows())

    def sound(self) -> bool:
        with connect(self.path) as con:
            return all(result.is_empty() for result in run_checks(con).values())


@pytest.fixture
def warehouse(tmp_path: Path, studio: Studio) -> Warehouse:
    return Warehouse(tmp_path / "warehouse.duckdb", studio)


def fill(studio: Studio, n: int) -> None:
    for number in range(1, n + 1):
        studio.task(number)
        studio.annotate(number, 1, "good" if number % 3 else "bad")
        studio.annotate(number, 2, "good" if number % 2 else "bad")


def test_pages_are_one_batch_and_a_second_poll_changes_nothing(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 10)
    (first,) = warehouse.poll()
    assert (first.status, first.counts.n_ratings, first.counts.questions) == ("stored", 20, ("tone",))
    assert warehouse.current() == studio.expected()
    assert warehouse.poll() == []
    assert warehouse.poll() == []
    batch = warehouse.view("batches").row(0, named=True)
    assert warehouse.view("batches").height == 1
    assert (batch["source"], batch["reader"], batch["n_rows"]) == ("live", "label_studio", 20)
    assert batch["file_name"] == f"{studio.url.removeprefix('http://')}/projects/7"
    assert set(studio.secrets) == {f"Token {TOKEN}"}
    assert not any(TOKEN in request for request in studio.requests)


def test_a_day_of_edits_skips_deletions_and_predictions_is_followed(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 6)
    warehouse.poll()
    edited, skipped, gone = (studio.tasks[n]["annotations"][0]["id"] for n in (1, 2, 3))
    studio.edit(1, edited, result=_choice("bad"))
    studio.edit(2, skipped, was_cancelled=True)
    studio.delete(3, gone)
    studio.annotate(4, 3, "", skip=True)
    studio.annotate(5, 3, "good")
    studio.predict(6, "judge-1", "bad", 0.75)
    (second,) = warehouse.poll()
    counts = second.counts
    # Of 6 tasks: 6 x 2 annotations less one deleted, one more skipped, one new skip, one new answer, one prediction.
    assert (counts.n_ratings, counts.n_unchanged, counts.n_skipped, counts.n_deleted) == (3, 9, 2, 2)
    assert warehouse.current() == studio.expected()
    system = warehouse.view("current_ratings").filter(pl.col("rater_kind") == "system").row(0, named=True)
    assert (system["rater"], system["system_version"], system["score"]) == ("judge-1", "judge-1", 0.75)
    studio.edit(2, skipped, was_cancelled=False)  # taken up again
    studio.predict(6, "judge-1", "good", 0.8)
    warehouse.poll()
    assert warehouse.current() == studio.expected()
    assert warehouse.sound()


def test_history_shows_when_a_deletion_was_seen(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 2)
    warehouse.poll()
    studio.delete(1, studio.tasks[1]["annotations"][0]["id"])
    warehouse.poll()
    deleted = warehouse.view("ratings").filter(pl.col("deleted_at").is_not_null())
    assert deleted.select("item", "rater").rows() == [("1", "1")]
    assert deleted["deleted_at"][0] == warehouse.view("batches").sort("ingested_at")["ingested_at"][-1]


def test_an_older_answer_is_in_force_again_when_the_newer_one_is_deleted(studio: Studio, warehouse: Warehouse) -> None:
    studio.task(1)
    first = studio.annotate(1, 1, "good")
    studio.edit(1, first, result=_choice("fair"))
    warehouse.poll()
    second = studio.annotate(1, 1, "bad")
    warehouse.poll()
    assert warehouse.current() == [("1", "1", "bad")]
    studio.delete(1, second)
    (result,) = warehouse.poll()
    assert warehouse.current() == [("1", "1", "fair")] == studio.expected()
    assert (result.counts.n_deleted, result.counts.n_unchanged) == (1, 1)
    assert result.counts.questions == ("tone",)
    studio.delete(1, first)
    warehouse.poll()
    assert warehouse.current() == [] == studio.expected()
    assert warehouse.sound()


def test_an_answer_that_was_emptied_or_cannot_be_taken_in(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 2)
    labels = {"tone": ["good", "bad"]}
    warehouse.poll(labels=labels)
    row, other = (studio.tasks[n]["annotations"][0]["id"] for n in (1, 2))
    studio.edit(1, row, result=[])
    studio.edit(2, other, result=_choice("unheard of"))
    (result,) = warehouse.poll(labels=labels)
    assert (result.counts.n_deleted, result.counts.n_rejected) == (1, 2)
    # The emptied answer is gone; the one that cannot be taken in leaves the one before it in force.
    assert warehouse.current() == [("1", "2", "good"), ("2", "1", "good"), ("2", "2", "bad")]
    # After a fix of the labels all is read again, and what was refused comes in.
    (fixed,) = warehouse.poll(labels={"tone": ["good", "bad", "unheard of"]}, again=True)
    assert fixed.counts.n_ratings == 1
    assert warehouse.current() == studio.expected()


def test_a_task_that_was_deleted_takes_its_answers_with_it(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 5)
    warehouse.poll()
    del studio.tasks[2]
    studio.task(9)
    studio.annotate(9, 1, "good")
    first, second = warehouse.poll()
    assert (first.counts.n_ratings, second.counts.n_deleted) == (1, 2)
    assert warehouse.current() == studio.expected()
    assert warehouse.poll() == []


def test_predictions_that_were_deleted_all_at_once(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 9)
    for task in (2, 3, 8):
        studio.predict(task, "judge-1", "good", 0.5)
    studio.annotate(9, 3, "good")
    warehouse.poll()
    for task in (2, 3):
        studio.tasks[task]["predictions"] = []  # and updated_at stays as it was
    studio.annotate(5, 3, "good")
    assert [result.counts.n_deleted for result in warehouse.poll()] == [0, 2]
    assert warehouse.current() == studio.expected()
    assert warehouse.poll() == []
    assert warehouse.sound()


def test_tasks_that_cannot_be_seen_are_not_taken_for_deleted(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 4)
    warehouse.poll()
    full = studio.answer

    def partial(path: str, query: dict[str, str]) -> tuple[int, Any]:
        status, body = full(path, query)
        if "include" in query:
            body = {"tasks": [{"id": 1}], "total": 1}
        return status, {"id": 7, "task_number": 3} if "projects" in path else body

    studio.answer = partial  # type: ignore[method-assign]
    assert warehouse.poll() == []
    assert len(warehouse.current()) == 8


def test_the_same_item_in_two_tasks_loses_only_what_was_deleted(studio: Studio, warehouse: Warehouse) -> None:
    mapped = ReadOptions(columns={"item": "ticket"})
    for number in (1, 2):
        studio.task(number, ticket="T-1")
        studio.annotate(number, number, "good")
    warehouse.poll(options=mapped)
    assert warehouse.current() == [("T-1", "1", "good"), ("T-1", "2", "good")]
    studio.delete(1, studio.tasks[1]["annotations"][0]["id"])
    warehouse.poll(options=mapped)
    assert warehouse.current() == [("T-1", "2", "good")]
    studio.task(3)  # without a ticket: its answers are refused, and do not stop the others for good
    studio.annotate(3, 1, "bad")
    (result,) = warehouse.poll(options=mapped)
    assert (result.status, result.counts.n_rejected) == ("stored", 1)
    assert warehouse.view("rejected_rows")["reason"].to_list() == ["missing_item"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 200])
@pytest.mark.parametrize("longest", [2, 10_000])
@pytest.mark.parametrize("ordered", [True, False])
def test_every_task_comes_whatever_the_pages(
    studio: Studio, warehouse: Warehouse, size: int, longest: int, ordered: bool
) -> None:
    fill(studio, 7)
    studio.longest_page, studio.keeps_order = longest, ordered
    for number in (2, 5):  # the order of their ids is not that of their changes
        studio.annotate(number, 3, "fair")
    for task in (3, 4, 6):
        studio.tasks[task]["updated_at"] = studio.tasks[7]["updated_at"]  # several at the same instant
    warehouse.poll(page_size=size)
    assert warehouse.current() == studio.expected()
    assert warehouse.poll(page_size=size) == []


def test_tasks_that_change_between_the_pages_are_not_missed(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 12)
    changing = iter([1, 2, 3, 5, 8])

    def change() -> None:
        if (number := next(changing, None)) is not None:
            studio.annotate(number, 9, "fair")  # moves to the end, and all that follow it move up

    studio.on_page = change
    warehouse.poll()
    warehouse.poll()
    assert warehouse.current() == studio.expected()


def test_a_poll_that_is_killed_between_pages_goes_on_where_it_was(
    studio: Studio, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_studio, "BATCH_TASKS", 3)
    fill(studio, 12)
    polling = poll(warehouse.path, [warehouse.source()])
    next(polling)
    polling.close()  # as good as killed: the second page was never asked for
    n_before = len(warehouse.current())
    assert 0 < n_before < 24
    n_requests = len(studio.requests)
    rest = warehouse.poll()
    assert sum(result.counts.n_ratings for result in rest) == 24 - n_before
    assert warehouse.current() == studio.expected()
    assert "1970" not in "".join(studio.requests[n_requests:])
    assert warehouse.sound()


KILLED = """
import sys
from pathlib import Path
from tasks.sources.live_label_studio import poll as label_studio
from tasks.sources.live_label_studio.live_source import LiveSource
label_studio.BATCH_TASKS = 3
list(label_studio.poll(Path(sys.argv[1]), [LiveSource("live", sys.argv[2], 7, sys.argv[3], page_size=3)]))
"""


def test_a_process_that_is_killed_while_it_waits_for_a_page(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 12)
    reached, killed = threading.Event(), threading.Event()
    pages = iter(range(100))

    def third_page() -> None:
        if next(pages) == 2:
            reached.set()
            killed.wait(60)

    studio.on_page = third_page
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(warehouse.path), studio.url, NAME])
    try:
        assert reached.wait(60)
    finally:
        child.kill()
        child.wait(30)
        killed.set()
    stored = warehouse.current()
    assert 0 < len(stored) < 24
    assert set(stored) < set(studio.expected())
    n_new = sum(result.counts.n_ratings for result in warehouse.poll())
    assert n_new == 24 - len(stored)
    assert warehouse.current() == studio.expected()
    assert warehouse.sound()


def test_a_poll_that_fails_before_its_batch_is_stored_loses_nothing(
    studio: Studio, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(studio, 7)
    with monkeypatch.context() as broken:
        broken.setattr(label_studio, "store_batch", lambda *a, **k: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            warehouse.poll()
    assert warehouse.current() == []
    warehouse.poll()
    assert warehouse.current() == studio.expected()


def bulk_import(studio: Studio, n: int, apart: timedelta = timedelta(microseconds=20)) -> None:
    """Tasks with two answers each, all written at about one time."""
    fill(studio, n)
    for number in range(1, n + 1):
        changed(studio, number, DAY + timedelta(days=1) + number * apart)


def changed(studio: Studio, task: int, at: datetime) -> None:
    studio.tasks[task]["updated_at"] = at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def fetched(studio: Studio, since: int) -> int:
    """How many pages of whole tasks were asked for after so many requests."""
    return sum("fields=all" in request for request in studio.requests[since:])


@pytest.mark.field_trial(19)
@pytest.mark.parametrize("apart", [timedelta(0), timedelta(microseconds=20), timedelta(milliseconds=5)])
def test_an_idle_poll_after_a_bulk_import_fetches_no_page_again(
    studio: Studio, warehouse: Warehouse, apart: timedelta
) -> None:
    bulk_import(studio, 300, apart)
    warehouse.poll(page_size=20)
    assert warehouse.current() == studio.expected()
    n_requests = len(studio.requests)
    assert warehouse.poll(page_size=20) == []
    assert (fetched(studio, n_requests), len(studio.requests) - n_requests) == (
        0,
        3,
    )  # the project's counts, and two of tasks


@pytest.mark.field_trial(19)
def test_what_changes_after_a_bulk_import_is_fetched_and_no_more(studio: Studio, warehouse: Warehouse) -> None:
    bulk_import(studio, 300)
    warehouse.poll(page_size=20)
    n_requests = len(studio.requests)
    for number, after in ((7, 2), (290, 3)):  # two of the import, seconds later
        studio.annotate(number, 9, "fair")
        changed(studio, number, DAY + timedelta(days=1, seconds=after))
    (result,) = warehouse.poll(page_size=20)
    assert (result.counts.n_ratings, fetched(studio, n_requests)) == (2, 1)
    assert warehouse.current() == studio.expected()
    n_requests = len(studio.requests)
    assert warehouse.poll(page_size=20) == []
    assert fetched(studio, n_requests) == 0


@pytest.mark.field_trial(19)
@pytest.mark.parametrize("before", [timedelta(seconds=3), timedelta(microseconds=150)])
def test_a_change_that_was_written_late_is_found_among_those_of_an_import(
    studio: Studio, warehouse: Warehouse, before: timedelta
) -> None:
    """It has a time before the last one that was seen, and the server showed it only after that."""
    bulk_import(studio, 100)
    studio.task(500)
    warehouse.poll(page_size=5)
    last = max(str(task["updated_at"]) for task in studio.tasks.values() if task["id"] <= 100)
    studio.annotate(500, 3, "good")
    changed(studio, 500, datetime.fromisoformat(last) - before)
    warehouse.poll(page_size=5)
    assert warehouse.current() == studio.expected()


@pytest.mark.field_trial(19)
def test_one_change_does_not_make_up_for_another(studio: Studio, warehouse: Warehouse) -> None:
    """A task is annotated once more within the seconds before the last change, and the server showed that late: there
    are as many tasks as before, and one of them is not as it was."""
    bulk_import(studio, 100)
    changed(studio, 3, DAY + timedelta(days=1) - timedelta(seconds=4))
    warehouse.poll(page_size=5)
    studio.annotate(3, 9, "fair")
    studio.tasks[3]["updated_at"] = studio.tasks[50]["updated_at"]
    warehouse.poll(page_size=5)
    assert warehouse.current() == studio.expected()


@pytest.mark.field_trial(19)
def test_a_task_of_an_import_that_is_deleted(studio: Studio, warehouse: Warehouse) -> None:
    bulk_import(studio, 60)
    warehouse.poll(page_size=5)
    del studio.tasks[4]
    studio.annotate(9, 9, "fair")
    changed(studio, 9, DAY + timedelta(days=1, seconds=2))
    warehouse.poll(page_size=5)
    assert warehouse.current() == studio.expected()
    assert warehouse.poll(page_size=5) == []
    assert warehouse.sound()


@pytest.mark.field_trial(19)
@pytest.mark.parametrize("fault", ["reset", 502])
def test_a_server_that_restarts_is_waited_for_and_the_poll_goes_on_where_it_was(
    studio: Studio, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, fault: Any
) -> None:
    monkeypatch.setattr("tasks.sources.live_label_studio.client.LONGEST_PAUSE", 0.2)
    bulk_import(studio, 60)
    studio.faults = [None, None, None, None, *[fault] * 12]  # more than were waited for before
    (result,) = warehouse.poll(page_size=10, patience=60)
    assert (result.status, result.counts.n_ratings) == ("stored", 120)
    queries = [parse_qs(urlsplit(request).query).get("query", [""])[0] for request in studio.requests]
    assert len(set(queries[3:16])) == 2  # the page before, and the one that failed again and again
    assert warehouse.current() == studio.expected()


@pytest.mark.field_trial(19)
def test_the_pause_before_a_further_try_grows(monkeypatch: pytest.MonkeyPatch, studio: Studio) -> None:
    pauses: list[float] = []
    clock = iter(range(1000))
    monkeypatch.setattr("tasks.sources.live_label_studio.client.FIRST_PAUSE", 0.5)
    monkeypatch.setattr("tasks.sources.live_label_studio.client.time.sleep", pauses.append)
    client_time = "tasks.sources.live_label_studio.client.time"
    monkeypatch.setattr(f"{client_time}.monotonic", lambda: 0.0 if len(pauses) < 8 else float(next(clock) + 60))
    studio.faults = [503] * 99
    with LabelStudioClient(studio.url, NAME, patience=60) as api, pytest.raises(SourceError, match="9 tries in"):
        api.n_tasks(7)
    assert pauses == [0.5, 1, 2, 4, 8, 10, 10, 10]


@pytest.mark.field_trial(19)
def test_what_came_before_a_server_failed_for_good_is_kept(studio: Studio, warehouse: Warehouse) -> None:
    bulk_import(studio, 100)
    studio.faults = [None, *[None] * 6, *[503] * 99]
    stored, failed = warehouse.poll(page_size=10)
    assert (stored.status, failed.status) == ("stored", "failed")
    assert stored.counts.n_ratings > 80
    assert "the next run goes on from there" in (failed.detail or "")
    assert len(warehouse.current()) == stored.counts.n_ratings
    studio.faults = []
    n_requests = len(studio.requests)
    rest = warehouse.poll(page_size=10)
    assert sum(result.counts.n_ratings for result in rest) == 200 - stored.counts.n_ratings
    assert sum(result.counts.n_unchanged for result in rest) == 0
    assert fetched(studio, n_requests) <= 8  # of 14: those that came before are not asked for again
    assert warehouse.current() == studio.expected()
    assert warehouse.sound()


@pytest.mark.field_trial(19)
def test_tasks_of_a_warehouse_that_kept_no_times_are_read_once_more(studio: Studio, warehouse: Warehouse) -> None:
    bulk_import(studio, 30)
    warehouse.poll(page_size=5)
    with connect(warehouse.path) as con:
        con.execute("update internal.live_tasks set changed_at = null")
    (again,) = warehouse.poll(page_size=5)
    assert (again.counts.n_ratings, again.counts.n_unchanged) == (0, 60)
    n_requests = len(studio.requests)
    assert warehouse.poll(page_size=5) == []
    assert fetched(studio, n_requests) == 0


def test_tasks_without_answers(studio: Studio, warehouse: Warehouse) -> None:
    assert warehouse.poll() == []  # no tasks at all
    for number in (1, 2):
        studio.task(number)
    (result,) = warehouse.poll()
    assert (result.status, result.counts.n_ratings) == ("stored", 0)
    studio.annotate(1, 1, "good")
    warehouse.poll()
    assert warehouse.current() == studio.expected() == [("1", "1", "good")]


@pytest.mark.parametrize("data", [None, [], "text", 5, {"ticket": {"a": 1}}])
@pytest.mark.parametrize("annotations", [None, 7, [3, None, {}], [{"id": 1, "result": 5, "completed_by": {}}]])
def test_tasks_that_are_not_as_they_should_be(
    studio: Studio, warehouse: Warehouse, data: Any, annotations: Any
) -> None:
    """They are refused row by row, or the source fails with a sentence; the next poll is as good as any."""
    mapped = ReadOptions(columns={"item": "ticket"})
    studio.task(1, ticket="T-1")
    studio.annotate(1, 1, "good")
    warehouse.poll(options=mapped)
    studio.task(2)
    studio.tasks[2] |= {"data": data, "annotations": annotations}
    assert {result.status for result in warehouse.poll(options=mapped)} <= {"stored", "failed"}
    del studio.tasks[2]
    studio.annotate(1, 2, "bad")
    warehouse.poll(options=mapped)
    assert warehouse.current() == [("T-1", "1", "good"), ("T-1", "2", "bad")]


def test_a_clock_that_was_ahead_hides_nothing(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 4)
    studio.tasks[2]["updated_at"] = "2999-01-01T00:00:00.000000Z"
    warehouse.poll()
    soon = (datetime.now(UTC) + timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    studio.annotate(3, 9, "fair")
    studio.tasks[3]["updated_at"] = soon
    warehouse.poll()
    assert warehouse.current() == studio.expected()


def test_two_polls_at_the_same_time_do_not_take_each_other_back(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 4)

    def overtake() -> None:
        studio.on_page = lambda: None
        studio.annotate(2, 9, "fair")
        assert [result.status for result in warehouse.poll()] == ["stored"]  # while the first one holds an older page

    studio.on_page = overtake
    assert warehouse.poll() == []
    assert warehouse.poll() == []
    assert warehouse.current() == studio.expected()
    assert warehouse.view("ratings")["deleted_at"].null_count() == 9


def test_a_busy_server_is_asked_again(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 4)
    studio.faults = [500, None, "reset", 503]
    (result,) = warehouse.poll()
    assert result.status == "stored"
    assert warehouse.current() == studio.expected()


BROKEN = {
    "401": ([401], "refused the token in TEST_LABEL_STUDIO_TOKEN"),
    "403": ([403], "refused the token"),
    "no project": ([404], "no project 7"),
    "500 for good": ([500] * 99, "HTTP 500 (Internal Server Error); "),
    "reset for good": (["reset"] * 99, "could not be reached"),
    "a login page": (["html"], "a web page"),
    "a redirection": (["redirect"], "a redirection"),
    "no JSON": (["junk"], "that is not JSON"),
    "in the middle": ([None, 418], "HTTP 418"),
}


@pytest.mark.parametrize(("faults", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_source_that_fails_says_why_and_the_others_go_on(
    studio: Studio, warehouse: Warehouse, faults: list[Any], sentence: str
) -> None:
    fill(studio, 4)
    studio.faults = list(faults)
    polling = poll(warehouse.path, [warehouse.source(), warehouse.source(name="other")])
    failed = next(polling)
    studio.faults = []
    (stored,) = polling
    assert (failed.status, failed.reason, stored.status) == ("failed", "unreachable", "stored")
    assert failed.detail is not None
    assert sentence in failed.detail
    assert TOKEN not in failed.detail
    assert failed.detail.endswith(".")
    assert warehouse.current() == studio.expected()
    assert warehouse.view("batches").height == 1


def test_nobody_listens(warehouse: Warehouse) -> None:
    (failed,) = warehouse.poll(url="http://127.0.0.1:9")
    assert failed.status == "failed"
    assert "could not be reached" in (failed.detail or "")


@pytest.mark.parametrize("value", ["", "  ", "two words", "Umlaut-ä", "line\nbreak"])
def test_no_token_in_the_environment(
    warehouse: Warehouse, studio: Studio, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, value)
    (failed,) = warehouse.poll()
    assert NAME in (failed.detail or "")
    assert not value.strip() or value.strip() not in (failed.detail or "")
    assert studio.requests == []


def test_a_personal_access_token_buys_one_for_some_minutes(
    studio: Studio, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, "aa.bb.cc")
    fill(studio, 4)
    studio.on_page = lambda: setattr(studio, "accepted", "Bearer none is valid any more")
    (result,) = warehouse.poll()
    assert result.status == "stored"
    assert warehouse.current() == studio.expected()
    assert not any("aa.bb.cc" in secret for secret in studio.secrets)
    monkeypatch.setenv(NAME, "aa.bb.dd")
    assert "refused the token" in (warehouse.poll()[0].detail or "")


def test_an_item_field_that_no_task_has_is_a_wrong_setting(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 2)
    (failed,) = warehouse.poll(options=ReadOptions(columns={"item": "ticket"}))
    assert (failed.status, failed.reason) == ("failed", "unreadable")
    assert "ticket" in (failed.detail or "")


def test_with_another_prefix_all_is_read_again(studio: Studio, warehouse: Warehouse) -> None:
    fill(studio, 2)
    warehouse.poll()
    warehouse.poll(options=ReadOptions(prefix="new"))
    assert set(warehouse.view("current_ratings")["question"]) == {"tone", "new/tone"}


def test_a_server_that_turns_in_circles_is_left() -> None:
    task = {"id": 1, "updated_at": "2026-01-01T00:00:00.000000Z"}
    with pytest.raises(SourceError, match="again and again"):
        list(changes(lambda since, page: TaskPage([task]), None))


def test_a_task_without_a_time() -> None:
    with pytest.raises(SourceError, match="Task 1 has 'soon' where a time should be"):
        list(changes(lambda since, page: TaskPage([{"id": 1, "updated_at": "soon"}]), None))


def test_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, TOKEN)
    with LabelStudioClient("http://[", NAME, patience=0) as api, pytest.raises(SourceError):
        api.n_tasks(1)


def test_run_takes_a_live_source_in_and_exits_with_1_when_it_fails(
    studio: Studio, tmp_path: Path, kappaflow: Any, prefect_server: str
) -> None:
    fill(studio, 12)
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    (project / "inbox" / "mood.csv").write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n")
    (project / "kappaflow.toml").write_text(
        f'[[source]]\npath = "inbox"\n[[source]]\ntype = "label_studio"\nurl = "{studio.url}"\nproject = 7\n'
        f'prefix = "live"\ntoken_env = "{NAME}"\n'
    )
    environment = {"PREFECT_API_URL": prefect_server, NAME: TOKEN}
    first = json.loads(kappaflow("run", "--project", project, "--json", **environment).stdout)
    assert {result["status"] for result in first["files"]} == {"stored"}
    assert first["evaluated"] == ["live/tone", "mood"]
    without = {"PREFECT_API_URL": prefect_server, NAME: ""}
    (project / "inbox" / "mood2.csv").write_text("item,rater,label\n3,a,x\n3,b,x\n")
    result = kappaflow("run", "--project", project, "--json", code=1, **without)
    files = {load["file_name"]: load for load in json.loads(result.stdout)["files"]}
    assert files["mood2.csv"]["status"] == "stored"
    (failed,) = (result for result in files.values() if result["status"] == "failed")
    assert f"{NAME} is not set" in failed["detail"]
    shown = kappaflow("sql", "select status, detail from runs where kind = 'pipeline' order by started_at",
                      "--project", project, "--json")  # fmt: skip
    runs = json.loads(shown.stdout)
    assert [run["status"] for run in runs] == ["succeeded", "failed"]
    assert NAME in runs[1]["detail"]
    assert TOKEN not in shown.stdout + result.stdout + result.stderr


def _span(start: int, end: int) -> list[dict[str, Any]]:
    return [{"from_name": "ner", "type": "labels", "value": {"start": start, "end": end, "labels": ["PER"]}}]


def test_spans_come_go_and_change_with_their_annotations(studio: Studio, warehouse: Warehouse) -> None:
    refs = {}
    for number in (1, 2, 3):
        studio.task(number)
        for rater in (1, 2):
            refs[number, rater] = studio.annotate(number, rater, "good")
            studio.edit(number, refs[number, rater], result=[*_choice("good"), *_span(0, 4)])

    def marked() -> list[tuple[str, str, int]]:
        work = warehouse.view("region_work").filter("is_current")
        return sorted(work.select("item", "rater", "n_spans").rows())

    (first,) = warehouse.poll()
    assert (first.counts.n_ratings, first.counts.n_rejected) == (12, 0)
    assert marked() == [(str(number), str(rater), 1) for number in (1, 2, 3) for rater in (1, 2)]
    assert warehouse.poll() == []
    studio.edit(1, refs[1, 1], result=[])  # all marks removed, and nothing else: still done
    studio.delete(2, refs[2, 2])
    (second,) = warehouse.poll()
    assert marked() == [("1", "1", 0), ("1", "2", 1), ("2", "1", 1), ("3", "1", 1), ("3", "2", 1)]
    assert (second.counts.n_rejected, second.counts.n_deleted) == (0, 3)
    studio.edit(2, refs[2, 1], was_cancelled=True)
    del studio.tasks[3]
    warehouse.poll()
    assert marked() == [("1", "1", 0), ("1", "2", 1)]
    assert warehouse.current() == [("1", "2", "good")]
    assert warehouse.poll() == []
    assert warehouse.sound()
