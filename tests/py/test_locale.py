"""A program may set a locale whose decimal point is a comma."""

import subprocess
from pathlib import Path
from shutil import which

import pytest

PROGRAM = """
import ctypes, json, locale
import leakgraph

locale.setlocale(locale.LC_ALL, "")
assert locale.localeconv()["decimal_point"] == ",", locale.localeconv()
by_number = {0.5: bytearray(4_000_000), 2.25: bytearray(3_000_000)}

snapshot = leakgraph.snapshot()
float(snapshot.info()["capture.seconds"])
(held,) = snapshot.select("name:__main__.by_number")
for share, same in (("1.5%", 0.015), ("0.25", 0.25)):
    rows = snapshot.dominators(min_share=share)
    assert len(rows) == len(snapshot.dominators(min_share=same)) > 0, share
assert len(snapshot.cycles(min_bytes="1.5KiB")) == len(snapshot.cycles(min_bytes=1536))
labels = [edge.label for edge in held.referents()]
assert "[0.5]" in labels and "[2.25]" in labels, labels

pictures = [
    snapshot.show_dominators(),
    snapshot.show_dominators(min_share=0.0, max_nodes=40),
    snapshot.show_refs(by_number),
    snapshot.show_backrefs(by_number[0.5]),
    snapshot.show_path(by_number[0.5]),
    snapshot.why(by_number[0.5]).drawing,
]
for picture in pictures:
    assert "<svg" in picture._repr_svg_()
    for line in picture.dot.splitlines():
        if "penwidth=" in line:
            float(line.split("penwidth=")[1].split("]")[0].split(",")[0])
widths = [line for line in pictures[0].dot.splitlines() if "penwidth=" in line]
assert any("." in line.split("penwidth=")[1] for line in widths), widths
print("done")
"""


@pytest.fixture
def german(tmp_path):
    """Return the environment for a process under a German locale."""
    if which("localedef") is None or not Path("/usr/share/i18n/locales/de_DE").exists():
        pytest.skip("no localedef, or no source of the locale")
    made = tmp_path / "locales"
    made.mkdir()
    subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", made / "de_DE.UTF-8"],
        check=False,
        capture_output=True,
    )
    return {"LOCPATH": str(made), "LC_ALL": "de_DE.UTF-8"}


@pytest.mark.once
def test_a_comma_for_a_point(python, german):
    done = python("-c", PROGRAM, **german)
    assert done.code == 0, done.err
    assert done.out == "done\n"
