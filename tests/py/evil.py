"""Classes with any C function as their tp_traverse.

The collector must not run in this process once an instance is tracked.
"""

import ctypes
import gc
import mmap
import platform

LIBC = ctypes.CDLL(None)
#: Waits in pause() again and again: `mov $34,%eax; syscall; jmp` back to the beginning.
WAIT = bytes.fromhex("b822000000 0f05 ebf7")
KEPT = []

#: The offset of tp_traverse in a type object: the same in all builds of CPython 3.9 to
#: 3.14 that can be forked.
OFFSET = 184


def address_of(function):
    """Return the address of a C function."""
    return ctypes.cast(function, ctypes.c_void_p).value


def make(function, name="Evil"):
    """Make an instance of a new class whose tp_traverse is at that address."""
    gc.disable()
    kind = type(name, (), {"__module__": "evil"})
    instance = kind()
    instance.thing = []  # the collector tracks it, and it is more than a leaf
    ctypes.c_void_p.from_address(id(kind) + OFFSET).value = function
    return instance


def crasher():
    """Make one whose traversal jumps to an unmapped address."""
    return make(8, "Crasher")


def aborter():
    """Make one whose traversal calls abort()."""
    return make(address_of(LIBC.abort), "Aborter")


def sleeper():
    """Make one whose traversal never ends.

    A call of pause() ends by the alarm of a child that has waited for a processor.
    """
    if platform.machine() != "x86_64":
        return make(address_of(LIBC.pause), "Sleeper")
    rights = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=rights)
    code.write(WAIT)
    at = ctypes.addressof(ctypes.c_char.from_buffer(code))
    KEPT.append(code)
    return make(at, "Sleeper")


def pardon(instance):
    """Restore its tp_traverse."""
    kind = type(instance)
    base = ctypes.c_void_p.from_address(id(type("Good", (), {})) + OFFSET).value
    ctypes.c_void_p.from_address(id(kind) + OFFSET).value = base
    gc.enable()


def children():
    """List the process ids of this process's living children."""
    import os
    from pathlib import Path

    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            after_name = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after_name[1]) == os.getpid() and after_name[0] != "Z":
            found.append(int(entry.name))
    return found
