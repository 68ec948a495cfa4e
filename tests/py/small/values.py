"""What a small test takes: given values, and those of fixtures of its file."""

import importlib
import os

import pytest

#: The flag of the code of a function that yields.
GENERATOR = 0x20


class TemporaryFolders:
    """Makes folders inside the one that pytest's process removes after the file."""

    def mktemp(self, name):
        within = importlib.import_module("pathlib").Path(os.environ["SMALL_FOLDER"])
        made = within / f"{os.getpid()}-{len(os.listdir(within))}-{name}"
        made.mkdir()
        return made


class Values:
    """The values of names: given, made before, or made by a fixture of the file."""

    def __init__(self, module, given):
        self.module = module
        self.known = {
            "monkeypatch": pytest.MonkeyPatch(),
            "tmp_path_factory": TemporaryFolders(),
            **given,
        }
        self.left = []

    def __getitem__(self, name):
        if name not in self.known:
            self.known[name] = self.made_by(getattr(self.module, name))
        value = self.known[name]
        if isinstance(value, pytest.Unmade):
            raise value.error
        return value

    def made_by(self, fixture):
        made = self.call(fixture)
        if fixture.__code__.co_flags & GENERATOR:
            self.left.append(made)
            return next(made)
        return made

    def end(self):
        """Let the fixtures that yield go on after it, the last first; return errors."""
        errors = []
        for generator in reversed(self.left):
            try:
                next(generator)
                pytest.fail(f"the fixture {generator.__name__} yields more than once")
            except StopIteration:
                pass
            except BaseException as error:
                errors.append(error)
        return errors

    def call(self, function):
        code = function.__code__
        return function(*map(self.__getitem__, code.co_varnames[: code.co_argcount]))
