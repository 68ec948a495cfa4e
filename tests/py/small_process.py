"""Runs tests marked `small` in forks of a process that has no pytest.

pytest is four fifths of its own heap, and the time of a test that compares snapshots
of its process is that of the heap. Such a test keeps its place, its marks and its
parameters in pytest. Only its function runs in a fork of a process that has imported
nothing but the file: with the stand-in small/pytest.py. It may take parameters,
`monkeypatch`, fixtures of its file, and fixtures whose values can be pickled, such as
`tmp_path`. Fixtures of the file run there too: those of the scope `module` once, in the
process that is forked. A snapshot from there finds no live object of a test: a file
whose tests share such a snapshot is not small. A free-threaded build does not capture
forks: there, each test has a process that imports the file again, and makes those
fixtures of the scope `module` again that it uses.
"""

import inspect
import json
import os
import pickle
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from builds import FREE_THREADED
from warm import Cold, Warm

FOLDER = Path(__file__).with_name("small")
SKIPPED = 77
ENDED = "the test has come to its end"

Parameter = type(pytest.param())

#: Fixtures of a test that runs processes of its own, or needs pytest's process.
HERE = {"python", "isolated", "warm", "held", "snap", "capfd", "capsys"}

#: Fixtures that small/values.py has for tests and for fixtures of a file.
THERE = {"monkeypatch", "tmp_path_factory"}

#: Fixtures of pytest's that fixtures of a file may take.
BENEATH = {"tmp_path"}

#: How the processes begin.
PROCESSES = Cold if FREE_THREADED else Warm

processes = pytest.StashKey[PROCESSES]()


def runs_there(item):
    """Return whether the test of an item runs in a process without pytest."""
    if item.get_closest_marker("small") is None:
        return False
    return not (HERE - {*vars(item.module)}).intersection(item.fixturenames)


def pytest_fixture_setup(fixturedef, request):
    """Leave a fixture of a file to the other process, if all its tests run there.

    No test has one that another fixture asks for by its name while it is made.
    """
    name = fixturedef.argname
    module = request.node.getparent(pytest.Module)
    if module is None or fixturedef.func.__module__ != module.obj.__name__:
        return None
    items = items_with(name, module)
    if not items or not all(runs_there(item) for item in items):
        return None
    fixturedef.cached_result = (None, fixturedef.cache_key(request), None)
    return True


def pytest_pyfunc_call(pyfuncitem):
    """Run a test marked `small` elsewhere; leave any other to pytest."""
    if not runs_there(pyfuncitem):
        return None
    run(pyfuncitem)
    return True


def items_with(name, module):
    """List the tests of a file that have the fixture."""
    items = (item for item in module.session.items if item.path == module.path)
    return [item for item in items if name in item.fixturenames]


def run(item):
    """Run the test of an item; raise what pytest raises for it."""
    places, values = arguments(item)
    done = processes_of(item).run(
        FOLDER / "run_test.py",
        item.module.__name__,
        item.function.__name__,
        json.dumps([places, fixtures_of_file(item)]),
        pickle.dumps(values).hex() if values else "",
    )
    if done.code == SKIPPED:
        pytest.skip(done.out.strip())
    if done.code or ENDED not in done.out:
        said = f"the test ended with code {done.code}\n"
        pytest.fail(said + done.out + done.err, pytrace=False)


def processes_of(item):
    """Return what runs the tests of the file; it ends with the file's tests."""
    module = item.getparent(pytest.Module)
    if processes not in module.stash:
        folder = TemporaryDirectory()
        module.addfinalizer(folder.cleanup)
        paths = [FOLDER, module.path.parent, os.environ.get("PYTHONPATH", "")]
        module.stash[processes] = PROCESSES(
            "prepared",
            PYTHONPATH=os.pathsep.join(map(str, paths)),
            SMALL_FILE=module.obj.__name__,
            SMALL_FIXTURES=json.dumps(used_there(module) if PROCESSES is Warm else []),
            SMALL_FOLDER=folder.name,
        )
        module.addfinalizer(module.stash[processes].end)
    return module.stash[processes]


def used_there(module):
    """List the fixtures of a file that its tests there use: they may share them."""
    items = (item for item in module.session.items if item.path == module.path)
    lists = (fixtures_of_file(item) for item in items if runs_there(item))
    return sorted({name for names in lists for name in names})


def fixtures_of_file(item):
    """List the fixtures of its file that a test uses, in the order of their making."""
    parameters = item.callspec.params if hasattr(item, "callspec") else ()
    names = [name for name in item.fixturenames if name not in parameters]
    return [name for name in names if name in vars(item.module)]


def arguments(item):
    """Say where the values of parameters stand in their lists, and give all others."""
    places = {}
    for mark in item.iter_markers("parametrize"):
        places.update(places_in(mark.args[0], mark.args[1], item.callspec.params))
    taken = {*inspect.signature(item.function).parameters}
    taken |= BENEATH.intersection(item.fixturenames)
    taken -= {*places, *THERE, *vars(item.module)}
    return places, {name: item.funcargs[name] for name in taken}


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
