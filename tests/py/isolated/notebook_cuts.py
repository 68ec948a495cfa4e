"""Cuts what why() names of a cell's result in a real shell, where it must then die.

test_cuts.py runs this script, because no other test may share a process with a shell.
"""

import gc
import json
import os

import random_heap
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in (
    "import leakgraph, weakref",
    "class Big:\n    pass",
    "one = Big(); gone = weakref.ref(one); one",
    "%xdel one",
    "listed = Big(); kept = weakref.ref(listed); many = [listed]; listed",
    "said = leakgraph.why(listed).hint",
    "%xdel listed",
    "xdel_is_enough = kept() is None; many.clear(); list_was_left = kept() is None",
    "made = Big(); ref = weakref.ref(made); made",
    "del made",
    "why = leakgraph.why(ref())",
):
    shell.run_cell(cell, store_history=True).raise_error()
names = shell.user_ns
gc.collect()
assert names["gone"]() is None, str(names["leakgraph"].why(names["gone"]()))
assert (names["xdel_is_enough"], names["list_was_left"]) == (False, True)
assert names["said"].endswith(", but not references of other objects."), names["said"]
hops = [(hop.source.address, hop.label) for hop in names["why"].cuts]
assert {"._", "._9", "[9]"} <= {label for _, label in hops}, hops
assert names["why"].cut_count == len(hops) and names["why"].kept is None
assert not any("user_ns_hidden" in label for _, label in hops), hops
hint = names["why"].hint
assert hint.startswith("IPython keeps the results of cells: %xdel"), hint
assert hint in str(names["why"])
assert json.loads(names["why"].json)["biggest"]["hint"] == hint
first_line, rest = hint.split(" its value, ")  # where the picture breaks the line
assert first_line in names["why"].drawing.dot, names["why"].drawing.dot
assert rest in names["why"].drawing.dot, names["why"].drawing.dot
known = {id(one): one for one in gc.get_objects()}
for address, label in hops:
    random_heap.cut(known[address], label)
del known
gc.collect()
assert names["ref"]() is None, str(names["leakgraph"].why(names["ref"]()))
print("gone", flush=True)
os._exit(0)  # the cut removed what the shell needs at its end
