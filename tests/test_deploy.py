"""The files of deploy/: their commands are ours, they hold no secret, and what they promise stands in them."""

import configparser
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import typer
import yaml

from flows.cli import app

DEPLOY = Path(__file__).parents[1] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
PREFECT = yaml.safe_load((DEPLOY.parent / "prefect.yaml").read_text())
SECRETS = ("TOKEN", "PASSWORD", "KEY", "AUTH_STRING", "NOTIFY_URL")


def options_of(command: str) -> set[str]:
    """All options of one of our commands."""
    result = typer.main.get_command(app).commands[command]  # type: ignore[attr-defined]
    return {name for parameter in result.params for name in parameter.opts}


def container_lines() -> dict[str, list[str]]:
    """Instruction -> its arguments, of the last stage."""
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    last: dict[str, list[str]] = {}
    for line in text.splitlines():
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            last = {}
        if instruction.isupper():
            last.setdefault(instruction, []).append(rest.strip())
    return last


def test_the_container_serves_with_options_that_exist() -> None:
    lines = container_lines()
    command = yaml.safe_load(lines["CMD"][-1])
    assert (yaml.safe_load(lines["ENTRYPOINT"][0]), command[0]) == (["kappaflow"], "serve")
    assert {word for word in command if word.startswith("--")} <= options_of("serve")
    assert lines["USER"] == ["10001:10001"]
    assert lines["VOLUME"] == ["/project"]
    port = command[command.index("--dashboard-at") + 1].rpartition(":")[2]
    assert lines["EXPOSE"] == [port]
    assert f"http://127.0.0.1:{port}/style.css" in lines["HEALTHCHECK"][0]
    assert "DO_NOT_TRACK=1" in lines["ENV"][0]


def test_the_container_has_the_versions_of_the_lock() -> None:
    """Without them a build next year would take versions that nobody tried (docs/decisions/0003-pins.md)."""
    steps = (DEPLOY / "Containerfile").read_text().split(" && ")[0]
    (script,) = re.findall(r"sed -n '(.+)' /src/requirements\.lock", steps)
    lock = DEPLOY.parent / "requirements.lock"
    output = subprocess.run(["sed", "-n", script, str(lock)], capture_output=True, text=True, check=True).stdout
    lines = output.splitlines()
    assert len(lines) == lock.read_text().count("==") - lock.read_text().count(" == '")
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+( ; [^#]+)?", line) for line in lines), "pip takes no other constraints"
    assert "--constraint /versions.txt" in (DEPLOY / "Containerfile").read_text()


def test_compose_has_no_secret_and_refuses_to_start_without_a_token() -> None:
    services = COMPOSE["services"]
    for name, service in services.items():
        for variable, value in service.get("environment", {}).items():
            if any(word in variable for word in SECRETS):
                assert str(value).startswith("${"), f"{name}: {variable}"
    assert ":?" in services["kappaflow"]["environment"]["KAPPAFLOW_DASHBOARD_TOKEN"]
    assert {name for name, service in services.items() if "profiles" not in service} == {"kappaflow"}
    assert all(port.startswith("127.0.0.1:") for service in services.values() for port in service.get("ports", []))
    pool = services["worker"]["entrypoint"][services["worker"]["entrypoint"].index("--pool") + 1]
    assert pool == PREFECT["deployments"][0]["work_pool"]["name"]


def test_each_of_our_containers_may_write_the_project_only() -> None:
    ours = {name: service for name, service in COMPOSE["services"].items() if service["image"] == "kappaflow"}
    assert set(ours) == {"kappaflow", "prefect", "worker", "deployment"}
    for name, service in ours.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["init"] is True, (
            f"{name}: the first process of a container ignores SIGTERM until it has a handler"
        )
        assert service["user"].endswith(":-10001:10001}"), name
        writable = [volume for volume in service.get("volumes", []) if not volume.endswith(":ro")]
        # Without `:?` compose would make a folder that belongs to root.
        assert all(re.fullmatch(r"\$\{KAPPAFLOW_PROJECT:\?.+\}:/project", volume) for volume in writable), name


def test_each_container_has_a_health_check_of_its_own() -> None:
    """That of the image asks the dashboard, which only `serve` has: the others would be unhealthy for ever."""
    services = COMPOSE["services"]
    assert "healthcheck" not in services["kappaflow"]
    assert services["deployment"]["healthcheck"] == {"disable": True}
    assert ":4200/api/health" in services["prefect"]["healthcheck"]["test"][-1]
    assert ":8080/health" in services["worker"]["healthcheck"]["test"][-1]
    assert "--with-healthcheck" in services["worker"]["entrypoint"]
    # The server that makes the database has a socket only. A check without an address would find it.
    assert "-h 127.0.0.1" in services["postgres"]["healthcheck"]["test"][-1]
    for waiting, other in (("prefect", "postgres"), ("worker", "prefect"), ("deployment", "worker")):
        assert services[waiting]["depends_on"] == {other: {"condition": "service_healthy"}}


def test_a_deployment_does_not_name_the_folder_it_was_made_in() -> None:
    """Without a step Prefect notes that folder, and a run in a container or on another machine crashes."""
    assert PREFECT["pull"] == [{"prefect.deployments.steps.set_working_directory": {"directory": "."}}]
    assert all("pull" not in deployment for deployment in PREFECT["deployments"])


def test_the_unit_starts_what_exists_and_may_write_the_project_only() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string((DEPLOY / "kappaflow.service").read_text())
    service = unit["Service"]
    program, command, *rest = shlex.split(service["ExecStart"])
    assert (Path(program).name, command) == ("kappaflow", "serve")
    assert {word for word in rest if word.startswith("--")} <= options_of("serve")
    assert service["ReadWritePaths"] == rest[rest.index("--project") + 1] == service["WorkingDirectory"]
    assert (service["ProtectSystem"], service["NoNewPrivileges"]) == ("strict", "true")
    assert service["KillMode"] == "mixed", "serve ends its processes in their order"
    assert "PREFECT_UI_STATIC_DIRECTORY=/tmp/" in service["Environment"], "Prefect may not write beside its code"


def test_docker_reads_what_the_wheel_needs_and_nothing_else() -> None:
    """A project folder may have files of another user, which Docker cannot read; deploy/.env holds passwords."""
    lines = [line for line in (DEPLOY.parent / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    sent = {line[1:] for line in lines if line.startswith("!")}
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    pages = {Path(name).parts[0] for name in wheel["force-include"]}
    about = {project["project"]["readme"], *project["project"]["license-files"]}
    assert sent == {"pyproject.toml", "requirements.lock", *about, *wheel["packages"], *pages}
    left_out = {line.strip("*/") for line in lines[1:] if not line.startswith("!")}
    assert not left_out & (sent | set(wheel["force-include"]))
    assert "/deploy/.env" in (DEPLOY.parent / ".gitignore").read_text().splitlines()
