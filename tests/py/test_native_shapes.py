"""Structures that C and C++ code has built are charged to who keeps them."""

import json
from collections import Counter
from statistics import median

import pytest
from builds import FREE_THREADED

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
    ),
]

#: Words that an earlier owner has left may lead to a few blocks of others.
EXACT = 0.03

SHAPES = [
    *(f"native_shapes {shape}" for shape in ("list", "ring", "tree", "map", "matrix")),
    *(f"native_shapes {shape}" for shape in ("inside", "intrusive", "tagged")),
    *(f"native_shapes {shape}" for shape in ("values", "objects", "pages", "large")),
    *(f"native_shapes {shape}" for shape in ("one", "state")),
    *(f"native_classes {shape}" for shape in ("vectors", "list", "map", "hash_map")),
    *(f"native_classes {shape}" for shape in ("deque", "classes", "second_base")),
    *(f"native_classes {shape}" for shape in ("shared", "functions", "variants")),
    "native_classes anything",
]


def usual(answers):
    """What most of the answers say, part by part; of numbers the one in the middle."""
    first = answers[0]
    if isinstance(first, dict):
        names = {name for one in answers for name in one}
        return {name: usual([one.get(name, 0) for one in answers]) for name in names}
    if isinstance(first, int | float):
        return median(answers)
    texts = Counter(json.dumps(one, sort_keys=True) for one in answers)
    return json.loads(texts.most_common(1)[0][0])


@pytest.fixture(scope="module")
def told(isolated, compiled, tmp_path_factory):
    """What was built, and what a snapshot says of it.

    The first run compiles the modules of Python. A process that compiles them itself
    has a heap full of what the compiler leaves, for which docs/native.md promises less.
    In one process of some dozens, a word that an earlier owner has left leads to many
    blocks by chance, so what two of three processes say counts.
    """
    modules = [
        compiled("native_shapes.c", "-O1"),
        compiled("native_classes.cpp", "-O1", "-std=c++17", "-Wl,-Bsymbolic"),
    ]
    kept = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("bytecode")),
    }
    answers = []
    for _ in range(4):
        done = isolated("native_shapes.py", *modules, **kept)
        assert done.code == 0, done.err
        answers.append(json.loads(done.out))
    return usual(answers[1:])


@pytest.mark.parametrize("shape", SHAPES)
def test_a_structure_is_its_holders(told, shape):
    built = told["built"][shape]
    assert told["claimed"][shape] == pytest.approx(built, rel=EXACT)


def test_words_on_a_stack_take_nothing_from_its_holder(told):
    assert told["stacked"]["claimed"]["native_shapes ring"] == pytest.approx(
        told["built"]["native_shapes ring"], rel=EXACT
    )


@pytest.mark.parametrize(
    "shape, holder",
    [
        ("native_shapes registry", "library variables native_shapes"),
        ("native_classes registry", "library variables native_classes"),
    ],
)
def test_what_no_object_keeps_is_the_librarys(told, shape, holder):
    built = told["built"][shape]
    assert told["unheld"][holder] == pytest.approx(built, rel=EXACT)


@pytest.mark.parametrize("shape, holder", [("local", "locals"), ("lost", "lost")])
def test_what_no_variable_keeps_is_the_threads_or_lost(told, shape, holder):
    """The process has small blocks of its own; a stale word leads to one or two."""
    built = told["built"][f"native_shapes {shape}"]
    assert 0.999 * built <= told["unheld"][holder] <= 1.2 * built


def test_an_object_of_a_structure_has_its_holder_above_it(told):
    held = [text for text in told["why"] if ".handle" in text]
    assert len(held) == 3
    assert all("block of native_shapes" in text for text in held)
    assert not any("held by native code" in text for text in held)


def test_nothing_leads_to_an_object_that_C_code_forgot_to_let_go(told):
    forgotten = [text for text in told["why"] if ".handle" not in text]
    assert len(forgotten) == 1
    assert "held by native code (1 reference leakgraph cannot see)" in forgotten[0]


def test_a_cycle_through_a_structure_ends_nowhere(told):
    assert told["cycle"] == told["handle"] == 128


def test_what_an_object_has_in_its_own_block_is_its_native_memory(told):
    assert told["wide"] == pytest.approx(5000, abs=32)
