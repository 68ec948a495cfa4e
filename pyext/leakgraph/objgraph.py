"""The functions of objgraph 3.6, with their arguments and defaults.

    import leakgraph.objgraph as objgraph

Counts look at what the collector tracks (gc.get_objects()), as objgraph does. What
looks for referrers passes over the heap once for all objects that are equally far, not
once for each object, and drawings need no `dot` program. docs/objgraph.md says what
differs.
"""

from __future__ import annotations

import builtins
import gc
from collections.abc import Iterable
from itertools import chain as _chained
from typing import Any, TextIO

from leakgraph.objgraph_counts import (
    at,
    at_addrs,
    by_type,
    count,
    get_leaking_objects,
    get_new_ids,
    growth,
    most_common_types,
    show_growth,
    show_most_common_types,
    typestats,
)
from leakgraph.objgraph_drawing import Filter as _Filter
from leakgraph.objgraph_drawing import Graph as _Graph
from leakgraph.objgraph_drawing import Options as _Options
from leakgraph.objgraph_drawing import Writer as _Writer
from leakgraph.objgraph_drawing import write_files as _write_files
from leakgraph.objgraph_labels import ExtraInfo as _ExtraInfo
from leakgraph.objgraph_labels import NodeAttributes as _NodeAttributes
from leakgraph.objgraph_labels import is_instance as _is_instance
from leakgraph.objgraph_labels import is_proper_module
from leakgraph.objgraph_search import Neighbours as _Neighbours
from leakgraph.objgraph_search import Predicate as _Predicate
from leakgraph.objgraph_search import Prepare as _Prepare
from leakgraph.objgraph_search import Referrers as _Referrers
from leakgraph.objgraph_search import find_chain as _find_chain

__all__ = [
    "at",
    "at_addrs",
    "by_type",
    "count",
    "find_backref_chain",
    "find_ref_chain",
    "get_leaking_objects",
    "get_new_ids",
    "growth",
    "is_proper_module",
    "most_common_types",
    "show_backrefs",
    "show_chain",
    "show_growth",
    "show_most_common_types",
    "show_refs",
    "typestats",
]

# Whether this is a notebook, which shows what a function returns.
IS_INTERACTIVE = hasattr(builtins, "__IPYTHON__")


def find_ref_chain(
    obj: Any,
    predicate: _Predicate,
    max_depth: int = 20,
    extra_ignore: Iterable[int] = (),
) -> list[Any]:
    """A shortest chain of references from `obj` to an object that `predicate` accepts.

    [obj]: there is none. `extra_ignore` has the ids of objects to avoid.
    """
    found = _find_chain(obj, predicate, gc.get_referents, max_depth, extra_ignore)
    return found[::-1]


def find_backref_chain(
    obj: Any,
    predicate: _Predicate,
    max_depth: int = 20,
    extra_ignore: Iterable[int] = (),
) -> list[Any]:
    """A shortest chain of references from an object that `predicate` accepts to `obj`.

    [obj]: there is none. `extra_ignore` has the ids of objects to avoid.
    """
    # No chain from what sys.modules holds leads through garbage, so that needs no
    # collection.
    if predicate is not is_proper_module:
        gc.collect()
    referrers = _Referrers()
    return _find_chain(
        obj, predicate, referrers.of, max_depth, extra_ignore, referrers.prepare
    )


def _show_graph(
    objs: Any,
    edge_func: _Neighbours,
    swap_source_target: bool,
    filename: str | None = None,
    output: TextIO | None = None,
    prepare: _Prepare | None = None,
    **options: Any,
) -> _Graph | None:
    if filename and output:
        raise ValueError("give filename or output, not both")
    started = list(objs) if _is_instance(objs, (list, tuple)) else [objs]
    options["extra_ignore"] = {id(objs), *options.get("extra_ignore", ())}
    writer = _Writer(_Options(swap_source_target, **options), edge_func, prepare)
    dot = writer.write(started)
    if output is not None:
        output.write(dot)
    elif filename is None and IS_INTERACTIVE:
        return _Graph(dot)
    else:
        _write_files(dot, len(writer.depth), filename)
    return None


def show_backrefs(
    objs: Any,
    max_depth: int = 3,
    extra_ignore: Iterable[int] = (),
    filter: _Filter | None = None,
    too_many: int = 10,
    highlight: _Filter | None = None,
    filename: str | None = None,
    extra_info: _ExtraInfo | None = None,
    refcounts: bool = False,
    shortnames: bool = True,
    output: TextIO | None = None,
    extra_node_attrs: _NodeAttributes | None = None,
) -> _Graph | None:
    """Draws what refers to an object, or to each of a list or tuple of them.

    max_depth         how many references in a row
    extra_ignore      ids of objects to leave out
    filter            accepts the objects to draw
    too_many          referrers of one object, before the others are counted
    highlight         accepts the objects to colour
    filename          the picture, or DOT for '.dot'; None: a PNG among temporary files,
                      and in a notebook what it returns
    extra_info        what each box says besides
    refcounts         each box says its reference count
    shortnames        types without their modules
    output            gets DOT instead of a file
    extra_node_attrs  gives a dict of DOT attributes for each box
    """
    options = dict(locals())
    gc.collect()
    referrers = _Referrers()
    return _show_graph(
        edge_func=referrers.of,
        swap_source_target=False,
        prepare=referrers.prepare,
        cull_func=is_proper_module,
        **options,
    )


def show_refs(
    objs: Any,
    max_depth: int = 3,
    extra_ignore: Iterable[int] = (),
    filter: _Filter | None = None,
    too_many: int = 10,
    highlight: _Filter | None = None,
    filename: str | None = None,
    extra_info: _ExtraInfo | None = None,
    refcounts: bool = False,
    shortnames: bool = True,
    output: TextIO | None = None,
    extra_node_attrs: _NodeAttributes | None = None,
) -> _Graph | None:
    """Draws what an object refers to, or each of a list or tuple of them.

    The arguments are those of show_backrefs().
    """
    options = dict(locals())
    return _show_graph(edge_func=gc.get_referents, swap_source_target=True, **options)


def show_chain(*chains: list[Any], **kw: Any) -> _Graph | None:
    """Draws chains of find_ref_chain() or find_backref_chain(), and nothing else.

    `backrefs` (True) looks from the ends of the chains, False from their beginnings.
    The other arguments are those of show_backrefs().
    """
    backrefs = kw.pop("backrefs", True)
    shown = [chain for chain in chains if chain]
    ids = set(map(id, _chained.from_iterable(shown)))
    options: dict[str, Any] = {"max_depth": max(map(len, shown), default=1) - 1, **kw}
    accepts = options.pop("filter", None)
    options["filter"] = lambda one: (
        id(one) in ids and (accepts is None or bool(accepts(one)))
    )
    if backrefs:
        return show_backrefs([chain[-1] for chain in shown], **options)
    return show_refs([chain[0] for chain in shown], **options)
