"""A check by hand: resident memory and tensors after each round.

The snippet that answers to such questions show: psutil's RSS, and a count of what
gc.get_objects() lists; the program leaks if they rise in each round.
"""

from __future__ import annotations

import gc
import sys

import psutil
from answer import Answer, Program

NAME = "RSS and tensors"
PACKAGES = ("psutil",)
RESTART = True
COMMANDS = 0
CLAIMS = ("type", "rate", "honest")


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    torch = sys.modules.get("torch")
    rss, tensors = [], []
    for _ in range(program.rounds):
        program.round()
        rss.append(psutil.Process().memory_info().rss)
        tensors.append(
            sum(1 for x in gc.get_objects() if torch and type(x) is torch.Tensor)
        )
    print("RSS", rss, "tensors", tensors)
    return read(rss, tensors, program, bool(torch))


def read(rss: list[int], tensors: list[int], program: Program, torch: bool) -> Answer:
    """Rise in each round is a leak."""
    rising = [all(a < b for a, b in zip(of, of[1:])) for of in (rss, tensors)]
    rate = (rss[-1] - rss[0]) / (program.calls * (len(rss) - 1))
    found = ["Tensor"] if rising[1] else []
    return Answer(type=found if torch else None, rate=[rate], accuses=any(rising))
