"""Each reload of a plugin stays in sys.modules, under a name of its own.

https://docs.python.org/3/library/importlib.html#importing-a-source-file-directly
"""

import sys
import types

import program

HOLDERS = ("sys.modules[*]", "interpreter state modules[*]")

CODE = compile(
    "TABLE = [str(i) * 10 for i in range(50)]\ndef f(): pass", "plugin", "exec"
)


def work(number):
    module = types.ModuleType(f"plugin_{number}")
    exec(CODE, module.__dict__)
    if not program.FIXED:
        sys.modules[module.__name__] = module


def let_go():
    for name in [name for name in sys.modules if name.startswith("plugin_")]:
        del sys.modules[name]


if __name__ == "__main__":
    program.run(work, let_go)
