"""Objects that C code has forgotten to let go of: nothing at all points to them."""

import json

import pytest
from builds import FREE_THREADED

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
    ),
]

ADVICE = (
    "C code has taken a reference and not given it back. "
    "Look for a missing Py_DECREF in the extension that makes such objects."
)


@pytest.fixture(scope="module")
def told(isolated):
    """What snapshots tell, without previews and with them."""
    done = isolated("native_forgotten.py")
    assert done.code == 0, done.err
    return dict(zip(("plain", "previews"), json.loads(done.out)))


def test_they_are_lost_and_their_counts_stay_exact(told):
    assert {"__main__.Message", "hidden bytes"} <= set(told["plain"]["held"])
    assert told["plain"]["labels"] == ["no pointer"]
    assert told["plain"]["unexplained"] == 1


def test_why_says_that_nothing_points_to_them(told):
    for why in told["plain"]["why"]:
        assert f"Nothing at all points to it: {ADVICE}" in why
        assert "Only native code" not in why and "Every path" not in why


def test_what_they_keep_names_them(told):
    assert "Nothing at all points to Message #" in told["plain"]["inside"]
    assert ADVICE in told["plain"]["inside"]


def test_what_C_code_has_is_not_forgotten(told):
    for kind in told.values():
        assert "__main__.Kept" not in kind["held"]
        assert "Nothing at all" not in kind["kept"]


def test_their_text_is_told_with_previews_only(told):
    assert "text" not in told["plain"]["facts"]
    assert "A text in it" not in told["plain"]["why"][1]
    assert "of the forgotten row" in told["previews"]["facts"]["text"]
    assert "A text in it: row " in told["previews"]["why"][1]


def test_objects_of_a_type_are_one_node_but_for_leftovers(told):
    """Words that earlier calls have left lead to a few of them.

    CPython 3.9 has forgotten one or two of its own.
    """
    blocks = dict(told["plain"]["forgotten"])
    assert len(blocks) == len(told["plain"]["forgotten"])
    assert set(blocks) <= {"no pointer", "a lone word"}
    assert 10 <= int(blocks["no pointer"]) <= 22
