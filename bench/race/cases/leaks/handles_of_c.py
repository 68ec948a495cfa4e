"""A table maps sessions to the buffers of a C library, which are but numbers."""

import ctypes

import program

HOLDERS = ("__main__.handles[*]",)
NATIVE = True

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
handles = {}


def work(number):
    handles[f"session {number}"] = libc.malloc(30_000)
    ctypes.memset(handles[f"session {number}"], 1, 30_000)
    if program.FIXED:
        libc.free(handles.pop(f"session {number}"))


def let_go():
    while handles:
        libc.free(handles.popitem()[1])


if __name__ == "__main__":
    program.run(work, let_go)
