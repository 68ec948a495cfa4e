"""Runs a script that leaks, then fixes it step by step, and says what went.

promise.py [fixed] SCRIPT STEP...: `fixed` runs the script in its fixed form. Each step
is Python for the script's own namespace. Prints what the findings say, how many bytes
of the heap went with each step, and how many there were before, as JSON. Steps use
names whose import would disturb the count, so it comes before.
"""

import contextlib
import gc
import inspect  # noqa: F401
import io
import json
import sys
import traceback  # noqa: F401
from pathlib import Path

import leakgraph

#: What steps use: names of the script's own namespace.
IMPORTS = "import gc, traceback; from collections import OrderedDict"


def whole():
    """The snapshot, and all bytes in it."""
    # The modules of main are frozen, so only what the script makes is collected.
    if gc.isenabled():
        gc.collect()
    snapshot = leakgraph.snapshot()
    return snapshot, snapshot.types().size.total


def promise(namespace, steps):
    """What the findings are worth: the result that main prints."""
    exec(IMPORTS, namespace)
    snapshot, before = whole()
    findings = [
        {
            "pattern": finding.pattern,
            "retained": finding.retained.total,
            "freed": finding.freed.total,
            "fix": finding.fix,
            "alone": [holder.alone.host for holder in finding.holders],
            "others": [
                holder.held_by.split("  ")[0]
                for holder in finding.holders
                if holder.pattern == "other-holder"
            ],
        }
        for finding in snapshot.findings()
    ]
    freed = []
    for step in steps:
        exec(step, namespace)
        snapshot, after = whole()
        freed.append(before - after)
    left = [finding.pattern for finding in snapshot.findings()]
    return {"findings": findings, "freed": freed, "left": left, "whole": before}


_fixed = sys.argv[1:2] == ["fixed"]
_script, *_steps = sys.argv[1 + _fixed :]
sys.argv = [_script, *["fixed"] * _fixed]
gc.freeze()
leakgraph.findings = str  # nobody reads what the script prints
with contextlib.redirect_stdout(io.StringIO()):
    exec(compile(Path(_script).read_text(), _script, "exec"))
    _result = promise(globals(), _steps)
print(json.dumps(_result))
