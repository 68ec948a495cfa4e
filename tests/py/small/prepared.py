"""The process that is forked for each small test imports this.

It imports the file of the tests, and makes the values of those fixtures of the scope
`module` that its tests use. One that cannot be made fails the tests that take it. Those
that yield go on when the process ends.
"""

import atexit
import importlib
import json
import os
import sys

import pytest
from values import Values

file = importlib.import_module(os.environ["SMALL_FILE"])
made = {}


def prepare(names):
    """Make the values of fixtures in turn; a fixture may take those of others."""
    values = Values(file, {})
    for name in names:
        if getattr(file, name).scope == "module":
            try:
                made[name] = values[name]
            except (Exception, pytest.Outcome) as error:
                made[name] = values.known[name] = pytest.Unmade(error)
    atexit.register(end, values, os.getpid())


def end(values, process):
    """End the fixtures in the process that made them, not in its forks."""
    if os.getpid() == process:
        errors = values.end()
        for error in errors:
            sys.excepthook(type(error), error, error.__traceback__)
        if errors:
            os._exit(1)


prepare(json.loads(os.environ["SMALL_FIXTURES"]))
