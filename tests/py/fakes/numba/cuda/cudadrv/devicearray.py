from types import SimpleNamespace


class MemoryPointer:
    def __init__(self, address, size, owner=None, device=0):
        self.context = SimpleNamespace(device=SimpleNamespace(id=device))
        self.device_pointer_value = address
        self.size = size
        self._owner = owner

    @property
    def owner(self):
        return self if self._owner is None else self._owner


class DeviceNDArray:
    def __init__(self, shape, pointer):
        self.shape = shape
        self.dtype = SimpleNamespace(name="float64", itemsize=8)
        self.gpu_data = pointer

    @property
    def nbytes(self):
        count = 8
        for extent in self.shape:
            count *= extent
        return count
