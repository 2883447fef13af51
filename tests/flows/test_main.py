"""How the program ends: what it has started is finished, and the interpreter is left as it is."""

import subprocess
import sys

ENDS = """
import atexit, sys, threading, time
from flows.__main__ import end_process

class Held:
    def __del__(self):
        print("taken apart")

def write():
    time.sleep(0.3)
    print("the thread has ended")

held = Held()
atexit.register(print, "at exit")
threading.Thread(target=write).start()
print("ending")
end_process(3)
"""


def test_threads_and_functions_at_exit_are_waited_for_and_the_output_is_written() -> None:
    ended = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (3, "")
    assert ended.stdout.splitlines() == ["ending", "the thread has ended", "at exit"]


def test_a_command_ends_so() -> None:
    """Modules are not cleared, so what one of them holds is not deleted."""
    start = "import sys; sys.argv = ['kappaflow', '--version']; import flows.__main__ as m; m.held = Held(); m.main()"
    held = "class Held:\n    def __del__(self):\n        print('taken apart')\n"
    ended = subprocess.run([sys.executable, "-c", held + start], capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert ended.stdout.startswith("kappaflow ")
    assert "taken apart" not in ended.stdout
