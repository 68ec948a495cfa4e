"""Readers of what `leakgraph export` writes: they know the formats, nothing else."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree


def xml_counts(path: Path) -> tuple[int, int]:
    """How many nodes a GraphML or GEXF file has, and how many edges between them."""
    root = ElementTree.parse(path).getroot()
    space = root.tag[: root.tag.index("}") + 1]
    known = {node.get("id") for node in root.iter(f"{space}node")}
    edges = list(root.iter(f"{space}edge"))
    for edge in edges:
        if not {edge.get("source"), edge.get("target")} <= known:
            raise ValueError(f"an end of {edge.attrib} is no node")
    return len(known), len(edges)


class HeapSnapshot:
    """A heap snapshot of V8, read by the fields that it declares."""

    def __init__(self, path: Path) -> None:
        whole = json.loads(path.read_text(encoding="utf-8"))
        meta = whole["snapshot"]["meta"]
        strings = whole["strings"]
        fields = meta["node_fields"]
        self.nodes = list(records(whole["nodes"], fields))
        edges = records(whole["edges"], meta["edge_fields"])
        kinds = meta["edge_types"][0]
        if len({node["id"] for node in self.nodes}) != len(self.nodes):
            raise ValueError("two nodes have one id")
        for node in self.nodes:
            node["name"] = strings[node["name"]]
            node["type"] = meta["node_types"][0][node["type"]]
            node["edges"] = []
            for _ in range(node["edge_count"]):
                edge = next(edges)
                kind = kinds[edge["type"]]
                name = edge["name_or_index"]
                target = self.nodes[edge["to_node"] // len(fields)]
                if kind not in ("element", "hidden"):
                    name = strings[name]
                node["edges"].append((kind, name, target["id"]))
        if next(edges, None) is not None:
            raise ValueError("some edges belong to no node")
        self.size = sum(node["self_size"] for node in self.nodes)
        counts = whole["snapshot"]
        if counts["node_count"] != len(self.nodes) or counts["edge_count"] != sum(
            len(node["edges"]) for node in self.nodes
        ):
            raise ValueError("the counts in the head are wrong")


def records(numbers: list[int], fields: list[str]) -> Iterator[dict]:
    """Numbers in a row as dicts."""
    for start in range(0, len(numbers), len(fields)):
        yield dict(zip(fields, numbers[start : start + len(fields)]))


def folded_bytes(path: Path) -> int:
    """The sum of the counts of folded stacks, each of which stands once."""
    lines = path.read_text(encoding="utf-8").splitlines()
    stacks = [line.rsplit(" ", 1) for line in lines]
    if any(not frame for stack, _ in stacks for frame in stack.split(";")):
        raise ValueError("a frame is empty")
    return sum(int(count) for _, count in stacks)


SPEEDSCOPE = "https://www.speedscope.app/file-format-schema.json"


def speedscope_bytes(path: Path) -> dict[str, int]:
    """The bytes of each profile, and a check of what its schema requires."""
    whole = json.loads(path.read_text(encoding="utf-8"))
    frames = len(whole["shared"]["frames"])
    names = [frame["name"] for frame in whole["shared"]["frames"]]
    if whole["$schema"] != SPEEDSCOPE or not all(isinstance(one, str) for one in names):
        raise ValueError("it is no file of speedscope")
    if whole.get("activeProfileIndex", 0) not in range(len(whole["profiles"])):
        raise ValueError("the active profile is none")
    sums = {}
    for profile in whole["profiles"]:
        kind = profile["type"], profile["unit"], profile["startValue"]
        if kind != ("sampled", "bytes", 0) or not isinstance(profile["name"], str):
            raise ValueError(f"{kind} is no profile of bytes")
        samples, weights = profile["samples"], profile["weights"]
        used = {frame for sample in samples for frame in sample}
        if len(samples) != len(weights) or (used and max(used) >= frames):
            raise ValueError("samples, weights and frames do not match")
        if sum(weights) != profile["endValue"]:
            raise ValueError("the end is not the sum")
        sums[profile["name"]] = sum(weights)
    return sums


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of Protocol Buffers, and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def message(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message of Protocol Buffers, by number."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
        elif key & 7 == 2:
            length, at = varint(data, at)
            if at + length > len(data):
                raise struct.error("a field is cut")
            yield key >> 3, data[at : at + length]
            at += length
        else:
            raise struct.error(f"wire type {key & 7}")


def pprof_bytes(path: Path) -> dict[str, int]:
    """The bytes by sample type of a profile of pprof, and a check of its tables."""
    fields = list(message(gzip.decompress(path.read_bytes())))
    strings = [value.decode() for number, value in fields if number == 6]
    types = [dict(message(value)) for number, value in fields if number == 1]
    locations = {dict(message(value))[1] for number, value in fields if number == 4}
    functions = [dict(message(value)) for number, value in fields if number == 5]
    if strings[0] or any(not strings[one[2]] for one in functions):
        raise ValueError("a name is missing")
    sums = [0] * len(types)
    for number, value in fields:
        if number != 2:
            continue
        sample = list(message(value))
        values = [one for field, one in sample if field == 2]
        if not {one for field, one in sample if field == 1} <= locations:
            raise ValueError("a location is missing")
        sums = [a + b for a, b in zip(sums, values)]
    named = {strings[one[1]]: total for one, total in zip(types, sums)}
    del named["objects"]
    return named
