"""The files of deploy/: their commands are ours, they hold no secret, and what they promise stands in them."""

import configparser
import re
import shlex
from pathlib import Path

import typer
import yaml

from flows.cli import app

DEPLOY = Path(__file__).parents[1] / "deploy"
SECRETS = ("TOKEN", "PASSWORD", "KEY", "AUTH_STRING", "NOTIFY_URL")


def options_of(command: str) -> set[str]:
    """All options of one of our commands."""
    found = typer.main.get_command(app).commands[command]  # type: ignore[attr-defined]
    return {name for parameter in found.params for name in parameter.opts}


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


def test_compose_has_no_secret_and_refuses_to_start_without_a_token() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    for name, service in services.items():
        for variable, value in service.get("environment", {}).items():
            if any(word in variable for word in SECRETS):
                assert str(value).startswith("${"), f"{name}: {variable}"
    own = services["kappaflow"]
    assert own["read_only"] is True
    assert own["cap_drop"] == ["ALL"]
    assert ":?" in own["environment"]["KAPPAFLOW_DASHBOARD_TOKEN"]
    assert {name for name, service in services.items() if "profiles" not in service} == {"kappaflow"}
    assert all(port.startswith("127.0.0.1:") for service in services.values() for port in service.get("ports", []))
    pool = services["worker"]["entrypoint"][services["worker"]["entrypoint"].index("--pool") + 1]
    prefect = yaml.safe_load((DEPLOY.parent / "prefect.yaml").read_text())
    assert pool == prefect["deployments"][0]["work_pool"]["name"]


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


def test_what_docker_does_not_need_is_left_out() -> None:
    ignored = (DEPLOY.parent / ".dockerignore").read_text().split()
    assert {".git", ".venv", "tests"} <= set(ignored)
    project = (DEPLOY.parent / "pyproject.toml").read_text()
    needed = re.findall(r"^readme = \"(.+)\"|license-files = \[\"(.+)\"\]", project, re.MULTILINE)
    assert needed
    assert not {name for pair in needed for name in pair if name} & set(ignored)
