"""Registered types that keep memory outside of Python's heap.

    leakgraph.register_buffers(Image, member="pixels", length="nbytes")

Every capture reads the registry, by the types in it. It reads nothing else of a
library, and imports nothing.
"""

from __future__ import annotations

from leakgraph._core import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Union

    #: A number of bytes; (address, bytes) or (address, bytes, device); an object that
    #: has the buffer protocol.
    _Piece = Union[int, tuple[int, int], tuple[int, int, str], bytes, memoryview]
    _Reader = Callable[[Any], Union[_Piece, Iterable[_Piece], None]]

__all__ = ["register_buffers", "unregister_buffers"]

#: What is known of each type: (address, length, protocol, reader). An address and a
#: length are a name, an offset or None. The capture reads it by this name.
_registry: dict[
    type, tuple[str | int | None, str | int | None, bool, _Reader | None]
] = {}


def register_buffers(
    type: type,
    *,
    member: str | None = None,
    offset: int | None = None,
    length: str | int | None = None,
    buffer_protocol: bool = False,
    reader: _Reader | None = None,
) -> None:
    """Declare where instances of a type, and of its subclasses, keep memory.

    Choose one of three ways:

    - `length` gives the number of bytes, and `member` or `offset` the address; without
      these, the address is unknown. A name is a member of the C struct, a slot or an
      attribute in the instance's own storage, but not a property; its value is a
      number, or None for no memory. A number is the offset in bytes of a word in the
      struct. leakgraph reads memory and runs no code. If instances have a `__dict__`,
      only a capture can tell whether they have the attribute: the node of one that does
      not has the fact "not inspected", and `Snapshot.info()["adapter.registered"]` says
      so.
    - `buffer_protocol=True` takes the memory that the type exports.
    - `reader(instance)` returns a number of bytes, `(address, bytes)`, `(address,
      bytes, device)` with a device such as `"cuda:0"`, an object with the buffer
      protocol, an iterable of those, or None.

    `buffer_protocol` and `reader` run the type's own code after the walk over the heap,
    on instances that leakgraph holds, and never in a forked child. The code does not
    run for snapshots that it takes itself, on its own thread or on one that it has
    started. If it fails or does not run, the node has the fact "not inspected", and
    `Snapshot.info()["adapter.registered"]` says so.

    Memory that overlaps other memory counts once. Registering a type again replaces the
    registration. It has no effect on types that leakgraph itself knows, such as numpy's
    arrays. Raises ArgumentError for impossible arguments.
    """
    if not isinstance(type, _TYPE) or type is object:
        raise ArgumentError(f"register_buffers() takes a type, not {type!r}.")
    declared = member is not None or offset is not None or length is not None
    if declared + bool(buffer_protocol) + (reader is not None) != 1:
        raise ArgumentError(
            "register_buffers() needs one of length= (with member= or offset=),"
            " buffer_protocol=True and reader=."
        )
    if declared:
        _check_declared(type, member, offset, length)
    if reader is not None and not callable(reader):
        raise TypeError(f"reader must be callable, not {reader!r}")
    address = member if member is not None else offset
    _registry[type] = (address, length, bool(buffer_protocol), reader)


def unregister_buffers(type: type) -> None:
    """Remove the registration of a type; NotFoundError if it has none."""
    if _registry.pop(type, None) is None:
        from leakgraph._core import NotFoundError

        raise NotFoundError(f"Nothing is registered for {type!r}.")


_TYPE = type


class _Slotted:
    __slots__ = ("slot",)
    slot: object


#: The type of members and slots, which types.MemberDescriptorType names, too.
_MEMBER = type(vars(_Slotted)["slot"])

#: Methods of classes, in Python and in C.
_METHODS: tuple[type, ...] = (
    type(lambda: None),
    classmethod,
    staticmethod,
    type(list.append),
)


def _check_declared(
    type: type, member: str | None, offset: int | None, length: str | int | None
) -> None:
    if length is None:
        raise ArgumentError("length= is missing: give the number of bytes.")
    if member is not None and offset is not None:
        raise ArgumentError("Give member= or offset=, not both.")
    for name, value, kinds in (
        ("member", member, (str,)),
        ("offset", offset, (int,)),
        ("length", length, (str, int)),
    ):
        if value is not None and not isinstance(value, kinds):
            raise TypeError(f"{name} must be {kinds[-1].__name__}, not {value!r}")
        if isinstance(value, int):
            _check_offset(type, name, value)
        if isinstance(value, str):
            _check_name(type, name, value)


def _check_name(type: type, name: str, attribute: str) -> None:
    """Refuse a name that no instance can have, or that only code can answer."""
    found = next(
        (vars(base)[attribute] for base in type.__mro__ if attribute in vars(base)),
        None,
    )
    if isinstance(found, _MEMBER):
        return
    if hasattr(_TYPE(found), "__set__") or isinstance(found, _METHODS):
        raise ArgumentError(
            f"{name}={attribute!r} of {type.__name__} is computed by code: name a"
            " member, a slot or an attribute, or give reader=."
        )
    if not type.__dictoffset__:
        raise ArgumentError(
            f"{name}={attribute!r} is not a member or slot of {type.__name__}, whose"
            " instances have no other attributes."
        )


def _check_offset(type: type, name: str, offset: int) -> None:
    first, end = object.__basicsize__, type.__basicsize__
    if not first <= offset <= end - 8 or offset % 8:
        raise ArgumentError(
            f"{name}={offset} is not the offset of a word in {type.__name__}: its words"
            f" are at {first} to {end - 8}."
        )
