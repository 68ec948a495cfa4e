"""Captures Python classes with the names of C types.

Several classes with different layouts have each name. The script captures the classes
and their instances, first where they are, then also at the places where leakgraph looks
for the C types. Arguments: modules to import first.
"""

import array
import importlib
import io
import mmap
import struct
import sys

NAMES_TOLD = """
    managedbuffer collections.deque collections.OrderedDict decimal.Decimal
    functools._lru_cache_wrapper functools._lru_list_elem StgDict
    _io.StringIO _io.BytesIO _io._BytesIOBuffer _io.BufferedReader _io.BufferedWriter
    _io.BufferedRandom _io.BufferedRWPair _io._Buffered re.Pattern re.Match
    xml.etree.ElementTree.Element _pickle.Pickler _pickle.Unpickler
    itertools.product itertools.combinations itertools.permutations
    itertools.combinations_with_replacement bytearray array.array mmap.mmap
    _ctypes._CData _ctypes._SimpleCData memoryview list dict type tuple set frame
    code function module generator cell weakref str int bytes BaseException
    numpy.ndarray numpy.dtype numpy.void numpy.memmap
    torch.Tensor torch.nn.parameter.Parameter torch._C.TensorBase torch._C._TensorBase
    torch.UntypedStorage torch.autograd.function.FunctionCtx
    cupy.ndarray numba.cuda.cudadrv.devicearray.DeviceNDArray
    jax._src.array.ArrayImpl jaxlib._jax.ArrayImpl jaxlib.xla_extension.ArrayImpl
    matplotlib.figure.Figure matplotlib.backends._backend_agg.RendererAgg
    matplotlib.backends.backend_agg.FigureCanvasAgg matplotlib.transforms.Bbox
    ImagingCore PIL.Image.Image PIL._imaging.ImagingCore
    pandas._libs.internals.BlockManager pandas._libs.internals.Block
    pandas._libs.internals.BlockPlacement pandas._libs.internals.BlockValuesRefs
    pandas._libs.arrays.NDArrayBacked pandas._libs.index.IndexEngine
    pandas._libs.hashtable.HashTable pandas.core.generic.NDFrame
    pyarrow.lib.Buffer pyarrow.lib.Array pyarrow.lib.DictionaryArray
    pyarrow.lib.ChunkedArray pyarrow.lib.Table pyarrow.lib.RecordBatch
    greenlet.greenlet _greenlet.greenlet leakgraph.Snapshot
"""

#: The modules that have the C types.
PLACES_LOOKED_AT = """
    _collections.deque _functools._lru_cache_wrapper array.array mmap.mmap _io.BytesIO
    _io._BytesIOBuffer _io.StringIO _io.BufferedReader re.Pattern re.Match
    itertools.product _decimal.Decimal _pickle.Pickler _elementtree.Element
    _ctypes._SimpleCData ctypes.c_byte numpy.ndarray numpy.dtype numpy.void
"""


def methods(name):
    """Return a class's members, with sizes that C takes from a missing struct."""
    return {
        "__module__": name.rpartition(".")[0] or "builtins",
        "__qualname__": name.rpartition(".")[2],
        "__sizeof__": array.array.__sizeof__,
    }


def classes(name):
    """Make classes with that name: small, with slots, and derived from C types."""
    small = type(name, (), {**methods(name), "__slots__": ()})
    slots = [f"slot{i}" for i in range(24)]
    large = type(name, (), {**methods(name), "__slots__": slots})
    plain = type(name, (), methods(name))
    derived = [
        type(name, (base,), methods(name))
        for base in (
            list,
            dict,
            tuple,
            int,
            str,
            io.StringIO,
            struct.Struct,
            ValueError,
        )
    ]
    meta = type(name, (type,), {"__module__": methods(name)["__module__"]})
    return [small, large, plain, *derived, meta(name, (), methods(name))]


def instances(kind):
    """Make an instance whose attributes are numbers that are no addresses."""
    made = kind.__new__(kind)
    for i in range(24):
        try:
            setattr(made, f"slot{i}", 0x4141414141414141 + i)
        except AttributeError:
            break
    return [made]


def main():
    """Capture all of them, twice."""
    for name in sys.argv[1:]:
        importlib.import_module(name)
    import leakgraph

    held = [
        (kind, instances(kind)) for name in NAMES_TOLD.split() for kind in classes(name)
    ]
    lent = mmap.mmap(-1, 4096), io.BytesIO(b"x" * 4096).getbuffer()
    with leakgraph.snapshot() as snapshot:
        for kind, things in held:
            node = snapshot.find(things[0])
            assert node is not None, kind
    leakgraph.show_refs(held[:40]).dot
    for place in PLACES_LOOKED_AT.split():
        module, _, name = place.rpartition(".")
        if module in sys.modules and hasattr(sys.modules[module], name):
            before = getattr(sys.modules[module], name)
            for kind, _ in held[: len(classes("x"))]:
                setattr(sys.modules[module], name, kind)
                leakgraph.show_refs(held[:200], retained=False).dot
            setattr(sys.modules[module], name, held[2][0])
            leakgraph.snapshot().close()
            setattr(sys.modules[module], name, before)
    print(len(held), len(lent))


main()
