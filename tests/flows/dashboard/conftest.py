"""A published project with hostile names and two alerts, and a browser's view of its pages without a server."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from flows.dashboard.app import Dashboard, make_app
from flows.dashboard.start_dashboard import make_dashboard
from flows.project_folder import find_project
from tests.gate_project import CONFIGS, OPTIONS, make_project
from warehouse.connect import connect
from warehouse.publication.snapshot import publish

HOSTILE = "<img src=x onerror=alert(1)>\u202e=1+1"
CHART_ALERT = """
insert into alerts by name
select 'c0ffee00' as alert_id, 'feed0000' as incident_id, 'tone' as question, 'rater' as kind, 'ann' as subject,
    'warning' as severity, now() as opened_at, '2026-02-16'::date as changed_on, '2026-02-10'::date as changed_low,
    '2026-02-20'::date as changed_high, '2026-02-28'::date as detected_on, .01 as before, -.14 as after,
    159 as n_items, 'before 0.010, after -0.140' as evidence, 'eve' as owner
"""
Answer = Callable[..., httpx.Response]


@pytest.fixture(scope="package")
def published_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the questions `tone`, `alone` and a hostile one."""
    folder = tmp_path_factory.mktemp("dashboard")
    project = make_project(folder)
    rows = [f'"{HOSTILE}",{item},{rater},"{label}"' for item in range(8) for rater, label in
            (("ann", "=cmd|x"), (f'"{HOSTILE}"', HOSTILE if item % 2 else "=cmd|x"))]  # fmt: skip
    (project.inbox / "hostile.csv").write_text("\n".join(["question,item,rater,label", *rows]) + "\n", encoding="utf-8")
    project.ingest()
    project.work("evaluate", CONFIGS, OPTIONS)
    with connect(project.db) as con:
        con.execute(CHART_ALERT)
    publish(project.db, folder / "published")
    return folder


@pytest.fixture
def own_project(published_project: Path, tmp_path: Path) -> Path:
    """A copy of the project that a test may change."""
    return Path(shutil.copytree(published_project, tmp_path / "project"))


@pytest.fixture(scope="package")
def dashboard(published_project: Path) -> Iterator[Dashboard]:
    made = make_dashboard(find_project(published_project), host="127.0.0.1", port=8500)
    yield made
    made.reader.close()


@pytest.fixture(scope="package")
def answer(dashboard: Dashboard) -> Answer:
    """What the dashboard answers."""
    return visitor(dashboard)


def visitor(dashboard: Dashboard) -> Answer:
    """Return a function that sends a request to the pages."""
    app = make_app(dashboard)

    def send(path: str, method: str = "GET", base: str = "http://127.0.0.1:8500", **options: object) -> httpx.Response:
        async def request() -> httpx.Response:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=base) as client:
                return await client.request(method, path, **options)  # type: ignore[arg-type]

        return asyncio.run(request())

    return send
