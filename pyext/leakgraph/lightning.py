"""watch() as a callback of Lightning's Trainer.

    from leakgraph.lightning import LeakCallback
    Trainer(callbacks=[LeakCallback()])

Lightning is imported when LeakCallback is asked for, not before.
"""

from __future__ import annotations

from typing import Any

from leakgraph.trainers import Watching, when_asked

__all__ = ["LeakCallback"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    LeakCallback: Any


def _callback() -> type:
    """Make the class, which needs Lightning as its base."""
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback

    class _Callback(Watching, Callback):  # type: ignore[misc, unused-ignore]
        """Watches memory from the start of a fit to its end.

        Takes the options of watch(). `watch` is its Watch, or None.
        """

        on_train_start = Watching.begin
        on_train_batch_end = Watching.count
        on_train_end = Watching.stop
        on_exception = Watching.abandon

    return _Callback


__getattr__ = when_asked(__name__, _callback)
