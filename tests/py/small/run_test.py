"""Runs a test in a fork of a process that has imported its file, and prepared.py.

    run_test.py MODULE TEST ABOUT VALUES

ABOUT says, as JSON, where the values of the test's parameters stand in their lists, by
name, and which fixtures of its file it uses. VALUES are those of other fixtures:
pickled, in hexadecimal digits. Exits with 77 and says why if the test cannot run here;
if it fails, says where, with all local variables.
"""

import importlib
import json
import sys

import prepared
import pytest
from values import Values

SKIPPED = 77


def run(module, name, places, used, given):
    """Call the test with all that it takes."""
    test = getattr(module, name)
    for parameter, place in places.items():
        given[parameter] = test.parameters[parameter][place]
    values = Values(module, {**prepared.made, **given})
    try:
        for each in used:
            values[each]
        values.call(test)
    finally:
        values.end()


def unpickled(digits):
    """Return values of fixtures; pickle is imported only if there are any."""
    return importlib.import_module("pickle").loads(bytes.fromhex(digits))


def shown(error):
    """Return the traceback with all local variables."""
    made = importlib.import_module("traceback").TracebackException
    return "".join(made.from_exception(error, capture_locals=True).format())


def main(module, name, about, values):
    given = unpickled(values) if values else {}
    try:
        run(sys.modules[module], name, *json.loads(about), given)
    except pytest.Skipped as reason:
        print(reason)
        sys.exit(SKIPPED)
    except BaseException as error:
        sys.exit(shown(error))


main(*sys.argv[1:])
