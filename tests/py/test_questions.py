"""Answers to questions: a row is the same in every form, and nothing is lost."""

import inspect
import json

import pytest

import leakgraph
from leakgraph import _core, agents

pytestmark = pytest.mark.ends

QUESTIONS = [
    one for one in json.loads(_core._questions())["questions"] if one["result"]
]


#: Types of options that only the command has, and those that no agent has, either.
OF_THE_COMMAND = {"check"}
OF_FILES = {"baseline", "update"}
#: What only JSON says of a row: attributes of that name say more.
SAYING_MORE = {"cycles": {"types", "nodes"}}


def names_of(question, left_out):
    """The names of the options but for those of some types."""
    return [one["name"] for one in question["options"] if one["type"] not in left_out]


def options_of(question, number):
    """The limit, if the question takes one, and the objects that it needs."""
    options = {"limit": number, "target": "type:dict", "cut": "*->type:list"}
    needed = {"limit": "limit", "target": "objects", "cut": "cuts"}
    return {
        one["name"]: options[one["name"]]
        for one in question["options"]
        if needed.get(one["name"]) == one["type"]
    }


def ask(snapshot, question, options):
    """The answer; of a question to several snapshots, with the same one twice."""
    if question["needs_several"]:
        function = {"growth": leakgraph.diff, "ranks": leakgraph.ranks}
        return function[question["name"]](snapshot, snapshot, **options)
    return getattr(snapshot, question["name"])(**options)


@pytest.fixture(scope="module")
def snapshot():
    held = [[bytearray(5000) for _ in range(20)], {"a": list(range(1000))}]
    taken = leakgraph.snapshot(contents=True)
    del held
    return taken


@pytest.fixture(params=QUESTIONS, ids=lambda one: one["name"])
def question(request):
    return request.param


@pytest.fixture(
    params=[one for one in QUESTIONS if not one["needs_several"]],
    ids=lambda one: one["name"],
)
def single(request):
    """A question to one snapshot."""
    return request.param


def test_a_row_is_the_same_in_every_form(question, snapshot):
    answer = ask(snapshot, question, options_of(question, 5))
    told = json.loads(answer.json)
    names = [field["name"] for field in question["fields"]]
    rows = json.loads(json.dumps(answer.to_dicts()))
    for row in told["rows"]:
        for more in SAYING_MORE.get(question["name"], ()):
            del row[more]
    assert told["rows"] == rows
    optional = {field["name"] for field in question["fields"] if field["optional"]}
    for row, plain in zip(answer, rows):
        assert list(row._fields) == names == list(plain)
        assert {name for name in names if plain[name] is None} <= optional
        assert json.loads(json.dumps(row.to_dict())) == json.loads(row.json) == plain
    assert list(told) == [fact["name"] for fact in question["facts"]] + ["rows"]
    for fact in question["facts"]:
        assert hasattr(answer, fact["name"])
        value = getattr(answer, fact["name"])
        value = dict(value) if isinstance(value, leakgraph.Size) else value
        if isinstance(value, tuple):
            value = [getattr(one, "to_dict", lambda one=one: one)() for one in value]
        assert told[fact["name"]] == json.loads(json.dumps(value))


def test_types_have_their_names(question):
    result = getattr(leakgraph, question["result"])
    row = getattr(leakgraph, question["row"])
    assert issubclass(result, leakgraph.Result)
    assert result.__name__ == question["result"] and row.__name__ == question["row"]


def test_functions_have_their_names(single):
    question = single
    function = getattr(leakgraph, question["name"])
    method = getattr(leakgraph.Snapshot, question["name"])
    names = [*names_of(question, OF_THE_COMMAND), "progress"]
    taken = list(inspect.signature(method).parameters)
    assert taken == ["self", *names]
    more = ["contents"] if question["needs_contents"] else []
    assert list(inspect.signature(function).parameters) == names + more
    for name in names:
        assert f"\n{name} " in inspect.getdoc(function)


def test_the_fields_explain_themselves(question):
    row = getattr(leakgraph, question["row"])
    for field in question["fields"]:
        assert getattr(row, field["name"]).__doc__ == field["help"]


def test_wrong_options_are_refused(single, snapshot):
    question = single
    ask = getattr(snapshot, question["name"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        ask(nonsense=1)
    options = options_of(question, 0)
    if "limit" in options:
        with pytest.raises(leakgraph.ArgumentError, match="limit must be 1 or more"):
            ask(**options)
    for option in question["options"]:
        if option["type"] in ("choice", "device"):
            with pytest.raises(leakgraph.ArgumentError, match=r"not 'x'|no device 'x'"):
                ask(**{option["name"]: "x"})
    if any(option["name"] == "module" for option in question["options"]):
        with pytest.raises(leakgraph.NotFoundError):
            ask(**options_of(question, None), module="no such module")


def test_agents_get_the_same_rows(single, snapshot):
    question = single
    tool = getattr(agents.Tools([snapshot]), question["name"])
    names = names_of(question, OF_THE_COMMAND | OF_FILES)
    assert set(inspect.signature(tool).parameters) == {"limit", *names}
    options = options_of(question, 3)
    told = tool(**{**options, "limit": 3})
    answer = getattr(snapshot, question["name"])(**options)
    for row, own in zip(told["rows"], answer):
        assert set(own._fields) <= set(row)
    assert all(fact["name"] in told for fact in question["facts"])


def test_a_partial_snapshot_says_so(single):
    question = single
    part = leakgraph.snapshot(roots=[{1: [1]}])
    if question["needs_analysis"]:
        with pytest.raises(leakgraph.PartialError):
            getattr(part, question["name"])(**options_of(question, None))
