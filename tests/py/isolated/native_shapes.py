"""Structures of C and C++ whose blocks are known, and what a snapshot says of them.

Arguments: the paths of the extension modules. Prints JSON.
"""

import gc
import importlib.util
import json
import sys
from pathlib import Path

import leakgraph

#: What Holders keep. The rest of what the modules build has no Holder.
SHAPES = {
    "native_shapes": [
        "list",
        "ring",
        "tree",
        "map",
        "matrix",
        "inside",
        "intrusive",
        "tagged",
        "values",
        "objects",
        "pages",
        "large",
        "one",
        "state",
    ],
    "native_classes": [
        "vectors",
        "list",
        "map",
        "hash_map",
        "deque",
        "classes",
        "second_base",
        "shared",
        "functions",
        "variants",
        "anything",
    ],
}
ALONE = {"native_shapes": ["registry", "local", "lost"], "native_classes": ["registry"]}
COPIES = 2


class Keep:
    """What the program keeps."""


class Kept:
    """An object that C code has a reference to."""


keep = Keep()


def load(path):
    """Import an extension module from a file."""
    name = Path(path).name.split(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(modules):
    """Build all structures; return the bytes of each."""
    built = {}
    for module in modules:
        for shape in SHAPES[module.__name__]:
            made = [module.build(shape) for _ in range(COPIES)]
            key = f"{module.__name__} {shape}"
            setattr(keep, key, [holder for holder, _, _ in made])
            built[key] = sum(bytes for _, bytes, _ in made)
        for shape in ALONE[module.__name__]:
            built[f"{module.__name__} {shape}"] = module.build(shape)[1]
    return built


def hold_objects(shapes):
    """Let C code hold a few objects, a cycle, and an object that it has forgotten."""
    keep.wide = shapes.wide()
    keep.handle = shapes.hold(Kept())[0]
    keep.handles = [shapes.hold(Kept())[0] for _ in range(2)]
    cycle = []
    cycle.append(shapes.hold(cycle)[0])
    keep.cycle = cycle
    lost = []
    lost.append(shapes.hold(lost)[0])
    shapes.forget(Kept())


def look(built):
    """Say what a snapshot claims for each structure."""
    with leakgraph.snapshot(native=True) as snapshot:
        kept = [keep.__dict__[key] for key in built if key in keep.__dict__]
        claimed = [int(snapshot.find(holders).native) for holders in kept]
        unheld = {}
        for row in snapshot.native(limit=1000):
            if row.holder != "objects":
                key = row.title if row.holder == "variables" else row.holder
                unheld[key] = unheld.get(key, 0) + int(row.bytes)
        objects = snapshot.select("type:__main__.Kept")
        return {
            "claimed": dict(zip((k for k in built if k in keep.__dict__), claimed)),
            "unheld": unheld,
            "why": [str(snapshot.why(node)) for node in objects],
            "cycle": int(snapshot.find(keep.cycle).native),
            "wide": int(snapshot.find(keep.wide).native),
            "handle": int(snapshot.find(keep.handle).native),
        }


def main():
    """Print what was built, and what is told of it."""
    modules = [load(path) for path in sys.argv[1:]]
    shapes = modules[0]
    built = build(modules)
    hold_objects(shapes)
    gc.collect()
    told = look(built)
    told["built"] = built
    rings = getattr(keep, "native_shapes ring")
    told["stacked"] = shapes.on_stack(rings, lambda: look(built))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
