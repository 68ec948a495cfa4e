"""What malloc has given out: an oracle of freed bytes that knows no library."""

import ctypes

# For the environment: every byte is malloc's, and what is freed is free at once.
SETTINGS = {
    "PYTHONMALLOC": "malloc",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
}
NUMBERS = ["arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks"]


class MallInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in [*NUMBERS, "uordblks", "fordblks", "keepcost"]
    ]


def in_use():
    """Bytes that malloc has given out, mappings of their own included."""
    function = ctypes.CDLL(None).mallinfo2
    function.restype = MallInfo
    info = function()
    return info.uordblks + info.hblkhd
