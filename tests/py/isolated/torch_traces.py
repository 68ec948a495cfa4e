"""Traces a model again and again: torch.jit keeps a class for each time.

Prints `right` if the finding, the path to a class and the row of growth name the set of
torch.jit that keeps the classes, and if emptying that set frees them.
"""

import gc
import sys
import warnings

import torch

import leakgraph

warnings.simplefilter("ignore")
STORE = "torch.jit._recursive.concrete_type_store.methods_compiled"
native = sys.argv[1] == "native"


def store():
    return torch.jit._recursive.concrete_type_store.methods_compiled


def traced():
    gc.collect()
    all_of_them = torch.nn.Module.__subclasses__()
    return [c for c in all_of_them if c.__name__ == "QualnameWrapper"]


def trace(times):
    for _ in range(times):
        torch.jit.trace(torch.nn.ReLU(), torch.randn(1), check_trace=False)
    gc.collect()
    return leakgraph.snapshot(native=native)


assert not traced() and not store()
snapshots = [trace(60)] if native else [trace(20), trace(20), trace(20)]
assert len(traced()) == len(store()) == 60

with snapshots[-1] as snapshot:
    (finding,) = [f for f in snapshot.findings() if f.pattern == "per-call-classes"]
    assert finding.held_by.startswith(f"{STORE}  set of 60 "), finding
    assert finding.holder.address == id(store())
    assert (finding.count, len(finding.holders)) == (60, 1)
    why = str(snapshot.why(finding.example))
    assert "ConcreteModuleType" in why and ".py_class" in why, why
    if len(snapshots) > 1:
        growth = str(leakgraph.diff(*snapshots))
        assert f": empty {STORE}\n" in growth, growth

store().clear()
assert not traced()
print("right")
