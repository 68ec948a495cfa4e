"""A progress bar in a notebook, which disappears when the work is done.

leakgraph imports this when work has lasted a second and the output is not a terminal.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["Bar", "begin"]


class Bar:
    """A bar in the output of the cell that runs."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None

    def show(self, at: tuple[str, float]) -> None:
        """Draw the bar: the name of the work, and the part that is done (0 to 1)."""
        phase, done = at
        said = f"leakgraph: {phase} {done:.0%}".replace("%", " %")
        html = (
            f'<progress value="{done:.3f}" max="1" style="width:16em"></progress>'
            f" {said}"
        )
        data = {"text/plain": said, "text/html": html}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def end(self, _: None = None) -> None:
        """Remove the bar."""
        if self._handle is not None:
            self._handle.update({"text/plain": "", "text/html": ""}, raw=True)


def begin(_: None = None) -> Bar | None:
    """Make a bar if this is the kernel of a notebook; never imports IPython."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_ipython() if get_ipython is not None else None
    display = getattr(sys.modules.get("IPython.display"), "display", None)
    if display is None or getattr(shell, "kernel", None) is None:
        return None
    return Bar(display)
