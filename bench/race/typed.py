"""Types a command beside the process that it looks at."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

#: A command ends within so many seconds of the clock, however busy the machine is.
PATIENCE = 600


def typed(command: list[str], process: int, patience: float = PATIENCE) -> str:
    """Run a command to its end; print and return what it prints.

    If it takes longer, end it, and wait until nothing traces the process: a debugger
    that ends keeps the signals that the process gets meanwhile.
    """
    with subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            text, _ = child.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGTERM)
            while "TracerPid:\t0\n" not in Path(f"/proc/{process}/status").read_text():
                time.sleep(0.1)
            raise
    print(text, flush=True)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return text
