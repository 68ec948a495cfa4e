"""Many modules with many classes make closures in turn, whose code is read."""

import gc

import leakgraph

METHODS = "".join(f"    def method{number}(self): pass\n" for number in range(20))
CLASSES = "".join(f"class Class{number}:\n{METHODS}" for number in range(300))
REST = """
import time

class Entry:
    def is_old(self):
        return self.end < time.time()

def make():
    def drop(entries):
        for key, entry in list(entries.items()):
            if entry.has_gone():
                entries.pop(key)

    return drop
"""

gc.disable()
code = compile(CLASSES + REST, "/srv/shop/cache.py", "exec")
spaces = [{"__name__": f"module{number}"} for number in range(40)]
for space in spaces:
    exec(code, space)
made = [spaces[number % len(spaces)]["make"]() for number in range(200_000)]
with leakgraph.snapshot() as snapshot:
    print(len(snapshot) > len(made))
