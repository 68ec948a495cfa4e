"""What tests of a small process use of pytest, which itself is most of a heap.

run_test.py runs them. Marks are pytest's own: what skips a test was asked before.
"""

import importlib
import operator
import os
import re


class Outcome(BaseException):
    """What a test says of itself: code that expects any exception leaves it alone."""


class Skipped(Outcome):
    """The test cannot run here, and why."""


class Unmade:
    """The value of a fixture that could not be made, and why."""

    def __init__(self, error):
        self.error = error


class Failed(Outcome):
    """The test says that it fails."""


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


def named(path):
    """Return what has the name: a module, or what is within one."""
    first, *rest = path.split(".")
    found = importlib.import_module(first)
    for name in rest:
        first += f".{name}"
        if not hasattr(found, name):
            importlib.import_module(first)
        found = getattr(found, name)
    return found


class MonkeyPatch:
    """Changes what another function or variable is, until undo() or a block ends.

    Tests need not undo it, because their process ends.
    """

    def __init__(self):
        self.changed = []

    @classmethod
    def context(cls):
        return cls()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.undo()

    def undo(self):
        while self.changed:
            change, *before = self.changed.pop()
            change(*before)

    def setattr(self, target, name, *value, raising=True):
        if not value:
            path, _, attribute = target.rpartition(".")
            target, name, value = named(path), attribute, [name]
        assert not raising or hasattr(target, name), name
        if name in vars(target):
            self.changed.append((setattr, target, name, vars(target)[name]))
        else:
            self.changed.append((delattr, target, name))
        setattr(target, name, *value)

    def setitem(self, table, key, value):
        if key in table:
            self.changed.append((operator.setitem, table, key, table[key]))
        else:
            self.changed.append((operator.delitem, table, key))
        table[key] = value

    def setenv(self, name, value):
        self.setitem(os.environ, name, value)

    def chdir(self, folder):
        self.changed.append((os.chdir, os.getcwd()))
        os.chdir(folder)


def fixture(function=None, *, autouse=False, scope="function"):
    """Remember the scope; pytest's process knows which tests use the fixture."""
    assert scope in ("function", "module"), f"small tests know no scope {scope}"
    if function is None:
        return lambda made: fixture(made, scope=scope)
    function.scope = scope
    return function


def skip(reason):
    raise Skipped(reason)


def fail(reason):
    raise Failed(reason)


fail.Exception = Failed


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


class Warns:
    """The warnings of the block; one of the kinds must have a text of the pattern."""

    def __init__(self, kinds, pattern):
        self.kinds = kinds
        self.pattern = pattern

    def __enter__(self):
        warnings = importlib.import_module("warnings")
        self.recording = warnings.catch_warnings(record=True)
        self.said = self.recording.__enter__()
        warnings.simplefilter("always")
        return self.said

    def __exit__(self, kind, value, traceback):
        self.recording.__exit__(kind, value, traceback)
        if kind is None:
            known = [
                each for each in self.said if issubclass(each.category, self.kinds)
            ]
            texts = [str(each.message) for each in known]
            found = any(re.search(self.pattern, text) for text in texts)
            assert found, f"{self.kinds}, {self.pattern!r}: {texts}"
        return False


def warns(kinds, *, match=""):
    return Warns(kinds, match)


class Approximate:
    """Equals numbers that are at most so far away."""

    def __init__(self, expected, most):
        self.expected = expected
        self.most = most

    def __eq__(self, actual):
        return abs(actual - self.expected) <= self.most

    def __repr__(self):
        return f"{self.expected} +- {self.most}"


def approx(expected, rel=None, abs=None):
    """Equals numbers that are as near as `rel` or `abs` says, or else a millionth."""
    if abs is not None and rel is None:
        return Approximate(expected, abs)
    size = expected if expected >= 0 else -expected
    share = 1e-6 if rel is None else rel
    return Approximate(expected, max(share * size, 1e-12 if abs is None else abs))
