"""Tests arrays of CuPy and Numba on fakes of their layout, and real ones of JAX."""

import os
import sys
from pathlib import Path

import pytest
from builds import needs

import leakgraph

FAKES = Path(__file__).with_name("fakes")

SHOW = """
def buffers(array, snap):
    "What an array keeps: type, bytes, device and text of each buffer."
    found = []
    for edge in snap.find(array).referents():
        node = edge.target
        if node.synthetic:
            devices = [d for d in ("host", "cuda:0", "cuda:1") if device(node, d)]
            found.append((node.type_name, node.size, *devices, node.text))
    return found

def device(node, name):
    return node.retained.get(name, 0)
"""


@pytest.fixture
def fake(python):
    """Run code with fakes as cupy, numba and torch."""
    path = os.pathsep.join([str(FAKES), *filter(None, sys.path)])

    def run(code, *arguments):
        done = python("-c", SHOW + code, *arguments, PYTHONPATH=path)
        assert done.code == 0, done.err
        return done.out.splitlines()

    return run


def test_cupy(fake):
    out = fake("""
import cupy, leakgraph
mem = cupy.Memory(0x7f0000000000, 4096, 1)
whole = cupy.ndarray((2, 500), mem)
view = cupy.ndarray((10,), mem, 64, base=whole)
lent = cupy.ndarray((16,), cupy.UnownedMemory(0x7f0000001000, 64, object()))
snap = leakgraph.snapshot()
print(*buffers(whole, snap), sep="|")
print(buffers(view, snap) == buffers(whole, snap))
print(*buffers(lent, snap), sep="|")
print(snap.info()["adapter.cupy"])
print(sum(n.type_name == "cupy.memory" for n in snap.nodes))
""")
    assert out == [
        "('cupy.memory', 4096, 'cuda:1', 'float32[2, 500]')",
        "True",
        "('cupy.memory', 64, 'cuda:0', 'float32[16]')",
        "inspected: 13.4.1",
        "2",
    ]


def test_numba(fake):
    out = fake("""
import leakgraph
from numba.cuda.cudadrv.devicearray import DeviceNDArray, MemoryPointer
memory = MemoryPointer(0x7f0000000000, 8000)
whole = DeviceNDArray((1000,), memory)
view = DeviceNDArray((10,), MemoryPointer(0x7f0000000400, 80, memory))
lent = DeviceNDArray((4,), MemoryPointer(0x7f0000100000, 32, object(), 1))
empty = DeviceNDArray((0,), MemoryPointer(None, 0))
snap = leakgraph.snapshot()
print(*buffers(whole, snap), sep="|")
print(buffers(view, snap) == buffers(whole, snap))
print(*buffers(lent, snap), sep="|")
print(buffers(empty, snap), snap.info()["adapter.numba"])
""")
    assert out == [
        "('numba.memory', 8000, 'cuda:0', 'float64[1000]')",
        "True",
        "('numba.memory', 32, 'cuda:1', 'float64[4]')",
        "[] inspected: 0.61.2",
    ]


def test_other_layouts(fake):
    """leakgraph does not guess at the layout of an unknown version."""
    out = fake("""
import cupy, leakgraph
class Strange:
    @property
    def mem(self):
        raise RuntimeError("no")
array = cupy.ndarray((2,), cupy.Memory(64, 64))
array.data = Strange()
snap = leakgraph.snapshot()
print(buffers(array, snap))
cupy.ndarray = "no class"
print(leakgraph.snapshot().info()["adapter.cupy"])
""")
    assert out == ["[]", "not inspected: there is no cupy.ndarray"]


def test_no_library():
    """leakgraph imports nothing, and mentions nothing that is absent."""
    info = leakgraph.snapshot().info()
    for name in ("cupy", "numba", "jax"):
        if name not in sys.modules:
            assert f"adapter.{name}" not in info


JAX = """
import gc, jax, leakgraph, numpy
import jax.numpy as jnp

class Box:
    pass

box = Box()
box.array = jnp.ones((256, 1024)).block_until_ready()
box.view = numpy.asarray(box.array)
box.empty = jnp.zeros((0, 3))
box.deleted = jnp.ones(1000)
box.deleted.delete()
mesh = jax.sharding.Mesh(jax.devices(), "x")
spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
same = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
box.spread = jax.device_put(jnp.ones(4096), spread).block_until_ready()
box.same = jax.device_put(jnp.ones(4096), same).block_until_ready()
box.whole = jax.device_put(jnp.ones(4096), spread).block_until_ready()
box.spread.addressable_shards, box.same.addressable_shards
before = {k: list(map(id, gc.get_referents(v))) for k, v in vars(box).items()}
leakgraph.snapshot().close()
count = len(gc.get_objects())
snap = leakgraph.snapshot()
print(len(gc.get_objects()) - count <= 2)
after = {k: list(map(id, gc.get_referents(v))) for k, v in vars(box).items()}
print(before == after)
print(*buffers(box.array, snap), sep="|")
print(sum(node.synthetic and node.size >= 2**20 for node in snap.nodes))
print(buffers(box.empty, snap), buffers(box.deleted, snap))
print([size for _, size, *_ in buffers(box.spread, snap)])
print([size for _, size, *_ in buffers(box.same, snap)])
print(snap.find(box.whole).facts["not inspected"])
print(snap.info()["adapter.jax"] == f"inspected: {jax.__version__}")
"""


@needs("jax")
@pytest.mark.libraries
def test_jax(python):
    """The CPU is two devices; a view by numpy refers to the array's memory."""
    flags = "--xla_force_host_platform_device_count=2"
    done = python("-c", SHOW + JAX, XLA_FLAGS=flags, JAX_PLATFORMS="cpu")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "True",
        "True",
        "('jax.memory', 1048576, 'host', 'float32[256, 1024]')",
        "1",
        "[] []",
        "[8192, 8192]",
        "[16384, 16384]",
        "JAX reports the memory of an array on several devices only after an "
        "access to its addressable_shards",
        "True",
    ]
