"""watch() as a callback of Lightning's Trainer.

    from leakgraph.lightning import LeakCallback
    Trainer(callbacks=[LeakCallback()])

Lightning is imported when LeakCallback is asked for, not before.
"""

from __future__ import annotations

from typing import Any

__all__ = ["LeakCallback"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    LeakCallback: Any


def _callback() -> Any:
    """Make the class."""
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback

    from leakgraph.watch_call import watch

    class _Callback(Callback):  # type: ignore[misc, unused-ignore]
        """Watches memory from the start of a fit to its end.

        Takes the options of watch(). `watch` is its Watch, or None.
        """

        def __init__(self, **options: Any) -> None:
            super().__init__()
            self.options = options
            self.watch: Any = None

        def on_train_start(self, *_: Any) -> None:
            """Begin to watch."""
            self.watch = watch(**self.options)

        def on_train_batch_end(self, *_: Any, **__: Any) -> None:
            """Count a step."""
            self.watch.step()

        def on_train_end(self, *_: Any) -> None:
            """Stop, and tell what was found last."""
            self.watch.stop()

        def on_exception(self, *_: Any) -> None:
            """Stop, and leave the exception alone."""
            if self.watch is not None:
                self.watch.abandon()

    _Callback.__module__ = __name__
    _Callback.__name__ = _Callback.__qualname__ = "LeakCallback"
    return _Callback


def __getattr__(name: str) -> Any:
    """Make the class when it is asked for."""
    if name != "LeakCallback":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    made = globals()[name] = _callback()
    return made
