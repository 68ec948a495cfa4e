"""Reads rooms.cmake: the rooms of the project and their order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import tracked

ROOM = re.compile(r'^leakgraph_room\((\S+)\s+"([^"]*)"\)', re.MULTILINE)
#: The folders whose rooms may use each other, and how a room's header is called.
PARTS = {
    "libgraph/src/": "{room}/{room}_private.h",
    "export/": "{room}/{room}_private.h",
    "pyext/": "{room}/{name}.h",
}


@dataclass(frozen=True)
class Part:
    """A folder whose files include each other by their path below `base`.

    A room may use itself and the rooms before it. Other rooms see only one header
    of a room: `shared`, where {room} is its folder and {name} that with underscores.
    """

    base: str
    rooms: tuple[str, ...]
    shared: str

    def room_of(self, path: str) -> int | None:
        """Return the rank of the room that contains a path below `base`."""
        folder = str(Path(path).parent)
        return self.rooms.index(folder) if folder in self.rooms else None

    def header_of(self, room: str) -> str:
        """Return the header that other rooms may include."""
        return self.shared.format(room=room, name=room.replace("/", "_"))


def described(root: Path) -> dict[str, str]:
    """Return what each room holds, by its folder, in the order of rooms.cmake."""
    text = (root / "rooms.cmake").read_text(encoding="utf-8")
    return {room[1]: room[2] for room in ROOM.finditer(text)}


def parts(root: Path) -> tuple[Part, ...]:
    """Return the parts with their rooms."""
    folders = list(described(root))
    return tuple(
        Part(base, tuple(f[len(base) :] for f in folders if f.startswith(base)), shared)
        for base, shared in PARTS.items()
    )


ALL = parts(tracked.ROOT)
