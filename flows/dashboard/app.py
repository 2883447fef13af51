"""Answer the requests of browsers: pages, downloads, acknowledgements."""

import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from flows.dashboard.acknowledgements import AcknowledgementQueue
from flows.dashboard.downloads import DOWNLOADS, MAX_ROWS
from flows.dashboard.live_pages import (
    PAGES,
    DrawnPages,
    build_page,
    draw_message,
    draw_page,
    draw_unpublished,
    published_at,
    static_file,
    style,
)
from flows.dashboard.visitors import COOKIE, HEADERS, Refusal, VisitorRules
from stats.special_functions import ndtri
from tasks.dashboard.page_filters import PageFilters, address
from tasks.dashboard.page_reading import query_values
from tasks.dashboard.snapshot_reader import SnapshotReader
from tasks.errors import InputError
from tasks.export.table_files import table_bytes
from tasks.monitor.act_on_alerts import login_name
from tasks.report.charts import draw_first_chart
from tasks.report.formatting import shortened
from warehouse.errors import WarehouseError
from warehouse.publication.page_queries import page_query_names

_MAX_BODY = 10_000  # bytes of a form
_SHORT_WAIT = 0.6  # seconds for an acknowledgement that need not wait
_NOT_PUBLISHED = "Put exports into inbox/ and run `kappaflow run`. This page then shows the results."
_OPEN_TO_ALL = ("/style.css", "/icon.svg")  # the page that refuses a visitor needs them


@dataclass(frozen=True)
class Dashboard:
    """What the pages of one project are made from."""

    title: str
    snapshot: Path
    code_version: str
    reader: SnapshotReader
    queue: AcknowledgementQueue
    rules: VisitorRules
    drawn: DrawnPages = field(default_factory=DrawnPages)

    def state(self) -> str:
        """Return a text that changes when a page would show something else."""
        forms = self.queue.state()
        return f"{self.reader.version()}.{len(forms.waiting)}.{len(forms.refused)}"

    def page(self, path: str, parameters: dict[str, str]) -> Response:
        """Answer with a page."""
        if not self.reader.version():
            return HTMLResponse(
                draw_unpublished(
                    path,
                    self.reader,
                    project=shortened(self.title, 80),
                    version=self.state(),
                    code_version=self.code_version,
                )
            )
        if self.reader.is_outdated():
            sentences = ("An earlier version of kappaflow published the snapshot.", "Run `kappaflow run` once.")
            return HTMLResponse(draw_message("The snapshot is of an earlier version", sentences), 503)
        version, filters = self.state(), PageFilters.from_address(parameters)
        if drawn_page := self.drawn.get(version, path, filters):
            return HTMLResponse(drawn_page)
        forms = replace(self.queue.state(), csrf=self.rules.csrf, login_name=login_name())
        built = build_page(path, self.reader, filters, forms)
        if built is None:
            return HTMLResponse(draw_message("There is no such alert", ("It may be of another project.",)), 404)
        page, reading = built
        text = draw_page(
            path,
            page,
            reading,
            project=shortened(self.title, 80),
            version=version,
            published=published_at(self.snapshot),
            code_version=self.code_version,
        )
        self.drawn.keep(version, path, filters, text)
        return HTMLResponse(text)

    def download(self, name: str, file_format: str, parameters: dict[str, str]) -> Response:
        """Answer with the rows of a query as a file."""
        if name not in page_query_names() or file_format not in DOWNLOADS:
            return HTMLResponse(draw_message("There is no such file", ()), 404)
        if not self.reader.version():
            return HTMLResponse(draw_message("Nothing is published yet", (_NOT_PUBLISHED,)), 404)
        rows = self.reader.read(name, query_values(PageFilters.from_address(parameters), MAX_ROWS))
        disposition = {"Content-Disposition": f'attachment; filename="{name}.{file_format}"'}
        try:
            content = table_bytes(rows, file_format)
        except InputError as error:  # a text that is longer than a cell of Excel
            return HTMLResponse(draw_message("The file could not be made", (str(error), error.hint)), 422)
        return Response(content, media_type=DOWNLOADS[file_format].media_type, headers=disposition)

    def acknowledge(self, form: dict[str, str]) -> Response:
        """Acknowledge an alert, or let it wait. Then show the alert."""
        if not self.rules.is_own_form(form.get("csrf", "")):
            sentences = ("The form is of an earlier start of the dashboard. Go back, load the page again, and repeat.",)
            return HTMLResponse(draw_message("This form is not valid any more", sentences), 403)
        alert_id = form.get("alert_id", "")
        alert = self.reader.read("alert", {"alert_id": alert_id})
        if not alert.height:
            return HTMLResponse(draw_message("There is no such alert", ()), 404)
        by = shortened(form.get("by", "").strip() or login_name(), 80)
        if not self.queue.add(alert_id, by):
            return HTMLResponse(draw_message("Too much waits for the warehouse", ("Try again later.",)), 503)
        self.queue.wait_for(alert_id, _SHORT_WAIT)
        return RedirectResponse(address("/alert", alert_id=alert_id), 303)


def warm_up() -> None:
    """Do slow things before the first request: the first chart of a process, and SciPy, take half a second."""
    draw_first_chart()
    ndtri(0.5)


def _prepare(dashboard: Dashboard) -> None:
    """Draw the first page, so that nobody waits until the snapshot is open."""
    warm_up()
    with suppress(WarehouseError):  # whoever asks for a page gets its sentence
        dashboard.page("/", {})


def make_app(dashboard: Dashboard) -> FastAPI:
    """Make the application."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        dashboard.queue.start()
        preparing = threading.Thread(target=_prepare, args=[dashboard], daemon=True)
        preparing.start()
        yield
        dashboard.queue.stop()
        preparing.join()
        dashboard.reader.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    for path in PAGES:
        app.add_api_route(path, _page_route(dashboard, path), methods=["GET", "HEAD"], response_class=HTMLResponse)
    _add_files(app, dashboard)

    @app.post("/alerts/ack")
    async def acknowledge(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MAX_BODY:
                return PlainTextResponse("The form is too long.", 413)
        form = dict(parse_qsl(body.decode("utf-8", "replace")))
        return await run_in_threadpool(dashboard.acknowledge, form)

    @app.middleware("http")
    async def guard(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        response = _entrance(dashboard.rules, request) or await answer(request)
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response

    @app.exception_handler(WarehouseError)
    async def explain(_: Request, error: WarehouseError) -> Response:
        return HTMLResponse(draw_message("The snapshot could not be read", (str(error), error.hint)), 503)

    @app.exception_handler(404)
    async def missing(_: Request, __: Exception) -> Response:
        return HTMLResponse(draw_message("There is no such page", ()), 404)

    return app


def _page_route(dashboard: Dashboard, path: str) -> Callable[[Request], Response]:
    def route(request: Request) -> Response:
        return dashboard.page(path, dict(request.query_params))

    return route


def _add_files(app: FastAPI, dashboard: Dashboard) -> None:
    @app.get("/style.css")
    def style_sheet() -> Response:
        return Response(style(), media_type="text/css")

    @app.get("/refresh.js")
    def refresh_script() -> Response:
        return Response(static_file("refresh.js"), media_type="text/javascript")

    @app.get("/icon.svg")
    def icon() -> Response:
        return Response(static_file("icon.svg"), media_type="image/svg+xml")

    @app.get("/version")
    def version() -> Response:
        return PlainTextResponse(dashboard.state())

    @app.get("/download/{name}.{file_format}")
    def download(name: str, file_format: str, request: Request) -> Response:
        return dashboard.download(name, file_format, dict(request.query_params))


def _entrance(rules: VisitorRules, request: Request) -> Response | None:
    """Return a refusal, or let a visitor in who brings the token; None for those who are let through."""
    if refusal := rules.check_address(request.headers, request.method):
        return _refused(refusal)
    if rules.token is None or request.url.path in _OPEN_TO_ALL:
        return None
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    if rules.knows(request.cookies.get(COOKIE)) or rules.knows(bearer):
        return None
    brought = request.query_params.get("token")
    if brought is None or not rules.knows(brought):
        return _refused(Refusal(401, ("Open the address with the token that `kappaflow dashboard` printed.",)))
    rest = urlencode([(key, value) for key, value in request.query_params.multi_items() if key != "token"])
    response = RedirectResponse(f"{request.url.path}?{rest}" if rest else request.url.path, 303)
    response.set_cookie(COOKIE, rules.token, httponly=True, samesite="lax", path="/")
    return response


def _refused(refusal: Refusal) -> Response:
    titles = {400: "Not the name of this server", 401: "A token is needed", 403: "Refused"}
    return HTMLResponse(draw_message(titles[refusal.status], refusal.sentences), refusal.status)
