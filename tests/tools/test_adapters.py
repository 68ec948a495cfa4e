"""A capture has room for every adapter; otherwise the extension does not compile."""

import subprocess
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = ROOT / "pyext/bytes/adapters.c"
FOLDERS = ("pyext", "libgraph/include")
LAST = "    NULL,\n"


def compiled(text):
    """Return the compiler's messages about the list of adapters."""
    folders = [f"-I{ROOT / folder}" for folder in FOLDERS]
    folders.append(f"-I{sysconfig.get_paths()['include']}")
    done = subprocess.run(
        ["cc", "-std=c11", "-fsyntax-only", *folders, "-xc", "-"],
        input=text,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr


def test_all_have_room():
    assert compiled(LIST.read_text()) == (0, "")


def test_one_too_many():
    text = LIST.read_text()
    assert text.count(LAST) == 1
    many = "    &lg__host_adapter,\n" * 32
    code, messages = compiled(text.replace(LAST, many + LAST))
    assert code != 0
    assert "raise LG__ADAPTERS_MAX" in messages.replace('" "', "")
