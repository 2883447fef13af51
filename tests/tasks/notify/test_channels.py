"""What a channel gets, how a failure is said, and that nothing of the URL comes out."""

import html
import logging
import socket
import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
import requests

from tasks.notify.channels import LOUD_LOGGERS, ChannelError, deliver, is_set
from tasks.notify.compose import DigestText
from tests.conftest import free_port
from tests.tasks.notify.test_compose import RATER, composed
from tests.tasks.notify.webhook import Webhook

DIGEST = DigestText("Support: Alert opened in tone: annotator r3", "plain text\n", "**markdown**\n", "bad")
KEYS: Any = {"digest_id": "d1", "message_ids": ["m1", "m2"], "alert_ids": ["a1", "a2", "a3"]}
SECRET = "T0psecretT0ken"


def test_a_webhook_gets_the_text_and_the_keys(receiver: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", f" {receiver.url()} ")
    deliver("TEAM", DIGEST, **KEYS)
    (body,), (headers,) = receiver.bodies, receiver.headers
    assert (body["title"], body["message"], body["type"]) == (DIGEST.title, DIGEST.text.strip(), "failure")
    assert {name: body[name] for name in KEYS} == KEYS
    assert headers["X-Idempotency-Key"] == "d1"


def test_a_service_with_markdown_gets_markdown(receiver: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", f"{receiver.url()}?format=markdown")
    deliver("TEAM", DIGEST, **KEYS)
    monkeypatch.setenv("TEAM", f"{receiver.url()}?format=html")
    deliver("TEAM", DIGEST, **KEYS)
    assert [body["message"].strip() for body in receiver.bodies] == [
        "**markdown**", "<p><strong>markdown</strong></p>"]  # fmt: skip


def test_a_long_text_is_cut_and_not_divided(receiver: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", receiver.url())
    deliver("TEAM", DigestText("t", "x" * 100_000, "", "good"), **KEYS)
    assert len(receiver.bodies) == 1
    assert 30_000 < len(receiver.bodies[0]["message"]) < 40_000


@pytest.mark.parametrize(
    ("status", "sentence", "refused"),
    [
        (404, "the service answered with HTTP 404 (Not Found)", True),
        (500, "the service answered with HTTP 500 (Internal Server Error)", True),
        (504, "the service answered with HTTP 504 (Gateway Timeout)", False),
        (599, "the service answered with HTTP 599", True),
    ],
)
def test_an_answer_that_is_an_error(
    receiver: Webhook, monkeypatch: pytest.MonkeyPatch, status: int, sentence: str, refused: bool
) -> None:
    monkeypatch.setenv("TEAM", receiver.url(SECRET))
    receiver.answers.append(status)
    with pytest.raises(ChannelError) as caught:
        deliver("TEAM", DIGEST, **KEYS)
    assert (str(caught.value), caught.value.refused) == (sentence, refused)


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", f"json://127.0.0.1:{free_port()}/{SECRET}")
    with pytest.raises(ChannelError, match=r"^no connection to the service$") as caught:
        deliver("TEAM", DIGEST, **KEYS)
    assert caught.value.refused


def test_an_answer_that_does_not_come_in_time_may_mean_that_it_arrived(
    receiver: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAM", f"{receiver.url()}?rto=0.2")
    receiver.on_request = lambda: time.sleep(1)
    with pytest.raises(ChannelError, match="did not answer in time") as caught:
        deliver("TEAM", DIGEST, **KEYS)
    assert not caught.value.refused
    assert receiver.bodies


@pytest.mark.parametrize(
    "url", ["nonsense", f"slack://{SECRET}", f"unknown://{SECRET}", f"mailto://{SECRET}:{SECRET}@"]
)
def test_a_variable_without_an_apprise_url(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("TEAM", url)
    with pytest.raises(ChannelError, match=r"^the variable TEAM holds no URL that Apprise can use$"):
        deliver("TEAM", DIGEST, **KEYS)


def test_a_plugin_that_breaks_is_an_error_without_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **options: object) -> bool:
        raise RuntimeError(SECRET)

    monkeypatch.setenv("TEAM", f"json://localhost/{SECRET}")
    monkeypatch.setattr("apprise.Apprise.notify", broken)
    with pytest.raises(ChannelError, match=r"^the sending failed with RuntimeError$") as caught:
        deliver("TEAM", DIGEST, **KEYS)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_thread_that_ends_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*arguments: object, **options: object) -> bool:
        raise SystemExit(3)

    monkeypatch.setenv("TEAM", f"json://localhost/{SECRET}")
    monkeypatch.setattr("apprise.Apprise.notify", ended)
    with pytest.raises(SystemExit):
        deliver("TEAM", DIGEST, **KEYS)


def test_what_an_earlier_service_says_late_is_not_said_of_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was too slow, and its thread goes on."""
    monkeypatch.setenv("TEAM", f"json://localhost/{SECRET}")
    logger = logging.getLogger("apprise")

    def late(*arguments: object, **options: object) -> bool:
        thread = threading.Thread(target=logger.warning, args=["Failed to send (error=500)."])
        thread.start()
        thread.join()
        return False

    monkeypatch.setattr("apprise.Apprise.notify", late)
    with pytest.raises(ChannelError, match=r"^the service did not take it$") as caught:
        deliver("TEAM", DIGEST, **KEYS)
    assert not caught.value.refused


def test_a_service_that_answers_byte_by_byte_does_not_hold_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, and the answer never. Afterwards nothing is logged that may have the URL."""
    monkeypatch.setattr("tasks.notify.channels.MAX_SECONDS", 0.5)
    loggers = [logging.getLogger(name) for name in LOUD_LOGGERS]
    states = [(logger, logger.propagate, logger.handlers[:], logger.level) for logger in loggers]
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not is_over.wait(0.05):
                    connection.sendall(b"x")

        thread = threading.Thread(target=answer)
        thread.start()
        monkeypatch.setenv("TEAM", f"json://127.0.0.1:{listener.getsockname()[1]}/{SECRET}")
        try:
            with pytest.raises(ChannelError, match="did not answer within") as error:
                deliver("TEAM", DIGEST, **KEYS)
            assert (error.value.refused, SECRET in str(error.value)) == (False, False)
            assert not any(logger.propagate for logger in loggers)
        finally:
            is_over.set()
            thread.join()
            for logger, propagate, handlers, level in states:
                logger.propagate, logger.handlers[:] = propagate, handlers
                logger.setLevel(level)


def test_nothing_of_the_url_is_logged_and_the_loggers_are_as_before(
    receiver: Webhook,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TEAM", f"json://user:{SECRET}@127.0.0.1:{receiver.port}/{SECRET}?+X-Token={SECRET}")
    before = [(logging.getLogger(name).level, logging.getLogger(name).propagate) for name in ("apprise", "urllib3")]
    receiver.answers += [200, 403]
    with caplog.at_level(1):
        deliver("TEAM", DIGEST, **KEYS)
        with pytest.raises(ChannelError) as caught:
            deliver("TEAM", DIGEST, **KEYS)
    assert SECRET not in repr(caught.value)
    text = caplog.text + "".join(capfd.readouterr())
    assert SECRET not in text
    assert "127.0.0.1" not in text
    after = [(logging.getLogger(name).level, logging.getLogger(name).propagate) for name in ("apprise", "urllib3")]
    assert after == before


def test_a_blank_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", " ")
    monkeypatch.delenv("OTHER", raising=False)
    assert not is_set("TEAM")
    assert not is_set("OTHER")
    monkeypatch.setenv("TEAM", "json://localhost")
    assert is_set("TEAM")


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
        "workflows://example.com:443/643e69f83c8944438d68119179a10a64/KODuebWbDGYFr0z0eu-6Rj8aUKz7108W3wrNJZxFE5A",
        "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js?format=markdown",
        "tgram://123456789:abcdefg_hijklmnop/12315544/",
        "gchat://workspace/key/token",
    ],
    ids=lambda url: url.partition(":")[0],
)
def test_what_services_get_mentions_nobody_and_links_nowhere(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def answer(session: requests.Session, **options: Any) -> requests.Response:
        sent.append(str(options.get("data") or options.get("json")))
        response = requests.Response()
        response.status_code, response._content = 200, b'{"ok": true, "result": []}'
        return response

    name = "<!channel> <@U1> @everyone @channel @here <at>Ann</at> <b>x</b> [y](http://evil.example) !x|y>"
    alert = replace(RATER, subject=name, question=name, owner=name)
    rule = replace(alert, alert_id="a2", kind="rule", before=None, detail=name, evidence=name)
    monkeypatch.setattr("requests.sessions.Session.request", answer)
    monkeypatch.setenv("TEAM", url)
    with suppress(ChannelError):  # the answer is not that of each service
        deliver("TEAM", composed(alert, rule, name=name), **KEYS)
    assert sent
    for text in map(html.unescape, sent):
        assert "Alert opened in" in text
        for command in ("<!", "<@", "@everyone", "@channel", "@here", "<at", "<b>x", "://evil", "](http"):
            assert command not in text, command
