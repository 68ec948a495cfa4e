"""Libraries that leakgraph can do without."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["need"]


def need(module: str, package: str, what: str) -> ModuleType:
    """Import the module; if it is not installed, say what needs which package.

    `package` is what pip takes, in quotes where a shell needs them.

    Raises ModuleNotFoundError.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ModuleNotFoundError(
            f"{what} needs {package}: run `pip install {package}`", name=error.name
        ) from None
