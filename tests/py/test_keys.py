"""leakgraph promises to keep the first 64 bytes of keys, and to show the cut."""

import sys
import unicodedata

import pytest
from shapes import Thing

import leakgraph

pytestmark = pytest.mark.small

#: A key, and its text in a snapshot.
KEYS = {
    "short": ("optimizer", "'optimizer'"),
    "64 bytes": ("a" * 64, f"'{'a' * 64}'"),
    "65 bytes": ("b" * 65, f"'{'b' * 64}…'"),
    "long": ("c" * 64 + "SECRET", f"'{'c' * 64}…'"),
    "64 bytes of letters of two": ("é" * 32 + "SECRET", f"'{'é' * 32}…'"),
    "a letter across the cut": ("f" * 63 + "éSECRET", f"'{'f' * 63}…'"),
    "a wide letter across the cut": ("g" * 61 + "😀SECRET", f"'{'g' * 61}…'"),
    "64 in bytes": (b"h" * 64, f"b'{'h' * 64}'"),
    "65 in bytes": (b"i" * 65, f"b'{'i' * 64}…'"),
    "long bytes": (b"j" * 64 + b"SECRET", f"b'{'j' * 64}…'"),
    "in a tuple": (("k" * 64 + "SECRET", 1), f"('{'k' * 64}…', 1)"),
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("previews", [False, True])
def test_keys_are_cut_at_64_bytes(name, previews):
    key, shown = KEYS[name]
    it = Thing(table={key: Thing()})
    snapshot = leakgraph.snapshot(previews=previews)
    labels = {edge.kind: edge.label for edge in snapshot.find(it.table).referents()}
    assert labels == {"key": f"key {shown}", "value": f"[{shown}]"}


def test_a_key_that_is_cut_selects_as_it_is_shown_and_whole():
    kept = {"p" * 64 + "one": Thing(), "p" * 64: Thing(), b"q" * 65: Thing()}
    sys.modules[__name__].table = kept
    snapshot = leakgraph.snapshot()
    one, exact, data = [snapshot.find(value).index for value in kept.values()]
    del sys.modules[__name__].table
    named = f"name:{__name__}.table"
    assert snapshot.find(f"{named}['{'p' * 64}…']").index == one
    assert snapshot.find(f"{named}['{'p' * 64}one']").index == one
    assert snapshot.find(f"{named}['{'p' * 64}']").index == exact
    assert snapshot.find(f"{named}[b'{'q' * 64}…']").index == data
    with pytest.raises(leakgraph.Error, match="has no"):
        snapshot.find(f"{named}['{'p' * 63}']")


def test_a_key_that_ends_with_an_ellipsis_is_not_cut():
    kept = {"Loading…": Thing(), "Loading data": Thing()}
    sys.modules[__name__].table = kept
    snapshot = leakgraph.snapshot()
    found = [snapshot.find(value).index for value in kept.values()]
    del sys.modules[__name__].table
    named = f"name:{__name__}.table"
    assert [snapshot.find(f"{named}['{key}']").index for key in kept] == found
    with pytest.raises(leakgraph.Error, match="has no"):
        snapshot.find(f"{named}['Loading nothing']")


def test_a_long_name_of_a_class_shows_that_it_is_cut():
    it = type("r" * 600, (), {})()
    shown = leakgraph.snapshot().find(it).type_name
    assert shown.endswith("r" * 512 + "…") and "r" * 513 not in shown


def test_what_nobody_sees_is_escaped_as_repr_escapes_it():
    hidden = {"Cf", "Zl", "Zp"}
    points = [
        point
        for point in range(128, sys.maxunicode + 1)
        if unicodedata.category(chr(point)) in hidden
    ]
    keys = [f"gnp.{chr(point)}exe" for point in points]
    keys += ["שלום", "наш ключ", "日本語", "❤️", "a\xa0b"]
    it = Thing(table=dict.fromkeys(keys))
    snapshot = leakgraph.snapshot()
    edges = snapshot.find(it.table).referents()
    labels = [edge.label[4:] for edge in edges if edge.kind == "key"]
    assert len(points) > 150
    shown = [repr(key)[1:-1] for key in keys[: len(points)]]
    assert sorted(labels) == sorted(
        f"'{key}'" for key in [*shown, *keys[len(points) :]]
    )


@pytest.mark.parametrize(
    ("key", "shown", "also"),
    [
        ("a\nb", r"['a\x0ab']", r"['a\nb']"),
        ("a\tb", r"['a\x09b']", r'["a\tb"]'),
        ("a\u202eb", r"['a\u202eb']", r'["a\u202eb"]'),
        ("a\\b", r"['a\\b']", r'["a\\b"]'),
        (r"C:\x64", r"['C:\\x64']", r'["C:\\x64"]'),
        (r"\xa", r"['\\xa']", r'["\\xa"]'),
        ("it's", r"['it\'s']", '["it\'s"]'),
    ],
)
def test_a_key_is_escaped_once_and_selects(key, shown, also):
    kept = {key: Thing()}
    sys.modules[__name__].table = kept
    snapshot = leakgraph.snapshot()
    one = snapshot.find(kept[key])
    del sys.modules[__name__].table
    (label,) = [edge.label for edge in one.referrers() if edge.kind == "value"]
    assert label == shown
    for written in shown, also:
        found = snapshot.find(f"name:{__name__}.table{written}")
        assert found.index == one.index


def test_names_cannot_turn_the_text_around_them():
    kind = type("gpj.\u202eredloH", (), {"\u2066secret": None})
    it = kind()
    it.held = Thing()
    snapshot = leakgraph.snapshot()
    assert snapshot.find(it).type_name.endswith("gpj.\\u202eredloH")
    shown = str(snapshot.why(it.held)) + str(snapshot.report)
    assert "\u202e" not in shown and "\\u202e" in shown


def test_each_key_of_many_has_its_text():
    # Passes over nodes look at several together, whatever lies next to each other.
    keys = {}
    for number in range(300):
        keys[f"key {number}"] = f"'key {number}'"
        if number % 3 == 0:
            keys[f"clé {number}"] = f"'clé {number}'"
        if number % 5 == 0:
            keys[number + 1000] = f"{number + 1000}"
        if number % 7 == 0:
            keys[f"part {number}", number] = f"('part {number}', {number})"
    it = Thing(table={key: [] for key in keys})
    snapshot = leakgraph.snapshot()
    edges = snapshot.find(it.table).referents()
    found = {edge.label for edge in edges if edge.kind == "key"}
    assert found == {f"key {text}" for text in keys.values()}
    assert max(snapshot.column("node_flags")) < 1 << 14


def test_previews_are_cut_at_64_bytes():
    it = Thing(text="l" * 64 + "SECRET", data=b"m" * 64 + b"SECRET")
    snapshot = leakgraph.snapshot(previews=True)
    assert snapshot.find(it.text).text == "l" * 64 + "…"
    assert snapshot.find(it.data).text == f"b'{'m' * 64}…'"


def test_a_file_has_nothing_beyond_the_cut(tmp_path, python):
    secret = "the-secret-of-a-user"
    code = f"""
import leakgraph, sys
secret = {secret[::-1]!r}[::-1]
table = {{"n" * 64 + secret: 1, b"o" * 64 + secret.encode(): 2}}
leakgraph.save_snapshot(sys.argv[1], compress=0)
"""
    path = tmp_path / "keys.lgs"
    done = python("-c", code, path)
    assert done.code == 0, done.err
    kept = path.read_bytes()
    assert b"n" * 64 in kept and b"o" * 64 in kept
    assert secret.encode() not in kept


def test_names_of_variables_are_shown_without_keys():
    # Up to 3.10, the walk meets the tuple of the names before the code object.
    exec("def function(a_name_of_mine, another_name): pass", names := {})
    code = names.pop("function").__code__
    tuples = [code.co_varnames]
    far = code
    for _ in range(50):
        far = [far]
    with leakgraph.snapshot(keys=False) as snapshot:
        texts = [snapshot.find(name).text for name in code.co_varnames]
    assert texts == ["a_name_of_mine", "another_name"]
    del tuples, far
