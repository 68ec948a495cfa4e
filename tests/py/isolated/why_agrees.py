"""why() as text, JSON, picture and Python: the same references, bytes, dominator.

    why_agrees.py LIBRARY COUNT

Imports the library, takes a snapshot, asks about COUNT nodes of it, of every
fiftieth the command as well, and prints how many agreed.
"""

import importlib
import json
import random
import re
import subprocess
import sys

import leakgraph


def underlined(text):
    """Labels with ~~~ below them in the path, in order."""
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
    """How many references the text lists for cutting, and says there are."""
    entries = re.findall(r"^  \d+\. (.*)$", text, re.MULTILINE)
    more = re.search(r"^  and (\d+) more$", text, re.MULTILINE)
    return len(entries) + (int(more.group(1)) if more else 0)


def command_says(why, file):
    """The JSON that the command writes of the same node."""
    arguments = ["leakgraph", "why", file, f"#{why.nodes[0].index}", "--json"]
    return subprocess.run(arguments, capture_output=True, check=True, text=True).stdout


def disagreement(why, file):
    """What two faces say differently of one node, or None."""
    text = str(why)
    frees = [hop.label for hop in why.frees]
    if len(why.path or ()) <= 24 and sorted(underlined(text)) != sorted(frees):
        return f"text underlines {underlined(text)}, Python has {frees}"
    said = json.loads(why.json)["biggest"]
    if file and why.json != command_says(why, file):
        return "the command and Python write other JSON"
    if why.path is not None:
        if [said["path"][i]["label"] for i in said["frees"]] != frees:
            return "JSON and Python mark other references"
        cuts = [path["hops"][path["cut"]] for path in said["cuts"]]
        if [(cut["source"], cut["label"]) for cut in cuts] != [
            (hop.source.index, hop.label) for hop in why.cuts
        ]:
            return "JSON and Python cut other references"
        several = why.cut_count > 1 or (why.cut_count and why.kept is not None)
        if listed(text) != (why.cut_count if several else 0):
            return f"text lists {listed(text)} references, Python {why.cut_count}"
    dominator = why.dominator.index if why.dominator is not None else None
    if said["dominator"] != dominator:
        return "JSON and Python name other dominators"
    if said["retained"] != why.retained:
        return "JSON and Python give other bytes"
    return picture_disagrees(why)


def picture_disagrees(why):
    """What the picture marks differently, or None."""
    if why.path is None:
        return None
    picture = json.loads(why.drawing.json)
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


def main(library, count):
    """Compare the faces on nodes of all kinds."""
    importlib.import_module(library)
    snapshot = leakgraph.snapshot()
    snapshot.save("agree.lgs")
    chance = random.Random(library)
    agreed = 0
    for index in chance.sample(range(len(snapshot.nodes)), count):
        why = snapshot.why(snapshot.node(index))
        problem = disagreement(why, "agree.lgs" if agreed % 50 == 0 else None)
        if problem:
            print(f"#{index}: {problem}\n{why}")
        agreed += problem is None
    print(f"{agreed} of {count} agree")


main(sys.argv[1], int(sys.argv[2]))
