"""Modules of the user's that have the names of ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def python(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return subprocess.run([sys.executable, "-c", code], cwd=folder, env={**clean, **environment}, capture_output=True,
                          text=True, check=False, timeout=60)  # fmt: skip


@pytest.mark.field_trial(29)
@pytest.mark.parametrize(
    ("foreign", "code"),
    [
        ("stats", "import flows.cli.files.inspect_command"),
        ("tasks", "import flows.settings.model"),
        ("stats", "from tasks.errors import InputError"),
        ("schemas", "import tasks.ingest.validate"),
        ("warehouse", "import flows.cli.project_commands"),
    ],
)
def test_a_foreign_module_is_named(tmp_path: Path, foreign: str, code: str) -> None:
    path = tmp_path / f"{foreign}.py"
    path.write_text("print('imported')")
    result = python(code, tmp_path)
    text = result.stderr.strip().splitlines()[-1]
    assert text == (
        f"ImportError: kappaflow needs its own module `{foreign}`, but Python finds {path}. "
        "Rename that one, work in another folder, or set PYTHONSAFEPATH=1."
    )
    assert result.stdout == ""
    assert python(code, tmp_path, PYTHONSAFEPATH="1").returncode == 0


def test_a_folder_of_the_same_name_without_modules_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "stats").mkdir()
    result = python("import flows.cli", tmp_path)
    assert result.returncode == 0, result.stderr
