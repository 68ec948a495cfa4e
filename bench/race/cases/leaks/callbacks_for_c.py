"""Each call makes a callback for a C library, and keeps it, as C may call it.

https://docs.python.org/3/library/ctypes.html#callback-functions
"""

import ctypes

import program

HOLDERS = ("__main__.callbacks[*]",)
NATIVE = True

COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
libc = ctypes.CDLL(None)
callbacks = []


def work(number):
    numbers = (ctypes.c_int * 5)(5, 1, 7, 33, 99)
    compare = COMPARE(lambda one, other: number and 0)
    libc.qsort(numbers, 5, 4, compare)
    callbacks.append(compare)
    if program.FIXED:
        callbacks.clear()


if __name__ == "__main__":
    program.run(work, callbacks.clear)
