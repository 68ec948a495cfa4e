"""Models are a few hundred bytes of Python, and a handle to what C allocated.

https://github.com/microsoft/LightGBM/issues/350
"""

import ctypes

import program

HOLDERS = ("__main__.models[*]",)
NATIVE = True

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


class Booster:
    def __init__(self):
        self.parts = (ctypes.c_void_p * 10)(*(libc.malloc(20_000) for _ in range(10)))
        for part in self.parts:
            ctypes.memset(part, 1, 20_000)

    def __del__(self):
        for part in self.parts:
            libc.free(part)


models = []


def work(number):
    models.append(Booster())
    del models[: -1 if program.FIXED else 0]


if __name__ == "__main__":
    program.run(work, models.clear)
