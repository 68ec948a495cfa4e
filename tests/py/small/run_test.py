"""Runs a test in a fork of a process that has imported its file, and prepared.py.

    run_test.py MODULE TEST ABOUT VALUES

ABOUT says, as JSON, where the values of the test's parameters stand in their lists, by
name, and which fixtures of its file it uses. VALUES are those of other fixtures:
pickled, in hexadecimal digits. Exits with 77 and says why if the test cannot run here;
if it or one of its fixtures fails, says where, with all local variables. Says ENDED if
it passes: a test that ends the process has not come to its end.
"""

import importlib
import json
import os
import sys

import prepared
import pytest
from values import Values

SKIPPED = 77
ENDED = "the test has come to its end"


def run(module, name, places, used, given):
    """Call the test with all that it takes; return what it and its fixtures raise."""
    test = getattr(module, name)
    for parameter, place in places.items():
        given[parameter] = test.parameters[parameter][place]
    values = Values(module, {**prepared.made, **given})
    errors = []
    try:
        for each in used:
            values[each]
        result = values.call(test)
        assert result is None, f"the test returns {result!r}: is it async?"
    except BaseException as error:
        errors.append(error)
    return errors + values.end()


def unpickled(digits):
    """Return values of fixtures; pickle is imported only if there are any."""
    return importlib.import_module("pickle").loads(bytes.fromhex(digits))


def shown(error):
    """Return the traceback with all local variables."""
    made = importlib.import_module("traceback").TracebackException
    return "".join(made.from_exception(error, capture_locals=True).format())


def main(module, name, about, values):
    given = unpickled(values) if values else {}
    errors = run(sys.modules[module], name, *json.loads(about), given)
    failures = [each for each in errors if not isinstance(each, pytest.Skipped)]
    if failures:
        sys.exit("\n".join(map(shown, failures)))
    if errors:
        print(errors[0])
        sys.exit(SKIPPED)
    os.write(1, ENDED.encode())


main(*sys.argv[1:])
