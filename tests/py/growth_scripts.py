"""Runs the scripts of tests/examples/growth, which print JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "growth"


def run_script(name, *arguments, seed="0"):
    """Return what the script printed; `seed` is that of the hashes."""
    done = subprocess.run(
        [sys.executable, "-B", str(FOLDER / name), *map(str, arguments)],
        env={**os.environ, "PYTHONHASHSEED": seed, "MPLBACKEND": "Agg"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
