"""Wrong arguments, and their messages."""

import signal

import pytest
from shapes import Thing

import leakgraph

RECENT = [Thing()]


@pytest.fixture(scope="module")
def snapshot():
    return leakgraph.snapshot()


@pytest.mark.parametrize("name", ["max_depth", "max_nodes"])
@pytest.mark.parametrize("value", [0, -1, -(1 << 70), 1 << 70])
def test_numbers_out_of_range(name, value):
    with pytest.raises(leakgraph.ArgumentError, match=f"{name} must be .*{value}"):
        leakgraph.show_refs([], **{name: value})
    said = "between 1 and" if value > 0 else "1 or more"
    with pytest.raises(ValueError, match=said):
        leakgraph.show_refs([], **{name: value})


def test_numbers_beyond_64_bits(snapshot):
    for most in ((1 << 63), 1 << 64, 1 << 70):
        assert len(snapshot.top(most)) == len(snapshot.top("all"))
        assert not snapshot.cycles(min_bytes=most)


def test_no_roots_is_an_argument_error():
    with pytest.raises(leakgraph.ArgumentError, match="roots is empty"):
        leakgraph.snapshot(roots=[])


@pytest.mark.parametrize(
    ("text", "count"),
    [("4096", 4096), ("64KiB", 65536), ("1MiB", 1 << 20), ("2MB", 2_000_000), ("0", 0)],
)
@pytest.mark.once
def test_bytes_as_the_command_takes_them(snapshot, text, count):
    of_text = snapshot.cycles(min_bytes=text, limit=None)
    assert of_text.total == snapshot.cycles(min_bytes=count, limit=None).total


@pytest.mark.parametrize("value", ["much", "5%", "-1", "", -1])
def test_bytes_that_are_none(snapshot, value):
    with pytest.raises(leakgraph.ArgumentError, match="min_bytes must be"):
        snapshot.cycles(min_bytes=value)
    with pytest.raises(leakgraph.ArgumentError, match="max_bytes must be"):
        leakgraph.snapshot(max_bytes=value)


def test_a_capture_within_bytes():
    with pytest.raises(leakgraph.LimitError):
        leakgraph.snapshot(max_bytes="64KiB")
    assert len(leakgraph.snapshot(max_bytes="4GiB")) > 1000


@pytest.mark.parametrize("number", ["SIGKILL", "kill", signal.SIGSTOP, 9])
def test_signals_that_nothing_handles(number, tmp_path):
    with pytest.raises(leakgraph.ArgumentError, match="No program can handle SIG"):
        leakgraph.arm(tmp_path / "it.lgs", signal=number)


def test_a_share_of_memory_as_a_number(tmp_path):
    with leakgraph.arm(tmp_path / "it.lgs", signal=None, rss=0.95) as armed:
        assert "95 % of" in repr(armed)
    for wrong in (1.5, 0.0, -0.5, float("nan"), ["90%"]):
        with pytest.raises(leakgraph.ArgumentError, match="rss must be bytes"):
            leakgraph.arm(tmp_path / "it.lgs", signal=None, rss=wrong)


@pytest.mark.parametrize("function", ["why", "show_refs", "show_backrefs", "show_path"])
def test_functions_of_the_module_take_objects(function):
    ask = getattr(leakgraph, function)
    match = rf"leakgraph\.snapshot\(\)\.{function}\('name:"
    with pytest.raises(leakgraph.ArgumentError, match=match):
        ask("name:test_arguments.RECENT")
    text = "no name: of anything"
    assert "str" in str(ask(text))


def test_paths_of_reports_are_selectors(snapshot):
    (node,) = snapshot.select("test_arguments.RECENT")
    assert node == snapshot.find(RECENT)
    for row in snapshot.top(50):
        if row.held_by == "garbage":
            continue
        if row.held_by.isidentifier() or row.held_by.startswith("sys."):
            nodes = list(snapshot.select(row.held_by))
            assert row.node in nodes
            assert len(nodes) == 1 or "[*]" in row.held_by


def test_names_that_are_nearly_right(snapshot):
    for selector, meant in (
        ("name:RECENT", r"name:.*\.RECENT\?"),
        ("name:test_arguments.RECNT", r"mean \.RECENT\?"),
        ("name:test_argments.RECENT", "mean name:test_arguments"),
    ):
        with pytest.raises(leakgraph.NotFoundError, match=meant):
            snapshot.select(selector)


def test_a_name_that_no_instance_can_have():
    class Slotted:
        __slots__ = ("address", "nbytes")

    with pytest.raises(
        leakgraph.ArgumentError, match="not a member or slot of Slotted"
    ):
        leakgraph.register_buffers(Slotted, length="nope")
    with pytest.raises(leakgraph.ArgumentError, match="member='adress'"):
        leakgraph.register_buffers(Slotted, member="adress", length="nbytes")
    leakgraph.register_buffers(Slotted, member="address", length="nbytes")
    leakgraph.unregister_buffers(Slotted)


@pytest.mark.parametrize("name", ["size", "made", "fixed", "append"])
def test_a_name_of_a_method(name):
    class Pile(list):
        def size(self):
            return 7

        @classmethod
        def made(cls):
            return 7

        @staticmethod
        def fixed():
            return 7

    with pytest.raises(leakgraph.ArgumentError, match="is computed by code"):
        leakgraph.register_buffers(Pile, length=name)


def test_a_limit_is_a_number_or_all():
    snapshot = leakgraph.snapshot(roots=[[], {}, ()])
    for given in ("many", 2.5):
        with pytest.raises(TypeError, match=r"limit must be a whole number"):
            snapshot.types(limit=given)
    assert len(snapshot.types(limit=1)) == 1
    assert len(snapshot.types(limit="all")) == len(snapshot.types(limit=None)) > 2


LONE = "a\ud800"


@pytest.mark.parametrize("name", ["show_refs", "show_backrefs", "show_path"])
def test_a_lone_surrogate_in_a_title(name, tmp_path):
    match = "^title has a lone surrogate at index 1, which is no character: leave it"
    with pytest.raises(leakgraph.ArgumentError, match=match):
        getattr(leakgraph, name)(RECENT, str(tmp_path / "x.svg"), title=LONE)
    assert list(tmp_path.iterdir()) == []


def test_a_lone_surrogate_in_any_text(snapshot, tmp_path):
    class Odd:
        """A class whose name is no text."""

    Odd.__qualname__ = LONE
    for name, ask in (
        ("title", lambda: snapshot.report(tmp_path / "x.html", title=LONE)),
        ("title", lambda: snapshot.show_dominators(title=LONE)),
        ("format", lambda: snapshot.export(tmp_path / "x", format=LONE)),
        ("module", lambda: snapshot.threads(module=LONE)),
        ("holding", lambda: snapshot.cycles(holding=LONE)),
        ("the name of the type", lambda: snapshot.cycles(holding=Odd)),
        ("by", lambda: snapshot.top(by=LONE)),
        ("the selector", lambda: snapshot.select(LONE)),
        ("the selector", lambda: snapshot.why(LONE)),
        ("the reference", lambda: snapshot.what_if([LONE])),
    ):
        with pytest.raises(leakgraph.ArgumentError, match=f"^{name} has a lone"):
            ask()
