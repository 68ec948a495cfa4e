"""Cells that return lists and dicts; a name keeps one of the results as well."""

import sys

from IPython.core.interactiveshell import InteractiveShell

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
shell = InteractiveShell.instance()
cells = [
    "import numpy as np\nnp.set_printoptions(threshold=5)",
    "named = np.zeros((300, 300))\nnamed",
    "[np.ones((200, 200)), {'more': np.ones((200, 100))}]",
    "1 + 1",
]
for cell in cells:
    shell.run_cell(cell, store_history=True)
if fixed:
    shell.run_cell("%reset -f out", store_history=False)
    for name in ("_", "__", "___", "_3"):
        shell.user_ns.pop(name, None)
        shell.user_ns_hidden.pop(name, None)
    shell.displayhook.flush()

print(leakgraph.findings())
