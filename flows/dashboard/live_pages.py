"""Draw the live pages: from what `tasks.dashboard` builds to HTML."""

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from flows.dashboard.downloads import DOWNLOADS, MAX_ROWS
from tasks import report
from tasks.dashboard.alerts_page import AlertForms, alert_page, alerts_page
from tasks.dashboard.batches_page import batches_page, runs_page
from tasks.dashboard.items_page import items_page
from tasks.dashboard.overview_page import BEGIN, overview_page
from tasks.dashboard.page_filters import ALERT_STATES, WINDOWS, PageFilters, address, link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import MAX_SHOWN, PageReading, query_values
from tasks.dashboard.question_page import question_page
from tasks.dashboard.raters_page import raters_page
from tasks.dashboard.systems_page import systems_page
from tasks.report.formatting import moment, shortened
from tasks.templates import templates
from warehouse.publication.page_queries import page_query_text, used_values

_HERE = Path(__file__).parent
_MAX_DRAWN = 256  # pages that are kept, some 10 MB
_MAX_CHOICES = 500  # with more names than these a filter is a text field

PAGES: dict[str, tuple[str, Callable[[PageReading, AlertForms], LivePage | None]]] = {
    "/": ("Overview", overview_page),
    "/question": ("Agreement", lambda page, forms: question_page(page, page.filters.question)),
    "/raters": ("Annotators", lambda page, forms: raters_page(page, page.filters.question)),
    "/systems": ("Systems", lambda page, forms: systems_page(page, page.filters.question)),
    "/alerts": ("Alerts", alerts_page),
    "/items": ("Items to look at", lambda page, forms: items_page(page)),
    "/batches": ("Batches", lambda page, forms: batches_page(page)),
    "/runs": ("Runs", lambda page, forms: runs_page(page)),
    "/alert": ("", alert_page),
}
_OF_LABELS = ("/raters", "/systems")
_OF_ONE_QUESTION = ("/question", *_OF_LABELS)
_TITLES = {
    "question": "Question", "rater": "Annotator", "other": "Second annotator", "system": "System", "window": "Window",
    "slice": "Slice", "batch": "Batch", "since": "Rated since", "alert_state": "State",
}  # fmt: skip
_FIXED = {"window": WINDOWS, "alert_state": ALERT_STATES}
_ALL_OF = {"window": "each", "alert_state": "all"}


@dataclass(frozen=True)
class Choice:
    """A value that a filter offers."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class FilterField:
    """A field of the filter form. Without choices it is a text field."""

    name: str
    title: str
    value: str
    all_of: str
    choices: Sequence[Choice] | None


@dataclass(frozen=True)
class MenuEntry:
    """A link to a page, with the filters that it has in common with this one."""

    title: str
    address: str
    is_current: bool


@dataclass(frozen=True)
class FileLink:
    """A link to the rows of a query as a file."""

    title: str
    address: str


@dataclass(frozen=True)
class ShownQuery:
    """A query as the page shows it: its text, its parameters, and its rows as files."""

    text: str
    values: Sequence[tuple[str, str]]
    files: Sequence[FileLink]


@dataclass(frozen=True)
class ShownSection:
    """A section with its queries."""

    part: PageSection
    queries: Sequence[ShownQuery]


class DrawnPages:
    """The pages that were drawn since the last change, so that a page is drawn once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = ""
        self._texts: dict[tuple[str, PageFilters], str] = {}

    def get(self, version: str, path: str, filters: PageFilters) -> str | None:
        """Return a page, if it was drawn at this version of the project."""
        with self._lock:
            return self._texts.get((path, filters)) if version == self._version else None

    def keep(self, version: str, path: str, filters: PageFilters, text: str) -> None:
        """Keep a page until something changes."""
        with self._lock:
            if version != self._version or len(self._texts) >= _MAX_DRAWN:
                self._texts.clear()
            self._version = version
            self._texts[path, filters] = text


def build_page(path: str, reader: Any, filters: PageFilters, forms: AlertForms) -> tuple[LivePage, PageReading] | None:
    """Build a page; None if its address names nothing. The pages on one question begin with the first one."""
    page = PageReading(reader, filters)
    if path in _OF_ONE_QUESTION and filters.question is None:
        names = page.names("labelled") or page.names("question")
        page = PageReading(reader, replace(filters, question=next((value for value, _ in names), None)))
    if path in _OF_LABELS and _has_other_answers(page):
        return _without_labels(path, page.filters), page
    built = PAGES[path][1](page, forms)
    return None if built is None else (built, page)


def _has_other_answers(page: PageReading) -> bool:
    """Check whether the answers to the question of the page are spans, boxes, rankings, texts or votes on models."""
    question = page.filters.question
    return question in dict(page.names("question")) and question not in dict(page.names("labelled"))


def _without_labels(path: str, filters: PageFilters) -> LivePage:
    """Say where the figures of a question without labels are."""
    way = link("/question", "its figures of agreement", PageFilters(question=filters.question))
    lead = Markup("The answers to this question are no labels of items, so there is nothing here. See {}.").format(way)
    title = f"{PAGES[path][0]}: {shortened(filters.question, 60)}"
    return LivePage(title, filters, ("question",), [], lead=lead)


def draw_page(path: str, built: LivePage, page: PageReading, **common: Any) -> str:
    """Draw a page. common: what all pages of a project have (see `templates/page.html.j2`)."""
    filters = built.filters
    fields = [_field(name, page, path) for name in built.filter_names]
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            page=built,
            path=path,
            menu=[
                MenuEntry(title, _menu_address(to, filters), to == path) for to, (title, _) in PAGES.items() if title
            ],
            fields=fields,
            any_filter=any(field.value for field in fields),
            notice=_notice(page),
            sections=[
                ShownSection(part, [_query(name, part.filters or filters) for name in part.queries])
                for part in built.sections
            ],
            style_version=style_version(),
            **common,
        )
    )


def draw_message(title: str, sentences: Sequence[str]) -> str:
    """Draw a page that says why there is no other."""
    template = environment().get_template("message.html.j2")
    return template.render(title=title, sentences=sentences, style_version=style_version())


def draw_unpublished(path: str, reader: Any, **common: Any) -> str:
    """Draw a page of a project without a run: the menu, and how to begin. It shows the results once there are some."""
    title = PAGES[path][0] or "Alert"
    built = LivePage(title, PageFilters(), (), [PageSection("Nothing is published yet", (), sentences=BEGIN)])
    page = PageReading(reader, PageFilters())
    return draw_page(path, built, page, published="", **common)


def published_at(snapshot: Path) -> str:
    """Return when the snapshot was published; '' before the first one."""
    try:
        return f"{moment(datetime.fromtimestamp(snapshot.stat().st_mtime, UTC))} UTC"
    except OSError:
        return ""


@cache
def environment() -> jinja2.Environment:
    """Return the templates: those of the live pages, and the tables of the report."""
    return templates(_HERE / "templates", Path(report.__file__).parent)


@cache
def style() -> str:
    """Return the style of the report and of the live pages."""
    files = (Path(report.__file__).parent / "style.css", _HERE / "static" / "dashboard.css")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@cache
def style_version() -> str:
    """Return a text that changes with the style, so that no browser keeps an old one."""
    return hashlib.sha256(style().encode()).hexdigest()[:12]


@cache
def static_file(name: str) -> str:
    """Read a file of static/."""
    return (_HERE / "static" / name).read_text(encoding="utf-8")


def _field(name: str, page: PageReading, path: str) -> FilterField:
    value = getattr(page.filters, name) or ""
    if name in _FIXED:
        names = [(entry, entry) for entry in _FIXED[name]]
    else:
        names = [] if name == "since" else page.names("rater" if name == "other" else name)
    unknown = value and value not in dict(names)
    choices = [Choice(entry, shortened(label, 60), entry == value) for entry, label in names]
    if unknown and name != "since":
        choices.insert(0, Choice(value, f"{shortened(value, 40)} (unknown)", True))
    all_of = "" if name == "question" and path in _OF_ONE_QUESTION else _ALL_OF.get(name, "all")
    as_text = name == "since" or len(choices) > _MAX_CHOICES
    return FilterField(name, _TITLES[name], value, all_of, None if as_text else choices)


def _menu_address(path: str, filters: PageFilters) -> str:
    """Return the address of another page, with the question and nothing that it may not know."""
    return address(path, PageFilters(question=filters.question))


def _notice(page: PageReading) -> str:
    """Say that a filter names what does not exist."""
    names = {"question": "question", "rater": "annotator", "system": "system", "slice": "slice"}
    for name, word in names.items():
        value = getattr(page.filters, name)
        if value is not None and value not in dict(page.names(name)):
            return f"There is no {word} “{shortened(value, 80)}” here."
    return ""


def _query(name: str, filters: PageFilters) -> ShownQuery:
    text = page_query_text(name)
    used = used_values(name, query_values(filters, MAX_SHOWN))
    files = [
        FileLink(f"{form.title} (up to {MAX_ROWS:,} rows)", address(f"/download/{name}.{ending}", filters))
        for ending, form in DOWNLOADS.items()
    ]
    shown = [(key, shortened(value, 200)) for key, value in used.items() if value is not None and key != "n_rows"]
    return ShownQuery(text, shown, files)
