"""Types that keep memory outside of Python's heap, for leakgraph to look into.

    leakgraph.register_buffers(Image, member="pixels", length="nbytes")

The registry is read at every capture, by the types it holds; nothing else of a library
is looked at, and nothing is imported.
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
    """Tell where instances of a type, and of its subclasses, keep memory.

    In one of three ways:

    - `length` says how many bytes, `member` or `offset` at which address; without
      either the address is unknown. A name is that of a member of the C struct, of a
      slot or of an attribute in the instance's own storage, and its value is a number
      (or None: no memory); properties are not read. A number is where in the struct a
      word holds it: bytes from the beginning of the object. Read from memory: no code
      runs.
    - `buffer_protocol=True`: the memory is what the type exports.
    - `reader(instance)` returns it: a number of bytes, `(address, bytes)`, `(address,
      bytes, device)` with a device such as `"cuda:0"`, an object that has the buffer
      protocol, an iterable of those, or None.

    The last two run the type's own code, after the heap was looked at, while the
    instances are held; never in a forked child. What goes wrong there is noted on the
    node as the fact "not inspected" and in `Snapshot.info()["adapter.registered"]`.

    Memory that overlaps other memory is counted once. Registering a type again
    replaces what was said. Types that leakgraph knows by itself, such as numpy's
    arrays, stay as they are. ArgumentError when the arguments make no sense.
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
    """Forget what `register_buffers()` was told of a type; NotFoundError if nothing."""
    if _registry.pop(type, None) is None:
        from leakgraph._core import NotFoundError

        raise NotFoundError(f"Nothing was registered for {type!r}.")


_TYPE = type


def _check_declared(
    type: type, member: str | None, offset: int | None, length: str | int | None
) -> None:
    if length is None:
        raise ArgumentError("length= is missing: how many bytes there are.")
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


def _check_offset(type: type, name: str, offset: int) -> None:
    first, end = object.__basicsize__, type.__basicsize__
    if not first <= offset <= end - 8 or offset % 8:
        raise ArgumentError(
            f"{name}={offset} is no word of {type.__name__}: its struct has words from"
            f" {first} to {end - 8}."
        )
