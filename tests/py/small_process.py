"""Runs tests that are marked `small` in forks of a process that has no pytest.

pytest is four fifths of its own heap, and the time of a test that compares snapshots
of its process is that of the heap. Such a test keeps its place, its marks and its
parameters in pytest. Only its function runs in a fork of a process that has imported
nothing but the file: with the stand-in small/pytest.py. It may take parameters,
`monkeypatch`, fixtures of its file, which also run there, and fixtures whose values can
be pickled, such as `tmp_path`. A free-threaded build does not capture forks, so all
tests run in pytest's process there.
"""

import inspect
import json
import os
import pickle
import re
from pathlib import Path

import pytest
from builds import FREE_THREADED
from warm import Warm

FOLDER = Path(__file__).with_name("small")
SKIPPED = 77

Parameter = type(pytest.param())

#: Fixtures of a test that runs processes of its own, or needs pytest's process.
HERE = {"python", "isolated", "warm", "held", "snap", "capfd", "capsys"}

process = pytest.StashKey[Warm]()


def pytest_pyfunc_call(pyfuncitem):
    """Run a test marked `small` elsewhere; leave any other to pytest."""
    small = pyfuncitem.get_closest_marker("small")
    needs_pytest = HERE.intersection(pyfuncitem.fixturenames)
    if small is None or needs_pytest or FREE_THREADED:
        return None
    run(pyfuncitem)
    return True


def run(item):
    """Run the test of an item; raise what pytest raises for it."""
    places, values = arguments(item)
    done = process_of(item.getparent(pytest.Module)).run(
        FOLDER / "run_test.py",
        item.module.__name__,
        item.function.__name__,
        json.dumps(places),
        pickle.dumps(values).hex() if values else "",
    )
    if done.code == SKIPPED:
        pytest.skip(done.out.strip())
    if done.code:
        said = f"the test ended with code {done.code}\n"
        pytest.fail(said + done.out + done.err, pytrace=False)


def process_of(module):
    """Return the process that has imported the file; it ends with the file's tests."""
    if process not in module.stash:
        folders = [FOLDER, module.path.parent, os.environ.get("PYTHONPATH", "")]
        path = os.pathsep.join(map(str, folders))
        module.stash[process] = Warm(module.obj.__name__, PYTHONPATH=path)
        module.addfinalizer(module.stash[process].end)
    return module.stash[process]


def arguments(item):
    """Say where the values of parameters stand in their lists, and give all others."""
    places = {}
    for mark in item.iter_markers("parametrize"):
        places.update(places_in(mark.args[0], mark.args[1], item.callspec.params))
    names = {*inspect.signature(item.function).parameters} - {*places, "monkeypatch"}
    return places, {name: item.funcargs[name] for name in names - {*vars(item.module)}}


def places_in(names, rows, chosen):
    """Find the row that has the chosen values: its place is that of each parameter."""
    if isinstance(names, str):
        names = re.split(r",\s*", names)
    for place, row in enumerate(rows):
        values = row if len(names) > 1 else [row]
        if isinstance(row, Parameter):
            values = row.values
        if all(chosen[name] is value for name, value in zip(names, values)):
            return dict.fromkeys(names, place)
    raise LookupError(f"no row of {', '.join(names)} has the values of the test")
