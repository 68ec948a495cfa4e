"""Runs a test in a fork of a process that has imported its file.

    run_test.py MODULE TEST PLACES VALUES

PLACES says where the values of the test's parameters stand in their lists, by name, as
JSON. VALUES are those of fixtures: pickled, in hexadecimal digits. Exits with 77 and
says why if the test cannot run here; if it fails, says where, with all local variables.
"""

import importlib
import json
import os
import sys
import types

import pytest

SKIPPED = 77


class MonkeyPatch:
    """Changes what ends with the process."""

    def setattr(self, target, name, *value, raising=True):
        if not value:
            path, _, attribute = target.rpartition(".")
            target, name, value = importlib.import_module(path), attribute, [name]
        assert not raising or hasattr(target, name), name
        setattr(target, name, *value)

    def setitem(self, table, key, value):
        table[key] = value

    def setenv(self, name, value):
        os.environ[name] = value


class Values:
    """Values for what a test takes: given ones, and those of fixtures of its file.

    Fixtures that yield are left there, because the process ends with the test.
    """

    def __init__(self, module, given):
        self.module = module
        self.known = {"monkeypatch": MonkeyPatch(), **given}
        self.left = []

    def __getitem__(self, name):
        if name not in self.known:
            self.known[name] = self.made_by(getattr(self.module, name))
        return self.known[name]

    def made_by(self, fixture):
        made = self.call(fixture)
        if isinstance(made, types.GeneratorType):
            self.left.append(made)
            return next(made)
        return made

    def call(self, function):
        code = function.__code__
        return function(*map(self.__getitem__, code.co_varnames[: code.co_argcount]))


def run(module, name, places, given):
    """Call the test with all that it takes."""
    test = getattr(module, name)
    for parameter, place in places.items():
        given[parameter] = test.parameters[parameter][place]
    values = Values(module, given)
    for each in [*vars(module)]:
        if getattr(vars(module)[each], "autouse", False):
            values[each]
    values.call(test)


def unpickled(digits):
    """Return values of fixtures; pickle is imported only if there are any."""
    return importlib.import_module("pickle").loads(bytes.fromhex(digits))


def shown(error):
    """Return the traceback with all local variables."""
    made = importlib.import_module("traceback").TracebackException
    return "".join(made.from_exception(error, capture_locals=True).format())


def main(module, name, places, values):
    given = unpickled(values) if values else {}
    try:
        run(sys.modules[module], name, json.loads(places), given)
    except pytest.Skipped as reason:
        print(reason)
        sys.exit(SKIPPED)
    except BaseException as error:
        sys.exit(shown(error))


main(*sys.argv[1:])
