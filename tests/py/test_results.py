"""Results share an interface: rows, slices, texts, JSON, dicts, frames, pickles."""

import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import leakgraph

pytestmark = pytest.mark.ends

ALLOCATOR = Path(__file__).parents[1] / "fixtures" / "allocator" / "plain.json"

KINDS = [
    "top",
    "types",
    "top_of_types",
    "merged",
    "dominators",
    "threads",
    "cycles",
]


@pytest.fixture(scope="module")
def graph(held):
    return leakgraph.snapshot()


@pytest.fixture(params=KINDS)
def result(request, graph):
    makers = {
        "top": lambda: graph.top(),
        "types": lambda: graph.types(limit=9),
        "top_of_types": lambda: graph.top(9, group="type"),
        "dominators": lambda: graph.dominators(),
        "threads": lambda: graph.threads(),
        "cycles": lambda: graph.cycles(min_bytes=0, limit=9),
        "merged": lambda: graph.merged_paths("type:function"),
    }
    return makers[request.param]()


def test_it_is_a_sequence_of_named_tuples(result):
    assert isinstance(result, Sequence)
    assert isinstance(result, leakgraph.Result)
    assert list(result) == list(result.rows)
    row = result[0]
    assert isinstance(row, tuple)
    assert row._fields == tuple(row._asdict())
    assert tuple(row._asdict().values()) == row
    assert [getattr(row, name) for name in row._fields] == list(row)
    assert result.index(row) == 0
    assert result.count(row) == 1
    assert row in result
    with pytest.raises(IndexError):
        result[len(result)]


def test_results_are_equal_if_their_rows_are(result):
    assert result == result[:] and hash(result) == hash(result[:])
    assert result != result[1:] and result != result.rows and result[1:1] != 0
    with pytest.raises(TypeError):
        sorted([result, result[:]])


def test_a_row_with_another_value(result):
    row, name = result[0], result[0]._fields[-1]
    other = row._replace(**{name: "other"})
    assert type(other) is type(row) and getattr(other, name) == "other"
    assert other[:-1] == row[:-1] and row._replace() == row
    with pytest.raises(TypeError, match="no field 'nothing'"):
        row._replace(nothing=1)
    with pytest.raises(TypeError):
        row._replace(1)


def test_only_rows_pickle(result):
    with pytest.raises(TypeError, match="pickle its rows"):
        pickle.dumps(result)


def test_slices_keep_their_type_and_say_what_they_have(result):
    part = result[1:3]
    assert type(part) is type(result)
    assert part.rows == result.rows[1:3]
    assert type(part[::-1]) is type(result)
    assert part[::-1].rows == result.rows[2:0:-1]
    (parsed,) = (x for x in json.loads(part.json).values() if isinstance(x, list))
    assert len(parsed) == len(part) > 0
    assert len(result[len(result) :]) == 0
    assert str(part)
    rows = part._repr_html_().count("<tr>")
    assert rows in (0, len(part) + 1)  # includes the heading


def test_a_slice_of_accounts_shows_its_rows(graph):
    part = graph.memory()[:2]
    heads, *rows = repr(part).splitlines()
    assert heads.split() == ["device", "name", "value"]
    assert [row.split() for row in rows] == [
        [row.device, row.name, str(row.value)] for row in part
    ]
    assert part._repr_html_().count("<tr>") == 3


def test_a_slice_outlives_its_result(graph):
    part = graph.top()[1:]
    assert str(part).count("\n") == len(part) + 3
    assert part.json


def test_texts(result):
    count = len(result)
    assert repr(result[:1]) == str(result[:1]).rstrip("\n")
    shown = repr(result).split("\n... print() shows")[0]
    assert str(result).startswith(shown) and shown.count("\n") < 60
    # The text of all threads joins suspended frames that are alike.
    assert str(result[:9]).count("\n") >= min(count, 9)
    assert json.loads(result.json)


def test_dicts_are_plain(result):
    dicts = result.to_dicts()
    assert json.loads(json.dumps(dicts)) == [
        {key: list(x) if isinstance(x, tuple) else x for key, x in row.items()}
        for row in dicts
    ]
    for row, plain in zip(result, dicts):
        assert list(plain) == list(row._fields)
        node = getattr(row, "node", None)
        assert plain.get("node") == (node and node.index)


def plain_as_json(value):
    """Return the value as its JSON reads back."""
    return json.loads(json.dumps(value))


def test_a_row_is_plain_alone(result):
    dicts = result.to_dicts()
    assert [row.to_dict() for row in result] == dicts
    assert [json.loads(row.json) for row in result] == plain_as_json(dicts)
    other = result[0]._replace(**{result[0]._fields[-1]: "other"})
    assert json.loads(other.json)[other._fields[-1]] == "other"


def values(plain):
    """Return the values of a row's dict as json.dumps has those of the row."""
    if isinstance(plain, dict):
        if {"host"} <= {*plain} and all(isinstance(x, int) for x in plain.values()):
            return sum(plain.values())
        return [values(value) for value in plain.values()]
    return [values(x) for x in plain] if isinstance(plain, (list, tuple)) else plain


def test_json_writes_the_node_of_every_row_as_its_index(result):
    for row in result:
        said = json.loads(json.dumps(row, default=int))
        assert said == [values(value) for value in row.to_dict().values()]


def test_the_number_of_a_node_is_its_index(graph):
    assert [int(node) for node in graph.nodes[:3]] == [0, 1, 2]
    with pytest.raises(TypeError):
        [1, 2][graph.nodes[0]]


def test_a_cycle_says_what_it_is_without_its_answer(held):
    held.me = held
    cycle = leakgraph.cycles(min_bytes=0, kind="held", limit=1)[0]
    said = json.loads(cycle.json)
    assert said == plain_as_json(cycle.to_dict())
    assert list(said) == list(cycle._fields)
    assert said["node"] == cycle.node.index
    assert said["retained"] == dict(cycle.retained)
    assert [hop["label"] for hop in said["hops"]] == [hop.label for hop in cycle.hops]
    assert pickle.loads(pickle.dumps(cycle)).json == cycle.json
    del held.me


def test_all_named_tuples_are_plain_alone():
    tuples = [
        value
        for value in vars(leakgraph).values()
        if isinstance(value, type) and hasattr(value, "_fields")
    ]
    assert len(tuples) > 20
    for kind in tuples:
        row = kind([None] * kind.n_fields) if hasattr(kind, "n_fields") else None
        assert callable(kind.to_dict) and isinstance(kind.json.__doc__, str)
        if row is not None:
            assert json.loads(row.json) == row.to_dict() == dict.fromkeys(kind._fields)


def test_nodes_and_edges_are_plain_alone(graph):
    nodes, edges = graph.nodes[5:8], graph.edges[5:8]
    for several in (nodes, edges, graph.roots[:2]):
        assert [one.to_dict() for one in several] == several.to_dicts()
        assert [json.loads(one.json) for one in several] == several.to_dicts()


def test_values_of_json():
    write = leakgraph._core._json
    for value in (
        {"a": [1, (), None, True, False, {}], "b": {"c": 0.1}},
        [-(2**63), 2**64 - 1, 1e300, -0.5],
        'line\n"\\ \t \x01 \u00e9 \U0001f600',
    ):
        assert json.loads(write(value)) == plain_as_json(value)
    assert write([float("nan"), float("inf")]) == "[null, null]\n"
    assert json.loads(write({1: "\udcff"})) == {"1": "\ufffd" * 3}
    for number in (2**64, -(2**63) - 1):
        with pytest.raises(OverflowError):
            write([number])
    with pytest.raises(TypeError, match="JSON has no object"):
        write({"a": object()})
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="too deep"):
        write(endless)


def test_roots_are_plain_too(graph):
    roots = graph.roots
    dicts = roots.to_dicts()
    assert len(dicts) == len(roots) > 0
    assert dicts[0] == {
        "node": roots[0].node.index,
        "kind": roots[0].kind,
        "name": roots[0].name,
    }
    assert json.loads(roots.json) == {"rows": dicts}
    assert roots[1:3].to_dicts() == dicts[1:3]


@pytest.mark.libraries
def test_a_frame_of_roots(graph):
    frame = graph.roots.to_pandas()
    assert list(frame.columns) == ["node", "kind", "name"]
    assert frame.to_dict("records") == graph.roots.to_dicts()
    assert list(graph.roots[:0].to_pandas().columns) == ["node", "kind", "name"]


@pytest.mark.libraries
def test_whole_numbers_with_gaps_stay_whole_in_a_frame():
    pandas = pytest.importorskip("pandas")
    held = [[bytearray(20_000_000)]]
    dominators = leakgraph.snapshot().dominators()
    assert len(held) == 1
    indexes = [row.dominator and row.dominator.index for row in dominators]
    assert None in indexes and any(indexes)
    frame = dominators.to_pandas()
    assert (str(frame["dominator"].dtype), str(frame["depth"].dtype)) == (
        "Int64",
        "int64",
    )
    assert frame["dominator"].astype(object).tolist() == [
        pandas.NA if each is None else each for each in indexes
    ]


def test_rows_and_json_say_the_same(graph):
    top = graph.top(20)
    for row, parsed in zip(top, json.loads(top.json)["rows"]):
        assert row.node.index == parsed["node"]
        assert (row.title, row.held_by) == (parsed["title"], parsed["held_by"])
        assert (row.retained, row.size) == (parsed["retained"], parsed["size"])
        assert str(row.retained) in str(top)


def test_nodes_pickle_by_the_file_of_their_snapshot(tmp_path, graph):
    snapshot = leakgraph.snapshot()
    assert snapshot.path is None
    with pytest.raises(leakgraph.Error, match=r"never saved: call Snapshot.save\(\)"):
        pickle.dumps(snapshot.node(1))
    rows = snapshot.top().rows
    assert copy.deepcopy(rows) == rows
    assert copy.copy(rows[0].node) is rows[0].node
    path = snapshot.save(os.path.relpath(tmp_path / "a.lgs"))
    assert snapshot.path == str(tmp_path / "a.lgs")
    assert leakgraph.load(path).path == snapshot.path
    read = pickle.loads(pickle.dumps(rows))
    assert [type(row) for row in read] == [leakgraph.TopRow] * len(rows)
    assert len({row.node.snapshot for row in read}) == 1
    for row, before in zip(read, rows):
        assert (row.node.index, row.node.label) == (before.node.index, before.title)
        assert row.retained == before.retained
    os.unlink(path)
    del read, row
    with pytest.raises(FileNotFoundError):
        pickle.loads(pickle.dumps(rows))


def test_rows_unpickle_in_another_process(tmp_path):
    snapshot = leakgraph.snapshot()
    snapshot.save(tmp_path / "a.lgs")
    row = snapshot.top(1)[0]
    code = (
        "import pickle, sys; row = pickle.load(sys.stdin.buffer);"
        "print(row.node.index, row.node.label == row.title, row.retained.total)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(row),
        cwd="/",
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.split() == [
        str(row.node.index).encode(),
        b"True",
        str(row.retained.total).encode(),
    ]


@pytest.mark.libraries
def test_pandas(graph):
    pandas = pytest.importorskip("pandas")
    top = graph.top()
    frame = pandas.DataFrame(top)
    assert list(frame.columns) == list(top[0]._fields)
    assert list(frame["retained"]) == [row.retained for row in top]
    assert frame.sort_values("retained")["title"].iloc[-1] == top[0].title
    plain = top.to_pandas()
    assert list(plain["retained"]) == [row.retained.total for row in top]
    assert list(plain["node"]) == [row.node.index for row in top]
    empty = top[:0].to_pandas()
    assert list(empty.columns) == list(top[0]._fields)
    assert len(empty) == 0 and set(map(str, empty.dtypes)) == {"object"}


@pytest.fixture(scope="module")
def chain(held, tmp_path_factory):
    """A saved snapshot of a short chain, and the same file loaded."""
    taken = leakgraph.snapshot()
    path = taken.save(tmp_path_factory.mktemp("chain") / "chain.lgs")
    return taken, leakgraph.load(path), held


def test_a_node_is_equal_to_that_of_its_file(chain, tmp_path):
    taken, loaded, held = chain
    node = taken.find(held)
    copied = pickle.loads(pickle.dumps(node))
    assert copied.snapshot is not taken
    assert node == copied == loaded.node(node.index) != loaded.node(node.index + 1)
    assert len({node, copied, loaded.node(node.index)}) == 1
    edge = node.referents()[0]
    assert edge == pickle.loads(pickle.dumps(edge)) == loaded.edges[edge.index]
    other = leakgraph.snapshot()
    for _ in range(2):
        again = leakgraph.load(other.save(tmp_path / "other.lgs"))
        assert other.node(7) == again.node(7) != node != loaded.node(7)
        # Another file of that name has other nodes.
        other = leakgraph.snapshot()
        other.save(tmp_path / "other.lgs")
        assert other.node(7) != again.node(7)


def test_edges_pickle_as_their_ends_see_them(chain):
    taken, _, held = chain
    for edges in (taken.find(held).referents(), taken.find(held).referrers()):
        edge = edges[0]
        read = pickle.loads(pickle.dumps(edge))
        assert read == edge and hash(read) == hash(edge)
        assert (read.node, read.label) == (edge.node, edge.label)
        assert copy.copy(edge) is copy.deepcopy(edge) is edge
    with pytest.raises(leakgraph.Error, match=r"never saved: call Snapshot.save\(\)"):
        pickle.dumps(leakgraph.snapshot().edges[0])
    with pytest.raises(leakgraph.NotFoundError, match="no such edge"):
        leakgraph._core._edge(taken, len(taken.edges), False)


def test_nodes_of_answers_are_equal_after_a_pickle(held):
    why = leakgraph.why(held.losses)
    node, path = pickle.loads(pickle.dumps((why.node, why.path)))
    assert node == why.node and hash(node) == hash(why.node)
    assert node.snapshot is not why.snapshot
    assert path == why.path and hash(path) == hash(why.path)
    assert (str(path), path.root) == (str(why.path), why.path.root)
    assert node != leakgraph.why(held).node


def test_a_slice_of_a_path_is_a_path(chain):
    taken, _, held = chain
    path = taken.why(held.losses).path
    text, labels = str(path), path.labels
    first, rest = path[:-1], path[1:]
    assert type(first) is type(rest) is leakgraph.Path
    assert text == str(first) + labels[-1] == str(path[:])
    assert first.root == path.root and rest.root is None
    assert (*first, path[-1]) == tuple(path)
    assert str(path[-1:]) == path[-1].source.label + labels[-1]
    assert path[:] == path != first and path[::-1] == tuple(path)[::-1]
    assert len(path[:0]) == 0 and text.startswith(str(path[:0]))
    assert str(path[len(path) :]) == path[-1].target.label
    assert copy.copy(path) is copy.deepcopy(path) is path
    with leakgraph.load(taken.path) as other:
        late = other.why(other.node(taken.find(held.losses).index)).path
    assert str(late[1:]) == "..." + "".join(labels[1:]) and late.labels == labels
    with pytest.raises(leakgraph.ArgumentError, match="no path"):
        leakgraph._core._path(None, (1,), "", "")


@pytest.mark.libraries
def test_what_has_no_table_is_plain_too(chain):
    pandas = pytest.importorskip("pandas")
    taken, _, held = chain
    node = taken.find(held)
    why = taken.why(held.losses)
    for result, fields in (
        (taken.select("type:module")[:3], ["node", "address", "size", "type"]),
        (node.referents(), ["source", "target", "kind", "label", "weak"]),
        (node.referrers(), ["source", "target", "kind", "label", "weak"]),
        (why.path, ["label", "source", "target", "reason"]),
        (why, ["path", "label", "source", "target", "type", "size", "retained"]),
    ):
        dicts, frame = result.to_dicts(), result.to_pandas()
        assert fields == [name for name in frame if name in fields]
        assert list(frame.columns) == list(dicts[0])
        assert len(frame) == len(dicts) == len(list(result)) > 0
        if result is not why:
            assert json.loads(result.json) == {"rows": dicts}
    assert taken.nodes[5:6].to_dicts()[0]["node"] == 5
    assert [row.to_dict() for row in why] == why.to_dicts()
    assert [json.loads(row.json) for row in why] == why.to_dicts()
    frame = pandas.DataFrame(why)
    assert list(frame.columns) == list(why.to_pandas().columns)
    assert frame["target"].iloc[-1] == why.node
    rows = list(why)
    assert pickle.loads(pickle.dumps(rows)) == rows


@pytest.mark.libraries
def test_accounts_have_rows_without_a_device(graph):
    pytest.importorskip("pandas")
    memory = graph.memory()
    rows = memory.to_dicts()
    assert len(memory) == len(rows) == len(list(memory))
    assert {row["name"]: row["value"] for row in rows} == memory.host
    assert {row["device"] for row in rows} == {"host"}
    frame = memory.to_pandas()
    assert list(frame.columns) == ["device", "name", "value"]
    assert len(frame) == len(memory.host) and str(frame["value"].dtype) == "Int64"


@pytest.mark.libraries
def test_a_frame_of_accounts_has_a_row_for_each_number(graph):
    pandas = pytest.importorskip("pandas")
    memory = leakgraph.cuda.attribute(ALLOCATOR, graph)
    frame = pandas.DataFrame(memory)
    assert list(frame.columns) == ["device", "name", "value"]
    assert {*frame["device"]} == {"host", *(one.device for one in memory.devices)}
    assert list(frame["name"]) == list(memory.to_pandas()["name"])
