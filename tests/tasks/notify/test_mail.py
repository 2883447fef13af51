"""What is said when a mail server does not take a message, and what a mail holds."""

import email
import email.policy
from dataclasses import replace

import pytest

from tasks.notify.channels import ChannelError, deliver
from tests.tasks.notify.mail_server import mail_server
from tests.tasks.notify.test_channels import DIGEST, KEYS, SECRET


def url(port: int, user: str = "", mode: str = "insecure", to: str = "team@example.com") -> str:
    return f"mailto://{user}127.0.0.1:{port}?from=kappaflow@example.com&to={to}&smtp=127.0.0.1&mode={mode}"


def test_a_mail_has_the_key_and_no_more_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    with mail_server({}) as (port, mails):
        monkeypatch.setenv("TEAM", url(port))
        deliver("TEAM", replace(DIGEST, title="Support: ‹b› Bcc: x@\u200bexample.com"), **KEYS)
    mail = email.message_from_string(mails[0], policy=email.policy.default)
    assert (mail["X-Idempotency-Key"], mail["To"], mail["Bcc"]) == ("d1", "team@example.com", None)
    assert "Bcc" in mail["Subject"]


@pytest.mark.parametrize(
    ("answers", "offers", "user", "mode", "sentence"),
    [
        ({"DATA": f"550 5.7.1 {SECRET}"}, "", "", "insecure", "the mail server answered with 550"),
        ({"RCPT": f"450 {SECRET}"}, "", "", "insecure", "the mail server answered with 450"),
        (
            {"AUTH": f"535 {SECRET}"}, "AUTH PLAIN", f"user:{SECRET}@", "insecure",
            "the mail server answered with 535 (user and password are needed, or wrong)",
        ),
        (
            {}, "", f"user:{SECRET}@", "insecure",
            "the mail server takes no user and password on this connection",
        ),
        ({}, "", "", "starttls", "the mail server has no STARTTLS"),
    ],
)  # fmt: skip
def test_what_a_mail_server_answers_is_said_and_surely_did_not_arrive(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, str], offers: str, user: str, mode: str, sentence: str
) -> None:
    with mail_server(answers, offers) as (port, mails):
        monkeypatch.setenv("TEAM", url(port, user, mode))
        with pytest.raises(ChannelError) as caught:
            deliver("TEAM", DIGEST, **KEYS)
    assert (str(caught.value), caught.value.refused, mails) == (sentence, True, [])


def test_a_mail_that_one_of_two_recipients_got_may_have_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    with mail_server({"b@example.com": "550 no"}) as (port, mails):
        monkeypatch.setenv("TEAM", url(port, to="a@example.com,b@example.com"))
        with pytest.raises(ChannelError, match="the mail server answered with 550") as caught:
            deliver("TEAM", DIGEST, **KEYS)
    assert (caught.value.refused, len(mails)) == (False, 1)
