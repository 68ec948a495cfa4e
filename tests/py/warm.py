"""Runs scripts in forks of one process that has imported the modules they begin with.

Importing torch costs more than most scripts do, and so does freeing all that it has
made. Each script is still `__main__` of a process of its own, which has imported
nothing else but what warm_process.py needs. Where no fork can be captured, each script
has a process that imports the modules again.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

PROCESS = Path(__file__).with_name("warm_process.py")


class Processes:
    """Runs scripts in processes that have imported the modules.

    All have the same seed of hashes, so a script behaves alike in each run.
    """

    def __init__(self, *modules, **environment):
        self.modules = modules
        self.environment = {**os.environ, "PYTHONHASHSEED": "0", **environment}
        self.folder = TemporaryDirectory()
        self.errors = Path(self.folder.name, "errors")

    def started(self, way):
        """Start a process that forks for each script, or becomes the only one."""
        with self.errors.open("w") as errors:
            return subprocess.Popen(
                [sys.executable, PROCESS, way, *self.modules],
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def run(self, script, *arguments):
        """Run the script in an empty folder, one at a time."""
        with TemporaryDirectory() as folder:
            work, out, err = (Path(folder) / name for name in ("work", "out", "err"))
            work.mkdir()
            about = [script, arguments, work, out, err]
            code = self.answer(json.dumps(about, default=str))
            return SimpleNamespace(code=code, out=out.read_text(), err=err.read_text())

    def ended(self, process):
        """Say how the process for scripts has ended, and what it printed."""
        code = process.wait()
        said = self.errors.read_text()
        return f"the process for scripts ended with code {code}:\n{said}"

    def isolated(self, name, *arguments):
        """Run a script of isolated/."""
        return self.run(Path(__file__).parent / "isolated" / name, *arguments)


class Warm(Processes):
    """Runs scripts in forks: Warm("torch").run(script, argument) -> code, out, err."""

    def __init__(self, *modules, **environment):
        super().__init__(*modules, **environment)
        self.process = self.started("forks")

    def answer(self, line):
        """Send the line, and return the number that the process answers."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise RuntimeError(self.ended(self.process)) from None
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(self.ended(self.process))
        return int(answer)

    def end(self):
        self.process.communicate()
        assert self.process.returncode == 0, self.ended(self.process)
        self.folder.cleanup()


class Cold(Processes):
    """Runs each script in a new process: it takes longer, and nothing is forked."""

    def answer(self, line):
        """Send the line to a process of its own, and return how that has ended."""
        process = self.started("becomes")
        begun, _ = process.communicate(line)
        if not begun:
            raise RuntimeError(self.ended(process))
        return process.returncode

    def end(self):
        self.folder.cleanup()


#: Code that imports torch._dynamo sooner or later, which takes longer than torch.
HEAVY = re.compile(r"optim\.|torch\.compile|checkpoint|parallel|func\.|jagged")

#: Text in a script, and the module that its process then imports in advance; the first
#: match counts. Optimizers and torch.compile() import torch._dynamo, which takes
#: seconds and doubles the heap.
IMPORTED = (
    ("torch.optim", "torch._dynamo"),
    ("torch.compile", "torch._dynamo"),
    ("import torch", "torch"),
    ("pyplot", "matplotlib.pyplot"),
    ("import matplotlib", "matplotlib.figure"),
    ("import pandas", "pandas"),
    ("import numpy", "numpy"),
    ("IPython", "IPython.core.interactiveshell"),
    ("", "json"),
)


class WarmLibraries:
    """Does the same for scripts that need one library or another."""

    def __init__(self):
        self.processes = {}

    def run(self, script, *arguments):
        """Run the script in an empty folder; scripts among the arguments count, too."""
        scripts = [script, *(each for each in arguments if str(each).endswith(".py"))]
        text = "".join(Path(each).read_text() for each in scripts)
        module = next(module for part, module in IMPORTED if part in text)
        if module not in self.processes:
            self.processes[module] = Warm(module)
        return self.processes[module].run(script, *arguments)

    def end(self):
        for process in self.processes.values():
            process.end()
