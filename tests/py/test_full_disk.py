"""Writes without enough room: to a full file system, and with a limit on files.

One sentence reports it, the old file stays whole, and no partial file remains.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builds import needs_fork

import leakgraph

pytestmark = pytest.mark.ends

#: A whole old file, and too little room next to it for another.
OLD = b"what was there before"
ROOM = 16 << 10

#: Runs a command with a full `room`, or with files limited to the same size.
FULL = (
    'mount -t tmpfs -o size="$1" none "$2" && cp old.lgs "$2/x.lgs" && shift 2 && "$@"'
)
LIMITED = 'cp old.lgs "$2/x.lgs" && ulimit -f $(($1 / 1024)) && shift 2 && "$@"'
#: Prints what the folder contains afterwards.
TELL = '; code=$?; echo; ls -A room; cat room/x.lgs; exit "$code"'


def unshared():
    """Find a way to make private mounts; None: there is none."""
    for command in (["unshare", "-m"], ["unshare", "-rm"]):
        try_it = [*command, "sh", "-c", "mount -t tmpfs none /mnt"]
        if (
            shutil.which("unshare")
            and not subprocess.run(try_it, capture_output=True, check=False).returncode
        ):
            return command
    return None


@pytest.fixture(params=["full", "limited"])
def cramped(request, tmp_path):
    """Run a command that writes into room/, and report how it ended."""
    before = unshared() if request.param == "full" else []
    if before is None:
        pytest.skip("no file system can be mounted here")
    (tmp_path / "room").mkdir()
    (tmp_path / "old.lgs").write_bytes(OLD)
    script = (FULL if request.param == "full" else LIMITED) + TELL

    def run(*command):
        done = subprocess.run(
            [*before, "bash", "-c", script, "bash", str(ROOM), "room", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        output, _, left = done.stdout.rpartition("\nx.lgs\n")
        assert left == OLD.decode(), done.stdout + done.stderr
        return done.returncode, output + done.stderr

    return run


SAVE = """
import sys, leakgraph
rows = [[i] for i in range(100000)]
try:
    {}
except leakgraph.FileError as error:
    print(error)
else:
    sys.exit("there was room")
"""

SAVES = {
    "save": "leakgraph.snapshot().save('room/x.lgs', compress=0)",
    "analysis": "leakgraph.snapshot().save('room/x.lgs', analysis=True)",
    "save_snapshot": "leakgraph.save_snapshot('room/x.lgs', compress=0)",
}


@pytest.mark.parametrize("case", SAVES)
def test_saving(cramped, case):
    code, output = cramped(sys.executable, "-c", SAVE.format(SAVES[case]))
    assert code == 0, output
    assert output.count("\n") <= 1 and "room/x.lgs" in output
    assert "No space left" in output or "File too large" in output


@needs_fork
@pytest.mark.parametrize("spill", [False, True])
def test_a_forked_child(cramped, spill):
    save = f"leakgraph.save_snapshot('room/x.lgs', fork=True, spill={spill})"
    code, output = cramped(sys.executable, "-c", SAVE.format(save))
    assert code == 0, output
    assert "No space left" in output or "File too large" in output


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    rows = [[i] for i in range(100000)]
    path = tmp_path_factory.mktemp("big") / "big.lgs"
    leakgraph.snapshot().save(path, compress=0)
    assert rows
    return str(path)


def command():
    built = Path(leakgraph.__file__).parents[2] / "bin/leakgraph"
    return str(built) if built.exists() else "leakgraph"


@pytest.mark.parametrize(
    "verb",
    [
        ["analyze", "-o", "room/x.lgs"],
        ["strip", "-o", "room/x.lgs"],
        ["render", "--dominators", "-f", "png", "-o", "room/x.lgs"],
    ],
    ids=["analyze", "strip", "render"],
)
@pytest.mark.once
def test_the_command(cramped, big, verb):
    code, output = cramped(command(), verb[0], big, *verb[1:])
    assert code == 4, output
    assert output.startswith("leakgraph: ") and output.count("\n") == 1
    assert "No space left" in output or "File too large" in output
