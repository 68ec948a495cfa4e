"""Snapshots say what state the collector was in."""

import gc

import leakgraph

CODE = """
import gc
import leakgraph


class Ring:
    def __init__(self):
        self.me = self


gc.set_threshold(600, 7, 5)
gc.set_debug({debug})
Ring()
gc.collect()
gc.disable()
kept = [Ring() for _ in range(5)]
if {freeze}:
    gc.freeze()
info = leakgraph.snapshot().info()
for name in ("enabled", "debug", "thresholds", "counts", "garbage"):
    print(info["gc." + name])
print(len(gc.garbage))
print("frozen" in str(leakgraph.snapshot().info()), gc.get_freeze_count() > 0)
"""


def test_state(python):
    out = python("-c", CODE.format(debug="gc.DEBUG_SAVEALL", freeze=False)).out
    enabled, debug, thresholds, counts, garbage, expected = out.split("\n")[:6]
    assert (enabled, debug) == ("no", "DEBUG_SAVEALL")
    assert thresholds.startswith("600, 7, ")
    assert len([int(count) for count in counts.split(", ")]) == 3
    assert int(garbage) == int(expected) >= 1


def test_defaults():
    info = leakgraph.snapshot().info()
    assert info["gc.enabled"] == ("yes" if gc.isenabled() else "no")
    assert info["gc.debug"] == "no" and info["gc.garbage"] == str(len(gc.garbage))
    first, second = gc.get_threshold()[:2]
    assert info["gc.thresholds"].startswith(f"{first}, {second}, ")


def test_frozen(python):
    out = python("-c", CODE.format(debug=0, freeze=True)).out.split("\n")
    assert out[1] == "no" and out[-2] == "True True"
    out = python("-c", CODE.format(debug=0, freeze=False)).out.split("\n")
    # CPython 3.12 freezes what it makes when it starts.
    assert out[-2] in ("False False", "True True")
