"""watch() as a callback of the Trainer of Hugging Face.

    from leakgraph.transformers import LeakCallback
    Trainer(callbacks=[LeakCallback()])

transformers is imported when LeakCallback is asked for, not before.
"""

from __future__ import annotations

from typing import Any

__all__ = ["LeakCallback"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    LeakCallback: Any


def _callback() -> Any:
    """Make the class."""
    from transformers import TrainerCallback

    from leakgraph.watch_call import watch

    class _Callback(TrainerCallback):  # type: ignore[misc, unused-ignore]
        """Watches memory while a Trainer trains.

        Takes the options of watch(). `watch` is its Watch, or None.
        """

        def __init__(self, **options: Any) -> None:
            super().__init__()
            self.options = options
            self.watch: Any = None

        def on_train_begin(self, *_: Any, **__: Any) -> None:
            """Begin to watch."""
            self.watch = watch(**self.options)

        def on_step_end(self, *_: Any, **__: Any) -> None:
            """Count a step."""
            self.watch.step()

        def on_train_end(self, *_: Any, **__: Any) -> None:
            """Stop, and tell what was found last."""
            self.watch.stop()

    _Callback.__module__ = __name__
    _Callback.__name__ = _Callback.__qualname__ = "LeakCallback"
    return _Callback


def __getattr__(name: str) -> Any:
    """Make the class when it is asked for."""
    if name != "LeakCallback":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    made = globals()[name] = _callback()
    return made
