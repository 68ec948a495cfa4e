"""What tests of a small process use of pytest, which itself is most of a heap.

run_test.py runs them. Marks are pytest's own: what skips a test was asked before.
"""

import importlib
import re


class Skipped(Exception):
    """The test cannot run here, and why."""


class Parameters:
    """Values of a row of parameters that has marks or a name."""

    def __init__(self, values):
        self.values = values


def param(*values, **_):
    return Parameters(values)


def ignored(*arguments, **_):
    """A mark, with arguments or without: leave the function as it is."""
    if len(arguments) == 1 and callable(arguments[0]):
        return arguments[0]
    return lambda function: function


class Marks:
    """pytest.mark: it remembers values of parameters, and no other marks."""

    def __getattr__(self, name):
        assert name != "usefixtures", "a small test names its fixtures"
        assert name != "filterwarnings", "a small test filters warnings itself"
        return ignored

    @staticmethod
    def parametrize(names, values, *, ids=None):
        def with_values(function):
            known = function.__dict__.setdefault("parameters", {})
            known.update(columns(names, list(values)))
            return function

        return with_values


def columns(names, values):
    """The values of each parameter that pytest.mark.parametrize() names."""
    if isinstance(names, str):
        names = re.split(r",\s*", names)
    rows = []
    for row in values:
        if isinstance(row, Parameters):
            rows.append(row.values)
        else:
            rows.append(row if len(names) > 1 else [row])
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


mark = Marks()


def fixture(function=None, *, autouse=False, scope="function"):
    """Remember that the function makes a value, and whether for every test."""
    if function is None:
        return lambda made: fixture(made, autouse=autouse)
    function.autouse = autouse
    return function


def skip(reason):
    raise Skipped(reason)


def importorskip(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Skipped(str(error)) from error


class Raises:
    """Whether the block raises one of these, whose text the pattern matches."""

    def __init__(self, kinds, pattern):
        self.kinds = kinds
        self.pattern = pattern
        self.value = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        assert kind is not None, f"{self.kinds} is not raised"
        if not issubclass(kind, self.kinds):
            return False
        assert re.search(self.pattern, str(value)), f"{self.pattern!r}: {value}"
        self.value = value
        return True


def raises(kinds, *, match=""):
    return Raises(kinds, match)


class Approximate:
    """Equals numbers that are at most so far away."""

    def __init__(self, expected, most):
        self.expected = expected
        self.most = most

    def __eq__(self, actual):
        return abs(actual - self.expected) <= self.most

    def __repr__(self):
        return f"{self.expected} +- {self.most}"


def approx(expected, rel=1e-6):
    return Approximate(expected, max(rel * abs(expected), 1e-12))
