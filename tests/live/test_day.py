"""One day in a real Label Studio, followed to the last row: after each turn the warehouse holds what the server holds.

What the server holds is counted apart: from its export and its list of predictions, which the poll does not use.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.runs.run_records import close_run, open_run
from tasks.sources.live_label_studio.client import LabelStudioClient
from tasks.sources.live_label_studio.live_source import LiveSource
from tasks.sources.live_label_studio.poll import poll
from tasks.summary.published_views import read_views
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks

VARIABLE = "LABEL_STUDIO_API_KEY"
CONFIG = """<View><Text name="text" value="$text"/>
<Choices name="tone" toName="text" choice="single"><Choice value="good"/><Choice value="bad"/><Choice value="mixed"/>
</Choices><Choices name="topics" toName="text" choice="multiple"><Choice value="price"/><Choice value="staff, other"/>
</Choices><Rating name="stars" toName="text"/><Choices name="kind" toName="text" choice="single" allowNested="true">
<Choice value="Animal"><Choice value="Cat"/></Choice><Choice value="Plant"/></Choices></View>"""
N_TASKS = 24


def answer(tone: str = "", topics: list[str] | None = None, stars: int = 0, kind: list[str] | None = None) -> Any:
    def part(name: str, type_: str, **value: object) -> dict[str, object]:
        return {"from_name": name, "to_name": "text", "type": type_, "value": value}

    parts = [part("tone", "choices", choices=[tone])] if tone else []
    parts += [part("topics", "choices", choices=topics)] if topics else []
    parts += [part("stars", "rating", rating=stars)] if stars else []
    return parts + ([part("kind", "choices", choices=[kind])] if kind else [])


class Day:
    def __init__(self, url: str, people: list[Any], folder: Path) -> None:
        self.people, self.owner, self.db = people, people[0], folder / "warehouse.duckdb"
        made = self.owner.call("POST", "/api/projects/", json={"title": "One day", "label_config": CONFIG})
        self.project = int(made["id"])
        self.source = LiveSource("live", url, self.project, page_size=5)
        self.counts = {"polls": 0, "batches": 0, "new": 0, "unchanged": 0, "skipped": 0, "rejected": 0, "deleted": 0}
        close_run(self.db, open_run(self.db, "test", "1", now=_now()), "succeeded", None, now=_now())

    def import_tasks(self, tasks: list[dict[str, Any]]) -> list[int]:
        path = f"/api/projects/{self.project}/import?return_task_ids=true"
        return [int(number) for number in self.owner.call("POST", path, json=tasks)["task_ids"]]

    def annotate(self, by: int, task: int, result: Any, **more: Any) -> int:
        body = {"result": result, "lead_time": 3.5, **more}
        return int(self.people[by].call("POST", f"/api/tasks/{task}/annotations/", json=body)["id"])

    def edit(self, by: int, annotation: int, **change: Any) -> None:
        self.people[by].call("PATCH", f"/api/annotations/{annotation}/", json=change)

    def delete(self, annotation: int) -> None:
        self.owner.call("DELETE", f"/api/annotations/{annotation}/")

    def predict(self, task: int, version: str, result: Any, score: float | None = None) -> None:
        body = {"task": task, "model_version": version, "result": result, "score": score}
        self.owner.call("POST", "/api/predictions/", json=body)

    def follow(self) -> None:
        """Poll; then the warehouse holds what the server holds, and a second poll finds nothing."""
        results = list(poll(self.db, [self.source]))
        assert [result.detail for result in results if result.status != "stored"] == []
        self.counts["polls"] += 1
        self.counts["batches"] += len(results)
        for result in results:
            for name, field in (("new", "n_ratings"), ("unchanged", "n_unchanged"), ("skipped", "n_skipped"),
                                ("rejected", "n_rejected"), ("deleted", "n_deleted")):  # fmt: skip
                self.counts[name] += getattr(result.counts, field)
        assert self.held() == self.served()
        assert list(poll(self.db, [self.source])) == []

    def held(self) -> list[tuple[str, ...]]:
        rows = read_views(self.db, "current_ratings")["current_ratings"]
        return sorted(rows.select("question", "item", "rater", "rater_kind", "label").rows())

    def served(self) -> list[tuple[str, ...]]:
        """Question, item, rater, kind and label of the latest answer of each, from the export and the predictions."""
        tasks = self.owner.call("GET", f"/api/projects/{self.project}/export",
                                params={"exportType": "JSON", "download_all_tasks": "true"})  # fmt: skip
        answers = [
            (task["id"], annotation["completed_by"], "human", annotation)
            for task in tasks
            for annotation in task["annotations"]
            if not annotation["was_cancelled"]
        ]
        for task in tasks:
            for answer in self.owner.call("GET", "/api/predictions/", params={"task": task["id"]}):
                answers.append((task["id"], answer["model_version"] or "unnamed model", "system", answer))
        latest: dict[tuple[str, ...], tuple[str, str]] = {}
        for item, rater, kind, answer in answers:
            for result in answer["result"]:
                key = (result["from_name"], str(item), str(rater), kind)
                version = (answer["updated_at"], _label(result["value"]))
                latest[key] = max(version, latest.get(key, version))
        return sorted((*key, label) for key, (_, label) in latest.items())


def _label(value: dict[str, Any]) -> str:
    if "rating" in value:
        return str(value["rating"])
    labels = [" / ".join(result) if isinstance(result, list) else result for result in value["choices"]]
    return labels[0] if len(labels) == 1 else json.dumps(sorted(labels))


def _now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC)


@pytest.fixture
def day(studio_url: str, people: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Day:
    monkeypatch.setenv(VARIABLE, _token())
    return Day(studio_url, people, tmp_path)


def _token() -> str:
    return "0123456789abcdef0123456789abcdef01234567"


def test_a_day(day: Day, kappaflow: Callable[..., Any], prefect_server: str, tmp_path: Path) -> None:
    tones = ("good", "bad", "mixed")
    # Morning: an import, half of it with predictions.
    day.follow()
    prediction = {"model_version": "judge-1", "score": 0.9, "result": answer("good")}
    tasks = day.import_tasks([
        {"data": {"text": f"text {n}", "length": n}, **({"predictions": [prediction]} if n % 2 else {})}
        for n in range(N_TASKS)
    ])  # fmt: skip
    day.follow()
    assert len(day.held()) == N_TASKS // 2

    # Three people annotate; some skip, with and without an answer.
    mine = {}
    for n, task in enumerate(tasks):
        for by in range(3 if n < 12 else 2):
            result = answer(tones[(n + by) % 3], ["price", "staff, other"] if n % 3 == 0 else None, n % 6,
                            [["Animal", "Cat"], ["Plant"]][n % 2] if n % 4 == 0 else None)  # fmt: skip
            skip = by == 1 and n in (3, 4)
            mine[n, by] = day.annotate(by, task, [] if skip and n == 4 else result, was_cancelled=skip)
        if n % 8 == 7:
            day.follow()
    assert day.counts["skipped"] >= 2

    # Edits: one's own, somebody else's, of one question of several; a skip taken back, an answer skipped afterwards.
    day.edit(0, mine[0, 0], result=answer("mixed", ["price"], 5))
    day.edit(1, mine[6, 0], result=answer("bad"))
    day.edit(1, mine[3, 1], was_cancelled=False, result=answer("good"))
    day.edit(1, mine[5, 1], was_cancelled=True)
    day.follow()

    # A second annotation by the same person, then its deletion: the first one is in force again.
    second = day.annotate(0, tasks[1], answer("mixed" if tones[1] != "mixed" else "bad"))
    day.follow()
    day.delete(second)
    day.follow()

    # Deletions, an answer that was emptied.
    for n, by in ((12, 1), (13, 0), (2, 2)):
        day.delete(mine[n, by])
    day.edit(0, mine[8, 0], result=[])
    day.follow()

    # New predictions: another system, a second answer of the same one, one without a name.
    for n, task in enumerate(tasks):
        day.predict(task, "judge-2", answer(tones[n % 3], None, 1 + n % 5), n / N_TASKS)
    day.predict(tasks[0], "judge-2", answer("good"), 0.5)
    day.predict(tasks[1], "", answer("bad"))
    day.follow()

    # Deleted at once, as from the list of tasks: a prediction, all predictions of three tasks, all annotations of one.
    (first, *_) = day.owner.call("GET", "/api/predictions/", params={"task": tasks[4]})
    day.owner.call("DELETE", f"/api/predictions/{first['id']}/")
    day.follow()
    time.sleep(11)  # longer than the overlap, so that they are not found by being recent
    for action, which in (("delete_tasks_predictions", tasks[14:17]), ("delete_tasks_annotations", tasks[17:18])):
        day.owner.call("POST", "/api/dm/actions", params={"id": action, "project": day.project},
                       json={"selectedItems": {"all": False, "included": which}})  # fmt: skip
        day.follow()

    # Evening: two tasks are deleted with all they hold, others come.
    for n in (10, 20):
        day.owner.call("DELETE", f"/api/tasks/{tasks[n]}/")
    (late,) = day.import_tasks([{"data": {"text": "late"}}])
    day.annotate(2, late, answer("good"))
    day.follow()

    with connect(day.db) as con:
        assert {name: rows.height for name, rows in run_checks(con).items() if rows.height} == {}
    batches = read_views(day.db, "batches")["batches"]
    counted = pl.sum_horizontal("n_ratings", "n_unchanged", "n_skipped", "n_rejected")
    assert batches.filter(pl.col("n_rows") != counted).is_empty()
    by_kind: dict[str, int] = {}
    for row in day.held():
        by_kind[row[3]] = by_kind.get(row[3], 0) + 1
    print(f"\nThe day: {json.dumps(day.counts)}; in force {len(day.held())}: {json.dumps(by_kind)}")

    # And as a user does it: the same server, an empty project.
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "kappaflow.toml").write_text(
        f'[[source]]\ntype = "label_studio"\nurl = "{day.source.url}"\nproject = {day.project}\n'
    )
    environment = {"PREFECT_API_URL": prefect_server, VARIABLE: _token()}
    run = json.loads(kappaflow("run", "--project", folder, "--json", **environment).stdout)
    assert "tone" in run["evaluated"]
    query = "select question, item, rater, rater_kind, label from current_ratings"
    rows = json.loads(kappaflow("sql", query, "--project", folder, "--json").stdout)
    assert sorted(tuple(row.values()) for row in rows) == day.served()


def test_a_token_for_some_minutes(day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    """A personal access token, as Label Studio gives out by default."""
    made = day.owner.call("POST", "/api/token/", json={})
    monkeypatch.setenv(VARIABLE, made["token"])
    with LabelStudioClient(day.source.url, VARIABLE) as api:
        assert api.n_tasks(day.project) == 0


@pytest.mark.parametrize(("change", "sentence"), [({"project": 9999}, "no project 9999"), ({}, "refused the token")])
def test_what_is_wrong_is_said(
    day: Day, change: dict[str, int], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not change:
        monkeypatch.setenv(VARIABLE, "f" * 40)
    (failed,) = poll(day.db, [LiveSource("live", day.source.url, change.get("project", day.project), patience=0)])
    assert sentence in (failed.detail or "")
