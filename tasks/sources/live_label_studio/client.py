"""Call the API of Label Studio over HTTP: read pages of tasks, retry when the server is busy, explain its errors.

Each poll reads the token from an environment variable. The token is sent in a header. It is never written to messages,
logs or settings. Redirects are not followed, so the token goes only to the configured address.
"""

import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import httpx

from tasks.errors import SourceError
from tasks.sources.live_label_studio.live_source import PATIENCE

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0  # seconds before a retry; each pause is twice as long as the one before
TIMEOUT = httpx.Timeout(60.0, connect=10.0)
TRY_AGAIN = frozenset({429, 500, 502, 503, 504})
ADDRESS_HINT = "Set `url` in kappaflow.toml to the address of Label Studio itself, such as https://label.example.com."

Json = Mapping[str, Any]
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class TaskPage:
    """One page of tasks.

    `total` is the number of tasks on all pages, or None if the server does not report it. `ended` is true if the page
    does not exist, so that the pages before it contain all tasks.
    """

    tasks: Sequence[Json]
    total: int | None = None
    ended: bool = False


class LabelStudioClient:
    """A client for one Label Studio server, to be used as a context manager.

    Every method raises SourceError with what is wrong and what to do. A request that fails with a temporary error is
    retried for `patience` seconds, with increasing pauses.
    """

    def __init__(self, url: str, token_env: str, *, patience: float = PATIENCE) -> None:
        self.url = url.rstrip("/")
        self._token_env = token_env
        self._patience = patience
        self._secret = _token(token_env)
        self._http = httpx.Client(timeout=TIMEOUT, follow_redirects=False)
        self._authorization: str | None = None

    def __enter__(self) -> "LabelStudioClient":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def n_tasks(self, project: int) -> int:
        """Return the number of tasks of a project.

        Raises SourceError if the project does not exist or the user of the token may not see it.
        """
        return self.counts(project)[0]

    def counts(self, project: int) -> tuple[int, int | None]:
        """Return the numbers of tasks and predictions of a project; None for predictions if they are not reported.

        Raises SourceError as `n_tasks` does.
        """
        response = self._get(f"/api/projects/{project}/", {})
        if response.status_code == 404:
            raise SourceError(
                f"There is no project {project} at {self.url}, or the token's user may not see it.",
                "The number stands in the project's address: .../projects/NUMBER/data. Correct `project` in "
                "kappaflow.toml, or make the user a member.",
            )
        answer = self._json(response)
        n_tasks, n_predictions = answer.get("task_number"), answer.get("total_predictions_number")
        if not isinstance(n_tasks, int):
            raise self._strange("a project without task_number")
        return n_tasks, n_predictions if isinstance(n_predictions, int) else None

    def tasks(self, project: int, since: str, page: int, page_size: int) -> TaskPage:
        """Fetch a page of the tasks that changed at `since` or later, sorted by the time of their last change.

        `since` is in ISO format with microseconds and Z.
        """
        filters = {"fields": "all", "resolve_uri": "false", "query": _changed_since(since)}
        return self._page(project, page, page_size, filters)

    def n_changed(self, project: int, since: str) -> int | None:
        """Return the number of tasks that changed at `since` or later, or None if the server does not report it."""
        return self._page(project, 1, 1, {"resolve_uri": "false", "query": _changed_since(since)}).total

    def task_ids(self, project: int, page: int, page_size: int) -> TaskPage:
        """Fetch a page of all tasks of a project, with their ids only."""
        return self._page(project, page, page_size, {"include": "id"})

    def _page(self, project: int, page: int, page_size: int, filters: Mapping[str, str]) -> TaskPage:
        params = {"project": str(project), "page": str(page), "page_size": str(page_size)}
        response = self._get("/api/tasks", {**params, **filters})
        if response.status_code == 404 and page > 1:
            return TaskPage((), ended=True)
        answer = self._json(response)
        tasks, total = answer.get("tasks"), answer.get("total")
        if not isinstance(tasks, list) or not all(isinstance(task, dict) and "id" in task for task in tasks):
            raise self._strange("a page without a list of tasks")
        return TaskPage(tasks, total if isinstance(total, int) else None)

    def _get(self, path: str, params: Mapping[str, str]) -> httpx.Response:
        response = self._send("GET", path, params=params)
        if response.status_code == 401 and self._authorization is not None and self._is_personal:
            self._authorization = None  # an access token lasts a few minutes: get a new one and try again
            response = self._send("GET", path, params=params)
        return response

    @property
    def _is_personal(self) -> bool:
        """Whether the token is a personal access token: three parts separated by dots.

        Such a token is exchanged for an access token that is valid for a few minutes.
        """
        return self._secret.count(".") == 2

    def _headers(self) -> dict[str, str]:
        if self._authorization is None:
            self._authorization = f"Bearer {self._access()}" if self._is_personal else f"Token {self._secret}"
        return {"Authorization": self._authorization, "Accept": "application/json"}

    def _access(self) -> str:
        response = self._try("POST", "/api/token/refresh/", headers={}, json={"refresh": self._secret})
        if response.status_code in (400, 401, 403):
            raise self._refused(response.status_code)
        access = self._json(response).get("access")
        if not isinstance(access, str):
            raise self._strange("no access token")
        return access

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self._try(method, path, headers=self._headers(), **more)

    def _try(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request and return the response. Retry after temporary errors until `patience` seconds have passed."""
        start, pause, n_tries = time.monotonic(), FIRST_PAUSE, 0
        while True:
            n_tries += 1
            requested_pause = 0.0
            try:
                response = self._http.request(method, self.url + path, **more)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as error:
                problem = f"{self.url} is not an address: {error}."
                raise SourceError(problem, "It begins with http:// or https://.") from None
            except httpx.TimeoutException:
                problem = "did not answer in time"
            except httpx.TransportError as error:
                problem = f"could not be reached: {str(error) or type(error).__name__}"
            else:
                if response.status_code not in TRY_AGAIN:
                    return response
                problem = f"answered with HTTP {response.status_code} ({response.reason_phrase})"
                requested_pause = _requested_pause(response)
            left = start + self._patience - time.monotonic()
            if left <= 0:
                tries = f"{n_tries} {'try' if n_tries == 1 else 'tries'} in {time.monotonic() - start:.0f} seconds"
                raise SourceError(
                    f"Label Studio at {self.url} {problem}; {tries}.",
                    "Check that it runs and that `url` in kappaflow.toml is its address. What was fetched is kept, and "
                    "the next run goes on from there.",
                )
            if n_tries == 1:
                log.warning("Label Studio at %s %s; asked again for %.0f seconds.", self.url, problem, left)
            time.sleep(min(max(pause, requested_pause), left))
            pause = min(2 * pause, LONGEST_PAUSE)

    def _json(self, response: httpx.Response) -> Json:
        if response.status_code in (401, 403):
            raise self._refused(response.status_code)
        kind = response.headers.get("content-type", "nothing").partition(";")[0]
        if response.is_redirect or "html" in kind:
            raise SourceError(
                f"{self.url} answered with {'a redirection' if response.is_redirect else 'a web page'} (HTTP "
                f"{response.status_code}) where Label Studio's API answers with JSON.",
                "Set `url` in kappaflow.toml to the address of Label Studio itself, with the folder it is served "
                "under. If a login page or a proxy stands in between, make it let the token through.",
            )
        if response.status_code != 200:
            raise SourceError(
                f"Label Studio at {self.url} answered {response.request.url.path} with HTTP {response.status_code}.",
                "Look into its log for the cause. The next run goes on where this one stopped.",
            )
        try:
            value = response.json()
        except (ValueError, RecursionError):
            raise self._strange(f"{kind} that is not JSON") from None
        if not isinstance(value, dict):
            raise self._strange("JSON that is not an object")
        return value

    def _refused(self, status: int) -> SourceError:
        return SourceError(
            f"Label Studio at {self.url} refused the token in {self._token_env} (HTTP {status}).",
            "Make a new one under Account & Settings > Access Token, and see that its user is a member of the project.",
        )

    def _strange(self, what: str) -> SourceError:
        return SourceError(
            f"{self.url} answered with {what}: that is not an answer of Label Studio's API.",
            ADDRESS_HINT,
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


def _requested_pause(response: httpx.Response) -> float:
    """Return the seconds in the header Retry-After, or 0."""
    seconds = response.headers.get("retry-after", "")
    return float(seconds) if seconds.isdecimal() else 0.0


def _changed_since(since: str) -> str:
    """Build the query for the tasks that changed at a time or later, sorted by the time of their last change."""
    item = {"filter": "filter:tasks:updated_at", "operator": "greater_or_equal", "type": "Datetime", "value": since}
    return json.dumps({"filters": {"conjunction": "and", "items": [item]}, "ordering": ["tasks:updated_at"]})
