"""What the drawings of leakgraph.objgraph say about objects and references."""

from __future__ import annotations

import builtins
import os
import re
import sys
import types
from collections.abc import Callable, Mapping
from sys import getrefcount

_NAMED: tuple[type, ...] = (
    type,
    types.ModuleType,
    types.BuiltinFunctionType,
    types.BuiltinMethodType,
)
_COUNTED: tuple[type, ...] = (tuple, list, dict, set, frozenset)
if sys.version_info >= (3, 15):
    _COUNTED += (builtins.frozendict,)
_REPR_LENGTH = 40
# How many references obj_label() and its caller hold to an object.
_OWN_REFERENCES = 4

is_identifier = re.compile(r"[^\W\d]\w*\Z").match

ExtraInfo = Callable[[object], object]
NodeAttributes = Callable[[object], Mapping[str, object]]


def is_instance(obj: object, kinds: type | tuple[type, ...]) -> bool:
    """isinstance() by the type alone: a mock cannot pretend to be another."""
    return issubclass(type(obj), kinds)


def short_typename(obj: object) -> str:
    """The name of the object's type."""
    return type(obj).__name__


def long_type(kind: type) -> str:
    """Module and qualified name of a type."""
    module = getattr(kind, "__module__", None)
    name = kind.__qualname__
    return f"{module}.{name}" if isinstance(module, str) and module else name


def long_typename(obj: object) -> str:
    """Module and qualified name of the object's type."""
    return long_type(type(obj))


def typename(obj: object, shortnames: bool) -> str:
    """One of the two names of the object's type."""
    return short_typename(obj) if shortnames else long_typename(obj)


def safe_repr(obj: object) -> str:
    """repr(), whatever the object's own code does."""
    try:
        return repr(obj)
    except Exception:
        return "(unrepresentable)"


def name_or_repr(obj: object) -> str:
    """`__name__` if it is a str, else repr()."""
    try:
        name = getattr(obj, "__name__", None)
    except Exception:
        name = None
    return name if is_instance(name, str) and name else safe_repr(obj)


def short_repr(obj: object) -> str:
    """The object in a few words."""
    if is_instance(obj, _NAMED):
        return name_or_repr(obj)
    if type(obj) is types.MethodType:
        name = name_or_repr(obj.__func__)
        return name + " (bound)"
    if type(obj) is types.FunctionType and obj.__name__ == "<lambda>":
        code = obj.__code__
        return f"lambda: {os.path.basename(code.co_filename)}:{code.co_firstlineno}"
    if type(obj) is types.FrameType:
        return f"{obj.f_code.co_filename}:{obj.f_lineno}"
    if is_instance(obj, _COUNTED):
        try:
            return f"{len(obj)} items"  # type: ignore[arg-type]
        except Exception:
            return "(unrepresentable)"
    return safe_repr(obj)[:_REPR_LENGTH]


def is_proper_module(obj: object) -> bool:
    """Whether it is a module that `sys.modules` has by its name."""
    return is_instance(obj, types.ModuleType) and obj is sys.modules.get(
        getattr(obj, "__name__", "")
    )


def quote(text: str) -> str:
    """A text as DOT takes it between double quotes."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("\n", "\\n").replace("\0", "\\\\0")


def obj_node_id(obj: object) -> str:
    """The name of the object's box in DOT."""
    return f"o{id(obj)}".replace("-", "_")


def obj_attrs(obj: object, extra_node_attrs: NodeAttributes | None) -> str:
    """Further attributes of the object's box, by name; None leaves one out."""
    if extra_node_attrs is None:
        return ""
    given = sorted(extra_node_attrs(obj).items())
    return "".join(
        f', {name}="{quote(str(value))}"' for name, value in given if value is not None
    )


def obj_label(
    obj: object,
    extra_info: ExtraInfo | None = None,
    refcounts: bool = False,
    shortnames: bool = True,
) -> str:
    """The text in the object's box, quoted for DOT."""
    kind = typename(obj, shortnames)
    lines = [f"{kind} [{getrefcount(obj) - _OWN_REFERENCES}]" if refcounts else kind]
    lines.append(short_repr(obj))
    if extra_info is not None:
        lines.append(str(extra_info(obj)))
    return quote("\n".join(lines))


def gradient(
    start: tuple[float, float, float],
    end: tuple[float, float, float],
    depth: int,
    max_depth: int,
) -> tuple[float, float, float]:
    """The colour at a depth, between those of the two ends."""
    if max_depth == 0:
        return start
    part = depth / max_depth
    first, second, third = (a + (b - a) * part for a, b in zip(start, end))
    return first, second, third


_ATTRIBUTES: tuple[tuple[type, tuple[str, ...]], ...] = (
    (types.FrameType, ("f_locals", "f_globals")),
    (types.MethodType, ("__self__", "__func__")),
    (types.FunctionType, ("__globals__", "__closure__", "__defaults__", "__code__")),
)


def _key_label(owner: Mapping[object, object], held: object, short: bool) -> str:
    for key, value in dict(owner).items():
        if value is not held:
            continue
        if is_instance(key, str) and is_identifier(str(key)):
            return f' [label="{quote(str(key))}",weight=2]'
        text = f"{typename(key, short)}\n{safe_repr(key)}"
        return f' [label="{quote(text)}"]'
    return ""


def _own_dict(obj: object) -> object:
    """Return an object's namespace; None if there is none, or its class hides it."""
    try:
        return object.__getattribute__(obj, "__dict__")
    except Exception:
        return None


def edge_label(source: object, target: object, shortnames: bool = True) -> str:
    """The label of a reference as an attribute list of DOT, or ""."""
    if is_instance(target, dict) and target is _own_dict(source):
        return ' [label="__dict__",weight=10]'
    for kind, names in _ATTRIBUTES:
        for name in names if type(source) is kind else ():
            if getattr(source, name) is target:
                return f' [label="{name}",weight=10]'
    if is_instance(source, dict):
        return _key_label(source, target, shortnames)  # type: ignore[arg-type]
    return ""
