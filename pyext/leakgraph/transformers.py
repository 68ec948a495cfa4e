"""watch() as a callback of the Trainer of Hugging Face.

    from leakgraph.transformers import LeakCallback
    Trainer(callbacks=[LeakCallback()])

transformers is imported when LeakCallback is asked for, not before.
"""

from __future__ import annotations

from typing import Any

from leakgraph.trainers import Watching, when_asked

__all__ = ["LeakCallback"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    LeakCallback: Any


def _callback() -> type:
    """Make the class, which needs transformers for its base."""
    from transformers import TrainerCallback

    class _Callback(Watching, TrainerCallback):  # type: ignore[misc, unused-ignore]
        """Watches memory while a Trainer trains.

        Takes the options of watch(). `watch` is its Watch, or None.
        """

        on_train_begin = Watching.begin
        on_step_end = Watching.count
        on_train_end = Watching.stop

    return _Callback


__getattr__ = when_asked(__name__, _callback)
