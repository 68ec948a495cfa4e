import subprocess

import check_rooms
import pytest
import rooms


def calling(name, other):
    """Return the code of a function that calls another."""
    declared = f"int {other}(void); int {name}(void);"
    return f"{declared} int {name}(void) {{ return {other}(); }}\n"


GRAPH = "libgraph/src/graph"
PATHS = "libgraph/src/paths"
SOURCES = {
    f"{GRAPH}/graph.c": "int lg__size(void); int lg__size(void) { return 1; }\n",
    f"{PATHS}/path.c": calling("lg_path", "lg__size"),
}


@pytest.fixture
def compiled(project):
    """Write and compile sources, and check them; returns the problems."""

    def check(more=()):
        for path, text in {**SOURCES, **dict(more)}.items():
            project.write(path, text)
            part, _, below = path.partition("/")
            made = f"build/{part}/CMakeFiles/{part}.dir/{below}.o"
            project.write(made, "")
            subprocess.run(["cc", "-c", path, "-o", made], cwd=project.root, check=True)
        calls = check_rooms.read(project.root, project.root / "build")
        return [
            *check_rooms.upward(calls),
            *check_rooms.round_about(calls.between()),
            *check_rooms.lonely(calls, {}, ()),
        ]

    return check


def test_a_call_of_an_earlier_room_is_fine(compiled):
    assert compiled() == []


def test_a_call_of_a_later_room(compiled):
    text = calling("lg__up", "lg_path")
    (problem,) = compiled({f"{GRAPH}/hop.c": text})
    assert problem == f"{GRAPH}/hop.c uses lg_path of {PATHS}/path.c, a later room"


def test_files_that_call_each_other(compiled):
    one = calling("lg__one", "lg__two")
    two = calling("lg__two", "lg__one")
    found = compiled({f"{PATHS}/one.c": one, f"{PATHS}/two.c": two})
    assert found[0] == (
        f"{PATHS}/one.c: calls in a circle: {PATHS}/one.c, {PATHS}/two.c"
    )


def test_a_function_with_one_client(compiled):
    part = "int lg__part(void); int lg__part(void) { return 2; }\n"
    uses = calling("lg_uses", "lg__part")
    found = compiled({f"{PATHS}/part.c": part, f"{PATHS}/uses.c": uses})
    assert found == [
        f"{PATHS}/part.c: lg__part has one client, {PATHS}/uses.c: make it static there"
    ]
    calls = check_rooms.Calls(
        {"lg__part": f"{PATHS}/part.c"},
        {"lg__part"},
        {"lg__part": {f"{PATHS}/uses.c"}},
    )
    assert list(check_rooms.lonely(calls, {PATHS: 1}, ())) == []
    calls.home["lg__other"] = calls.home["lg__part"]
    calls.functions.add("lg__other")
    calls.clients["lg__other"] = calls.clients["lg__part"]
    first, *others = check_rooms.lonely(calls, {PATHS: 1}, ())
    assert first == f"{PATHS}: 2 functions have one client, and 1 may"
    assert len(others) == 2
    again = uses.replace("lg_uses", "lg_again")
    assert compiled({f"{PATHS}/again.c": again}) == []


def test_a_function_that_its_own_file_uses_too(compiled):
    part = "int lg__part(void) { return 2; }\n"
    uses = calling("lg_uses", "lg__part")
    own = "int lg_own(void)\n{\n    return lg__part();\n}\n"
    assert len(compiled({f"{PATHS}/part.c": part, f"{PATHS}/uses.c": uses})) == 1
    assert compiled({f"{PATHS}/part.c": part + own}) == []


def test_a_function_of_a_file_that_would_make_its_client_too_long(project):
    part, uses = f"{PATHS}/part.c", f"{PATHS}/uses.c"
    project.write(part, "int x;\n" * 450)
    project.write(uses, "int x;\n" * 451)
    calls = check_rooms.Calls({"lg__part": part}, {"lg__part"}, {"lg__part": {uses}})
    assert check_rooms.too_large(project.root, calls) == {part}
    assert list(check_rooms.lonely(calls, {}, (), {part})) == []
    assert len(list(check_rooms.lonely(calls, {}, ()))) == 1
    project.write(uses, "int x;\n" * 450)
    assert check_rooms.too_large(project.root, calls) == set()


def test_an_exception_that_nothing_needs():
    calls = check_rooms.Calls()
    assert list(check_rooms.lonely(calls, {}, ("a.c",))) == [
        "LAYERS has a.c, which needs no exception"
    ]


def test_a_function_that_no_other_file_calls(project):
    home, other = f"{PATHS}/part.c", f"{PATHS}/uses.c"
    project.write(home, "int lg__part(void) { return 2; }\n")
    project.write(f"{PATHS}/part.h", "int lg__part(void);\n")
    calls = check_rooms.Calls({"lg__part": home}, {"lg__part"})

    def problems():
        return list(check_rooms.unshared(project.root, calls))

    assert problems() == [f"{home}: no other file calls lg__part: make it static"]
    project.write(other, "#if 0\nint lg_uses(void) { return lg__part(); }\n#endif\n")
    assert problems() == []


def test_a_file_with_one_client(project):
    part, uses = f"{PATHS}/part.c", f"{PATHS}/uses.c"
    project.write(part, "int x;\n" * 450)
    project.write(uses, "int x;\n" * 450)
    calls = check_rooms.Calls({"lg_part": part}, {"lg_part"}, {"lg_part": {uses}})

    def problems(sorts):
        return list(check_rooms.alone(project.root, calls, sorts))

    assert problems(()) == [f"{part} has one client, {uses}: fold it into that file"]
    assert problems((f"{PATHS}/part*",)) == []
    assert problems((part, "b*")) == ["SORTS has b*, which no file needs"]
    project.write(part, "int x;\n" * 451)
    assert problems(()) == []
    calls.clients["lg_part"] = {uses, "tests/c/test_part.c"}
    assert problems(()) == []


def test_the_tables_of_the_manual(project):
    project.write("rooms.cmake", 'leakgraph_room(export/view\n  "a picture")\n')
    row = "| room | holds |\n| --- | --- |\n| `export/view/` | {} |\n"
    project.write("docs/internals.md", row.format("a picture"))
    assert list(check_rooms.rows(project.root)) == []
    project.write("docs/internals.md", row.format("something else"))
    (problem,) = check_rooms.rows(project.root)
    assert problem == "docs/internals.md: the row of export/view/ is not `a picture`"


def test_a_room_may_use_the_rooms_before_it():
    part = next(part for part in rooms.ALL if part.base == "export/")
    assert part.rooms[0] == "view" and part.rooms[-1] == "command"
    assert part.header_of("view") == "view/view_private.h"
