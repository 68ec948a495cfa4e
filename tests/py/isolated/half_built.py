"""Captures uninitialised instances of every type.

Prints how many types it tried, how many of them gave an instance, how many of the
instances the snapshot has, and which types have wrong edges. It runs in a process of
its own that ends at once, because CPython crashes when it frees some of these
instances.
"""

import gc
import importlib
import os
import pkgutil
import sys
import sysconfig
import warnings

import leakgraph

#: Freeing or making instances of these does harm: sqlite3's of 3.9, and asyncio's
#: iterator, which 3.12 frees into a list that it shows.
NOT_BUILT = {"sqlite3Node", "FutureIter", "Quitter", "Popen"}

#: Importing these modules starts something.
NOT_IMPORTED = {"antigravity", "this", "idlelib", "turtledemo", "test", "lib2to3"}


def import_library():
    """Import the modules of the standard library that import without extras."""
    folder = sysconfig.get_path("stdlib")
    places = [folder, os.path.join(folder, "lib-dynload")]
    modules = [module.name for module in pkgutil.iter_modules(places)]
    for name in [*sys.builtin_module_names, *modules]:
        if name in NOT_IMPORTED or name.startswith(("_test", "_xx", "xx")):
            continue
        try:
            importlib.import_module(name)
        except BaseException:
            continue


def all_types():
    """List every class, by subclasses from object on."""
    seen, waiting = {}, [object]
    while waiting:
        kind = waiting.pop()
        if id(kind) not in seen and kind is not type:
            seen[id(kind)] = kind
            waiting += type.__subclasses__(kind)
    return sorted(seen.values(), key=lambda kind: type.__repr__(kind))


def build(kind):
    """Make an instance without a call of __init__, or None."""
    for arguments in ((), (0,), ("",), ((),)):
        try:
            return kind.__new__(kind, *arguments)
        except BaseException:
            continue
    try:
        return object.__new__(kind)
    except BaseException:
        return None


def wrong_edges(snapshot, things):
    """List kinds whose edges differ from those that the collector sees."""
    wrong = []
    for thing in things:
        node = snapshot.find(thing)
        if node is None or not node.tracked:
            continue
        seen = sorted(e.node.address for e in node.referents() if e.traversed)
        if seen != sorted(map(id, gc.get_referents(thing))):
            wrong.append(type(thing).__name__)
    return wrong


def main():
    warnings.simplefilter("ignore")
    import_library()
    kinds = all_types()
    built = [build(kind) for kind in kinds if kind.__name__ not in NOT_BUILT]
    made = [thing for thing in built if thing is not None]
    gc.disable()
    snapshot = leakgraph.snapshot(previews=True)
    found = sum(snapshot.find(thing) is not None for thing in made)
    wrong = wrong_edges(snapshot, made)
    leakgraph.show_refs(made).text
    print(len(kinds), len({type(thing) for thing in made}), found, wrong)
    sys.stdout.flush()
    os._exit(0)


main()
