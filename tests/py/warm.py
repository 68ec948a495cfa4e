"""Runs scripts in forks of one process that has imported the modules they begin with.

Importing torch costs more than most scripts do. Each script is still `__main__` of a
process of its own, which has imported nothing else and ends as any interpreter does.
"""

import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace


class Warm:
    """A process for scripts: Warm("torch").run(script, argument) -> code, out, err."""

    def __init__(self, *modules, **environment):
        self.process = subprocess.Popen(
            [sys.executable, __file__, *modules],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, script, *arguments):
        """Run the script in an empty folder, one at a time."""
        with TemporaryDirectory() as folder:
            work, out, err = (Path(folder) / name for name in ("work", "out", "err"))
            work.mkdir()
            about = [script, arguments, work, out, err]
            self.process.stdin.write(json.dumps(about, default=str) + "\n")
            self.process.stdin.flush()
            code = int(self.process.stdout.readline())
            return SimpleNamespace(code=code, out=out.read_text(), err=err.read_text())

    def end(self):
        self.process.communicate()
        assert self.process.returncode == 0


class WarmTorch:
    """The same for scripts that use torch. Optimizers and torch.compile() import
    torch._dynamo, which takes seconds, so their scripts fork from a process that has
    it.
    """

    def __init__(self):
        self.processes = {}

    def run(self, script, *arguments):
        """Run the script in an empty folder; scripts among the arguments count, too."""
        scripts = [script, *(each for each in arguments if str(each).endswith(".py"))]
        text = "".join(Path(each).read_text() for each in scripts)
        needs_compiler = "torch.optim" in text or "torch.compile" in text
        module = "torch._dynamo" if needs_compiler else "torch"
        if module not in self.processes:
            self.processes[module] = Warm(module)
        return self.processes[module].run(script, *arguments)

    def end(self):
        for process in self.processes.values():
            process.end()


def become(script, arguments, folder, *outputs):
    """Make this process one that runs the script."""
    signal.alarm(600)  # ends the script if it hangs
    os.chdir(folder)
    for descriptor, name in enumerate([os.devnull, *outputs]):
        opened = os.open(name, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(script)
    runpy.run_path(script, run_name="__main__")


def main(modules):
    for name in modules:
        importlib.import_module(name)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(*json.loads(line))
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
