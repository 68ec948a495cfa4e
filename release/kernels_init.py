"""The first program of a virtual machine of `make kernels`.

    init CHECKOUT

Runs the tests of attach and a short torture, and ends the machine. Its first line of
output names the kernel; its last but one says with what both have ended.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

FILE_SYSTEMS = {"proc": "/proc", "sysfs": "/sys", "devtmpfs": "/dev", "tmpfs": "/tmp"}
POWER_OFF = 0x4321FEDC
TORTURE = Path("/torture")
#: Those of attach that depend on the kernel and need no compiler.
TESTS = ("tests/py/test_attach.py", "-m", "not once and not libraries")
TORTURED = (
    *("--modes", "registers", "waits", "threaded", "--runs", "18", "--step", "10"),
    *("--actions", "leakgraph killed", "stopped shortly", "signalled"),
)


def settings(checkout: Path) -> dict[str, str]:
    """Return the environment of the tests: that of `make test`."""
    made = checkout / "build/make"
    return {
        "PATH": f"{made}/bin:{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{made}/python:{checkout}/tools",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
    }


def run(words: tuple[object, ...], checkout: Path, env: dict[str, str]) -> int:
    """Run a program of Python, which has no terminal; print what it prints."""
    command = [sys.executable, *map(str, words)]
    with subprocess.Popen(
        command, cwd=checkout, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line.decode(errors="replace"), end="", flush=True)
    return process.returncode


def run_all(checkout: Path) -> tuple[int, int]:
    """Run the tests and the torture."""
    env = settings(checkout)
    options = ("-q", "-rfE", "-p", "no:cacheprovider")
    tests = ("-m", "pytest", *options, *TESTS)
    torture = (checkout / "tools/attach_torture.py", "--folder", TORTURE, *TORTURED)
    tortured = {**env, "LD_PRELOAD": str(TORTURE / "shim.so"), "TMPDIR": str(TORTURE)}
    return run(tests, checkout, env), run(torture, checkout, tortured)


def main() -> None:
    """Do as the first program of a system does: it takes every child's exit status."""
    libc = ctypes.CDLL(None)
    for kind, place in FILE_SYSTEMS.items():
        libc.mount(kind.encode(), place.encode(), kind.encode(), 0, None)
    print("\nkernel", os.uname().release, flush=True)
    worker = os.fork()
    if worker == 0:
        ends = run_all(Path(sys.argv[1]))
        print(f"\nboth end with {ends[0]}, {ends[1]}", flush=True)
        os._exit(0)
    while os.wait()[0] != worker:
        pass
    libc.reboot(POWER_OFF)


main()
