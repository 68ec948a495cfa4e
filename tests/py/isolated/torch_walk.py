"""Compares the graph read from memory with a walk through Python's getters.

The getters come after the snapshot, because they make wrappers. Saved tensors come from
`_raw_saved_x`, which runs no hook, and from the words after it.
"""

import ctypes
import gc
import sys
import traceback
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from torch_graphs import GRAPHS

import leakgraph

WORD = 8
# Before PyTorch 2.0 most nodes have no Python type, so saved tensors have numbers.
NAMED = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 0)


def word(address, index=0):
    return ctypes.c_uint64.from_address(address + index * WORD).value


def is_python(node):
    return isinstance(node, torch.autograd.function.FunctionCtx)


def key_of_node(node):
    """Find the node's place in a snapshot: C++, unless Python has an object for it."""
    return id(node) if is_python(node) else word(id(node), 2)


class Walk:
    """Return what getters reach from a tensor's grad_fn."""

    def __init__(self, tensor):
        self.nodes, self.edges, self.saved = set(), set(), set()
        self.silent = set()  # nodes without getters for what they save
        undefined = self.undefined()
        pending = [tensor.grad_fn]
        self.keep = []
        while pending:
            node = pending.pop()
            key = key_of_node(node)
            if key in self.nodes:
                continue
            self.nodes.add(key)
            self.keep.append(node)
            if type(node).__name__ == "CppFunction":
                self.silent.add(key)
            for i, (child, _) in enumerate(node.next_functions):
                if child is not None:
                    label = f".next_functions[{i}][0]"
                    self.edges.add((key, label, key_of_node(child)))
                    pending.append(child)
            if hasattr(node, "variable"):
                self.saved.add((key, ".variable", node.variable._cdata))
            for name, raw in self.raw_saved(node):
                impl = word(word(id(raw), 2))
                if impl != undefined:
                    self.saved.add((key, name, impl))

    @staticmethod
    def undefined():
        x = torch.ones(3, requires_grad=True)
        node = (x * torch.ones(3)).grad_fn
        left, right = node._raw_saved_self, node._raw_saved_other
        impls = [word(word(id(raw), 2)) for raw in (left, right)]
        (undefined,) = (impl for impl in impls if word(impl) != word(x._cdata))
        return undefined

    @staticmethod
    def raw_saved(node):
        prefix = "_raw_saved_"
        for name in dir(type(node)):
            if not name.startswith(prefix):
                continue
            try:
                raw = getattr(node, name)
            except RuntimeError:  # freed
                continue
            plain = "." + ("saved_" if is_python(node) else "_saved_")
            plain += name[len(prefix) :]
            if isinstance(raw, (tuple, list)):
                for i, each in enumerate(raw):
                    yield f"{plain}[{i}]", each
            elif raw is not None:
                yield plain, raw


def things_of(is_wanted):
    """List the tracked objects of the wanted types."""
    wanted = {}
    for thing in gc.get_objects():
        kind = type(thing)
        if kind not in wanted:
            wanted[kind] = is_wanted(kind)
        if wanted[kind]:
            yield thing


def implementations():
    """Map each TensorImpl with a Python object to the snapshot's node."""
    tensors = things_of(lambda kind: issubclass(kind, torch.Tensor))
    return {tensor._cdata: id(tensor) for tensor in tensors}


def wrapped_nodes():
    """Map C++ addresses to Python objects, for the nodes that have one."""
    nodes = things_of(
        lambda kind: (
            hasattr(kind, "next_functions")
            and not issubclass(kind, torch.autograd.function.FunctionCtx)
        )
    )
    return {word(id(node), 2): id(node) for node in nodes}


def read(snapshot, tensor):
    """Return nodes, edges and saved tensors in the snapshot."""
    start = snapshot.find(tensor)
    pending = [e.target for e in start.referents() if e.label == ".grad_fn"]
    nodes, edges, saved = set(), set(), set()
    while pending:
        node = pending.pop()
        if node.address in nodes:
            continue
        nodes.add(node.address)
        for edge in node.referents():
            at = (node.address, edge.label, edge.target.address)
            if edge.label.startswith(".next_functions"):
                edges.add(at)
                pending.append(edge.target)
            elif edge.label.startswith((".saved_", "._saved_", ".variable")):
                saved.add(at)
    return nodes, edges, saved


def unnamed(saved):
    counts = {}
    for source, _, target in saved:
        counts[source, target] = counts.get((source, target), 0) + 1
    return counts


def compare(snapshot, named, wrapped, tensor):
    nodes, edges, saved = read(snapshot, tensor)
    walk = Walk(tensor)
    renamed = {key: wrapped.get(key, key) for key in walk.nodes}
    expected = {renamed[key] for key in walk.nodes}
    assert nodes == expected, (len(nodes - expected), len(expected - nodes))
    assert edges == {(renamed[a], label, renamed[b]) for a, label, b in walk.edges}
    theirs = {(renamed[a], label, named.get(t, t)) for a, label, t in walk.saved}
    saved = {row for row in saved if row[0] not in walk.silent}
    if NAMED:
        assert saved == theirs, (sorted(saved - theirs), sorted(theirs - saved))
    else:
        assert unnamed(saved) == unnamed(theirs)
    return len(nodes), len(saved)


def unseen(snapshot):
    """List tensors and nodes of the graph that something unknown refers to."""
    owned = [root.node for root in snapshot.roots if root.kind == "native"]
    tensors = ("torch.Tensor", "torch.nn.parameter.Parameter")
    return [node for node in owned if node.synthetic or node.type_name in tensors]


def main():
    gc.disable()
    tensors = {name: make() for name, make in GRAPHS.items()}
    wrapped = wrapped_nodes()
    snapshot = leakgraph.snapshot()
    named = implementations()
    assert not unseen(snapshot), unseen(snapshot)
    for name, tensor in tensors.items():
        try:
            nodes, saved = compare(snapshot, named, wrapped, tensor)
            print(name, "right", nodes, saved)
        except Exception:
            print(name, "wrong")
            traceback.print_exc(file=sys.stdout)


main()
