"""Prefect's server is closed: to web pages, to other names of this machine, and to whoever has no password."""

import asyncio
import base64
import json
import os
import re
import signal
import stat
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from docs.browser import MISSING, find_browser
from flows.project_folder import SERVED, find_project
from flows.service.access import own_origins, password_file, server_environment
from flows.service.prefect_server import AddressCheck
from tasks.errors import SettingsError
from tests.conftest import COMMAND
from tests.flows.service.conftest import SECRETS, TABLE, TOKEN, Served, children, lay_hostile_modules, until

FOREIGN = "http://evil.example"
BROWSER = find_browser()


def request(url: str, method: str = "GET", body: Any = None, **headers: str) -> tuple[int, bytes]:
    """What a server answers; a name in headers may be written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **named}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def login(password: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(password.encode()).decode()}"}


def deployment_of(served: Served) -> dict[str, Any]:
    result = json.loads(request(f"{served.api}/deployments/filter", "POST", {}, **login(served.password))[1])
    return dict(result[0])


def shell_step(marker: Path) -> dict[str, Any]:
    return {"pull_steps": [{"prefect.deployments.steps.run_shell_script": {"script": f"touch {marker}"}}]}


def attack(api: str, deployment: str, marker: Path, **headers: str) -> list[int]:
    """Make the deployment run a shell command, and start it, as anybody can with Prefect's server as it comes."""
    result, start = f"{api}/deployments/{deployment}", {"state": {"type": "SCHEDULED"}}
    return [
        request(f"{api}/deployments/filter", "POST", {}, **headers)[0],
        request(result, "PATCH", shell_step(marker), **headers)[0],
        request(f"{result}/create_flow_run", "POST", start, **headers)[0],
        request(f"{api}/admin/settings", **headers)[0],
    ]


def asked_for(served: Served) -> tuple[Any, ...]:
    """What the deployment does, and the runs that somebody asked for: those of the schedule come and go."""
    deployment = deployment_of(served)
    runs = json.loads(request(f"{served.api}/flow_runs/filter", "POST", {}, **login(served.password))[1])
    ids = sorted(run["id"] for run in runs if not run["auto_scheduled"])  # a run names itself when it starts
    return deployment["pull_steps"] or None, deployment["entrypoint"], deployment["parameters"], ids


@pytest.mark.field_trial(28)
@pytest.mark.xdist_group("prefect")
def test_a_foreign_page_or_another_user_can_change_and_start_nothing(served: Served, tmp_path: Path) -> None:
    before, marker = asked_for(served), tmp_path / "executed"
    deployment, password = deployment_of(served)["id"], login(served.password)
    assert attack(served.api, deployment, marker) == [401] * 4
    assert attack(served.api, deployment, marker, **login("kappaflow:guess")) == [401] * 4
    # With the password, too: a browser may have it.
    assert attack(served.api, deployment, marker, Origin=FOREIGN, **password) == [403] * 4
    assert attack(served.api, deployment, marker, Origin="null", **password) == [403] * 4
    assert attack(served.api, deployment, marker, Host=f"evil.example:{served.port}", **password) == [403] * 4
    preflight = {"Origin": FOREIGN, "Access-Control-Request-Method": "PATCH"}
    assert request(f"{served.api}/deployments/{deployment}", "OPTIONS", **preflight)[0] == 403
    for headers in ({"origin": FOREIGN}, {}):
        socket = served.api.replace("http:", "ws:") + "/events/in"
        with pytest.raises(InvalidStatus) as refused:
            connect(socket, **headers)  # type: ignore[arg-type]
        assert refused.value.response.status_code == 403
    assert asked_for(served) == before
    assert not marker.exists()


@pytest.mark.field_trial(28)
@pytest.mark.xdist_group("prefect")
def test_serve_s_own_pages_are_answered(served: Served) -> None:
    own = {"Origin": f"http://localhost:{served.port}", **login(served.password)}
    assert request(f"{served.api}/deployments/filter", "POST", {}, **own)[0] == 200
    settings = json.loads(request(f"http://localhost:{served.port}/ui-settings")[1])
    assert (settings["auth"], settings["api_url"]) == ("BASIC", "/api")


@pytest.mark.field_trial(28)
@pytest.mark.xdist_group("prefect")
def test_the_server_has_no_secrets_and_the_password_is_on_no_command_line(served: Served) -> None:
    mode = stat.S_IMODE((served.project / ".kappaflow" / f"prefect-password-{served.port}").stat().st_mode)
    assert mode == 0o600
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children(served.pid)}
    assert served.password.encode() not in b"".join(commands.values())
    (server,) = (pid for pid, command in commands.items() if b"flows.service.prefect_server" in command)
    (runner,) = (pid for pid, command in commands.items() if b"flows.service.scheduler" in command)
    environment = Path(f"/proc/{server}/environ").read_bytes()
    assert not [value for value in (*SECRETS.values(), TOKEN) if value.encode() in environment]
    # The runs fetch from Label Studio and object stores with them.
    assert b"hush-label-studio" in Path(f"/proc/{runner}/environ").read_bytes()


PAGE = """<!doctype html><script>
const api = "http://%(host)s:%(port)s/api";
const body = JSON.stringify(%(step)s);
const tries = [
  ["read", `${api}/deployments/filter`, {method: "POST", body: "{}", headers: {"Content-Type": "application/json"}}],
  ["change", `${api}/deployments/%(id)s`, {method: "PATCH", body, headers: {"Content-Type": "application/json"}}],
  ["start", `${api}/deployments/%(id)s/create_flow_run`, {method: "POST", body: "{}"}],
  ["start unseen", `${api}/deployments/%(id)s/create_flow_run`, {method: "POST", body: "{}", mode: "no-cors"}],
];
(async () => {
  const answers = {};
  for (const [name, url, options] of tries) {
    try { const answer = await fetch(url, options); answers[name] = answer.type + " " + answer.status; }
    catch (error) { answers[name] = "refused"; }
  }
  document.body.textContent = "answers: " + JSON.stringify(answers);
})();
</script><body></body>"""


def browse(url: str, profile: Path, *options: str) -> str:
    """The page as a real browser shows it."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update",
             "--virtual-time-budget=20000"]  # fmt: skip
    result = subprocess.run([str(BROWSER), *flags, f"--user-data-dir={profile}", *options, "--dump-dom", url],
                            capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)  # fmt: skip
    return result.stdout


@pytest.fixture
def foreign_page(served: Served, tmp_path: Path) -> Iterator[str]:
    """The address of a page on another server that attacks the served project."""
    values = {"host": "127.0.0.1", "port": served.port, "id": deployment_of(served)["id"],
              "step": json.dumps(shell_step(tmp_path / "executed"))}  # fmt: skip

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((PAGE % values).encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.field_trial(28)
@pytest.mark.xdist_group("prefect")
@pytest.mark.skipif(BROWSER is None, reason=f"{MISSING}: the attack from a real browser was not tried")
def test_a_real_browser_cannot_attack(served: Served, foreign_page: str, tmp_path: Path) -> None:
    before = asked_for(served)
    result = re.search(r"answers: (\{.*\})", browse(foreign_page, tmp_path / "profile"))
    assert result is not None
    # A request without CORS is sent, and its answer kept from the page; the server has refused it as well.
    answers = json.loads(result[1])
    assert answers.pop("start unseen") == "opaque 0"
    assert answers == dict.fromkeys(("read", "change", "start"), "refused")
    assert asked_for(served) == before
    assert not (tmp_path / "executed").exists()
    # A name of the attacker's that points to this machine: then page and server are one origin.
    rebound = f"http://evil.example:{served.port}/"
    page = browse(rebound, tmp_path / "profile", "--host-resolver-rules=MAP evil.example 127.0.0.1")
    assert f"This server answers as http://127.0.0.1:{served.port}," in page


@pytest.mark.field_trial(28)
@pytest.mark.field_trial(29)
@pytest.mark.xdist_group("prefect")
def test_the_temporary_server_of_run_is_as_closed_and_user_s_modules_are_left_alone(tmp_path: Path) -> None:
    project, here = tmp_path / "project", lay_hostile_modules(tmp_path / "work")
    (project / "inbox").mkdir(parents=True)
    (project / "inbox" / "first.csv").write_text(TABLE)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KAPPAFLOW_"))}
    log = tmp_path / "run.log"
    with log.open("wb") as out:
        run = subprocess.Popen([COMMAND, "run", "--project", project], cwd=here, stdin=subprocess.DEVNULL,
                               stdout=out, stderr=out, env={**clean, **SECRETS, "HOME": str(tmp_path)})  # fmt: skip
    servers: list[tuple[int, str]] = []

    def listens() -> bool:
        for pid in children(run.pid):
            command = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            if "flows.service.prefect_server" in command:
                servers[:] = [(pid, f"http://127.0.0.1:{command[command.index('--port') + 1]}/api")]
        try:
            return bool(servers) and request(f"{servers[0][1]}/health")[0] == 200
        except OSError:
            assert run.poll() is None, log.read_text()
            return False

    until(listens, 240, log)
    ((pid, api),) = servers
    os.kill(run.pid, signal.SIGSTOP)  # it waits for us
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        assert not [value for value in SECRETS.values() if value.encode() in environment]
        nobody = "00000000-0000-0000-0000-000000000000"
        assert attack(api, nobody, tmp_path / "executed") == [401] * 4
        assert attack(api, nobody, tmp_path / "executed", Origin=FOREIGN) == [403] * 4
        assert attack(api, nobody, tmp_path / "executed", Host="evil.example") == [403] * 4
    finally:
        os.kill(run.pid, signal.SIGCONT)
    assert run.wait(120) == 0, log.read_text()
    assert "was imported" not in log.read_text()


@pytest.mark.field_trial(28)
@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:4200", None, 200),
        ("localhost:4200", "http://localhost:4200", 200),
        ("localhost:4200", "http://127.0.0.1:4200", 200),
        ("[::1]:4200", "http://[::1]:4200", 200),
        ("localhost:5000", "http://localhost:5000", 200),  # through a tunnel
        ("localhost:4200", "http://localhost:8888", 403),  # another program's page on this machine
        ("localhost:4200", "null", 403),
        ("localhost:4200", "https://localhost.evil.example", 403),
        ("evil.example:4200", None, 403),
        ("localhost.evil.example", None, 403),
        ("", None, 403),
        ("[::1", None, 403),
        (None, None, 403),
    ],
)
def test_which_requests_are_answered(host: str | None, origin: str | None, status: int) -> None:
    answers: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def send(message: Any) -> None:
        answers.append(message.get("status", 0))

    named = {b"host": host, b"origin": origin}
    headers = [(name, value.encode()) for name, value in named.items() if value is not None]
    guard = AddressCheck(app, own_origins("127.0.0.1", 4200))
    asyncio.run(guard({"type": "http", "headers": headers}, None, send))  # type: ignore[arg-type]
    assert answers[0] == status


def test_on_all_interfaces_the_names_of_the_machine_are_answered() -> None:
    assert f"http://{os.uname().nodename.lower()}:80" in own_origins("0.0.0.0", 80)
    assert "http://gpu7.lan:80" in own_origins("gpu7.lan", 80)


@pytest.mark.field_trial(28)
def test_only_its_owner_can_read_the_password_at_any_moment(tmp_path: Path) -> None:
    """Not through a link that was laid before, nor for the time between making the file and setting its mode."""
    path, elsewhere = tmp_path / "password", tmp_path / "elsewhere"
    path.symlink_to(elsewhere)
    umask = os.umask(0)
    try:
        with password_file(path, "a:b"):
            assert stat.S_IMODE(path.lstat().st_mode) == 0o600
            assert path.read_text() == "a:b\n"
            assert not path.is_symlink()
    finally:
        os.umask(umask)
    assert not path.exists()
    assert not elsewhere.exists()


@pytest.mark.field_trial(28)
def test_the_server_gets_what_prefect_reads_and_no_keys() -> None:
    given = {"PATH": "/bin", "LC_ALL": "C", "PREFECT_HOME": "/p", "PREFECT_API_KEY": "k", "AWS_SECRET_ACCESS_KEY": "s",
             "HTTPS_PROXY": "http://me:secret@proxy", "KAPPAFLOW_WEBHOOK_TOKEN": "t"}  # fmt: skip
    assert server_environment(given) == {"PATH": "/bin", "LC_ALL": "C", "PREFECT_HOME": "/p"}


@pytest.mark.field_trial(28)
def test_a_served_process_refuses_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    assert find_project(other).folder == other.resolve()
    monkeypatch.setenv(SERVED, str(own.resolve()))
    assert find_project(own).folder == own.resolve()
    with pytest.raises(SettingsError, match=r"This process serves the project in .*own, not .*other"):
        find_project(other)
