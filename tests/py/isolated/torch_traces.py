"""Traces a model again and again: torch.jit keeps a class for each time.

Prints `right` if the finding, the path to a class and the row of growth name the set of
torch.jit that keeps the classes, and if emptying that set frees them. The first of the
snapshots tells the same by itself. With the memory of C code, there is no other row.
"""

import gc
import sys
import warnings

import torch

import leakgraph

warnings.simplefilter("ignore")
STORE = "torch.jit._recursive.concrete_type_store.methods_compiled"
native = sys.argv[1] == "native"


net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU()).eval()


def store():
    return torch.jit._recursive.concrete_type_store.methods_compiled


def traced():
    gc.collect()
    all_of_them = torch.nn.Module.__subclasses__()
    return [c for c in all_of_them if c.__name__ == "QualnameWrapper"]


def trace():
    for _ in range(20):
        torch.jit.trace(net, torch.randn(4, 32), check_trace=False)(torch.randn(4, 32))
    gc.collect()
    return leakgraph.snapshot(native=native)


def check(snapshot, count):
    (finding,) = [f for f in snapshot.findings() if f.pattern == "per-call-classes"]
    assert finding.held_by.startswith(f"{STORE}  set of {count} "), finding
    assert finding.holder.address == id(store())
    assert (finding.count, len(finding.holders)) == (count, 1)
    why = str(snapshot.why(finding.example))
    assert "ConcreteModuleType" in why and ".py_class" in why, why


assert not traced() and not store()
snapshots = [trace() for _ in range(3)]
assert len(store()) == 180 and len(traced()) == 180, (len(store()), len(traced()))
check(snapshots[0], 60)
check(snapshots[2], 180)

growth = leakgraph.diff(*snapshots)
assert f": empty {STORE}\n" in str(growth), growth
# The interpreter's table of names has the names of the new classes.
# An old word may lead to some blocks of another object, as docs/native.md says.
told = [row.held_by for row in growth if row.gained > 0.05 * growth[0].gained]
assert not native or told == [f"{STORE}[*]"], growth
snapshots[-1].close()

store().clear()
assert not traced()
print("right")
