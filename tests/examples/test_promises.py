"""Each script of examples/leaks makes one known mistake, which is named, and the fix
that the finding words frees what it says.

Each script leaks in a process of its own, which then does what the fix says.
"""

import json
from pathlib import Path

import pytest
from fixes import FIXES

pytestmark = pytest.mark.libraries

HERE = Path(__file__).parent
LEAKS = HERE.parents[1] / "examples" / "leaks"

# Two holders each: what frees the first alone, and what frees the rest.
JOINT = {
    "two_lists": (
        "errors[:] = [loss.item() for loss in errors]",
        "penalties[:] = [loss.detach() for loss in penalties]",
    ),
    "list_and_average": (
        "average = average.item()",
        "val_losses[:] = [loss.item() for loss in val_losses]",
    ),
    "two_caches": ("Image.mean.cache_clear()", "Image.peak.cache_clear()"),
    "tracebacks": ("del first", "del second"),
    "two_optimizers": ("del optimizer", "del warm_up"),
    "last_error": ("del sys.last_value", "del sys.last_traceback"),
}

OBJECTS = 2048  # what the fix puts in place of what goes

IMPORTS = "import gc, traceback; from collections import OrderedDict"


def run(warm, script, *steps):
    done = warm.run(HERE / "promise.py", script, IMPORTS, *steps)
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert len({one["pattern"] for one in result["findings"]}) == 1
    return result


def kept(result):
    return sum(one["retained"] for one in result["findings"])


def test_every_fix_is_tried():
    left = {"animation_frames", "autocast_cache"}
    assert {script.stem for script in LEAKS.glob("*.py")} == {*FIXES, *left}


@pytest.mark.parametrize("name", FIXES)
def test_the_fix_frees_it(warm, name):
    words, step = FIXES[name]
    result = run(warm, LEAKS / f"{name}.py", step)
    assert result["findings"][0]["pattern"] == name.replace("_", "-")
    assert words in result["findings"][0]["fix"]
    assert result["freed"][-1] >= 0.95 * kept(result) - OBJECTS
    if "keeps the values" in result["findings"][0]["fix"]:
        assert result["freed"][-1] <= 1.05 * kept(result)
    assert result["left"] == []


@pytest.mark.parametrize("name", JOINT)
def test_what_is_shared_goes_with_the_last(warm, name):
    result = run(warm, HERE / "joint" / f"{name}.py", *JOINT[name])
    (finding,) = result["findings"]
    _, alone, together = result["freed"]
    slack = 0.05 * finding["retained"]
    assert alone <= finding["alone"][0] + slack
    assert alone >= finding["alone"][0] - slack
    assert together >= finding["retained"] - slack
    assert result["left"] == []
