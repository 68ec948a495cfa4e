"""Rows: an immutable sequence of named tuples, like the results of libgraph."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import SupportsIndex

__all__ = ["Rows", "row_dict", "row_json"]

_R = TypeVar("_R", bound="tuple[Any, ...]")


def row_dict(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return the named tuple as a dict: a Node is its index, a Size a dict."""
    from leakgraph import frames

    return frames.row_dict(row)


def row_json(row: tuple[Any, ...]) -> str:
    """Return the same as JSON."""
    from leakgraph import frames

    return frames.row_json(row)


class Rows(tuple[_R, ...]):
    """A tuple of rows. A slice has the same type; str() has a line for each row."""

    __slots__ = ()
    #: the type of the rows
    _row: ClassVar[Any]

    @property
    def json(self) -> str:
        """The rows as JSON."""
        from leakgraph.frames import to_json

        return to_json(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each row: a Node is its index, a Size a dict."""
        from leakgraph.frames import to_dicts

        return to_dicts(self)

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame: a Node is its index, a Size its total."""
        from leakgraph.frames import to_pandas

        return to_pandas(self)

    @overload
    def __getitem__(self, key: SupportsIndex, /) -> _R: ...
    @overload
    def __getitem__(self, key: slice, /) -> Rows[_R]: ...
    def __getitem__(self, key: SupportsIndex | slice, /) -> _R | Rows[_R]:
        """A row, or the rows of a slice."""
        if isinstance(key, slice):
            return type(self)(super().__getitem__(key))
        return super().__getitem__(key)

    def __repr__(self) -> str:
        """The rows, as a prompt shows them."""
        return str(self).rstrip("\n")

    def __str__(self) -> str:
        """A line for each row."""
        return "".join(f"{row!r}\n" for row in self)
