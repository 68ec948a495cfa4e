"""A snapshot leaves PyTorch as it was: it makes, calls and counts nothing."""

import ctypes
import gc
import sys
import threading
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from torch_graphs import GRAPHS

import leakgraph

CALLS = {"function": 0, "dispatch": 0, "hook": 0, "forward": 0}


class Watched(torch.Tensor):
    """A subclass that counts what PyTorch asks of it."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        CALLS["function"] += 1
        return super().__torch_function__(function, types, args, kwargs or {})


class Forward(torch.nn.Module):
    def forward(self, x):
        CALLS["forward"] += 1
        return (x * x).tanh()


def counting(*arguments):
    CALLS["hook"] += 1
    return arguments[0]


def build():
    """Make a leaf whose gradient lost its Python object, with hooks; a checkpoint."""
    from torch.utils.checkpoint import checkpoint

    made = [make() for make in GRAPHS.values()]
    leaf = torch.ones(100, requires_grad=True)
    leaf.register_hook(counting)
    (leaf * leaf).sum().backward()
    with torch.autograd.graph.saved_tensors_hooks(counting, counting):
        made.append((leaf * leaf.exp()).sum())
    made.append(checkpoint(Forward(), leaf, use_reentrant=False))
    made.append(torch.ones(5).as_subclass(Watched))
    made.append(leaf)
    return made


def state(made):
    """List what a snapshot might change, as far as Python and the process show it."""
    tensors = [t for t in gc.get_objects() if isinstance(t, torch.Tensor)]
    impls = {id(t): t._cdata for t in tensors if type(t) is not Watched}
    counts = {id(t): sys.getrefcount(t) for t in tensors}
    uses = {i: ctypes.c_uint32.from_address(i + 8).value for i in impls.values()}
    return {
        "tensors": len(tensors),
        "implementations": impls,
        "references": counts,
        "owners": uses,
        "grad enabled": torch.is_grad_enabled(),
        "cuda": torch.cuda.is_initialized(),
        "threads": torch.get_num_threads(),
        "made": len(made),
    }


def state_():
    made = build()
    leakgraph.snapshot().close()  # loads what leakgraph itself needs
    leakgraph.show_refs(made[0])
    gc.collect()
    gc.disable()
    before = state(made)
    calls = dict(CALLS)
    tracked = len(gc.get_objects())
    with torch.no_grad():
        leakgraph.snapshot().close()
    leakgraph.snapshot().close()
    leakgraph.show_refs(made[0])
    assert len(gc.get_objects()) == tracked
    after = state(made)
    assert calls == CALLS, (CALLS, calls)
    for name in before:
        assert before[name] == after[name], (name, before[name], after[name])
    assert gc.collect() == 0


def modes():
    """Modes of the calling thread do not see the first capture, and do not stop it."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Dispatch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            CALLS["dispatch"] += 1
            return function(*args, **(kwargs or {}))

    x = torch.ones(3, requires_grad=True)
    with (
        Dispatch(),
        torch.no_grad(),
        torch.autograd.graph.saved_tensors_hooks(counting, counting),
    ):
        snapshot = leakgraph.snapshot()
        assert CALLS["dispatch"] == CALLS["hook"] == 0, CALLS
        assert torch.is_grad_enabled() is False
    note = snapshot.info()["adapter.torch"]
    assert note == f"inspected: {torch.__version__}", note
    assert snapshot.find(x).facts["requires_grad"] == "yes"


def altered(change):
    """Capture with a calibration in which one thing differs from PyTorch's."""
    from leakgraph import calibration

    genuine = calibration.torch

    def torch_(seconds=10):
        made = genuine(seconds)
        change(made)
        return made

    calibration.torch = torch_
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    snapshot = leakgraph.snapshot()
    return snapshot.info()["adapter.torch"], snapshot, y


def half():
    """If a calibration object of the graph does not fit, only tensors are inspected."""

    def change(made):
        made["unpack"] = made["pack"]

    note, snapshot, y = altered(change)
    wanted = f"inspected: {torch.__version__}, but not the autograd graph: what a hook"
    assert note.startswith(wanted), note
    node = snapshot.find(y)
    assert node.facts["shape"] == "3"
    assert not [e for e in node.referents() if "grad" in e.label]


def again():
    """Objects in which something looks like another member are made anew, twice."""
    changes = [("unpack", "pack"), ("script first", "script second")]

    def change(made):
        if changes:
            name, other = changes.pop(0)
            made[name] = made[other]

    note, snapshot, y = altered(change)
    assert note == f"inspected: {torch.__version__}", note
    assert [e for e in snapshot.find(y).referents() if "grad" in e.label]
    assert changes == []
    module = torch.jit.script(torch.nn.Linear(64, 256))
    with leakgraph.snapshot() as snapshot:
        assert "not inspected" not in snapshot.find(module._c).facts


def views():
    """If the function that undoes a view is not at the expected place, the base has an
    owner that the capture does not see.
    """

    def change(made):
        made["conjugate"] = made["view"]

    note, _, _ = altered(change)
    assert note == f"inspected: {torch.__version__}", note
    real = torch.ones(3, dtype=torch.complex64).real
    snapshot = leakgraph.snapshot()
    labels = {e.label: e.target for e in snapshot.find(real).referents()}
    assert labels["._base"].dominator is None
    assert "._rev_view_func" not in labels


def scripts():
    """If a scripted module is not as expected, the capture says so at each of them, and
    searches it for tensors.
    """

    def change(made):
        made["script first"] = made["script second"]

    note, _, _ = altered(change)
    assert note == f"inspected: {torch.__version__}", note
    module = torch._C.ScriptModule("Module", torch._C.CompilationUnit(), False)
    kind = torch._C.TensorType.get()
    module._register_attribute("weight", kind, torch.ones(1 << 20))
    snapshot = leakgraph.snapshot()
    node = snapshot.find(module)
    assert node.facts["not inspected"] == "an unknown layout of TorchScript"
    assert 4 <= node.retained.host / 2**20 < 4.1


def broken():
    """If a tensor for calibration does not fit, nothing is inspected, and the snapshot
    says so.
    """

    def change(made):
        made["addresses"][id(made["long"])] += 8

    note, snapshot, y = altered(change)
    assert note.startswith("not inspected: "), note
    assert not snapshot.find(y).facts


def padding():
    """What malloc left in the padding behind a storage's device is no device."""
    meta_device, behind = 14, 7

    def change(made):
        names = ("storage of short", "storage of borrowing", "storage of meta")
        storages = [made[name]._cdata for name in names]
        values = (0, 0, meta_device)
        (device,) = (
            offset
            for offset in range(0, 64, 8)
            if all(
                ctypes.c_ubyte.from_address(storage + offset).value == value
                for storage, value in zip(storages, values)
            )
        )
        for storage, value in zip(storages, values):
            ctypes.c_ubyte.from_address(storage + device + behind).value = value

    note, snapshot, y = altered(change)
    assert note == f"inspected: {torch.__version__}", note
    assert snapshot.find(y).facts["shape"] == "3"


def first():
    """The first capture leaves no module, class, object or reference behind."""
    x = torch.ones(3, requires_grad=True)
    used = Twice.apply(x.exp())  # PyTorch keeps what it looks up at its first use
    gc.collect()
    gc.disable()
    # CPython tracks some empty dicts of its own after a thread or an import used them.
    worker = threading.Thread(target=used.sum)
    worker.start()
    worker.join()
    import colorsys  # noqa: F401

    modules, objects = set(sys.modules), gc.get_objects()
    classes = len(torch.autograd.Function.__subclasses__())
    counts = [sys.getrefcount(thing) for thing in objects]
    tracked = len(gc.get_objects())
    leakgraph.snapshot().close()
    assert len(gc.get_objects()) == tracked
    assert set(sys.modules) == modules
    assert not hasattr(leakgraph, "calibration")
    assert len(torch.autograd.Function.__subclasses__()) == classes
    now = [sys.getrefcount(thing) for thing in objects]
    changed = [t for t, a, b in zip(objects, counts, now) if a != b]
    assert [type(t) for t in changed if t is not objects] == []


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value * 2


def held():
    """A class of the calibration stays whole if somebody else holds it."""
    kept = []
    meta = type(torch.autograd.Function)
    real = meta.__init__

    def init(cls, name, bases, attributes):
        real(cls, name, bases, attributes)
        kept.append(cls)

    meta.__init__ = init
    snapshot = leakgraph.snapshot()
    assert snapshot.info()["adapter.torch"] == f"inspected: {torch.__version__}"
    (doubled,) = kept
    assert doubled.__mro__[:2] == (doubled, torch.autograd.Function)
    assert doubled._backward_cls._forward_cls is doubled


CASES = {
    "state": state_,
    "modes": modes,
    "half": half,
    "again": again,
    "views": views,
    "scripts": scripts,
    "broken": broken,
    "padding": padding,
    "first": first,
    "held": held,
}
CASES[sys.argv[1]]()
print("right")
