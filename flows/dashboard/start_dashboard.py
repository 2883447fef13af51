"""Start the live pages of a project, and serve them until stopped."""

import os
import secrets
import socket
from collections.abc import Callable
from contextlib import closing, suppress

import uvicorn

from flows.dashboard.acknowledgements import AcknowledgementQueue
from flows.dashboard.app import Dashboard, make_app
from flows.dashboard.visitors import TOKEN_VARIABLE, is_this_machine, visitor_rules
from flows.project_folder import CODE_VERSION, Project
from flows.service.listening import listening_socket
from flows.service.supervised import end_with_supervisor
from flows.settings.task_inputs import message_routes
from tasks.dashboard.snapshot_reader import SnapshotReader
from tasks.monitor.act_on_alerts import AlertDesk
from warehouse.publication.snapshot import publish

_WAIT_SECONDS = 2.0  # for a run that holds the warehouse, in one attempt


def serve_dashboard(project: Project, *, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve the pages until Ctrl-C. Raises InputError if the address cannot be used."""
    end_with_supervisor()
    given_token = os.environ.get(TOKEN_VARIABLE)
    token = None if is_this_machine(host) else given_token or secrets.token_urlsafe(24)
    app = make_app(make_dashboard(project, host=host, port=port, token=token))
    with closing(_listening_socket(host, port)) as listener:
        for sentence in start_sentences(host, port, token, is_given=bool(given_token)):
            say(sentence)
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])


def start_sentences(host: str, port: int, token: str | None, *, is_given: bool) -> list[str]:
    """Say where the pages are. A token that the user gave does not get into a log."""
    shown = f"${TOKEN_VARIABLE}" if is_given else token
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/{f'?token={shown}' if token else ''}"
    warning = "Whoever reaches this port and has the token can see the project. The connection is not encrypted."
    return [f"dashboard: {address}", *([warning] if token else []), "Ctrl-C stops it."]


def make_dashboard(project: Project, *, host: str, port: int, token: str | None = None) -> Dashboard:
    """Make the pages of a project for a server on host:port."""

    def acknowledge(alert_id: str, by: str) -> None:
        AlertDesk(project.warehouse, message_routes(project), by, _WAIT_SECONDS).acknowledge([alert_id])
        publish(project.warehouse, project.published, **project.publishing)

    return Dashboard(
        title=project.settings.project.name,
        snapshot=project.snapshot,
        code_version=CODE_VERSION,
        reader=SnapshotReader(project.snapshot),
        queue=AcknowledgementQueue(project.folder / ".kappaflow" / "acknowledgements.json", acknowledge),
        rules=visitor_rules(host, port, token),
    )


def _listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens, so that the address is printed only when it can be opened."""
    other = f"Choose another port: kappaflow dashboard --port {port + 1 if port < 65_535 else port - 1}."
    subject = f"The dashboard cannot listen on {host}:{port}"
    return listening_socket(host, port, subject=subject, option="--host", other_port=other)
