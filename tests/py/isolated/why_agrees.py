"""Compares the faces of why(): the same references, bytes and dominator in each.

why_agrees.py HEAP COUNT

Makes one of the heaps of heaps.py, or imports a library, and takes a snapshot. Asks
about COUNT nodes, with the command for every fiftieth, and prints how many answers
agreed.
"""

import importlib
import json
import random
import re
import subprocess
import sys

from heaps import HEAPS

import leakgraph

#: The command also answers for one in this many nodes.
BY_COMMAND = 50


def underlined(text):
    """List labels with ~~~ below them in the path, in order."""
    path = text.split("┬───", 1)[-1].split("\n\n", 1)[0]
    lines = path.split("\n")
    return [
        above.split("↓ ", 1)[1]
        for above, below in zip(lines, lines[1:])
        if "~~~" in below and "↓ " in above
    ] + [
        above.split("↓ ", 1)[1]
        for above, below in zip(lines, lines[1:])
        if re.fullmatch(r"│ +~{1,2}", below) and "↓ " in above
    ]


def listed(text):
    """Count the references to cut that the text lists, and read how many it counts."""
    entries = re.findall(r"^  \d+\. (.*)$", text, re.MULTILINE)
    more = re.search(r"^  and (\d+) more$", text, re.MULTILINE)
    return len(entries) + (int(more.group(1)) if more else 0)


def command_says(why, file):
    """Return the JSON that the command writes of the same node."""
    arguments = ["leakgraph", "why", file, f"#{why.nodes[0].index}", "--json"]
    return subprocess.run(arguments, capture_output=True, check=True, text=True).stdout


def disagreement(why, file):
    """Return the difference between two faces about one node, or None."""
    text = str(why)
    frees = [hop.label for hop in why.frees]
    if len(why.path or ()) <= 24 and sorted(underlined(text)) != sorted(frees):
        return f"text underlines {underlined(text)}, Python has {frees}"
    parsed = json.loads(why.json)["biggest"]
    if file and why.json != command_says(why, file):
        return "the command and Python write other JSON"
    if why.path is not None:
        if [parsed["path"][i]["label"] for i in parsed["frees"]] != frees:
            return "JSON and Python mark other references"
        cuts = [path["hops"][path["cut"]] for path in parsed["cuts"]]
        if [(cut["source"], cut["label"]) for cut in cuts] != [
            (hop.source.index, hop.label) for hop in why.cuts
        ]:
            return "JSON and Python cut other references"
        several = why.cut_count > 1 or (why.cut_count and why.kept is not None)
        if listed(text) != (why.cut_count if several else 0):
            return f"text lists {listed(text)} references, Python {why.cut_count}"
    dominator = why.dominator.index if why.dominator is not None else None
    if parsed["dominator"] != dominator:
        return "JSON and Python name other dominators"
    if parsed["retained"] != why.retained:
        return "JSON and Python give other bytes"
    picture = json.loads(why.drawing.json)
    return (
        merged_disagree(why)
        or bytes_or_dominator_disagree(why, text, picture)
        or picture_disagrees(why, picture)
    )


def picture_disagrees(why, picture):
    """Return the difference in the picture's marks, or None."""
    if why.path is None:
        return None
    marked = {
        (picture["nodes"][edge["source"]].get("node"), edge["label"])
        for edge in picture["edges"]
        if edge.get("role") == "frees"
    }
    several = why.cut_count > 1 or (why.cut_count and why.kept is not None)
    hops = why.frees or (why.cuts if several else ())
    allowed = {(hop.source.index, hop.label) for hop in hops}
    holders = {source for source, _ in allowed} | {None}
    # A picture shortens the label of a key that is an object, and a long path and
    # a long list; it marks nothing else.
    for source, label in marked:
        short = label.startswith(("[", "key")) or source is None
        if source not in holders or ((source, label) not in allowed and not short):
            return f"the picture marks {marked}, Python has {allowed}"
    if hops and not marked:
        return f"the picture marks nothing of {allowed}"
    return None


def bytes_or_dominator_disagree(why, text, picture):
    """Return the difference of the first line, the sentence and the boxes, or None."""
    graph, number = why.snapshot, why.node.index
    first = text.split("\n", 1)[0]
    if f" #{number} " not in first or not first.endswith(f"retains {why.retained}"):
        return f"text says {first!r}, Python {why.retained}"
    named = re.search(r"^Every path to it goes through .* #(\d+), which", text, re.M)
    dominator = why.dominator
    if named and (dominator is None or int(named[1]) != dominator.index):
        return f"text names #{named[1]} as the dominator, Python {dominator}"
    for box in picture["nodes"]:
        if box.get("dominator") and (
            dominator is None or box["node"] != dominator.index
        ):
            return f"the picture marks #{box['node']}, the dominator is {dominator}"
        if box["kind"] == "object" and "retained" in box:
            retained = graph.node(box["node"]).retained
            if box["retained"] != retained:
                return f"the picture gives #{box['node']} other bytes than {retained}"
    return None


def merged_disagree(why):
    """Return the difference between an object's merged paths and its path."""
    merged = json.loads(why.json)["paths"]
    if merged["retained"] != why.retained:
        return f"merged paths retain {merged['retained']}, Python {why.retained}"
    if why.path is None:
        return None if merged["unreachable"] == 1 else "no path, but merged ones"
    rows = [row for row in merged["rows"][1:] if "label" in row]
    labels = [hop.label for hop in why.path]
    if len(rows) == len(labels) and [row["label"] for row in rows] != labels:
        return f"merged paths are {rows}, the path is {labels}"
    return None


def main(heap, count):
    """Compare the faces on nodes of all kinds."""
    if heap in HEAPS:
        exec(HEAPS[heap], {"__name__": "__main__"})
    else:
        importlib.import_module(heap)
    snapshot = leakgraph.snapshot()
    snapshot.save("agree.lgs")
    chance = random.Random(heap)
    agreed = 0
    nodes = chance.sample(range(len(snapshot.nodes)), count)
    for index in nodes:
        why = snapshot.why(snapshot.node(index))
        problem = disagreement(why, "agree.lgs" if agreed % BY_COMMAND == 0 else None)
        if problem:
            print(f"#{index}: {problem}\n{why}")
        agreed += problem is None
    print(f"{heap}: {agreed} of {count} agree")
    sys.exit(agreed != count)


main(sys.argv[1], int(sys.argv[2]))
