"""Label Studio's API over HTTP: pages of tasks, patience with a busy server, plain words for its errors.

The token comes from an environment variable at each poll. It is sent in a header and stands in no message, no log and
no settings; answers that lead elsewhere are not followed, so it goes to the configured address only.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import httpx

from tasks.errors import SourceError
from tasks.live.source import PAUSES

LONGEST_PAUSE = 30.0  # what a server may ask for by Retry-After
TIMEOUT = httpx.Timeout(60.0, connect=10.0)
TRY_AGAIN = frozenset({429, 500, 502, 503, 504})

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Page:
    """One page of tasks, and how many there are on all pages, if the server says so. `ended` where there is no such
    page: those before held all."""

    tasks: Sequence[Json]
    total: int | None = None
    ended: bool = False


class LabelStudio:
    """One Label Studio. A context manager; every method raises SourceError with what is wrong and what to do.

    `pauses` are the seconds to wait before each further try of a request that failed in a way that may pass.
    """

    def __init__(self, url: str, token_env: str, *, pauses: Sequence[float] = PAUSES) -> None:
        self.url = url.rstrip("/")
        self._token_env = token_env
        self._pauses = tuple(pauses)
        self._secret = _token(token_env)
        self._http = httpx.Client(timeout=TIMEOUT, follow_redirects=False)
        self._authorization: str | None = None

    def __enter__(self) -> "LabelStudio":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def n_tasks(self, project: int) -> int:
        """How many tasks a project has. SourceError where there is none of this number, or it is not to be seen."""
        return self.counts(project)[0]

    def counts(self, project: int) -> tuple[int, int | None]:
        """How many tasks a project has, and how many predictions, if the server says so. Errors as `n_tasks`."""
        found = self._get(f"/api/projects/{project}/", {})
        if found.status_code == 404:
            raise SourceError(
                f"There is no project {project} at {self.url}, or the token's user may not see it.",
                "The number stands in the project's address: .../projects/NUMBER/data. Correct `project` in "
                "kappaflow.toml, or make the user a member.",
            )
        answer = self._json(found)
        n, n_predictions = answer.get("task_number"), answer.get("total_predictions_number")
        if not isinstance(n, int):
            raise self._strange("a project without task_number")
        return n, n_predictions if isinstance(n_predictions, int) else None

    def tasks(self, project: int, since: str, page: int, page_size: int) -> Page:
        """Tasks that changed at `since` (ISO, with microseconds and Z) or later, in the order of their changes."""
        item = {"filter": "filter:tasks:updated_at", "operator": "greater_or_equal", "type": "Datetime", "value": since}
        query = {"filters": {"conjunction": "and", "items": [item]}, "ordering": ["tasks:updated_at"]}
        more = {"fields": "all", "resolve_uri": "false", "query": json.dumps(query)}
        return self._page(project, page, page_size, more)

    def task_ids(self, project: int, page: int, page_size: int) -> Page:
        """All tasks of a project, with nothing but their ids."""
        return self._page(project, page, page_size, {"include": "id"})

    def _page(self, project: int, page: int, page_size: int, more: Mapping[str, str]) -> Page:
        which = {"project": str(project), "page": str(page), "page_size": str(page_size)}
        found = self._get("/api/tasks", {**which, **more})
        if found.status_code == 404 and page > 1:
            return Page((), ended=True)
        answer = self._json(found)
        tasks, total = answer.get("tasks"), answer.get("total")
        if not isinstance(tasks, list) or not all(isinstance(task, dict) and "id" in task for task in tasks):
            raise self._strange("a page without a list of tasks")
        return Page(tasks, total if isinstance(total, int) else None)

    def _get(self, path: str, params: Mapping[str, str]) -> httpx.Response:
        found = self._send("GET", path, params=params)
        if found.status_code == 401 and self._authorization is not None and self._is_personal:
            self._authorization = None  # it lasts some minutes only: once more with a new one
            found = self._send("GET", path, params=params)
        return found

    @property
    def _is_personal(self) -> bool:
        """A personal access token (three parts, with dots) is not sent itself, but buys one for a few minutes."""
        return self._secret.count(".") == 2

    def _headers(self) -> dict[str, str]:
        if self._authorization is None:
            self._authorization = f"Bearer {self._access()}" if self._is_personal else f"Token {self._secret}"
        return {"Authorization": self._authorization, "Accept": "application/json"}

    def _access(self) -> str:
        found = self._try("POST", "/api/token/refresh/", headers={}, json={"refresh": self._secret})
        if found.status_code in (400, 401, 403):
            raise self._refused(found.status_code)
        access = self._json(found).get("access")
        if not isinstance(access, str):
            raise self._strange("no access token")
        return access

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self._try(method, path, headers=self._headers(), **more)

    def _try(self, method: str, path: str, **more: Any) -> httpx.Response:
        """The answer; a request that failed in a way that may pass is sent again, with longer and longer pauses."""
        problem = ""
        for pause in (*self._pauses, None):
            try:
                found = self._http.request(method, self.url + path, **more)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as error:
                problem = f"{self.url} is no address: {error}."
                raise SourceError(problem, "It begins with http:// or https://.") from None
            except httpx.TimeoutException:
                problem = "did not answer in time"
            except httpx.TransportError as error:
                problem = f"could not be reached: {str(error) or type(error).__name__}"
            else:
                if found.status_code not in TRY_AGAIN:
                    return found
                problem = f"answered with HTTP {found.status_code} ({found.reason_phrase})"
                pause = _asked_pause(found, pause)
            if pause is not None:
                time.sleep(pause)
        raise SourceError(
            f"Label Studio at {self.url} {problem}; {len(self._pauses) + 1} tries.",
            "See that it runs, and that `url` in kappaflow.toml is its address; the next run goes on from here.",
        )

    def _json(self, found: httpx.Response) -> Json:
        if found.status_code in (401, 403):
            raise self._refused(found.status_code)
        kind = found.headers.get("content-type", "nothing").partition(";")[0]
        if found.is_redirect or "html" in kind:
            raise SourceError(
                f"{self.url} answered with {'a redirection' if found.is_redirect else 'a web page'} (HTTP "
                f"{found.status_code}) where Label Studio's API answers with JSON.",
                "`url` in kappaflow.toml is the address of Label Studio itself, with the folder it is served under; "
                "a login page or a proxy in between does not let the token through.",
            )
        if found.status_code != 200:
            raise SourceError(
                f"Label Studio at {self.url} answered {found.request.url.path} with HTTP {found.status_code}.",
                "Its log says why; the next run goes on where this one stopped.",
            )
        try:
            value = found.json()
        except (ValueError, RecursionError):
            raise self._strange(f"{kind} that is not JSON") from None
        if not isinstance(value, dict):
            raise self._strange("JSON that is no object")
        return value

    def _refused(self, status: int) -> SourceError:
        return SourceError(
            f"Label Studio at {self.url} refused the token in {self._token_env} (HTTP {status}).",
            "Make a new one under Account & Settings > Access Token, and see that its user is a member of the project.",
        )

    def _strange(self, what: str) -> SourceError:
        return SourceError(
            f"{self.url} answered with {what}: that is no answer of Label Studio's API.",
            "`url` in kappaflow.toml is the address of Label Studio itself, such as https://label.example.com.",
        )


def _token(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise SourceError(
            f"There is no token for Label Studio: the environment variable {name} is not set.",
            f"Set it to an access token of Label Studio (Account & Settings): export {name}=...",
        )
    if not value.isascii() or not value.isprintable() or " " in value:
        raise SourceError(f"The environment variable {name} holds no token of Label Studio.", "Copy it again.")
    return value


def _asked_pause(found: httpx.Response, pause: float | None) -> float | None:
    asked = found.headers.get("retry-after", "")
    return pause if pause is None or not asked.isdigit() else min(max(pause, float(asked)), LONGEST_PAUSE)
