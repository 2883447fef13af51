"""The live pages: what they show, whom they answer, and what an acknowledgement does."""

import io
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import polars as pl
import pytest
from markupsafe import Markup

from flows.dashboard.app import Dashboard
from flows.dashboard.live_pages import PAGES
from flows.dashboard.start_dashboard import make_dashboard
from flows.project_folder import find_project
from tests.flows.dashboard.conftest import HOSTILE, Answer, visitor
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.migrate import migrate
from warehouse.publication.page_queries import page_query_names, page_query_text
from warehouse.publication.snapshot import publish


class PageOutline(HTMLParser):
    """The parts of a page that the tests look at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.fields: dict[str, str] = {}
        self.labelled: set[str] = set()
        self.inputs: list[dict[str, str]] = []
        self.code: list[str] = []
        self._in_code = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.attributes |= set(given)
        if tag == "a":
            self.links.append(given["href"])
        if tag == "label":
            self.labelled.add(given["for"])
        if tag in ("input", "select") and given.get("type") != "hidden":
            self.inputs.append(given)
        if tag == "input":
            self.fields[given["name"]] = given.get("value", "")
        self._in_code = self._in_code or tag == "code"
        if tag == "code":
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_code = self._in_code and tag != "code"

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self.code[-1] += data


def texts_of(answer: Answer) -> dict[str, str]:
    paths = [path for path in PAGES if path != "/alert"]
    return {path: answer(path).text for path in [*paths, "/alert?alert_id=c0ffee00"]}


def test_a_question_page_says_what_its_evaluation_noted(answer: Answer) -> None:
    text = Markup(answer(f"/question?question={quote(HOSTILE)}").text).striptags()
    assert "Its labels were not declared; the 2 found were used: <img src=x" in text


def test_every_page_is_reached_from_the_first_one(answer: Answer) -> None:
    links = {urlsplit(link).path for link in PageOutline(answer("/").text).links}
    assert set(PAGES) <= links
    assert {answer(path).status_code for path in PAGES if path != "/alert"} == {200}


def test_before_the_first_run_each_page_has_the_menu_and_says_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text("")
    new = visitor(make_dashboard(find_project(tmp_path), host="127.0.0.1", port=8500))
    for path in PAGES:
        outline = PageOutline(new(path).text)
        assert {"/question", "/raters", "/systems", "/alerts", "/batches"} <= {
            urlsplit(link).path for link in outline.links
        }
        assert "kappaflow run" in outline.code
    assert (
        f'data-version="{new("/version").text}"' in new("/").text
    )  # so that the page does not load itself again and again


SAMPLES = [
    "/", "/question?question=tone", "/raters?question=tone&rater=ann&other=bob", "/systems?question=tone",
    "/alert?alert_id=c0ffee00", "/items?rater=ann", "/batches", "/runs",
]  # fmt: skip


@pytest.mark.parametrize("path", SAMPLES)
def test_a_page_can_be_used_without_script_eyes_and_mouse(answer: Answer, path: str) -> None:
    page = PageOutline(answer(path).text)
    assert {"main", "nav", "header", "footer", "h1"} <= set(page.tags)
    assert page.tags.count("h1") == page.tags.count("main") == 1
    assert {entry["id"] for entry in page.inputs} <= page.labelled
    assert "style" not in page.attributes
    assert not [name for name in page.attributes if name.startswith("on")]


def test_a_page_shows_the_queries_that_ran_and_their_rows_as_files(answer: Answer) -> None:
    for path, text in texts_of(answer).items():
        page = PageOutline(text)
        shown = [code for code in page.code if "select" in code]
        assert shown, path
        assert set(shown) <= {page_query_text(name) for name in page_query_names()}
        files = [link for link in page.links if link.startswith("/download/")]
        assert {link.partition("?")[0].rpartition(".")[2] for link in files} == {"csv", "xlsx", "parquet"}


def test_filters_choose_what_a_page_shows(answer: Answer) -> None:
    assert "cem" in answer("/?question=tone").text
    of_ann = answer("/?question=tone&rater=ann").text
    cells = re.findall(r'<td><a href="/raters[^"]*"><bdi>([^<]*)', of_ann)
    assert set(cells) == {"ann"}
    assert "There is no question" in answer("/?question=nothing").text
    assert answer("/raters?question=tone&rater=nobody").status_code == 200


@pytest.mark.parametrize("of", ["rater=bob", "system=gpt"])
def test_how_a_question_stands_does_not_depend_on_the_annotator_or_system_of_the_page(answer: Answer, of: str) -> None:
    def line(path: str) -> str:
        return re.search(
            r'<tr>(?:(?!</tr>).)*href="/question\?question=tone[^"]*"[^>]*>.*?</tr>', answer(path).text, re.S
        )[0]

    assert ">act<" in line("/")
    assert line(f"/?{of}") == line("/")
    assert "No open alert names it." in answer(f"/?{of}").text


def test_a_page_on_a_slice_says_which_figures_are_those_of_all_items(answer: Answer) -> None:
    text = answer("/question?question=tone&slice=language=de").text
    for title in ("Items by agreement", "Labels that are confused", "How often each label is given"):
        section = text[text.index(f"<bdi>{title}</bdi>") :].partition("</section>")[0]
        assert "Of all items, not only of those with language=de." in section, title
    assert "All others are about all items." in answer("/systems?question=tone&slice=language=de").text
    for page in ("/question", "/systems"):
        assert "all items" not in answer(f"{page}?question=tone").text.lower()


def test_the_page_on_agreement_has_all_batches_and_no_filter_that_it_does_not_follow(answer: Answer) -> None:
    assert 'name="batch"' not in answer("/question?question=tone").text
    assert 'name="slice"' in answer("/question?question=tone").text
    assert "$batch" not in page_query_text("trend")


def test_the_page_on_systems_draws_what_shared_errors_would_do(answer: Answer) -> None:
    text = answer("/systems?question=tone").text
    assert "If raters share errors" in text
    assert re.search(r'<svg[^>]*aria-label="Accuracy if raters share errors: gpt', text)
    assert "If raters share errors" not in answer("/systems?question=alone").text


def test_figures_of_a_page_are_those_of_the_snapshot(answer: Answer, dashboard: Dashboard) -> None:
    with connect(dashboard.snapshot, read_only=True) as con:
        [(alpha,)] = con.execute(
            "select estimate from latest_agreement where question = 'tone' and period = 'all' and scope = 'humans'"
            " and coefficient = 'krippendorff_alpha'"
        ).fetchall()
    row = re.search(r'question=tone"><bdi>tone</bdi></a></td>.*?<td class="n">([\d.]+)</td>', answer("/").text, re.S)
    assert row
    assert row[1] == f"{alpha:.3f}"


def test_an_undefined_figure_is_shown_with_its_reason(answer: Answer) -> None:
    assert 'class="reason"' in answer("/?question=alone").text


def test_hostile_names_are_text(answer: Answer) -> None:
    pages = texts_of(answer) | {
        path: answer(path).text
        for path in (
            f"/question?question={quote(HOSTILE)}",
            f"/?rater={quote(HOSTILE)}",
            f"/items?question={quote(HOSTILE)}",
        )
    }
    assert any("&lt;img src=x" in text for text in pages.values())
    for path, text in pages.items():
        page = PageOutline(text)
        assert "img" not in page.tags, path
        assert page.tags.count("script") == 1
        assert "\u202e" not in re.sub(r'(value|href)="[^"]*"', "", text), path


def test_a_download_is_safe_in_a_spreadsheet(answer: Answer) -> None:
    address = f"/download/label_confusion.csv?question={quote(HOSTILE)}"
    answered = answer(address)
    assert answered.headers["content-disposition"] == 'attachment; filename="label_confusion.csv"'
    rows = pl.read_csv(answered.content)
    assert "'=cmd|x" in (rows["label_a"][0], rows["label_b"][0])
    assert "\u202e" not in answered.text
    parquet = pl.read_parquet(io.BytesIO(answer(address.replace(".csv", ".parquet")).content))
    assert "=cmd|x" in (parquet["label_a"][0], parquet["label_b"][0])
    sheet = pl.read_excel(io.BytesIO(answer(address.replace(".csv", ".xlsx")).content))
    assert sheet.equals(rows)
    assert answer("/download/names;drop.csv").status_code == 404
    assert answer("/download/agreement.exe").status_code == 404


def test_only_the_own_name_and_the_own_pages_are_answered(answer: Answer) -> None:
    assert answer("/", base="http://localhost:8500").status_code == 200
    assert answer("/", base="http://[::1]:8500").status_code == 200
    assert answer("/", base="http://evil.example").status_code == 400
    fields = PageOutline(answer("/alert?alert_id=c0ffee00").text).fields
    form = {"csrf": fields["csrf"], "alert_id": "c0ffee00"}
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert answer("/alerts/ack", "POST", data=form, headers=headers).status_code == 403
    assert answer("/alerts/ack", "POST", data={"alert_id": "c0ffee00"}).status_code == 403
    assert answer("/alerts/ack", "POST", data={**form, "csrf": "guessed"}).status_code == 403
    assert answer("/alerts/ack", "GET").status_code == 405


def test_the_policy_of_a_page_allows_nothing_from_elsewhere(answer: Answer) -> None:
    headers = answer("/").headers
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert not re.search(r"https?://", answer("/").text)


def test_elsewhere_a_visitor_needs_the_token(published_project: Path) -> None:
    made = make_dashboard(find_project(published_project), host="0.0.0.0", port=8500, token="secret-token")
    send = visitor(made)
    assert send("/").status_code == 401
    assert send("/?token=wrong").status_code == 401
    assert send("/style.css").status_code == 200
    entered = send("/?token=secret-token&question=tone")
    assert (entered.status_code, entered.headers["location"]) == (303, "/?question=tone")
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert send("/", headers={"Cookie": cookie.partition(";")[0]}).status_code == 200
    assert send("/", headers={"Authorization": "Bearer secret-token"}).status_code == 200
    made.reader.close()


def test_the_items_are_those_of_the_queue_in_its_order(answer: Answer, dashboard: Dashboard) -> None:
    with connect(dashboard.snapshot, read_only=True) as con:
        queue = con.sql(
            "select item, label, expected_gain from disagreement_queue where question = 'tone'"
            " order by expected_gain desc nulls last, entropy desc, item"
        ).pl()
    rows = pl.read_parquet(io.BytesIO(answer("/download/items.parquet?question=tone").content))
    assert queue.height > 0
    assert rows.select(queue.columns).equals(queue)
    assert rows["n_doubtful"].unique().to_list() == [queue.height]
    assert "Expected gain: bits of doubt about the right label" in answer("/items?question=tone").text


def test_from_an_alert_to_its_disputed_items_is_one_click(answer: Answer) -> None:
    [link] = {link for link in PageOutline(answer("/").text).links if link.startswith("/items?") and "since" in link}
    assert parse_qs(urlsplit(link).query) == {"question": ["tone"], "rater": ["ann"], "since": ["2026-02-16"]}
    assert answer(link.replace("&since=2026-02-16", "")).text.count("ann: ") > 1


def test_items_rated_since_a_day_go_by_arrival_without_times_and_by_the_zone_of_the_project(own_project: Path) -> None:
    def shown(timezone: str, since: str) -> int:
        with connect(own_project / "warehouse.duckdb") as con:
            con.execute("update internal.ratings set ingested_at = '2026-01-05 03:00:00+00'")
            con.execute("update internal.project_time set timezone = $timezone", {"timezone": timezone})
        publish(own_project / "warehouse.duckdb", own_project / "published")
        made = make_dashboard(find_project(own_project), host="127.0.0.1", port=8500)
        file = visitor(made)(f"/download/items.parquet?question=tone&since={since}").content
        made.reader.close()
        return pl.read_parquet(io.BytesIO(file)).height

    assert (shown("UTC", "2026-01-05") > 0, shown("UTC", "2026-01-06")) == (True, 0)
    assert (shown("America/Lima", "2026-01-04") > 0, shown("America/Lima", "2026-01-05")) == (True, 0)


def test_acknowledging_does_what_the_command_does(own_project: Path) -> None:
    made = make_dashboard(find_project(own_project), host="127.0.0.1", port=8500)
    made.queue.start()
    send = visitor(made)
    before = send("/version").text
    csrf = PageOutline(send("/alert?alert_id=c0ffee00").text).fields["csrf"]
    answered = send("/alerts/ack", "POST", data={"csrf": csrf, "alert_id": "c0ffee00", "by": "eve"})
    assert (answered.status_code, answered.headers["location"]) == (303, "/alert?alert_id=c0ffee00")
    _until(lambda: not made.queue.state().waiting)
    page = send("/alert?alert_id=c0ffee00").text
    assert "acknowledged by <bdi>eve</bdi>" in page
    assert 'action="/alerts/ack"' not in page
    assert send("/version").text != before
    made.queue.stop()
    made.reader.close()


def test_an_acknowledgement_waits_while_a_run_holds_the_warehouse(own_project: Path) -> None:
    project = find_project(own_project)
    made = make_dashboard(project, host="127.0.0.1", port=8500)
    made.queue.start()
    send = visitor(made)
    csrf = PageOutline(send("/").text).fields["csrf"]
    with connect(project.warehouse):
        send("/alerts/ack", "POST", data={"csrf": csrf, "alert_id": "c0ffee00", "by": "eve"})
        assert ">waiting</strong>" in send("/").text
        assert "c0ffee00" in (own_project / ".kappaflow" / "acknowledgements.json").read_text()
    _until(lambda: not made.queue.state().waiting)
    assert "acknowledged by <bdi>eve</bdi>" in send("/alerts").text
    made.queue.stop()
    made.reader.close()


def test_the_next_snapshot_is_shown_when_it_is_there(own_project: Path) -> None:
    made = make_dashboard(find_project(own_project), host="127.0.0.1", port=8500)
    send = visitor(made)
    assert "owner <bdi>eve</bdi>" in send("/alert?alert_id=c0ffee00").text
    with connect(own_project / "warehouse.duckdb") as con:
        con.execute("update alerts set owner = 'mallory' where alert_id = 'c0ffee00'")
    publish(own_project / "warehouse.duckdb", own_project / "published")
    assert "owner <bdi>mallory</bdi>" in send("/alert?alert_id=c0ffee00").text
    made.reader.close()


def test_a_question_that_could_not_be_evaluated_is_named(own_project: Path) -> None:
    made = make_dashboard(find_project(own_project), host="127.0.0.1", port=8500)
    assert "Not evaluated" not in visitor(made)("/").text
    made.reader.close()
    failure = """
        insert into runs by name
        select md5(question) as run_id, 'evaluate' as kind, question, 'failed' as status, 'x' as code_version,
            now() + interval 1 hour as started_at, 'Its labels have no declared order.' as detail
        from (values ('tone'), ('mood')) as t(question)
    """
    with connect(own_project / "warehouse.duckdb") as con:
        con.execute(failure)
    publish(own_project / "warehouse.duckdb", own_project / "published")
    made = make_dashboard(find_project(own_project), host="127.0.0.1", port=8500)
    send = visitor(made)
    text = re.sub(r"<[^>]+>", "", send("/").text)
    assert "tone could not be evaluated, and its figures are from an earlier run: Its labels have no" in text
    assert "mood could not be evaluated: Its labels have no declared order." in text
    of_tone = re.sub(r"<[^>]+>", "", send("/question?question=tone").text)
    assert "tone could not be evaluated" in of_tone
    assert "mood could not be evaluated" not in of_tone
    assert "could not be evaluated" not in send("/question?question=alone").text
    made.reader.close()


def test_a_project_without_a_run_says_what_to_do(tmp_path: Path) -> None:
    send = visitor(make_dashboard(find_project(tmp_path), host="127.0.0.1", port=8500))
    answered = send("/")
    assert answered.status_code == 200
    assert "kappaflow run" in answered.text
    assert send("/alert?alert_id=1").status_code == 200
    download = send("/download/agreement.csv")
    assert download.status_code == 404
    assert "kappaflow run" in download.text


def test_an_empty_project_says_how_to_begin(tmp_path: Path) -> None:
    with connect(tmp_path / "warehouse.duckdb") as con:
        migrate(con)
    publish(tmp_path / "warehouse.duckdb", tmp_path / "published")
    made = make_dashboard(find_project(tmp_path), host="127.0.0.1", port=8500)
    page = visitor(made)("/").text
    assert "Nothing ingested yet" in page
    assert "<code>inbox/</code>" in page
    assert "No alert is open" not in page
    made.reader.close()


def test_a_project_whose_rows_are_all_rejected_points_to_its_files(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text("", encoding="utf-8")
    project = InboxProject(tmp_path)
    (project.inbox / "bad.csv").write_text("item,rater,label\n,ann,yes\n,bob,no\n", encoding="utf-8")
    project.ingest()
    publish(project.db, tmp_path / "published")
    made = make_dashboard(find_project(tmp_path), host="127.0.0.1", port=8500)
    page = visitor(made)("/").text
    assert 'No rating has come in yet: see <a href="/batches">what became of the files</a>.' in page
    made.reader.close()


def test_rejected_rows_are_all_counted_and_the_first_are_listed(tmp_path: Path) -> None:
    """With more than 2,000 the page counted 2,000, beside a batch of which it said the right number."""
    (tmp_path / "kappaflow.toml").write_text("", encoding="utf-8")
    project = InboxProject(tmp_path)
    rows = "".join(f"i{n},ann,\n" for n in range(2100)) + "i0,ann,yes\n,ann,yes\n"
    (project.inbox / "tone.csv").write_text(f"item,rater,label\n{rows}", encoding="utf-8")
    project.ingest()
    publish(project.db, tmp_path / "published")
    made = make_dashboard(find_project(tmp_path), host="127.0.0.1", port=8500)
    page = " ".join(re.sub("<[^>]*>", " ", visitor(made)("/batches").text).replace("\xa0", " ").split())
    assert "The first 50 of 2,101 rejected rows." in page
    assert "missing label missing_ label 2,100 1" in page
    assert "missing item missing_ item 1 1" in page
    made.reader.close()


def _until(is_done: Any) -> None:
    deadline = time.monotonic() + 30
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.05)
