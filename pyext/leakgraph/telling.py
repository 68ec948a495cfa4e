"""Tells a leak: as a warning and in the log, as an exception, or to a function."""

from __future__ import annotations

import warnings
from typing import Any

from leakgraph.leak_text import LeakError, LeakWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger
    from typing import Literal

    from leakgraph._core import Growth, GrowthRow

    _OnLeak = Literal["warn", "raise"] | Callable[[GrowthRow, Growth], object]

__all__ = ["tell", "warn"]


def tell(on_leak: _OnLeak, row: GrowthRow, growth: Any, text: str, level: int) -> None:
    """Tell one leak as the program wants it; level: frames from here to its line."""
    if on_leak == "raise":
        raise LeakError(text)
    if on_leak == "warn":
        warn(text, level + 1)
    else:
        on_leak(row, growth)


def warn(text: str, level: int) -> None:
    """Issue a LeakWarning, and log it.

    Without a configured log, the log would write the text to stderr, as the warning
    does. Then only a warning that a filter hides is logged.
    """
    log = _log()
    if log.hasHandlers() or _is_hidden(text):
        log.warning("%s", text)
    warnings.warn(text, LeakWarning, stacklevel=level + 1)


def _log() -> Logger:
    """Return the log of leakgraph."""
    import logging

    return logging.getLogger("leakgraph")


def _is_hidden(text: str) -> bool:
    """Whether a filter for warnings of any module hides this one."""
    get: Any = getattr(warnings, "_get_filters", lambda: warnings.filters)
    for action, message, category, module, line in get():
        if not issubclass(LeakWarning, category) or module is not None or line:
            continue
        if message is None or message.match(text):
            return bool(action == "ignore")
    return False
