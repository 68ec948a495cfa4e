"""Notices that an allocation failed, while the frames that failed still exist.

Python's hooks report exceptions that nothing catches. From 3.12 on `sys.monitoring`
reports those that something catches, too, for some 70 ns each. Before, PyTorch's own
exception class reports its instances, and nothing reports a caught MemoryError.

This module never imports PyTorch. It removes again what it installs, unless somebody
else has installed something on top.
"""

from __future__ import annotations

import sys
import threading

from leakgraph._core import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, TracebackType
    from typing import Any

__all__ = ["attend_torch", "is_shortage", "unwatch", "watch"]

#: What PyTorch says in a plain RuntimeError: its CPU allocator, and older versions.
_WORDS = (
    "DefaultCPUAllocator: ",
    "CUDA out of memory",
    "CUDA error: out of memory",
)

#: The tool's number in sys.monitoring; lower ones have uses of their own.
_TOOLS = (4, 3)

_tell: Callable[[str], None] | None = None
_undo: list[Callable[[], None]] = []


def is_shortage(error: object) -> bool:
    """Whether an exception says that an allocation failed."""
    kind = type(error)
    if issubclass(kind, MemoryError):
        return not issubclass(kind, Error)
    if not issubclass(kind, RuntimeError):
        return False
    if any(
        base.__name__ == "OutOfMemoryError"
        and base.__module__ in ("torch", "torch.cuda")
        for base in kind.__mro__
    ):
        return True
    arguments = error.args  # type: ignore[attr-defined]
    text = arguments[0] if kind is RuntimeError and arguments else None
    return type(text) is str and any(words in text for words in _WORDS)


def watch(tell: Callable[[str], None]) -> None:
    """Call `tell` with the name of each such exception, in its thread."""
    global _tell
    _tell = tell
    _hook_uncaught()
    if not _monitor():
        attend_torch()


def unwatch() -> None:
    """Stop, and restore the previous hooks."""
    global _tell
    _tell = None
    while _undo:
        _undo.pop()()


def _notice(error: object) -> None:
    """Report the exception if an allocation failed."""
    if _tell is not None and is_shortage(error):
        _tell(type(error).__name__)


def _hook_uncaught() -> None:
    """Put hooks before those that are there."""
    main, thread, unraisable = sys.excepthook, threading.excepthook, sys.unraisablehook

    def excepthook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        _notice(error)
        main(kind, error, trace)

    def thread_excepthook(args: threading.ExceptHookArgs) -> None:
        _notice(args.exc_value)
        thread(args)

    def unraisablehook(args: sys.UnraisableHookArgs) -> None:
        _notice(args.exc_value)
        unraisable(args)

    def undo() -> None:
        if sys.excepthook is excepthook:
            sys.excepthook = main
        if threading.excepthook is thread_excepthook:
            threading.excepthook = thread
        if sys.unraisablehook is unraisablehook:
            sys.unraisablehook = unraisable

    sys.excepthook = excepthook
    threading.excepthook = thread_excepthook
    sys.unraisablehook = unraisablehook
    _undo.append(undo)


def _monitor() -> bool:
    """Ask the interpreter to report raised exceptions; False if it cannot."""
    monitoring: Any = getattr(sys, "monitoring", None)
    free = [tool for tool in _TOOLS if monitoring and not monitoring.get_tool(tool)]
    if not free:
        return False
    tool = free[0]

    def raised(code: CodeType, offset: int, error: BaseException) -> None:
        if isinstance(error, (MemoryError, RuntimeError)):
            _notice(error)

    def undo() -> None:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, monitoring.events.RAISE, None)
        monitoring.free_tool_id(tool)

    monitoring.use_tool_id(tool, "leakgraph")
    monitoring.register_callback(tool, monitoring.events.RAISE, raised)
    monitoring.set_events(tool, monitoring.events.RAISE)
    _undo.append(undo)
    return True


def attend_torch() -> bool:
    """Have PyTorch's exception class report its instances, if it is loaded.

    False while it is not.
    """
    kind = _torch_error()
    if kind is None:
        return False
    if "__init__" in vars(kind) or _tell is None:
        return True

    def tell_and_init(self: BaseException, *args: object) -> None:
        super(kind, self).__init__(*args)
        _notice(self)

    def undo() -> None:
        if vars(kind).get("__init__") is tell_and_init:
            del kind.__init__

    kind.__init__ = tell_and_init  # type: ignore[method-assign]
    _undo.append(undo)
    return True


def _torch_error() -> type[BaseException] | None:
    """Return PyTorch's OutOfMemoryError, wherever this version keeps it."""
    for name in ("torch", "torch.cuda"):
        module = sys.modules.get(name)
        kind = vars(module).get("OutOfMemoryError") if module is not None else None
        if isinstance(kind, type) and issubclass(kind, BaseException):
            return kind
    return None
