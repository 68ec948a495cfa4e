"""Exports open in the programs that read them; tests/cli reads all formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import leakgraph


class Shelf:
    def __init__(self) -> None:
        self.books = ['<&>"', "plain"]
        self.back = self


@pytest.fixture(scope="module")
def part() -> Iterator[leakgraph.Snapshot]:
    with leakgraph.snapshot(roots=[Shelf()], max_depth=3) as taken:
        yield taken


@pytest.mark.libraries
@pytest.mark.parametrize("suffix", ["graphml", "gexf"])
def test_networkx_reads_files(
    part: leakgraph.Snapshot, tmp_path: Path, suffix: str
) -> None:
    networkx = pytest.importorskip("networkx")
    path = part.export(tmp_path / f"{{pid}}.{suffix}")
    read = getattr(networkx, f"read_{suffix}")(path)
    made = part.to_networkx()
    assert len(read) == len(made) == len(part)
    assert read.number_of_edges() == made.number_of_edges() == len(part.edges)
    for node in part.nodes:
        data = read.nodes[f"n{node.index}"]
        given = made.nodes[node.index]
        assert data["type"] == given["type"] == node.type_name
        assert data["size"] == given["size"] == node.size
        assert data.get("title", data.get("label")) == given["title"] == node.label
    labels = {data["label"] for _, _, data in made.edges(data=True)}
    assert {data["label"] for _, _, data in read.edges(data=True)} == labels
    assert ".books" in labels and "[0]" in labels


@pytest.mark.libraries
def test_graphs_say_how_far_they_are(part: leakgraph.Snapshot) -> None:
    pytest.importorskip("networkx")
    said: list[tuple[str, float]] = []

    def stop(phase: str, done: float) -> None:
        said.append((phase, done))
        raise KeyError("enough")

    def note(phase: str, done: float) -> None:
        said.append((phase, done))

    with pytest.raises(KeyError, match="enough"):
        part.to_networkx(progress=stop)
    assert said == [("copying", 0.0)]
    said.clear()
    assert len(part.to_networkx(progress=note)) == len(part)
    assert said[0] == ("copying", 0.0) and said[-1] == ("done", 1.0)
    with pytest.raises(TypeError, match="progress must be"):
        part.to_networkx(progress=3)  # type: ignore[arg-type]


@pytest.mark.libraries
def test_igraph(part: leakgraph.Snapshot) -> None:
    pytest.importorskip("igraph")
    graph = part.to_igraph()
    assert graph.vcount() == len(part) and graph.ecount() == len(part.edges)
    assert graph.vs["type"] == [node.type_name for node in part.nodes]
    assert [edge.source for edge in graph.es] == [
        edge.source.index for edge in part.edges
    ]


def test_what_cannot_be_written(part: leakgraph.Snapshot, tmp_path: Path) -> None:
    with pytest.raises(leakgraph.ArgumentError, match="the formats are"):
        part.export(tmp_path / "run.doc")
    with pytest.raises(leakgraph.ArgumentError, match="no format doc"):
        part.export(tmp_path / "run.gexf", format="doc")
    with pytest.raises(leakgraph.PartialError):
        part.export(tmp_path / "run.folded")
    with pytest.raises(leakgraph.FileError):
        part.export(tmp_path / "none" / "run.gexf")
    assert list(tmp_path.iterdir()) == []
