"""Tests the holders of a storage's bytes: prints the verdict on each case.

A case makes objects, and yields to get a snapshot of them. All cases share it, because
it costs as much as the heap of PyTorch.
"""

import array
import gc
import sys
import traceback
import warnings

import torch

import leakgraph

warnings.simplefilter("ignore")


def has(name):
    return hasattr(torch, name)


def buffers(snapshot, thing):
    """List the buffer nodes of a thing's storage, with the edges that lead there."""
    node = snapshot.find(thing)
    return [e.target for e in node.referents() if e.label == "data"]


def only(snapshot, thing):
    (buffer,) = buffers(snapshot, thing)
    return buffer


def takes(buffer, size):
    """Whether it has so many bytes, and what malloc adds: it may map whole pages."""
    return size <= buffer.size < size + 2 * 4096


def edge(snapshot, thing, label):
    (found,) = (e for e in snapshot.find(thing).referents() if e.label == label)
    return found


def storage_of(tensor):
    if hasattr(tensor, "untyped_storage"):
        return tensor.untyped_storage()
    return tensor.storage()


def views():
    """Views, detached tensors and expanded ones: the bytes count once."""
    base = torch.zeros(1000, 100)
    row, flat, detached = base[0], base.view(-1), base.detach()
    snapshot = yield
    buffer = only(snapshot, base)
    assert all(only(snapshot, t) == buffer for t in (row, flat, detached))
    assert takes(buffer, 400_000)
    assert buffer.text == "float32[1000, 100]"
    assert snapshot.find(row).facts["shape"] == "100"
    assert len(buffer.referrers()) == 4
    del base, flat, detached
    gc.collect()
    snapshot = yield
    assert takes(only(snapshot, row), 400_000)
    assert snapshot.find(row).retained >= 400_000
    assert edge(snapshot, row, "._base").target.facts["shape"] == "1000, 100"
    part = torch.zeros(0).set_(storage_of(row), 0, (100,))
    del row
    gc.collect()
    snapshot = yield
    assert only(snapshot, part).text == "float32[100000]"


def expanded():
    """A view of 4 MB over 4 bytes."""
    one = torch.ones(1).expand(1000, 1000)
    snapshot = yield
    assert snapshot.find(one).facts["bytes"] == "4000000"
    assert only(snapshot, one).size < 500


def inverses():
    """The function that undoes a view holds the base again, and the tensors between."""
    if not hasattr(torch.Tensor, "_rev_view_func_unsafe"):
        return
    view = torch.ones(1000, dtype=torch.complex64).conj().real
    snapshot = yield
    labels = [e.label for e in snapshot.find(view).referents()]
    assert labels.count("._base") == 1
    base = edge(snapshot, view, "._base").target
    assert base.dominator == snapshot.find(view)
    edges = snapshot.find(view).referents()
    between = [e.target for e in edges if e.label == "._rev_view_func"]
    assert {node.facts["dtype"] for node in between} == {"complex64"}
    assert base not in between
    assert {node.dominator for node in between} == {snapshot.find(view)}
    assert snapshot.find(view).retained >= 8000


def numpy_both_ways():
    """Two from_numpy over one array, and an array of a tensor, count each byte once."""
    numpy = sys.modules.get("numpy") or __import__("numpy")
    data = numpy.zeros(100_000, dtype="f8")
    first, second = torch.from_numpy(data), torch.from_numpy(data[100:])
    snapshot = yield
    assert only(snapshot, first) == only(snapshot, second)
    assert only(snapshot, data) == only(snapshot, first)
    assert takes(only(snapshot, data), 800_000)
    assert snapshot.find(data).unexplained == 0
    address = id(data)
    del data, second
    gc.collect()
    snapshot = yield
    (owner,) = snapshot.select(hex(address))
    assert owner.type_name == "numpy.ndarray" and owner.unexplained == 0
    assert edge(snapshot, first, "borrowed memory").target == owner
    tensor = torch.ones(50_000)
    view = tensor.numpy()
    snapshot = yield
    base = edge(snapshot, view, ".base").target
    assert only(snapshot, tensor) in [e.target for e in base.referents()]
    assert takes(only(snapshot, tensor), 200_000)


def borrowed():
    """frombuffer: the storage holds the bytearray, and each byte counts once."""
    owner = bytearray(1_100_000)
    first = torch.frombuffer(owner, dtype=torch.uint8)
    second = first[5:].view(-1)
    snapshot = yield
    node = snapshot.find(owner)
    assert node.unexplained == 0, (node.refcount, node.found)
    assert only(snapshot, first) == only(snapshot, second)
    assert buffers(snapshot, first) == buffers(snapshot, owner), node
    sizes = snapshot.column("size")
    assert sum(1_090_000 < size < 1_110_000 for size in sizes) == 1


def capsules():
    """With DLPack, several tensors share one storage, whose bytes count once."""
    tensor = torch.ones(50_000)
    other = torch.from_dlpack(tensor)
    snapshot = yield
    assert only(snapshot, tensor) == only(snapshot, other)
    assert snapshot.find(tensor).unexplained == 0
    lender = edge(snapshot, other, ".borrowed memory").target
    assert only(snapshot, tensor) in [e.target for e in lender.referents()]
    numpy = sys.modules.get("numpy") or __import__("numpy")
    data = numpy.zeros(50_000)
    third = torch.from_dlpack(data)
    snapshot = yield
    assert snapshot.find(data).unexplained == 0
    assert edge(snapshot, third, "borrowed memory").target == snapshot.find(data)


def lent():
    """A capsule of DLPack owns the tensor that it lends, until someone takes it."""
    numpy = sys.modules.get("numpy") or __import__("numpy")
    waiting = torch.ones(60_000).__dlpack__()
    taken = torch.ones(70_000).__dlpack__()
    taker = torch.utils.dlpack.from_dlpack(taken)
    snapshot = yield
    assert snapshot.find(waiting).retained >= 240_000
    assert snapshot.find(taken).retained < 1000
    assert snapshot.find(taker).retained >= 280_000
    if hasattr(numpy, "from_dlpack"):
        data = numpy.from_dlpack(torch.ones(50_000))
        snapshot = yield
        assert snapshot.find(data).retained >= 200_000
        lent = edge(snapshot, data, ".base").target.referents()
        assert [e.target.unexplained for e in lent] == [0, 0], lent


def arrays():
    """The builtin adapter also knows the array.array under a tensor."""
    numbers = array.array("d", bytes(80_000))
    tensor = torch.frombuffer(numbers, dtype=torch.float64)
    snapshot = yield
    assert only(snapshot, tensor) == only(snapshot, numbers)
    assert snapshot.find(numbers).unexplained == 0


def sparse():
    coo = torch.eye(300).to_sparse()
    csr = torch.eye(300).to_sparse_csr()
    snapshot = yield
    indices = edge(snapshot, coo, "._indices").target
    assert indices.facts["shape"] == "2, 300"
    assert indices.retained >= 2 * 300 * 8
    assert edge(snapshot, csr, ".col_indices").target.facts["dtype"] == "int64"
    assert snapshot.find(coo).retained >= 300 * (8 + 8 + 4)
    assert not buffers(snapshot, coo)


def quantized():
    scales = torch.full((100,), 0.1, dtype=torch.float64)
    zeros = torch.zeros(100, dtype=torch.int64)
    tensor = torch.quantize_per_channel(
        torch.ones(100, 50), scales, zeros, 0, torch.qint8
    )
    snapshot = yield
    assert snapshot.find(tensor).facts["dtype"] == "qint8"
    assert 5000 <= only(snapshot, tensor).size < 5600
    named = {e.label for e in snapshot.find(tensor).referents()}
    assert ".q_per_channel_scales" in named, named


def nested():
    if not hasattr(torch, "nested"):
        return
    tensor = torch.nested.nested_tensor([torch.ones(30), torch.ones(20)])
    snapshot = yield
    assert 200 <= only(snapshot, tensor).size < 700
    named = {e.label for e in snapshot.find(tensor).referents()}
    assert "._nested_tensor_size" in named, named


def opaque():
    """A tensor in a layout of oneDNN owns its bytes."""
    if not torch.backends.mkldnn.is_available():
        return
    tensor = torch.ones(100, 70).to_mkldnn()
    snapshot = yield
    node = snapshot.find(tensor)
    assert "not inspected" not in node.facts
    assert only(snapshot, tensor).text == "float32[100, 70]"
    assert 28_000 <= only(snapshot, tensor).size <= node.retained < 30_500


def no_bytes():
    """Meta and fake tensors, and one whose storage was emptied."""
    meta = torch.empty(1000, 1000, device="meta")
    emptied = torch.ones(1000)
    storage_of(emptied).resize_(0)
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        fake = torch.empty(1000, 1000)
    snapshot = yield
    for tensor in (meta, emptied, fake):
        assert not buffers(snapshot, tensor), tensor
    assert snapshot.find(meta).facts["device"] == "meta"


def wrappers():
    """A wrapper subclass has no bytes of its own; its inner tensor has."""

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape)

        def __init__(self, inner):
            self.inner = inner

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            raise AssertionError(function)

    inner = torch.ones(10_000)
    outer = Wrapper(inner)
    snapshot = yield
    del inner
    assert not buffers(snapshot, outer)
    assert snapshot.find(outer.inner).retained >= 40_000


def shared():
    """Shared memory is a mapping, and not part of the heap."""
    tensor = torch.ones(100_000).share_memory_()
    snapshot = yield
    assert takes(only(snapshot, tensor), 400_000)


def storage_objects():
    """An UntypedStorage is its tensor's storage, and its references are explained."""
    if not hasattr(torch.Tensor, "untyped_storage"):
        return
    tensor = torch.ones(1000)
    storage = tensor.untyped_storage()
    snapshot = yield
    assert only(snapshot, tensor) == only(snapshot, storage)
    assert snapshot.find(storage).unexplained == 0
    assert snapshot.find(tensor).unexplained == 0
    address = id(storage)
    del storage
    snapshot = yield
    assert edge(snapshot, tensor, ".untyped_storage()").target.address == address
    assert edge(snapshot, tensor, ".untyped_storage()").target.unexplained == 0


def lazily_copied():
    if not has("_lazy_clone"):
        return
    tensor = torch.ones(10_000)
    clone = torch._lazy_clone(tensor)
    snapshot = yield
    assert only(snapshot, tensor) == only(snapshot, clone)


def facts():
    tensor = torch.ones(2, 3, 4, 5, 6, 7, dtype=torch.bfloat16, requires_grad=True)
    snapshot = yield
    node = snapshot.find(tensor)
    facts = dict(node.facts)
    assert facts == {
        "dtype": "bfloat16",
        "shape": "2, 3, 4, 5, 6, 7",
        "bytes": str(5040 * 2),
        "device": "cpu",
        "requires_grad": "yes",
    }, facts
    assert node.text == "bfloat16[2, 3, 4, 5, 6, 7]"
    assert snapshot.find(tensor).type_name == "torch.Tensor"


def tangents():
    """In forward mode, perhaps only C++ holds the tangents of dual tensors."""
    from torch.autograd import forward_ad

    with forward_ad.dual_level():
        tangent = torch.full((200,), 2.0)
        dual = forward_ad.make_dual(torch.ones(200), tangent)
        product = dual * dual
        snapshot = yield
        found = edge(snapshot, dual, ".tangent").target
        assert only(snapshot, tangent) in [e.target for e in found.referents()]
        hidden = edge(snapshot, product, ".tangent").target
        assert hidden.facts["shape"] == "200"
        assert hidden.dominator == snapshot.find(product)
    snapshot = yield
    assert not [e for e in snapshot.find(dual).referents() if "tangent" in e.label]


CASES = (
    views,
    expanded,
    inverses,
    numpy_both_ways,
    borrowed,
    capsules,
    lent,
    arrays,
    sparse,
    quantized,
    nested,
    opaque,
    no_bytes,
    wrappers,
    shared,
    storage_objects,
    lazily_copied,
    facts,
    tangents,
)


def advance(case, running, snapshot):
    """Run a case to its next snapshot; without one, print the verdict."""
    try:
        running.send(snapshot)
    except StopIteration:
        print(case.__name__, "right")
    except Exception:
        print(case.__name__, "wrong")
        traceback.print_exc(file=sys.stdout)
    else:
        return True
    return False


def main():
    gc.freeze()  # collections leave out what was imported
    running = {case: case() for case in CASES}
    snapshot = None
    while running:
        running = {
            case: each
            for case, each in running.items()
            if advance(case, each, snapshot)
        }
        snapshot = leakgraph.snapshot() if running else None


if __name__ == "__main__":
    main()
