"""Decide whom the live pages answer: only requests under the server's own names, and elsewhere only with the token."""

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from flows.service.access import own_origins

COOKIE = "kappaflow_token"
TOKEN_VARIABLE = "KAPPAFLOW_DASHBOARD_TOKEN"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class VisitorRules:
    """Who may see the pages. token: None lets everybody in who reaches the server: only for this machine.

    csrf is what a form must send along. Another site cannot read it.
    """

    host_names: frozenset[str]
    token: str | None = None
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def check_address(self, headers: Mapping[str, str], method: str) -> Refusal | None:
        """Refuse other host names (a site may point its own name here), and posts from the pages of others."""
        host = headers.get("host", "")
        if _name_of(f"//{host}") not in self.host_names:
            return Refusal(400, ("This server does not answer under this name.",))
        if method == "POST":
            origin = headers.get("origin")
            foreign = origin is not None and urlsplit(origin).netloc.lower() != host.lower()
            if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return Refusal(403, ("This was sent from a page of another site.",))
        return None

    def knows(self, token: str | None) -> bool:
        """Check a token. A server without a token lets everybody in."""
        return self.token is None or (token is not None and _equal(token, self.token))

    def is_own_form(self, csrf: str) -> bool:
        """Check that a form came from these pages."""
        return _equal(csrf, self.csrf)


def visitor_rules(host: str, port: int, token: str | None) -> VisitorRules:
    """Return the rules of a server that listens on host:port."""
    names = {_name_of(origin) for origin in own_origins(host, port)} | {host.lower()}
    return VisitorRules(frozenset(name for name in names if name), token)


def is_this_machine(host: str) -> bool:
    """Check whether only this machine reaches a server on this address.

    >>> is_this_machine("127.0.0.1"), is_this_machine("::1"), is_this_machine("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _name_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def _equal(first: str, second: str) -> bool:
    return hmac.compare_digest(first.encode(), second.encode())
