"""A script prints the same in a fork as under Python."""

import pytest
from warm import Warm

SCRIPT = """
import json, os, signal, sys
assert "colorsys" in sys.modules and not os.listdir() and __name__ == "__main__"
print(sys.argv[1:])
print("warned", file=sys.stderr)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def warm():
    process = Warm("colorsys")
    yield process
    process.end()


@pytest.mark.parametrize(("ending", "code"), [("0", 0), ("3", 3), ("words", 1)])
def test_code_and_output(warm, tmp_path, ending, code):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = warm.run(script, ending)
    assert (done.code, done.out) == (code, f"['{ending}']\n")
    assert done.err.startswith("warned\n")


def test_killed(warm, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    assert warm.run(script, "killed").code == -9
