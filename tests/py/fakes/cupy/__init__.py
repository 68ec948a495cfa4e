"""The part of CuPy that leakgraph uses. A number stands for the memory."""

__version__ = "13.4.1"


class _Dtype:
    def __init__(self, name, itemsize):
        self.name = name
        self.itemsize = itemsize


class Memory:
    """A block of a pool."""

    def __init__(self, ptr, size, device_id=0):
        self.ptr = ptr
        self.size = size
        self.device_id = device_id


class UnownedMemory(Memory):
    """A block on loan from another library."""

    def __init__(self, ptr, size, owner, device_id=0):
        super().__init__(ptr, size, device_id)
        self._owner = owner


class MemoryPointer:
    def __init__(self, mem, offset):
        self.mem = mem
        self.ptr = mem.ptr + offset
        self.device_id = mem.device_id


class ndarray:
    def __init__(self, shape, mem, offset=0, base=None):
        self.shape = shape
        self.dtype = _Dtype("float32", 4)
        self.data = MemoryPointer(mem, offset)
        self.base = base

    @property
    def nbytes(self):
        count = self.dtype.itemsize
        for extent in self.shape:
            count *= extent
        return count
