"""The process of the schedule, and its children: an interrupt while modules load prints nothing."""

import subprocess
import sys

import pytest

LOADED = """
import runpy, sys
class Interrupt:
    def find_spec(self, name, *rest):
        if name == "{module}":
            raise {error}
sys.meta_path.insert(0, Interrupt())
runpy.run_module("flows.service.scheduler", run_name="{run_name}", alter_sys=True)
"""


@pytest.mark.parametrize(
    ("run_name", "module"), [("__mp_main__", "flows.pipeline"), ("__main__", "flows.service.scheduled_runs")]
)
def test_an_interrupt_while_modules_load_prints_no_traceback(run_name: str, module: str) -> None:
    def stderr(error: str) -> str:
        code = LOADED.format(module=module, error=error, run_name=run_name)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr

    assert stderr("KeyboardInterrupt") == ""
    assert "ValueError: broken" in stderr("ValueError('broken')")
