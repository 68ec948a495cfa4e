"""leakgraph attach: the same, of a process that runs already.

The way of its documentation: `leakgraph attach PID --diff N --every S`.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from answer import Answer, amount
from typed import typed

import leakgraph
from rivals.leakgraph_repeat import read

NAME = "leakgraph attach"
PACKAGES = ()
RESTART = False
COMMANDS = 1
CLAIMS = ("holder", "type", "rate", "honest")
#: The first column of a place's row, and how many snapshots the first line counts.
GAINED = re.compile(r"^ *([\d.,]+) (B|KiB|MiB|GiB) +\+", re.MULTILINE)
COUNT = re.compile(r" in (\d+) snapshots\b")


def attach(process: int, folder: Path) -> Answer:
    """Type this command."""
    command = ["leakgraph", "attach", str(process), "-o", f"{folder}/{{n}}.lgs"]
    text = typed([*command, "--diff=4", "--every=1"], process)
    answer, (begin, end) = read(text), looked(text, folder)
    gained = [amount(*found) for found in GAINED.findall(text)]
    answer.looked, answer.rate = (begin, end), [x / (end - begin) for x in gained]
    return answer


def looked(text: str, folder: Path) -> tuple[float, float]:
    """Find the snapshots that count; the first have no native memory, if others do."""
    files = sorted(folder.glob("*.lgs"), key=lambda file: int(file.stem))
    told = COUNT.search(text)
    first = files[-int(told[1])] if told else files[0]
    return taken(first), taken(files[-1])


def taken(file: Path) -> float:
    """Read when a snapshot was taken."""
    info = leakgraph.load(file).info()
    seconds = datetime.fromisoformat(info["time"].replace("Z", "+00:00")).timestamp()
    return seconds + int(info["time.fraction"]) / 1e6
