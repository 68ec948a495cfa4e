"""The process that is forked for each small test imports this.

It imports the file of the tests, and makes the values of those fixtures of the scope
`module` that its tests use. One that cannot be made fails the tests that take it.
"""

import importlib
import json
import os

import pytest
from values import Values

file = importlib.import_module(os.environ["SMALL_FILE"])
made = {}


def prepare(names):
    """Make the values of fixtures in turn; a fixture may take those of others."""
    values = Values(file, {})
    for name in names:
        fixture = getattr(file, name)
        if fixture.scope == "module":
            assert not fixture.ends, f"nothing would end {name}: fork with no such value"
            try:
                made[name] = values[name]
            except Exception as error:
                made[name] = values.known[name] = pytest.Unmade(error)


prepare(json.loads(os.environ["SMALL_FIXTURES"]))
