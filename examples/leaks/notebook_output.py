"""A cell that ends with an expression: IPython keeps the result.

python examples/leaks/notebook_output.py [fixed]
"""

import sys

from IPython.core.interactiveshell import InteractiveShell

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
shell = InteractiveShell.instance()
cells = ["import torch", "x = torch.randn(512, 512)", "x @ x.T", "x.exp()"]
for cell in cells:
    shell.run_cell(cell + (";" if fixed else ""), store_history=True)

print(leakgraph.findings())
