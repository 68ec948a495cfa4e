"""The quick start shows what its commands print: the same words, other numbers."""

import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

PAGE = Path(__file__).parents[2] / "docs/quickstart.md"
PIECE = re.compile(
    r"^<!-- not run: .*?-->\n```.*?^```$"
    r"|^```(?P<language>sh|console)\n(?P<typed>.*?)^```$"
    r"|^```text\n(?P<shown>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
#: What the version of torch decides.
OF_TORCH = re.compile(r"what libraries keep|wrap_value|^ *\|? *N garbage$")


def shape(text):
    """The lines of a text, with one word for every number, and single spaces."""
    text = re.sub(r"#\d+", "#N", text)
    text = re.sub(r"(?<![\w.])[\d,]*\d(\.\d+)?( [KMG]iB| B| %)?(?!\w)", "N", text)
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in lines if line and not OF_TORCH.search(line)]


def has_part(lines, part):
    """Whether the lines have those of the part in this order: others lie between."""
    rest = iter(lines)
    return all(line in rest for line in part)


def asked(page):
    """Yield each block of commands, and what the page says that it prints."""
    commands = None
    for piece in PIECE.finditer(page):
        if piece["shown"] is not None:
            yield commands, piece["shown"]
            commands = None
        elif piece["typed"] is not None:
            if commands is not None:
                yield commands, ""
            commands = piece["typed"]
            if piece["language"] == "console":
                printed = re.sub(r"^\$ .*\n", "", commands, flags=re.MULTILINE)
                commands = "\n".join(re.findall(r"^\$ (.*)$", commands, re.MULTILINE))
                if printed:
                    yield commands, printed
                    commands = None


def test_commands_print_what_the_page_shows(tmp_path):
    page = PAGE.read_text("utf-8").partition("## Ask a running process")[0]
    compared = 0
    for commands, shown in asked(page):
        done = subprocess.run(
            ["bash", "-euc", commands],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        if shown:
            printed = shape(done.stdout)
            wanted = shape(shown.rpartition("...\n")[2])
            assert wanted and has_part(printed, wanted), (commands, printed, wanted)
            compared += 1
    assert compared == 7
