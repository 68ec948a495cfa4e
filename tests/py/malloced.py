"""Counts the bytes that malloc has in use: an oracle for freed bytes of any library."""

import ctypes

# For the environment: malloc serves every byte, frees it at once, and maps no block of
# its own, whose size it would round up to pages.
SETTINGS = {
    "PYTHONMALLOC": "malloc",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"
    ":glibc.malloc.mmap_threshold=33554432",
}
NUMBERS = ["arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks"]


class MallInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in [*NUMBERS, "uordblks", "fordblks", "keepcost"]
    ]


def in_use():
    """Count bytes that malloc has in use, with its separate mappings."""
    function = ctypes.CDLL(None).mallinfo2
    function.restype = MallInfo
    info = function()
    return info.uordblks + info.hblkhd
