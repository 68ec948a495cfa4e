"""What .ci/run counts when verbs fail, or end with what runs them."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: `demo` kills the shell that runs its row: make's parent is timeout, a child of that.
VERBS = """\
.PHONY: setup-checks test pythons asan check docs wheel fuzz valgrind demo
setup-checks test pythons asan check docs wheel:
\t@echo $@ runs
fuzz valgrind:
\t@exit 3
demo:
\t@kill -9 $$(cut -d' ' -f4 /proc/$$(cut -d' ' -f4 /proc/$$PPID/stat)/stat)
"""


def test_verbs_that_fail_or_never_end_are_counted(tmp_path):
    for name in (".ci/run", "tools/summary.py"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "Makefile").write_text(VERBS)
    done = subprocess.run([tmp_path / ".ci/run"], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    failed = [line.split()[2] for line in lines if line.startswith("FAILED make")]
    assert failed == ["demo", "docs", "fuzz", "valgrind"], done.stdout + done.stderr
    assert "wheel runs" in lines and "docs runs" not in lines
    assert done.returncode == 1 and lines[-1] == "6 passed, 6 failed"
