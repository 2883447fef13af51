"""Hand a digest to a channel: the Apprise URL in an environment variable.

The URL holds tokens and passwords. It stays in this module: it is read, used and forgotten. What Apprise and the
libraries below it log may hold it as well, so their logs are caught, and an error is a sentence of this module.
"""

import logging
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from tasks.notify.compose import DigestText

if TYPE_CHECKING:
    from apprise import NotifyBase

IDEMPOTENCY_HEADER = "X-Idempotency-Key"
LOUD_LOGGERS = ("apprise", "urllib3", "requests", "requests_oauthlib", "httpx", "httpcore", "asyncio")
MAX_SECONDS = 120.0  # for one digest: Apprise limits the wait for each piece of an answer, not for the whole
HTTP_ERROR = re.compile(r"\berror=(\d{3})\b")
MAY_HAVE_ARRIVED = {408, 502, 504}  # the service, or one on the way to it, gave up waiting
CAUSE = "Socket Exception"  # how a log line of Apprise begins that gives the cause of a broken connection
SENT_MAIL = "Sent Email"  # how the line begins that Apprise logs for each recipient whose server took the mail
# What smtplib raises: (550, b'...'), also in a dictionary by recipient.
MAIL_REPLY = re.compile(rf"^{CAUSE}: (?:\{{[^(]*)?\((\d{{3}}), b['\"]")
MAIL_SERVER_LACKS = {
    f"{CAUSE}: SMTP AUTH extension not supported": "the mail server takes no user and password on this connection",
    f"{CAUSE}: STARTTLS extension not supported": "the mail server has no STARTTLS",
}
WRONG_SIGN_IN = {"530", "534", "535"}
NOT_CONNECTED = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeout|Connection refused|Name or service not known|gaierror"
)


class ChannelError(Exception):
    """A channel did not take a digest. `refused`: it surely did not arrive. The text holds nothing of the URL."""

    def __init__(self, sentence: str, *, refused: bool) -> None:
        super().__init__(sentence)
        self.refused = refused


def is_set(channel: str) -> bool:
    """Return whether the environment variable of the channel holds anything."""
    return bool(os.environ.get(channel, "").strip())


def deliver(
    channel: str, digest: DigestText, *, digest_id: str, message_ids: Sequence[str], alert_ids: Sequence[str]
) -> None:
    """Send a digest to a channel once.

    Webhooks (json://, xml://, form:// and their s forms) get `digest_id`, `message_ids` and `alert_ids` as fields, and
    the digest's id in the header X-Idempotency-Key; mails have the header too. Raises ChannelError if the variable
    holds no Apprise URL, or if the service did not take the digest within MAX_SECONDS.
    """
    with _captured_logs() as log:

        def send() -> None:
            log.thread = threading.get_ident()
            _send(channel, digest, digest_id, message_ids, alert_ids)

        try:
            _call_in_time(send)
        except ChannelError:
            raise
        except Exception as error:  # an error of a plugin: its text and its causes may contain the URL
            name = type(error).__name__
        else:
            return
    raise _error(log.lines, name)


class _NotTakenError(Exception):
    """Apprise said no more than that."""


class _TooSlowError(ChannelError):
    """The service takes too long, and the thread that waits for it goes on."""


def _call_in_time(action: Callable[[], None]) -> None:
    """Call `action` in a thread, which ends with the process. Raises its error, or _TooSlowError after MAX_SECONDS."""
    errors: list[BaseException] = []  # also SystemExit: a thread that ends with it sent nothing

    def call() -> None:
        try:
            action()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(MAX_SECONDS)
    if thread.is_alive():
        raise _TooSlowError(f"the service did not answer within {MAX_SECONDS:g} seconds", refused=False)
    if errors:
        raise errors[0]


def _send(
    channel: str, digest: DigestText, digest_id: str, message_ids: Sequence[str], alert_ids: Sequence[str]
) -> None:
    from apprise import Apprise, AppriseAsset, NotifyFormat, NotifyType  # imported here: it takes a quarter of a second

    asset = AppriseAsset(app_id="kappaflow", app_desc="kappaflow", app_url="", async_mode=False)
    plugin = Apprise.instantiate(os.environ.get(channel, "").strip(), asset=asset)
    if plugin is None:
        raise ChannelError(f"the variable {channel} holds no URL that Apprise can use", refused=True)
    _add_keys(plugin, {"digest_id": digest_id, "message_ids": list(message_ids), "alert_ids": list(alert_ids)})
    _keep_in_one_piece(plugin)
    moods = {"good": NotifyType.SUCCESS, "warning": NotifyType.WARNING, "bad": NotifyType.FAILURE}
    is_plain = plugin.notify_format == NotifyFormat.TEXT
    sender = Apprise(asset=asset)
    sender.add(plugin)
    is_taken = sender.notify(
        title=digest.title,
        body=digest.text if is_plain else digest.markdown,
        body_format=NotifyFormat.TEXT if is_plain else NotifyFormat.MARKDOWN,
        notify_type=moods[digest.mood],
    )
    if not is_taken:
        raise _NotTakenError


def _add_keys(plugin: "NotifyBase", keys: dict[str, Any]) -> None:
    """Put the keys into the header and the fields of a webhook, and into the header of a mail."""
    from apprise.plugins.custom_form import NotifyForm
    from apprise.plugins.custom_json import NotifyJSON
    from apprise.plugins.custom_xml import NotifyXML
    from apprise.plugins.email import NotifyEmail

    if isinstance(plugin, NotifyJSON | NotifyXML | NotifyForm | NotifyEmail):
        plugin.headers.setdefault(IDEMPOTENCY_HEADER, keys["digest_id"])
    if isinstance(plugin, NotifyJSON):
        plugin.payload_extras.update(keys)
    elif isinstance(plugin, NotifyXML | NotifyForm):
        texts = {name: value if isinstance(value, str) else ",".join(value) for name, value in keys.items()}
        plugin.payload_extras.update(texts)


def _keep_in_one_piece(plugin: "NotifyBase") -> None:
    """Cut messages that are too long for the service, unless the URL says otherwise. It might always refuse them."""
    from apprise import OverflowMode

    if plugin.overflow_mode == OverflowMode.UPSTREAM:
        plugin.overflow_mode = OverflowMode.TRUNCATE


def _error(lines: Sequence[str], name: str) -> ChannelError:
    """Return what went wrong, in words of this module alone."""
    if sentence := _mail_error(lines):
        return ChannelError(sentence, refused=not any(line.startswith(SENT_MAIL) for line in lines))
    codes = [int(code) for line in lines for code in HTTP_ERROR.findall(line)]
    if codes:
        phrase = next((f" ({status.phrase})" for status in HTTPStatus if status == codes[-1]), "")
        refused = codes[-1] not in MAY_HAVE_ARRIVED
        return ChannelError(f"the service answered with HTTP {codes[-1]}{phrase}", refused=refused)
    if any(NOT_CONNECTED.search(line) for line in lines):
        return ChannelError("no connection to the service", refused=True)
    if any("onnection error" in line for line in lines):
        return ChannelError("the connection to the service broke, or it did not answer in time", refused=False)
    if name != _NotTakenError.__name__:
        return ChannelError(f"the sending failed with {name}", refused=False)
    return ChannelError("the service did not take it", refused=False)


def _mail_error(lines: Sequence[str]) -> str | None:
    """Return what a mail server said, without its text. With several recipients another one may have the mail."""
    for line in reversed(lines):
        if reply := MAIL_REPLY.match(line):
            why = " (user and password are needed, or wrong)" if reply[1] in WRONG_SIGN_IN else ""
            return f"the mail server answered with {reply[1]}{why}"
        if sentence := next((MAIL_SERVER_LACKS[start] for start in MAIL_SERVER_LACKS if line.startswith(start)), None):
            return sentence
    return None


@contextmanager
def _captured_logs() -> Iterator["_LineHandler"]:
    """Catch the lines that Apprise logs, and silence all loggers that may log the URL."""
    handler = _LineHandler()
    before = {}
    for name in LOUD_LOGGERS:
        logger = logging.getLogger(name)
        before[logger] = (logger.level, logger.propagate, logger.handlers[:])
        logger.handlers[:], logger.propagate = [handler if name == "apprise" else logging.NullHandler()], False
        logger.setLevel(logging.DEBUG if name == "apprise" else logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # urllib3 warns with the name of the host
            yield handler
    except _TooSlowError:
        before = {}  # the thread may log the URL yet: for the rest of this process the loggers stay silent
        raise
    finally:
        for logger, (level, propagate, handlers) in before.items():
            logger.handlers[:], logger.propagate = handlers, propagate
            logger.setLevel(level)


class _LineHandler(logging.Handler):
    """Collect the warnings and errors of a log, the causes of broken connections, and the mails sent, of one thread.

    An earlier service that was too slow may still fail in its own.
    """

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.thread: int | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Add the line of a record."""
        line = record.getMessage()
        if record.thread == self.thread and (record.levelno >= logging.WARNING or line.startswith((CAUSE, SENT_MAIL))):
            self.lines.append(line)
