import functools
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import check_symbols
import headers
import pytest

SOURCES = {
    "libleakgraph.so": "int lg_count(void) { return 1; }",
    "libleakgraph-igraph.so": "int lg_igraph_open(void) { return 1; }",
    "_core.cpython.so": "void PyInit__core(void) {}\nvoid lg_attached(void) {}\n"
    "void PyInit_leakgraph_attached(void) {}\n"
    "void PyModExport_leakgraph_attached(void) {}",
}


@functools.cache
def compiled(source):
    """Compile a library once for all tests, and return its bytes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "library.so"
        command = ["cc", "-shared", "-fPIC", "-xc", "-", "-o", str(path)]
        subprocess.run(command, input=source + "\n", text=True, check=True)
        return path.read_bytes()


def build(project, name, source):
    folder = project.root / "build"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(compiled(source))


@pytest.fixture
def built(project):
    for header in headers.HEADERS:
        project.write(header, "LG_API int lg_count(void);\n")
    project.write(f"{headers.INTERNAL[0]}/a.h", "int lg_text_fill(void);\n")
    for name, source in SOURCES.items():
        build(project, name, source)
    return project


def problems(project):
    return list(check_symbols.check(project.root, project.root / "build"))


def test_what_the_headers_promise_passes(built):
    assert problems(built) == []


@pytest.mark.parametrize("name", SOURCES)
def test_one_symbol_too_many_is_found(built, name):
    build(built, name, SOURCES[name] + " int helper(void) { return 2; }")
    assert len(problems(built)) == 1


@pytest.mark.parametrize("name", SOURCES)
def test_a_missing_symbol_is_found(built, name):
    build(built, name, "static int unused; int *other(void) { return &unused; }")
    assert problems(built)


@pytest.mark.parametrize("name", SOURCES)
def test_a_missing_object_is_found(built, name):
    (built.root / "build" / name).unlink()
    assert len(problems(built)) == 1


@pytest.mark.parametrize(
    ("place", "name", "fine"),
    [
        ("libgraph/CMakeFiles/one.dir/src/base/text.c.o", "lg__text_pad", True),
        ("libgraph/CMakeFiles/one.dir/src/base/text.c.o", "lg_count", True),
        ("libgraph/CMakeFiles/one.dir/src/base/text.c.o", "lg_text_fill", True),
        ("libgraph/CMakeFiles/one.dir/src/base/text.c.o", "lg_text_pad", False),
        ("export/CMakeFiles/two.dir/view/view.c.o", "view_free", False),
        ("export/CMakeFiles/two.dir/command/main.c.o", "main", True),
        ("pyext/CMakeFiles/core.dir/capture/walk/keys.c.o", "lg__key", True),
        ("pyext/CMakeFiles/core.dir/capture/walk/keys.c.o", "lg_key", False),
        ("pyext/CMakeFiles/core.dir/capture/walk/keys.c.o", "key", False),
        ("pyext/CMakeFiles/core.dir/binding/module.c.o", "PyInit__core", True),
        ("pyext/CMakeFiles/core.dir/binding/module.c.o", "lg__arg_text", True),
        ("pyext/CMakeFiles/core.dir/binding/module.c.o", "arg_text", False),
    ],
)
def test_the_prefix_of_what_files_share(built, place, name, fine):
    path = built.root / "build" / place
    path.parent.mkdir(parents=True)
    source = f"static void own(void) {{}}\nvoid {name}(void) {{ own(); }}\n"
    command = ["cc", "-Wno-main", "-c", "-xc", "-", "-o", str(path)]
    subprocess.run(command, input=source, text=True, check=True)
    below = place.partition(".dir/")[2]
    wrong = f"{below}: {name} is shared and does not begin with lg__"
    assert problems(built) == ([] if fine else [wrong])
