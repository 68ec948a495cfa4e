"""Tests subclasses that override everything: python ... LIBRARY.

For each type that an adapter knows, the script makes a subclass whose every method and
property counts, allocates and raises. No snapshot may call any of them, or leave
anything behind on the objects.
"""

import gc
import sys

import leakgraph

CALLS = []
KEPT = []

#: Names that make an instance, and names that the interpreter itself uses.
NEEDED = {
    "__new__",
    "__init__",
    "__init_subclass__",
    "__subclasshook__",
    "__class__",
    "__del__",
    "__dealloc__",
    "__getattribute__",
    "__setattr__",
    "__array_finalize__",
    "__dict__",
    "__slots__",
    "__module__",
    "__qualname__",
    "__weakref__",
    "__class_getitem__",
    "__cinit__",
    "__pyx_vtable__",
    "_type_",
}

armed = False


def hostile(name, real):
    """Make a property that counts, allocates and raises once everything is made."""

    def get(self):
        if armed:
            CALLS.append(name)
            KEPT.append([name] * 100)
            raise RuntimeError(name)
        return real.__get__(self, type(self)) if hasattr(real, "__get__") else real

    return property(get)


def method(name, real):
    """Make the same for names that Python looks up only on the type."""

    def call(self, *arguments, **names):
        if armed:
            CALLS.append(name)
            KEPT.append([name] * 100)
            raise RuntimeError(name)
        return real(self, *arguments, **names)

    return call


def override(base):
    """Make a subclass whose every member is hostile once armed."""
    members = {}
    for name in dir(base):
        if name in NEEDED:
            continue
        real = getattr(base, name, None)
        special = name.startswith("__") and name.endswith("__")
        static = base.__dict__.get(name)
        if isinstance(static, (classmethod, staticmethod)):
            continue
        make = method if special and callable(real) else hostile
        look = next(
            (t.__dict__[name] for t in base.__mro__ if name in t.__dict__), real
        )
        members[name] = make(name, real if special else look)
    for name in ("__getattr__", "__len__", "__getitem__", "__str__", "__repr__"):
        members.setdefault(name, method(name, lambda self, *rest: NotImplemented))
    if "__getattr__" not in dir(base):
        members.pop("__getattr__")
    return type("Hostile" + base.__name__, (base,), members)


def own_dict(thing):
    """Return the dict of an object that already has one; this does not make it."""
    return [
        sorted(map(str, found))
        for found in gc.get_referents(thing)
        if type(found) is dict
    ]


def state(thing):
    """List what an object refers to, and its dict."""
    return own_dict(thing), sorted(
        f"{type(found).__name__} {id(found)}" for found in gc.get_referents(thing)
    )


def numpy_things():
    import numpy

    return [
        numpy.zeros(1000).view(override(numpy.ndarray)),
        numpy.zeros(1000)[3:].view(override(numpy.ndarray)),
        numpy.zeros(1000, "O").view(override(numpy.ndarray)),
    ]


def pandas_things():
    import numpy
    import pandas

    frame, series = override(pandas.DataFrame), override(pandas.Series)
    index = override(pandas.Index)
    labels = pandas.Index(["a", "b", "c"], dtype=object)
    labels.__class__ = index
    made = pandas.DataFrame(numpy.zeros((10, 3)), columns=["a", "b", "c"])
    made._mgr.axes[0] = labels
    other = pandas.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    alone = pandas.Series(numpy.zeros(10), name="alone")
    things = [made, other, alone, labels]
    for thing, kind in ((other, frame), (alone, series)):
        object.__setattr__(thing, "__class__", kind)
    return things + [thing._mgr for thing in (made,)]


def pyarrow_things():
    import pyarrow

    class Kind(pyarrow.ExtensionType):
        def __init__(self):
            super().__init__(pyarrow.int64(), "kind")

        def __arrow_ext_serialize__(self):
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage, serialized):
            if armed:
                CALLS.append("__arrow_ext_deserialize__")
            return cls()

        def __arrow_ext_class__(self):
            if armed:
                CALLS.append("__arrow_ext_class__")
            return failing

        def __str__(self):
            CALLS.append("str")
            return "kind"

    failing = override(pyarrow.ExtensionArray)
    made = pyarrow.ExtensionArray.from_storage(Kind(), pyarrow.array([1, 2]))
    words = pyarrow.array(["a", "b", "a"]).dictionary_encode()
    batch = pyarrow.RecordBatch.from_arrays([words, words], ["x", "y"])
    offsets = pyarrow.array([0, 2], pyarrow.int32())
    return [
        made,
        words,
        batch,
        pyarrow.Table.from_batches([batch]),
        pyarrow.chunked_array([words]),
        pyarrow.chunked_array([made]),
        pyarrow.table({"kind": made, "number": [1, 2]}),
        pyarrow.ListArray.from_arrays(offsets, made),
        pyarrow.py_buffer(b"12345678"),
    ]


def jax_things():
    import jax
    import jax.numpy as jnp

    mesh = jax.sharding.Mesh(jax.devices(), "x")
    spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    return [
        jnp.ones(1000).block_until_ready(),
        jnp.zeros((3, 5)).block_until_ready(),
        jax.device_put(jnp.ones(4096), spread).block_until_ready(),
    ]


def pillow_things():
    from PIL import Image

    made = Image.new("RGB", (20, 20))
    made.__class__ = override(Image.Image)
    return [made]


def matplotlib_things():
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    figure = pyplot.figure()
    figure.canvas.draw()
    figure.__class__ = override(Figure)
    return [figure]


def torch_things():
    import torch

    kind = override(torch.Tensor)
    kind.__torch_function__ = torch.Tensor.__torch_function__
    made = torch.zeros(10, requires_grad=True)
    views = [torch.zeros(1000).as_subclass(kind), (made * 2).as_subclass(kind)]
    return [*views, torch.nn.Parameter(torch.zeros(10))]


def builtin_things():
    import array
    import collections
    import ctypes
    import io
    import mmap

    return [
        override(bytearray)(b"1234"),
        override(array.array)("d", [1.0]),
        override(mmap.mmap)(-1, 4096),
        override(io.BytesIO)(b"1234"),
        override(ctypes.c_int)(5),
        override(collections.deque)([1, 2]),
        override(collections.OrderedDict)(),
        override(dict)(a=1),
        override(list)([1]),
    ]


def main():
    """Use every function of leakgraph on the objects of a library."""
    global armed
    things = globals()[f"{sys.argv[1]}_things"]()
    gc.collect()
    gc.disable()
    before = [state(thing) for thing in things]
    leakgraph.snapshot().close()
    objects = len(gc.get_objects())
    CALLS.clear()
    armed = True
    leakgraph.snapshot().close()
    leakgraph.snapshot(previews=True).close()
    leakgraph.show_refs(things).dot
    armed = False
    assert CALLS == [], sorted(set(CALLS))
    assert len(gc.get_objects()) - objects <= 2, len(gc.get_objects()) - objects
    after = [state(thing) for thing in things]
    for thing, one, other in zip(things, before, after):
        assert one == other, (type(thing), one, other)
    print("right")


if __name__ == "__main__":
    main()
