import os
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from tracemalloc import Traceback
from types import TracebackType
from typing import (
    Any,
    ClassVar,
    Final,
    Literal,
    NoReturn,
    SupportsIndex,
    TypeVar,
    final,
    overload,
)

from _typeshed import structseq
from typing_extensions import Self, disjoint_base

from leakgraph.expect import UncollectedRows
from leakgraph.frames import Reference

_T = TypeVar("_T")
_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_Limit = int | Literal["all"] | None
_Progress = bool | Callable[[str, float], object] | None
_Column = Literal[
    "address",
    "type",
    "size",
    "refcount",
    "found",
    "node_flags",
    "first_edge",
    "edge_target",
    "edge_payload",
    "edge_kind",
]
_AttachMethod = Literal["auto", "remote-exec", "ptrace"]
_CycleKind = Literal["collectable", "held", "uncollectable"]
_RootKind = Literal["module", "thread", "interpreter", "static", "native", "given"]
_EdgeKind = Literal[
    "reference",
    "attribute",
    "value",
    "key",
    "index",
    "element",
    "local",
    "stack",
    "cell",
    "dict",
    "globals",
    "type",
    "referent",
    "field",
    "frame",
    "native",
]
_Holding = str | type | Callable[[str], object] | None

__version__: str

class Error(Exception): ...
class ArgumentError(Error, ValueError): ...
class ClosedError(Error, ValueError): ...
class NotFoundError(Error, LookupError): ...
class FileError(Error, OSError): ...
class LimitError(Error, MemoryError): ...
class CancelledError(Error): ...
class PartialError(Error): ...
class UnsupportedError(Error): ...

class ChildError(Error, ChildProcessError):
    signal: int | None

class PictureError(Error):
    text: str | None

def snapshot(
    *,
    previews: bool = False,
    keys: bool = True,
    contents: bool = False,
    native: bool = False,
    allocations: bool = False,
    roots: Sequence[object] | None = None,
    max_depth: int | None = None,
    max_bytes: int | None = None,
    progress: _Progress = None,
) -> Snapshot: ...
def save_snapshot(
    path: _Path,
    *,
    compress: int = 1,
    fork: bool = False,
    spill: bool = False,
    hold: bool = False,
    timeout: int = 60,
    previews: bool = False,
    keys: bool = True,
    contents: bool = False,
    native: bool = False,
    allocations: bool = False,
    roots: Sequence[object] | None = None,
    max_depth: int | None = None,
    max_bytes: int | None = None,
    progress: _Progress = None,
) -> CaptureInfo: ...
def _attach(
    pid: int,
    library: str,
    path: _Path,
    previews: bool,
    keys: bool,
    contents: bool,
    native: bool,
    filtered: bool,
    timeout: int,
    method: _AttachMethod,
    progress: _Progress,
) -> tuple[str, int, int, float, bool]: ...
def _attach_version(pid: int, filtered: bool, /) -> int: ...
def _edge(snapshot: Snapshot, index: int, backward: bool, /) -> Edge: ...
def _path(
    root: Root | None, hops: tuple[Hop, ...], start: str, text: str, /
) -> Path: ...
def _recalled(records: dict[int, bytes], /) -> Snapshot: ...
def _resident_bytes() -> int: ...
def _malloc_bytes() -> int: ...
def _snapshot_need() -> int: ...
def _control_groups(root: str, /) -> list[tuple[int, str]]: ...
def _group_room(root: str, /) -> tuple[int, str, str]: ...
def _children() -> list[int]: ...
def _rank() -> str | None: ...
def _referrers(objects: list[_T], targets: list[_T], /) -> list[list[_T]]: ...
def _copied_pages(
    child: Snapshot, parent: Snapshot, pages: array[int], least: int, /
) -> tuple[int, int, list[tuple[str, str, int, int, str]]]: ...
def _held_in(
    snapshot: Snapshot, spans: array[int], /
) -> list[tuple[int, str, str, int, str]]: ...
def _text_table(
    headings: tuple[str, ...],
    rows: tuple[tuple[str, ...], ...],
    right: int,
    limit: int,
    /,
) -> str: ...
def _merge_summaries(*summaries: bytes) -> bytes: ...
def _summary_places(
    summary: bytes, /
) -> list[tuple[str, str, int, Size, Size, str, int]]: ...
def _baseline(path: _Path, may_be_missing: bool, /) -> frozenset[str]: ...
def _extend_baseline(
    path: _Path, target: _Path, growth: list[tuple[str, str]], /
) -> None: ...
def _is_installed(path: str, /) -> bool: ...
def _object_traceback(obj: object, /) -> Traceback | None: ...
def _questions() -> str: ...
def _json(value: object, /) -> str: ...
def _line(x: bytes, y: bytes, /) -> tuple[float, float, bool]: ...
def _open_signal_fd(signal: int, ends_children: bool, /) -> int: ...
def _close_signal_fd(signal: int, /) -> None: ...
def _die_by_signal(signal: int, /) -> None: ...
def _hears_signal(signal: int, /) -> bool: ...
def _native_blocks() -> tuple[bytes, bytes, bytes, str | None]: ...
def keep_memory(max_bytes: int, /) -> int: ...
def load(path: _Path, *, progress: _Progress = None) -> Snapshot: ...
def show_refs(
    obj: object,
    path: _Path | None = None,
    *,
    also: Iterable[object] = (),
    max_depth: int = 3,
    max_nodes: int = 120,
    format: str | None = None,
    weak: bool = False,
    types: bool = False,
    title: str | None = None,
    legend: bool = True,
    retained: bool | None = None,
    progress: _Progress = None,
) -> Drawing: ...
def show_backrefs(
    obj: object,
    path: _Path | None = None,
    *,
    also: Iterable[object] = (),
    max_depth: int = 3,
    max_nodes: int = 120,
    format: str | None = None,
    weak: bool = False,
    types: bool = False,
    title: str | None = None,
    legend: bool = True,
    retained: bool | None = None,
    progress: _Progress = None,
) -> Drawing: ...
def show_path(
    obj: object,
    path: _Path | None = None,
    *,
    also: Iterable[object] = (),
    max_depth: int = 3,
    max_nodes: int = 120,
    format: str | None = None,
    weak: bool = False,
    types: bool = False,
    title: str | None = None,
    legend: bool = True,
    retained: bool | None = None,
    progress: _Progress = None,
) -> Drawing: ...

# generated by tools/questions.py: functions
def top(
    limit: _Limit = 20,
    *,
    by: str | None = "retained",
    group: Literal["object", "type", "module"] = "object",
    libraries: bool = False,
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> Top: ...
def types(
    limit: _Limit = 20,
    *,
    by: Literal["size", "count", "type"] = "size",
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> Types: ...
def tensors(
    limit: _Limit = 20,
    *,
    device: str | None = None,
    group: Literal["place", "storage", "kind", "device", "dtype", "shape"] = "place",
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> Tensors: ...
def figures(
    limit: _Limit = 20,
    *,
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> Figures: ...
def cycles(
    limit: _Limit = 20,
    *,
    kind: Literal["collectable", "held", "uncollectable"]
    | Sequence[Literal["collectable", "held", "uncollectable"]]
    | None = None,
    holding: _Holding = None,
    min_bytes: int | str | None = None,
    by: str | None = "retained",
    mine: bool = False,
    module: str | None = None,
    baseline: _Path | None = None,
    update_baseline: bool = False,
    progress: _Progress = None,
) -> Cycles: ...
def waste(
    limit: _Limit = 20,
    *,
    libraries: bool = False,
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
    contents: bool = True,
) -> Waste: ...
def findings(
    limit: _Limit = None,
    *,
    mine: bool = False,
    module: str | None = None,
    baseline: _Path | None = None,
    update_baseline: bool = False,
    progress: _Progress = None,
) -> Findings: ...
def threads(
    limit: _Limit = None,
    *,
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> Threads: ...
def native(
    limit: _Limit = 20,
    *,
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> Native: ...
def allocations(
    limit: _Limit = 20,
    *,
    by: Literal["line", "holder"] = "line",
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> Allocations: ...
def search(
    words: str | None = None,
    *,
    limit: _Limit = 20,
    progress: _Progress = None,
) -> Search: ...
def dominators(
    target: object = None,
    *,
    min_share: float | str = 0.01,
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> Dominators: ...
def paths(
    target: object,
    *,
    limit: _Limit = 20,
    progress: _Progress = None,
) -> MergedPaths: ...
def memory(
    *,
    progress: _Progress = None,
) -> Accounting: ...
def what_if(
    cut: str | Edge | Hop | CycleCut | Iterable[str | Edge | Hop | CycleCut],
    *,
    limit: _Limit = 20,
    mine: bool = False,
    module: str | None = None,
    progress: _Progress = None,
) -> WhatIf: ...

# end of what is generated
def why(obj: object, *, progress: _Progress = None) -> Why: ...
def info() -> Info: ...
def retained(target: object, *, progress: _Progress = None) -> Size: ...
def export(
    path: _Path, *, format: str | None = None, progress: _Progress = None
) -> str: ...
def report(
    path: _Path,
    *,
    earlier: Sequence[Snapshot | _Path] = (),
    steps: Sequence[float] | None = None,
    title: str | None = None,
    samples: _Path | None = None,
    settled: bool = False,
    progress: _Progress = None,
) -> str: ...
def _render(dot: str, format: str, /) -> bytes: ...
def _attribute(allocator: object, snapshot: Snapshot, /) -> Accounting: ...
def diff(
    before: Snapshot | _Path,
    after: Snapshot | _Path,
    /,
    *more: Snapshot | _Path,
    steps: Sequence[float] | None = None,
    unit: Literal["step", "call", "second"] = "step",
    min_bytes: int | str = 0,
    settled: bool = False,
    mine: bool = False,
    module: str | None = None,
    baseline: _Path | None = None,
    update_baseline: bool = False,
    progress: _Progress = None,
    other_programs: bool = False,
) -> Growth: ...
def ranks(
    first: Snapshot | _Path,
    second: Snapshot | _Path,
    /,
    *more: Snapshot | _Path,
    min_bytes: int | str = 1048576,
    progress: _Progress = None,
) -> Ranks: ...

@final
class Snapshot:
    @property
    def nodes(self) -> Nodes: ...
    @property
    def edges(self) -> Edges: ...
    @property
    def roots(self) -> Roots: ...
    @property
    def is_partial(self) -> bool: ...
    @property
    def path(self) -> str | None: ...
    @property
    def method(self) -> str: ...
    @property
    def closed(self) -> bool: ...
    def __len__(self) -> int: ...
    def __enter__(self) -> Snapshot: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...
    def close(self) -> None: ...
    def save(
        self,
        path: _Path,
        *,
        compress: int = 1,
        analysis: bool = False,
        progress: _Progress = None,
    ) -> str: ...
    def node(self, index: object, /) -> Node: ...
    def find(self, obj: object, /) -> Node | None: ...
    def select(
        self,
        target: object,
        /,
        *,
        held_by: object = None,
        min_bytes: int | str = 0,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Nodes: ...
    def __getitem__(self, key: object, /) -> Node: ...
    def __contains__(self, key: object, /) -> bool: ...
    def info(self) -> Info: ...
    def column(self, name: _Column, /) -> memoryview: ...
    def show_refs(
        self,
        target: object,
        path: _Path | None = None,
        *,
        also: Iterable[object] = (),
        max_depth: int = 3,
        max_nodes: int = 120,
        format: str | None = None,
        weak: bool = False,
        types: bool = False,
        title: str | None = None,
        legend: bool = True,
        retained: bool | None = None,
        progress: _Progress = None,
    ) -> Drawing: ...
    def show_backrefs(
        self,
        target: object,
        path: _Path | None = None,
        *,
        also: Iterable[object] = (),
        max_depth: int = 3,
        max_nodes: int = 120,
        format: str | None = None,
        weak: bool = False,
        types: bool = False,
        title: str | None = None,
        legend: bool = True,
        retained: bool | None = None,
        progress: _Progress = None,
    ) -> Drawing: ...
    def show_path(
        self,
        target: object,
        path: _Path | None = None,
        *,
        also: Iterable[object] = (),
        max_depth: int = 3,
        max_nodes: int = 120,
        format: str | None = None,
        weak: bool = False,
        types: bool = False,
        title: str | None = None,
        legend: bool = True,
        retained: bool | None = None,
        progress: _Progress = None,
    ) -> Drawing: ...
    def show_dominators(
        self,
        path: _Path | None = None,
        *,
        min_share: float = 0.01,
        max_nodes: int = 60,
        format: str | None = None,
        title: str | None = None,
        legend: bool = True,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Drawing: ...
    def analyze(
        self,
        target: object = None,
        *,
        min_share: float | str = 0.01,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Dominators: ...
    def retained(self, target: object, *, progress: _Progress = None) -> Size: ...
    def why(self, target: object, *, progress: _Progress = None) -> Why: ...
    # generated by tools/questions.py: methods
    def top(
        self,
        limit: _Limit = 20,
        *,
        by: str | None = "retained",
        group: Literal["object", "type", "module"] = "object",
        libraries: bool = False,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Top: ...
    def types(
        self,
        limit: _Limit = 20,
        *,
        by: Literal["size", "count", "type"] = "size",
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Types: ...
    def tensors(
        self,
        limit: _Limit = 20,
        *,
        device: str | None = None,
        group: Literal[
            "place", "storage", "kind", "device", "dtype", "shape"
        ] = "place",
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Tensors: ...
    def figures(
        self,
        limit: _Limit = 20,
        *,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Figures: ...
    def cycles(
        self,
        limit: _Limit = 20,
        *,
        kind: Literal["collectable", "held", "uncollectable"]
        | Sequence[Literal["collectable", "held", "uncollectable"]]
        | None = None,
        holding: _Holding = None,
        min_bytes: int | str | None = None,
        by: str | None = "retained",
        mine: bool = False,
        module: str | None = None,
        baseline: _Path | None = None,
        update_baseline: bool = False,
        progress: _Progress = None,
    ) -> Cycles: ...
    def waste(
        self,
        limit: _Limit = 20,
        *,
        libraries: bool = False,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Waste: ...
    def findings(
        self,
        limit: _Limit = None,
        *,
        mine: bool = False,
        module: str | None = None,
        baseline: _Path | None = None,
        update_baseline: bool = False,
        progress: _Progress = None,
    ) -> Findings: ...
    def threads(
        self,
        limit: _Limit = None,
        *,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Threads: ...
    def native(
        self,
        limit: _Limit = 20,
        *,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Native: ...
    def allocations(
        self,
        limit: _Limit = 20,
        *,
        by: Literal["line", "holder"] = "line",
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Allocations: ...
    def search(
        self,
        words: str | None = None,
        *,
        limit: _Limit = 20,
        progress: _Progress = None,
    ) -> Search: ...
    def dominators(
        self,
        target: object = None,
        *,
        min_share: float | str = 0.01,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> Dominators: ...
    def paths(
        self,
        target: object,
        *,
        limit: _Limit = 20,
        progress: _Progress = None,
    ) -> MergedPaths: ...
    def memory(
        self,
        *,
        progress: _Progress = None,
    ) -> Accounting: ...
    def what_if(
        self,
        cut: str | Edge | Hop | CycleCut | Iterable[str | Edge | Hop | CycleCut],
        *,
        limit: _Limit = 20,
        mine: bool = False,
        module: str | None = None,
        progress: _Progress = None,
    ) -> WhatIf: ...
    # end of what is generated
    def report(
        self,
        path: _Path,
        *,
        earlier: Sequence[Snapshot | _Path] = (),
        steps: Sequence[float] | None = None,
        title: str | None = None,
        samples: _Path | None = None,
        settled: bool = False,
        progress: _Progress = None,
    ) -> str: ...
    def summary(self, path: _Path, *, progress: _Progress = None) -> str: ...
    def diff(
        self,
        other: Snapshot | _Path,
        /,
        *more: Snapshot | _Path,
        steps: Sequence[float] | None = None,
        unit: Literal["step", "call", "second"] = "step",
        min_bytes: int | str = 0,
        settled: bool = False,
        mine: bool = False,
        module: str | None = None,
        baseline: _Path | None = None,
        update_baseline: bool = False,
        progress: _Progress = None,
        other_programs: bool = False,
    ) -> Growth: ...
    def merged_paths(
        self,
        target: object,
        *,
        limit: _Limit = 20,
        progress: _Progress = None,
    ) -> MergedPaths: ...
    def export(
        self, path: _Path, *, format: str | None = None, progress: _Progress = None
    ) -> str: ...
    def to_networkx(self, *, progress: _Progress = None) -> Any: ...
    def to_igraph(self, *, progress: _Progress = None) -> Any: ...
    def sql(self, query: str, /, **tables: object) -> Any: ...
    def _retained_arrow(self) -> object: ...
    def to_parquet(self, folder: _Path, *, progress: _Progress = None) -> list[str]: ...
    def collectable(self) -> Nodes: ...
    def uncollected(self) -> UncollectedRows: ...
    def _repr_html_(self) -> str: ...

@final
class Node:
    def __int__(self) -> int: ...
    def __copy__(self) -> Node: ...
    def __deepcopy__(self, memo: Any, /) -> Node: ...
    @property
    def index(self) -> int: ...
    @property
    def snapshot(self) -> Snapshot: ...
    @property
    def address(self) -> int: ...
    @property
    def type_name(self) -> str: ...
    @property
    def type(self) -> Node | None: ...
    @property
    def size(self) -> int: ...
    @property
    def spent(self) -> int: ...
    @property
    def refcount(self) -> int: ...
    @property
    def found(self) -> int: ...
    @property
    def unexplained(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> Path | None: ...
    def why(self, *, progress: _Progress = None) -> Why: ...
    def _repr_html_(self) -> str: ...
    @property
    def is_root(self) -> bool: ...
    @property
    def device(self) -> str: ...
    @property
    def facts(self) -> dict[str, str]: ...
    @property
    def tracked(self) -> bool: ...
    @property
    def frozen(self) -> bool: ...
    @property
    def immortal(self) -> bool: ...
    @property
    def synthetic(self) -> bool: ...
    @property
    def buffer(self) -> bool: ...
    @property
    def frontier(self) -> bool: ...
    @property
    def dominator(self) -> Node | None: ...
    @property
    def dominated(self) -> Nodes: ...
    @property
    def retained(self) -> Size: ...
    @property
    def native(self) -> int: ...
    @property
    def is_reachable(self) -> bool: ...
    @property
    def json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def referents(self) -> Edges: ...
    def referrers(self) -> Edges: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Edge:
    def __copy__(self) -> Edge: ...
    def __deepcopy__(self, memo: Any, /) -> Edge: ...
    @property
    def index(self) -> int: ...
    @property
    def source(self) -> Node: ...
    @property
    def target(self) -> Node: ...
    @property
    def node(self) -> Node: ...
    @property
    def label(self) -> str: ...
    @property
    def kind(self) -> _EdgeKind: ...
    @property
    def weak(self) -> bool: ...
    @property
    def counted(self) -> bool: ...
    @property
    def traversed(self) -> bool: ...
    @property
    def json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Size(int, Mapping[str, int]):
    def __new__(cls, mapping: Mapping[str, int] = ..., /) -> Size: ...
    @property
    def host(self) -> int: ...
    @property
    def total(self) -> int: ...
    @overload
    def get(self, key: str, default: None = None, /) -> int | None: ...
    @overload
    def get(self, key: str, default: int, /) -> int: ...
    @overload
    def get(self, key: str, default: _T, /) -> int | _T: ...
    def __getitem__(self, device: str, /) -> int: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __lt__(self, other: Size | float | str, /) -> bool: ...
    def __le__(self, other: Size | float | str, /) -> bool: ...
    def __gt__(self, other: Size | float | str, /) -> bool: ...
    def __ge__(self, other: Size | float | str, /) -> bool: ...
    @overload
    def __add__(self, other: Size | Literal[0], /) -> Size: ...
    @overload
    def __add__(self, other: int, /) -> int: ...
    @overload
    def __radd__(self, other: Literal[0], /) -> Size: ...  # type: ignore[misc]
    @overload
    def __radd__(self, other: int, /) -> int: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __format__(self, format: str, /) -> str: ...

@final
class Nodes:
    def __arrow_c_stream__(self, requested_schema: object = None, /) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Node]: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Node: ...
    @overload
    def __getitem__(self, key: slice, /) -> Nodes: ...
    def biggest(self, limit: _Limit = 20, *, progress: _Progress = None) -> Nodes: ...
    @property
    def json(self) -> str: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...

@final
class Edges:
    def __arrow_c_stream__(self, requested_schema: object = None, /) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Edge]: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Edge: ...
    @overload
    def __getitem__(self, key: slice, /) -> Edges: ...
    @property
    def json(self) -> str: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...

@final
class Roots:
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Root]: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Root: ...
    @overload
    def __getitem__(self, key: slice, /) -> Roots: ...
    @property
    def json(self) -> str: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...

class _Row(structseq[Any]):
    _fields: ClassVar[tuple[str, ...]]
    @property
    def json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _replace(self, **fields: Any) -> Self: ...

_R = TypeVar("_R", bound=tuple[Any, ...])

@disjoint_base
class Result(Sequence[_R]):
    def __class_getitem__(cls, item: Any, /) -> Any: ...
    @property
    def rows(self) -> tuple[_R, ...]: ...
    @property
    def json(self) -> str: ...
    @property
    def _row(self) -> type[_R]: ...
    def _repr_pretty_(self, printer: Any, cycle: bool, /) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object = None, /) -> object: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...
    def index(
        self, row: object, start: SupportsIndex = 0, stop: SupportsIndex = ..., /
    ) -> int: ...
    def count(self, row: object, /) -> int: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_R]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> NoReturn: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> _R: ...
    @overload
    def __getitem__(self, key: slice, /) -> Self: ...
    def _repr_html_(self) -> str: ...

@final
class Info(dict[str, Any]): ...

@final
class Drawing:
    @property
    def dot(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def json(self) -> str: ...
    @property
    def nodes(self) -> int: ...
    def save(self, path: _Path, *, format: str | None = None) -> str: ...
    def _repr_pretty_(self, printer: Any, cycle: bool, /) -> None: ...
    def _repr_html_(self) -> str | None: ...
    def _repr_svg_(self) -> str | None: ...
    def _repr_png_(self) -> bytes | None: ...

@final
class Path:
    @property
    def root(self) -> Root | None: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Hop]: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Hop: ...
    @overload
    def __getitem__(self, key: slice, /) -> Path | tuple[Hop, ...]: ...
    def __copy__(self) -> Path: ...
    def __deepcopy__(self, memo: Any, /) -> Path: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def json(self) -> str: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...

# generated by tools/questions.py: results

@final
class Top(Result[TopRow]):
    @property
    def group(self) -> Literal["object", "type", "module"]: ...
    @property
    def reachable(self) -> Size: ...
    @property
    def garbage(self) -> Size: ...
    @property
    def spent(self) -> int: ...
    @property
    def libraries(self) -> Size | None: ...
    @property
    def more(self) -> Size | None: ...

@final
class Types(Result[TypeRow]):
    @property
    def types(self) -> int: ...
    @property
    def objects(self) -> int: ...
    @property
    def size(self) -> Size: ...
    @property
    def spent(self) -> int: ...

@final
class Tensors(Result[TensorRow]):
    @property
    def group(
        self,
    ) -> Literal["place", "storage", "kind", "device", "dtype", "shape"]: ...
    @property
    def storages(self) -> int: ...
    @property
    def size(self) -> Size: ...
    @property
    def not_inspected(self) -> dict[str, str]: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...

@final
class Figures(Result[FigureRow]):
    @property
    def figures(self) -> int: ...
    @property
    def open(self) -> int: ...
    @property
    def closed(self) -> int: ...
    @property
    def own(self) -> int: ...
    @property
    def garbage(self) -> int: ...
    @property
    def canvas(self) -> int: ...
    @property
    def retained(self) -> Size: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...

@final
class Cycles(Result[Cycle]):
    @property
    def total(self) -> int: ...
    @property
    def leaks(self) -> int: ...
    @property
    def kinds(self) -> dict[str, int]: ...
    @property
    def known(self) -> int: ...
    @property
    def smaller(self) -> int: ...
    @property
    def snapshot(self) -> Snapshot: ...

@final
class Waste(Result[WasteRow]):
    @property
    def compared(self) -> bool: ...
    @property
    def total(self) -> Size: ...
    @property
    def libraries(self) -> Size: ...
    @property
    def library_objects(self) -> int: ...

@final
class Findings(Result[Finding]):
    @property
    def total(self) -> int: ...
    @property
    def known(self) -> int: ...

@final
class Threads(Result[ThreadRow]):
    @property
    def analysed(self) -> bool: ...

@final
class Native(Result[NativeRow]):
    @property
    def inspected(self) -> bool: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def total(self) -> Size: ...
    @property
    def lost(self) -> Size: ...
    @property
    def objects(self) -> Size: ...
    @property
    def cached(self) -> Size: ...
    @property
    def in_use(self) -> Size: ...

@final
class Allocations(Result[AllocationRow]):
    @property
    def traced(self) -> bool: ...
    @property
    def total(self) -> Size: ...

@final
class Search(Result[SearchRow]):
    @property
    def total(self) -> int: ...

@final
class Dominators(Result[DominatorRow]):
    @property
    def left_out(self) -> int: ...
    @property
    def reachable(self) -> Size: ...
    @property
    def garbage(self) -> Size: ...
    @property
    def snapshot(self) -> Snapshot: ...
    @property
    def components(self) -> int: ...
    @property
    def tops(self) -> Nodes: ...

@final
class MergedPaths(Result[MergedRow]):
    @property
    def objects(self) -> int: ...
    @property
    def unreachable(self) -> int: ...
    @property
    def retained(self) -> Size: ...
    @property
    def snapshot(self) -> Snapshot: ...
    @property
    def drawing(self) -> Drawing: ...
    def save(self, path: _Path, *, format: str | None = None) -> str: ...
    def _repr_svg_(self) -> str | None: ...

@final
class Accounting(Result[MemoryRow]):
    @property
    def host(self) -> dict[str, int | None]: ...
    @property
    def devices(self) -> tuple[Account, ...]: ...
    @property
    def not_inspected(self) -> dict[str, str]: ...

@final
class WhatIf(Result[Dying]):
    @property
    def references(self) -> int: ...
    @property
    def objects(self) -> int: ...
    @property
    def size(self) -> Size: ...
    @property
    def waiting(self) -> int: ...
    @property
    def waiting_size(self) -> Size: ...
    @property
    def listed(self) -> int: ...
    @property
    def listed_size(self) -> Size: ...
    @property
    def type_count(self) -> int: ...
    @property
    def kept_count(self) -> int: ...
    @property
    def kept(self) -> tuple[Survivor, ...]: ...
    @property
    def nodes(self) -> Nodes: ...

@final
class Growth(Result[GrowthRow]):
    @property
    def snapshots(self) -> int: ...
    @property
    def is_growing(self) -> bool: ...
    @property
    def needs_native(self) -> bool: ...
    @property
    def settled(self) -> int: ...
    @property
    def known(self) -> int: ...
    @property
    def elsewhere(self) -> int: ...
    @property
    def gained(self) -> int: ...
    @property
    def explained(self) -> int: ...
    @property
    def native_gained(self) -> int: ...
    @property
    def note(self) -> str | None: ...
    @property
    def unexplained(self) -> int | None: ...
    @property
    def unexplained_malloc(self) -> int | None: ...
    @property
    def unexplained_small(self) -> int | None: ...
    @property
    def check(
        self,
    ) -> dict[str, bool | int | tuple[tuple[int, str, str], ...]] | None: ...
    @property
    def accounts(self) -> tuple[GrowthAccount, ...]: ...
    @property
    def types(self) -> tuple[GrowthType, ...]: ...
    @property
    def steps(self) -> tuple[float, ...]: ...
    @property
    def areas(self) -> tuple[GrowthArea, ...]: ...
    @property
    def findings(self) -> tuple[GrowthTally, ...]: ...
    @property
    def cycles(self) -> tuple[GrowthTally, ...]: ...
    @property
    def tensors(self) -> tuple[GrowthTally, ...]: ...
    @property
    def figures(self) -> tuple[GrowthTally, ...]: ...
    @property
    def threads(self) -> tuple[GrowthTally, ...]: ...
    @property
    def drawing(self) -> Drawing: ...

@final
class Ranks(Result[RankRow]):
    @property
    def min_bytes(self) -> int: ...
    @property
    def libraries(self) -> Size: ...
    @property
    def repeated(self) -> tuple[RankRepeat, ...]: ...
    @property
    def ranks(self) -> tuple[Rank, ...]: ...
    def report(self, path: _Path, *, title: str | None = None) -> str: ...

# end of what is generated

@final
class Why:
    @property
    def snapshot(self) -> Snapshot: ...
    @property
    def node(self) -> Node: ...
    @property
    def nodes(self) -> Nodes: ...
    @property
    def merged(self) -> MergedPaths: ...
    @property
    def allocated(self) -> str: ...
    @property
    def path(self) -> Path | None: ...
    @property
    def frees(self) -> tuple[Hop, ...]: ...
    @property
    def cuts(self) -> tuple[Hop, ...]: ...
    @property
    def cut_count(self) -> int: ...
    @property
    def hint(self) -> str: ...
    @property
    def kept(self) -> Path | None: ...
    @property
    def paths(self) -> tuple[Path, ...]: ...
    @property
    def dominator(self) -> Node | None: ...
    @property
    def retained(self) -> Size: ...
    @property
    def spent(self) -> int: ...
    @property
    def json(self) -> str: ...
    @property
    def drawing(self) -> Drawing: ...
    def __iter__(self) -> Iterator[Reference]: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...
    def save(self, path: _Path, *, format: str | None = None) -> str: ...
    def _repr_pretty_(self, printer: Any, cycle: bool, /) -> None: ...
    def _repr_svg_(self) -> str | None: ...
    def _repr_html_(self) -> str: ...

@final
class Root(_Row, tuple[Node, _RootKind, str]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = ("node", "kind", "name")
    @property
    def node(self) -> Node: ...
    @property
    def kind(self) -> _RootKind: ...
    @property
    def name(self) -> str: ...

# generated by tools/questions.py: rows

@final
class TopRow(
    _Row,
    tuple[
        Size,
        int,
        float,
        Size,
        Node | None,
        str | None,
        str | None,
        str,
        Literal[
            "object",
            "container",
            "module",
            "type",
            "function",
            "frame",
            "tensor",
            "array",
            "figure",
            "root",
            "exception",
            "atom",
        ],
        int | None,
        str | None,
        int,
        str | None,
        tuple[TopPart, ...],
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "retained",
            "spent",
            "share",
            "size",
            "node",
            "type",
            "title",
            "module",
            "category",
            "refcount",
            "by",
            "count",
            "held_by",
            "parts",
        )
    @property
    def retained(self) -> Size: ...
    @property
    def spent(self) -> int: ...
    @property
    def share(self) -> float: ...
    @property
    def size(self) -> Size: ...
    @property
    def node(self) -> Node | None: ...
    @property
    def type(self) -> str | None: ...
    @property
    def title(self) -> str | None: ...
    @property
    def module(self) -> str: ...
    @property
    def category(
        self,
    ) -> Literal[
        "object",
        "container",
        "module",
        "type",
        "function",
        "frame",
        "tensor",
        "array",
        "figure",
        "root",
        "exception",
        "atom",
    ]: ...
    @property
    def refcount(self) -> int | None: ...
    @property
    def by(self) -> str | None: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def held_by(self) -> str | None: ...
    @property
    def parts(self) -> tuple[TopPart, ...]: ...

@final
class TypeRow(_Row, tuple[int, Size, int, str]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "count",
            "size",
            "spent",
            "type",
        )
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def size(self) -> Size: ...
    @property
    def spent(self) -> int: ...
    @property
    def type(self) -> str: ...

@final
class TensorRow(
    _Row,
    tuple[
        int,
        int,
        Size,
        str | None,
        Literal[
            "parameter",
            "buffer",
            "gradient",
            "optimizer state",
            "activation",
            "temporary",
            "other",
        ]
        | None,
        str | None,
        str | None,
        tuple[int, ...] | str | None,
        int,
        int,
        Node | None,
        str | None,
        str | None,
        Node | None,
        dict[str, int] | None,
        str | None,
        str | None,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "bytes",
            "storages",
            "size",
            "device",
            "kind",
            "autograd",
            "dtype",
            "shape",
            "used",
            "tensors",
            "node",
            "type",
            "title",
            "tensor",
            "block",
            "held_by",
            "allocation",
        )
    @property
    def bytes(self) -> int: ...
    @property
    def storages(self) -> int: ...
    @property
    def size(self) -> Size: ...
    @property
    def device(self) -> str | None: ...
    @property
    def kind(
        self,
    ) -> (
        Literal[
            "parameter",
            "buffer",
            "gradient",
            "optimizer state",
            "activation",
            "temporary",
            "other",
        ]
        | None
    ): ...
    @property
    def autograd(self) -> str | None: ...
    @property
    def dtype(self) -> str | None: ...
    @property
    def shape(self) -> tuple[int, ...] | str | None: ...
    @property
    def used(self) -> int: ...
    @property
    def tensors(self) -> int: ...
    @property
    def node(self) -> Node | None: ...
    @property
    def type(self) -> str | None: ...
    @property
    def title(self) -> str | None: ...
    @property
    def tensor(self) -> Node | None: ...
    @property
    def block(self) -> dict[str, int] | None: ...
    @property
    def held_by(self) -> str | None: ...
    @property
    def allocation(self) -> str | None: ...

@final
class FigureRow(
    _Row,
    tuple[
        Size,
        int,
        int | None,
        int,
        int,
        Node,
        str,
        str,
        int,
        int,
        bool,
        bool,
        str,
        tuple[
            tuple[
                Literal["pyplot", "animation", "callback", "variable", "native"],
                str | None,
            ],
            ...,
        ],
        int,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "retained",
            "canvas",
            "number",
            "axes",
            "artists",
            "node",
            "type",
            "title",
            "width",
            "height",
            "closed",
            "reachable",
            "held_by",
            "holders",
            "more_holders",
        )
    @property
    def retained(self) -> Size: ...
    @property
    def canvas(self) -> int: ...
    @property
    def number(self) -> int | None: ...
    @property
    def axes(self) -> int: ...
    @property
    def artists(self) -> int: ...
    @property
    def node(self) -> Node: ...
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    @property
    def reachable(self) -> bool: ...
    @property
    def held_by(self) -> str: ...
    @property
    def holders(
        self,
    ) -> tuple[
        tuple[
            Literal["pyplot", "animation", "callback", "variable", "native"], str | None
        ],
        ...,
    ]: ...
    @property
    def more_holders(self) -> int: ...

@final
class Cycle(
    _Row,
    tuple[
        Literal["collectable", "held", "uncollectable"],
        Literal["native", "untraversed", "frozen", "untracked"] | None,
        Node | None,
        str | None,
        Size,
        int,
        Node,
        str,
        tuple[Hop, ...],
        tuple[CycleCut, ...],
        int,
        bool,
        str | None,
        str,
        str | None,
        int,
        str,
        bool,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "kind",
            "reason",
            "culprit",
            "library",
            "retained",
            "objects",
            "node",
            "cycle",
            "hops",
            "cuts",
            "more",
            "more_least",
            "left",
            "advice",
            "held_by",
            "group",
            "key",
            "is_leak",
        )
    @property
    def kind(self) -> Literal["collectable", "held", "uncollectable"]: ...
    @property
    def reason(
        self,
    ) -> Literal["native", "untraversed", "frozen", "untracked"] | None: ...
    @property
    def culprit(self) -> Node | None: ...
    @property
    def library(self) -> str | None: ...
    @property
    def retained(self) -> Size: ...
    @property
    def objects(self) -> int: ...
    @property
    def node(self) -> Node: ...
    @property
    def cycle(self) -> str: ...
    @property
    def hops(self) -> tuple[Hop, ...]: ...
    @property
    def cuts(self) -> tuple[CycleCut, ...]: ...
    @property
    def more(self) -> int: ...
    @property
    def more_least(self) -> bool: ...
    @property
    def left(self) -> str | None: ...
    @property
    def advice(self) -> str: ...
    @property
    def held_by(self) -> str | None: ...
    @property
    def group(self) -> int: ...
    @property
    def key(self) -> str: ...
    @property
    def is_leak(self) -> bool: ...
    @property
    def nodes(self) -> Nodes: ...
    @property
    def edges(self) -> Edges: ...
    @property
    def types(self) -> tuple[TypeRow, ...]: ...
    @property
    def cut(self) -> CycleCut | None: ...
    @property
    def cut_edges(self) -> Edges: ...
    @property
    def path(self) -> Path | None: ...
    @property
    def drawing(self) -> Drawing: ...
    def _repr_svg_(self) -> str | None: ...

@final
class WasteRow(
    _Row,
    tuple[
        Size,
        Literal["equal", "view", "room", "slots", "records", "boxed"],
        str,
        int,
        Size,
        int,
        int,
        bool,
        Node,
        str,
        str,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "waste",
            "kind",
            "type",
            "count",
            "size",
            "used",
            "of",
            "at_most",
            "node",
            "title",
            "held_by",
        )
    @property
    def waste(self) -> Size: ...
    @property
    def kind(self) -> Literal["equal", "view", "room", "slots", "records", "boxed"]: ...
    @property
    def type(self) -> str: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def size(self) -> Size: ...
    @property
    def used(self) -> int: ...
    @property
    def of(self) -> int: ...
    @property
    def at_most(self) -> bool: ...
    @property
    def node(self) -> Node: ...
    @property
    def title(self) -> str: ...
    @property
    def held_by(self) -> str: ...

@final
class Finding(
    _Row,
    tuple[
        str,
        Node | None,
        Node | None,
        int,
        Size,
        Size,
        str,
        str,
        int,
        str,
        tuple[FindingHolder, ...],
        str,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "pattern",
            "holder",
            "example",
            "count",
            "retained",
            "freed",
            "cause",
            "fix",
            "alike",
            "held_by",
            "holders",
            "evidence",
        )
    @property
    def pattern(self) -> str: ...
    @property
    def holder(self) -> Node | None: ...
    @property
    def example(self) -> Node | None: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def retained(self) -> Size: ...
    @property
    def freed(self) -> Size: ...
    @property
    def cause(self) -> str: ...
    @property
    def fix(self) -> str: ...
    @property
    def alike(self) -> int: ...
    @property
    def held_by(self) -> str: ...
    @property
    def holders(self) -> tuple[FindingHolder, ...]: ...
    @property
    def evidence(self) -> str: ...

@final
class ThreadRow(
    _Row,
    tuple[
        int,
        Literal["thread", "frame", "suspended", "local"],
        str,
        Node,
        str,
        str,
        Size,
        Size | None,
        bool | None,
        int,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "depth",
            "kind",
            "name",
            "node",
            "type",
            "title",
            "size",
            "retained",
            "held_elsewhere",
            "repeats",
        )
    @property
    def depth(self) -> int: ...
    @property
    def kind(self) -> Literal["thread", "frame", "suspended", "local"]: ...
    @property
    def name(self) -> str: ...
    @property
    def node(self) -> Node: ...
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def size(self) -> Size: ...
    @property
    def retained(self) -> Size | None: ...
    @property
    def held_elsewhere(self) -> bool | None: ...
    @property
    def repeats(self) -> int: ...

@final
class NativeRow(
    _Row,
    tuple[
        Size,
        int,
        Literal[
            "objects", "shared", "variables", "stacks", "locals", "elsewhere", "lost"
        ],
        int,
        Node,
        str,
        str,
        str | None,
        Literal[
            "no pointer",
            "a lone word",
            "perhaps a pointer",
            "a possible pointer",
            "a pointer",
            "a field",
            "a variable",
            "a counted reference",
        ],
        str | None,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "bytes",
            "blocks",
            "holder",
            "count",
            "node",
            "title",
            "what",
            "library",
            "by",
            "held_by",
        )
    @property
    def bytes(self) -> Size: ...
    @property
    def blocks(self) -> int: ...
    @property
    def holder(
        self,
    ) -> Literal[
        "objects", "shared", "variables", "stacks", "locals", "elsewhere", "lost"
    ]: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def node(self) -> Node: ...
    @property
    def title(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def library(self) -> str | None: ...
    @property
    def by(
        self,
    ) -> Literal[
        "no pointer",
        "a lone word",
        "perhaps a pointer",
        "a possible pointer",
        "a pointer",
        "a field",
        "a variable",
        "a counted reference",
    ]: ...
    @property
    def held_by(self) -> str | None: ...

@final
class AllocationRow(
    _Row,
    tuple[Size, int, str | None, str | None, str | None, bool, Node | None, int, int],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "size",
            "count",
            "line",
            "frames",
            "held_by",
            "shared",
            "node",
            "depth",
            "others",
        )
    @property
    def size(self) -> Size: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def line(self) -> str | None: ...
    @property
    def frames(self) -> str | None: ...
    @property
    def held_by(self) -> str | None: ...
    @property
    def shared(self) -> bool: ...
    @property
    def node(self) -> Node | None: ...
    @property
    def depth(self) -> int: ...
    @property
    def others(self) -> int: ...

@final
class SearchRow(
    _Row,
    tuple[
        Size,
        Literal["object", "variable", "attribute", "key", "local", "type", "module"],
        str,
        bool,
        int,
        Node,
        str,
        str,
        str,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "retained",
            "kind",
            "name",
            "mine",
            "count",
            "node",
            "title",
            "type",
            "held_by",
        )
    @property
    def retained(self) -> Size: ...
    @property
    def kind(
        self,
    ) -> Literal[
        "object", "variable", "attribute", "key", "local", "type", "module"
    ]: ...
    @property
    def name(self) -> str: ...
    @property
    def mine(self) -> bool: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def node(self) -> Node: ...
    @property
    def title(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def held_by(self) -> str: ...

@final
class DominatorRow(
    _Row, tuple[Node, int, str, str, int, Node | None, str | None, Size]
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "node",
            "count",
            "type",
            "title",
            "depth",
            "dominator",
            "label",
            "retained",
        )
    @property
    def node(self) -> Node: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def depth(self) -> int: ...
    @property
    def dominator(self) -> Node | None: ...
    @property
    def label(self) -> str | None: ...
    @property
    def retained(self) -> Size: ...

@final
class MergedRow(
    _Row,
    tuple[
        int,
        str | None,
        str,
        Node | None,
        int,
        int,
        Size,
        Literal["objects", "passed", "rest"],
        int | None,
        str | None,
        str | None,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "depth",
            "label",
            "name",
            "node",
            "count",
            "objects",
            "retained",
            "kind",
            "parent",
            "root",
            "type",
        )
    @property
    def depth(self) -> int: ...
    @property
    def label(self) -> str | None: ...
    @property
    def name(self) -> str: ...
    @property
    def node(self) -> Node | None: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def objects(self) -> int: ...
    @property
    def retained(self) -> Size: ...
    @property
    def kind(self) -> Literal["objects", "passed", "rest"]: ...
    @property
    def parent(self) -> int | None: ...
    @property
    def root(self) -> str | None: ...
    @property
    def type(self) -> str | None: ...

@final
class MemoryRow(_Row, tuple[str, str, int | None]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "device",
            "name",
            "value",
        )
    @property
    def device(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int | None: ...

@final
class Dying(_Row, tuple[int, Size, str]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "count",
            "size",
            "type",
        )
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def size(self) -> Size: ...
    @property
    def type(self) -> str: ...

@final
class GrowthRow(
    _Row,
    tuple[
        str,
        str,
        Literal[
            "accumulates", "grows in place", "garbage piles up", "native", "settled"
        ],
        tuple[int, ...],
        tuple[Size, ...],
        int,
        float,
        float | None,
        str,
        Node | None,
        tuple[str, ...],
        str | None,
        str | None,
        str,
        str | None,
        bool,
        Literal["steady", "slowing", "in bursts", "late", "idle", "filling", "stopped"],
        int,
        bool,
        int | None,
        int | None,
        int | None,
        float | None,
        float | None,
        tuple[FindingHolder, ...],
        Size | None,
        int,
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "held_by",
            "type",
            "verdict",
            "counts",
            "bytes",
            "gained",
            "per_interval",
            "per_step",
            "place",
            "node",
            "other_holders",
            "finding",
            "reason",
            "text",
            "fix",
            "minor",
            "degree",
            "idle",
            "came_last",
            "limit",
            "filled",
            "at_limit",
            "lifetime",
            "observed",
            "holders",
            "freed",
            "lead",
        )
    @property
    def held_by(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def verdict(
        self,
    ) -> Literal[
        "accumulates", "grows in place", "garbage piles up", "native", "settled"
    ]: ...
    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def bytes(self) -> tuple[Size, ...]: ...
    @property
    def gained(self) -> int: ...
    @property
    def per_interval(self) -> float: ...
    @property
    def per_step(self) -> float | None: ...
    @property
    def place(self) -> str: ...
    @property
    def node(self) -> Node | None: ...
    @property
    def other_holders(self) -> tuple[str, ...]: ...
    @property
    def finding(self) -> str | None: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def text(self) -> str: ...
    @property
    def fix(self) -> str | None: ...
    @property
    def minor(self) -> bool: ...
    @property
    def degree(
        self,
    ) -> Literal[
        "steady", "slowing", "in bursts", "late", "idle", "filling", "stopped"
    ]: ...
    @property
    def idle(self) -> int: ...
    @property
    def came_last(self) -> bool: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def filled(self) -> int | None: ...
    @property
    def at_limit(self) -> int | None: ...
    @property
    def lifetime(self) -> float | None: ...
    @property
    def observed(self) -> float | None: ...
    @property
    def holders(self) -> tuple[FindingHolder, ...]: ...
    @property
    def freed(self) -> Size | None: ...
    @property
    def lead(self) -> int: ...

@final
class RankRow(
    _Row, tuple[int, str, int, int, tuple[int, ...], tuple[Size, ...], str, str, str]
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "apart",
            "rank",
            "usual",
            "others",
            "counts",
            "bytes",
            "type",
            "held_by",
            "place",
        )
    @property
    def apart(self) -> int: ...
    @property
    def rank(self) -> str: ...
    @property
    def usual(self) -> int: ...
    @property
    def others(self) -> int: ...
    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def bytes(self) -> tuple[Size, ...]: ...
    @property
    def type(self) -> str: ...
    @property
    def held_by(self) -> str: ...
    @property
    def place(self) -> str: ...

@final
class TopPart(_Row, tuple[int, Node, str, str, int, Size, str]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "depth",
            "node",
            "type",
            "title",
            "count",
            "retained",
            "held_by",
        )
    @property
    def depth(self) -> int: ...
    @property
    def node(self) -> Node: ...
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def retained(self) -> Size: ...
    @property
    def held_by(self) -> str: ...

@final
class Hop(_Row, tuple[str, Node, Node, str]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "label",
            "source",
            "target",
            "reason",
        )
    @property
    def label(self) -> str: ...
    @property
    def source(self) -> Node: ...
    @property
    def target(self) -> Node: ...
    @property
    def reason(self) -> str: ...

@final
class CycleCut(_Row, tuple[str, Node, Node, str, int]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "label",
            "source",
            "target",
            "reason",
            "alike",
        )
    @property
    def label(self) -> str: ...
    @property
    def source(self) -> Node: ...
    @property
    def target(self) -> Node: ...
    @property
    def reason(self) -> str: ...
    @property
    def alike(self) -> int: ...

@final
class FindingHolder(_Row, tuple[str, Node | None, str, Node | None, int, Size]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "pattern",
            "holder",
            "held_by",
            "example",
            "count",
            "alone",
        )
    @property
    def pattern(self) -> str: ...
    @property
    def holder(self) -> Node | None: ...
    @property
    def held_by(self) -> str: ...
    @property
    def example(self) -> Node | None: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def alone(self) -> Size: ...

@final
class AccountStack(_Row, tuple[int, int, str, str]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "bytes",
            "blocks",
            "evidence",
            "frames",
        )
    @property
    def bytes(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def evidence(self) -> str: ...
    @property
    def frames(self) -> str: ...

@final
class Account(
    _Row,
    tuple[
        str,
        bool,
        int,
        int,
        int,
        int,
        int,
        int,
        int,
        int,
        int,
        int,
        int,
        int,
        int,
        int | None,
        int | None,
        int | None,
        int | None,
        dict[str, int],
        dict[str, dict[str, int]],
        tuple[AccountStack, ...],
    ],
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "device",
            "known",
            "reserved",
            "allocated",
            "pending",
            "inactive",
            "private_inactive",
            "attributed",
            "used",
            "rounding",
            "slack",
            "unattributed",
            "outside",
            "stale",
            "residual",
            "beyond",
            "process",
            "peak_allocated",
            "peak_reserved",
            "by_kind",
            "by_evidence",
            "stacks",
        )
    @property
    def device(self) -> str: ...
    @property
    def known(self) -> bool: ...
    @property
    def reserved(self) -> int: ...
    @property
    def allocated(self) -> int: ...
    @property
    def pending(self) -> int: ...
    @property
    def inactive(self) -> int: ...
    @property
    def private_inactive(self) -> int: ...
    @property
    def attributed(self) -> int: ...
    @property
    def used(self) -> int: ...
    @property
    def rounding(self) -> int: ...
    @property
    def slack(self) -> int: ...
    @property
    def unattributed(self) -> int: ...
    @property
    def outside(self) -> int: ...
    @property
    def stale(self) -> int: ...
    @property
    def residual(self) -> int: ...
    @property
    def beyond(self) -> int | None: ...
    @property
    def process(self) -> int | None: ...
    @property
    def peak_allocated(self) -> int | None: ...
    @property
    def peak_reserved(self) -> int | None: ...
    @property
    def by_kind(self) -> dict[str, int]: ...
    @property
    def by_evidence(self) -> dict[str, dict[str, int]]: ...
    @property
    def stacks(self) -> tuple[AccountStack, ...]: ...

@final
class Survivor(_Row, tuple[Node, str, str, int, bool, Size, str, str | None, int]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "node",
            "type",
            "title",
            "count",
            "is_target",
            "retained",
            "held_by",
            "cut",
            "cut_count",
        )
    @property
    def node(self) -> Node: ...
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def count(self) -> int: ...  # type: ignore[override]
    @property
    def is_target(self) -> bool: ...
    @property
    def retained(self) -> Size: ...
    @property
    def held_by(self) -> str: ...
    @property
    def cut(self) -> str | None: ...
    @property
    def cut_count(self) -> int: ...

@final
class GrowthAccount(_Row, tuple[str, tuple[int, ...], int]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "name",
            "bytes",
            "gained",
        )
    @property
    def name(self) -> str: ...
    @property
    def bytes(self) -> tuple[int, ...]: ...
    @property
    def gained(self) -> int: ...

@final
class GrowthType(_Row, tuple[str, tuple[int, ...], tuple[Size, ...], int]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "name",
            "counts",
            "bytes",
            "gained",
        )
    @property
    def name(self) -> str: ...
    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def bytes(self) -> tuple[Size, ...]: ...
    @property
    def gained(self) -> int: ...

@final
class GrowthArea(_Row, tuple[str, int | None, tuple[int, ...]]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "kind",
            "row",
            "bytes",
        )
    @property
    def kind(self) -> str: ...
    @property
    def row(self) -> int | None: ...
    @property
    def bytes(self) -> tuple[int, ...]: ...

@final
class GrowthTally(
    _Row, tuple[str, str, str, tuple[int, ...], tuple[Size, ...], int, bool, bool]
):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "name",
            "detail",
            "held_by",
            "counts",
            "bytes",
            "gained",
            "is_new",
            "is_growing",
        )
    @property
    def name(self) -> str: ...
    @property
    def detail(self) -> str: ...
    @property
    def held_by(self) -> str: ...
    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def bytes(self) -> tuple[Size, ...]: ...
    @property
    def gained(self) -> int: ...
    @property
    def is_new(self) -> bool: ...
    @property
    def is_growing(self) -> bool: ...

@final
class RankRepeat(_Row, tuple[Size, Size, str, str]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "each",
            "together",
            "type",
            "held_by",
        )
    @property
    def each(self) -> Size: ...
    @property
    def together(self) -> Size: ...
    @property
    def type(self) -> str: ...
    @property
    def held_by(self) -> str: ...

@final
class Rank(_Row, tuple[str, Size, int | None, int | None]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "name",
            "objects",
            "rss",
            "unexplained",
        )
    @property
    def name(self) -> str: ...
    @property
    def objects(self) -> Size: ...
    @property
    def rss(self) -> int | None: ...
    @property
    def unexplained(self) -> int | None: ...

# end of what is generated

@final
class CaptureInfo(_Row, tuple[int, int, float, int, str, str, float]):
    if sys.version_info >= (3, 10):
        __match_args__: Final = (
            "nodes",
            "edges",
            "seconds",
            "bytes",
            "path",
            "method",
            "pause",
        )
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def bytes(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def pause(self) -> float: ...
