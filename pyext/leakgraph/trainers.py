"""What the callbacks of trainers share: a Watch from begin to end of the training."""

from __future__ import annotations

import sys
from typing import Any

from leakgraph.run import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Watching", "when_asked"]


class Watching:
    """Watches memory while a trainer trains.

    Takes the options of watch(). `watch` is its Watch, or None.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options
        self.watch: Any = None

    def begin(self, *_: Any, **__: Any) -> None:
        """Begin to watch."""
        from leakgraph.watch_call import watch

        self.watch = watch(**self.options)

    def count(self, *_: Any, **__: Any) -> None:
        """Count a step."""
        self.watch.step()

    def stop(self, *_: Any, **__: Any) -> None:
        """Stop, and report on stderr."""
        self.watch.stop()
        for line in self.watch.report().splitlines():
            say(line)

    def abandon(self, *_: Any, **__: Any) -> None:
        """Stop, and leave an exception alone."""
        if self.watch is not None:
            self.watch.abandon()


def when_asked(module: str, make: Callable[[], type]) -> Callable[[str], Any]:
    """Make a `__getattr__` that imports the trainer only for LeakCallback."""

    def get(name: str) -> Any:
        if name != "LeakCallback":
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        made = make()
        made.__module__ = module
        made.__name__ = made.__qualname__ = name
        setattr(sys.modules[module], name, made)
        return made

    return get
