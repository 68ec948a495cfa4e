"""leakgraph.objgraph has the functions of objgraph 3.6, and they say the same."""

from __future__ import annotations

import gc
import inspect
import io
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from leakgraph import _core, objgraph
from leakgraph.objgraph_drawing import Graph
from leakgraph.objgraph_labels import edge_label, obj_label, short_repr
from leakgraph.objgraph_search import Referrers

pytestmark = pytest.mark.ends

SHOW = (
    "objs max_depth=3 extra_ignore=() filter=None too_many=10 highlight=None "
    "filename=None extra_info=None refcounts=False shortnames=True output=None "
    "extra_node_attrs=None"
)
FIND = "obj predicate max_depth=20 extra_ignore=()"
SIGNATURES = {
    "count": "typename objects=None",
    "typestats": "objects=None shortnames=True filter=None",
    "most_common_types": "limit=10 objects=None shortnames=True filter=None",
    "show_most_common_types": (
        "limit=10 objects=None shortnames=True file=None filter=None"
    ),
    "growth": "limit=10 peak_stats={} shortnames=True filter=None",
    "show_growth": "limit=10 peak_stats=None shortnames=True file=None filter=None",
    "get_new_ids": (
        "skip_update=False limit=10 sortby='deltas' shortnames=None file=None _state={}"
    ),
    "get_leaking_objects": "objects=None",
    "by_type": "typename objects=None",
    "at": "addr",
    "at_addrs": "address_set",
    "find_ref_chain": FIND,
    "find_backref_chain": FIND,
    "show_backrefs": SHOW,
    "show_refs": SHOW,
    "show_chain": "*chains **kw",
    "is_proper_module": "obj",
}


class Waiter:
    pass


class ChainLink:
    def __init__(self, held: object) -> None:
        self.held = held


def chain_of(length: int) -> ChainLink:
    link = ChainLink(Waiter())
    for _ in range(length - 1):
        link = ChainLink(link)
    return link


KEPT = chain_of(12)


def end_of_chain() -> object:
    held: object = KEPT
    while isinstance(held, ChainLink):
        held = held.held
    return held


def described(function: Any) -> str:
    parameters = inspect.signature(function).parameters.values()
    return " ".join(
        {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        + p.name
        + ("" if p.default is p.empty else f"={p.default!r}")
        for p in parameters
    )


@pytest.mark.once
def test_signatures() -> None:
    # The two dicts that calls fill are empty when a program begins.
    for state in (objgraph.growth, objgraph.get_new_ids):
        next(d for d in reversed(state.__defaults__) if isinstance(d, dict)).clear()
    found = {name: described(getattr(objgraph, name)) for name in objgraph.__all__}
    assert found == SIGNATURES


def test_counts_by_the_name_of_the_type() -> None:
    things = [Waiter(), Waiter(), type("Waiter", (), {"__module__": "other"})()]
    assert objgraph.count("Waiter", things) == 3
    assert objgraph.count("other.Waiter", things) == 1
    assert objgraph.by_type(f"{__name__}.Waiter", things) == things[:2]
    assert objgraph.typestats(things) == {"Waiter": 3}
    assert objgraph.typestats(things, False)["other.Waiter"] == 1
    assert objgraph.typestats(things, filter=lambda one: one is things[0]) == {
        "Waiter": 1
    }
    assert objgraph.count("ChainLink") == 12
    assert objgraph.most_common_types(1, [1, "a", "b"]) == [("str", 2)]


def test_tables() -> None:
    out = io.StringIO()
    objgraph.show_most_common_types(objects=[1, 2, "a"], file=out)
    objgraph.show_growth(
        1,
        {"ChainLink": 2, "Waiter": 9**9},
        file=out,
        filter=lambda o: type(o) is ChainLink,
    )
    assert out.getvalue() == "int 2\nstr 1\nChainLink       12       +10\n"


def test_new_ids() -> None:
    state: dict[str, Any] = {}
    out = io.StringIO()
    objgraph.get_new_ids(limit=0, _state=state)
    more = [Waiter() for _ in range(3)]
    found = objgraph.get_new_ids(limit=None, file=out, _state=state)
    assert found["Waiter"] == {id(one) for one in more}
    row = next(one for one in out.getvalue().splitlines() if one.startswith("Waiter "))
    assert row.split()[3:] == ["+3", "+3"]
    assert objgraph.get_new_ids(skip_update=True, _state=state) is found
    assert {*objgraph.at_addrs(found["Waiter"])} == {*more}
    assert objgraph.at(id(more[1])) is more[1]
    assert objgraph.at(1) is None


def test_leaking_objects() -> None:
    held = Waiter()
    holder = [held]
    assert objgraph.get_leaking_objects([held, holder]) == [holder]


def search_chains() -> None:
    end = end_of_chain()
    chain = objgraph.find_backref_chain(end, objgraph.is_proper_module, 40)
    assert chain[0] is sys.modules[__name__] and chain[-1] is end
    links = [one for one in chain if isinstance(one, ChainLink)]
    assert len(links) == 12
    forward = objgraph.find_ref_chain(KEPT, lambda one: one is end, max_depth=40)
    assert forward[0] is KEPT and forward[-1] is end
    assert objgraph.find_ref_chain(KEPT, lambda one: one is end, 3) == [KEPT]
    assert objgraph.find_backref_chain(end, lambda one: False, 2) == [end]
    around = objgraph.find_ref_chain(
        [KEPT], lambda one: one is end, 40, extra_ignore=[id(KEPT)]
    )
    assert around == [[KEPT]]


def test_chains() -> None:
    """Run alone: a search here would visit all that other tests have left."""
    code = "import sys; sys.path.insert(0, sys.argv[1])"
    code += "; import test_objgraph; test_objgraph.search_chains()"
    folder = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", code, folder], check=True)


def without_frames(objs: list[object]) -> list[int]:
    return [id(one) for one in objs if not isinstance(one, types.FrameType)]


def test_many_are_looked_for_at_once_as_each_by_the_collector() -> None:
    held, other = Waiter(), Waiter()
    holders = [[held, held], {"x": held}, (held, [other]), ChainLink(held)]
    name = f"of {len(holders)}"
    named = [name]
    asked = [held, other, holders, name, held]
    expected = [without_frames(gc.get_referrers(one)) for one in asked]
    referrers = Referrers()
    newer = asked[:]
    referrers.prepare(newer)
    assert [without_frames(referrers.of(one)) for one in asked] == expected
    assert len(expected[0]) == len(holders) + 1
    assert {*expected[3]} == {id(named), id(asked)}
    assert without_frames(referrers.of(newer)) == []


def test_a_search_passes_over_the_heap_once_for_each_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The numbers of objects at the same distance, and of new ones, do not matter."""
    passes: list[int] = []
    referrers_of = _core._referrers

    def counted(objects: list[Any], targets: list[Any]) -> list[list[Any]]:
        passes.append(len(targets))
        return referrers_of(objects, targets)

    monkeypatch.setattr(_core, "_referrers", counted)
    held = Waiter()
    holders = [ChainLink([held, n]) for n in range(1000)]
    made: list[object] = []
    assert objgraph.find_backref_chain(
        held, lambda one: made.append([one]), 3, [id(made)]
    ) == [held]
    assert len(passes) == 3 and passes[0] == 1 and passes[1] >= 1000
    del passes[:]
    objgraph.show_backrefs(held, output=io.StringIO(), too_many=2000)
    assert len(passes) == 3 and len(holders) == 1000


def test_referrers_of_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="list"):
        _core._referrers([], ())  # type: ignore[arg-type]
    assert _core._referrers([1, "a", int, [2]], []) == []


def test_drawings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = ChainLink([Waiter() for _ in range(4)])
    out = io.StringIO()
    objgraph.show_refs(
        link, output=out, too_many=2, refcounts=True, extra_info=lambda o: "more"
    )
    dot = out.getvalue()
    assert "2 more references" in dot
    assert dot.count('more"];') >= 3 and dot.endswith("}\n")
    name = str(tmp_path / "chain.svg")
    chain = objgraph.find_ref_chain(link, lambda one: isinstance(one, Waiter))
    assert objgraph.show_chain(chain, backrefs=False, filename=name) is None
    said = capsys.readouterr().out
    assert f"({len(chain)} nodes)" in said and f"Image generated as {name}" in said
    assert "<svg" in Path(name).read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="not both"):
        objgraph.show_refs(link, filename=name, output=out)


def test_backrefs_of_live_objects() -> None:
    out = io.StringIO()
    objgraph.show_backrefs(
        [end_of_chain()], output=out, highlight=lambda o: type(o) is ChainLink
    )
    dot = out.getvalue()
    assert 'label="ChainLink\\n' in dot
    assert '[fillcolor="0.6,0.6,' in dot


def test_words() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError

    assert short_repr(Broken()) == "(unrepresentable)"
    assert short_repr([1, 2]) == "2 items"
    assert short_repr(KEPT.__class__.__init__.__get__(KEPT)) == "__init__ (bound)"
    assert short_repr(lambda: 0).startswith("lambda: test_objgraph.py:")
    assert edge_label({"a b": KEPT}, KEPT) == " [label=\"str\\n'a b'\"]"
    assert obj_label('"\n') == "str\\n'\\\"\\\\n'"


def test_a_lone_surrogate_in_a_note(tmp_path: Path) -> None:
    file = tmp_path / "x.dot"
    objgraph.show_refs([[]], filename=str(file), extra_info=lambda it: "a\ud800")
    assert "a\\ud800" in file.read_text(encoding="utf-8")
    assert "<svg" in Graph('digraph { a [label="a\ud800"]; }')._repr_svg_()
