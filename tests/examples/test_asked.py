"""What a script or a notebook leaves in its variables, and finds while its code runs.

`healthy/` has the opposite: variables of a step that is not over.
"""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

SCRIPTS = Path(__file__).with_name("asked")


def found(warm, name):
    done = warm.run(SCRIPTS / f"{name}.py")
    assert done.code == 0, done.err
    patterns = re.findall(r"^([a-z-]+): ", done.out, re.MULTILINE)
    return patterns, re.findall(r" by  ?(notebook|__main__)\.(\w+) ", done.out)


def test_a_cell_that_only_asks(warm):
    """The state and the last loss share the graph: one finding, two holders."""
    patterns, holders = found(warm, "cells")
    assert patterns == ["retained-graph"]
    assert sorted(holders) == [("notebook", "loss"), ("notebook", "state")]


def test_a_script_that_carries_a_state(warm):
    assert found(warm, "script") == (["carried-state"], [("__main__", "state")])


def test_an_object_with_numbered_attributes(warm):
    assert found(warm, "attributes") == (["output-history"], [("__main__", "record")])


def test_a_method_that_keeps_what_it_does_not_need(warm):
    patterns, _ = found(warm, "methods")
    assert sorted(patterns) == ["carried-state", "loss-history", "output-history"]
