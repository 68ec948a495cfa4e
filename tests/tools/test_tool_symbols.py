import subprocess

import check_symbols
import headers
import pytest

SOURCES = {
    "libleakgraph.so": "int lg_count(void) { return 1; }",
    "libleakgraph-pictures.so": "int lg_count(void) { return 1; }",
    "libleakgraph-igraph.so": "int lg_igraph_open(void) { return 1; }",
    "_core.cpython.so": "void PyInit__core(void) {}\nvoid lg_attached(void) {}",
}


def build(project, name, source):
    folder = project.root / "build"
    folder.mkdir(exist_ok=True)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-xc", "-", "-o", str(folder / name)],
        input=source + "\n",
        text=True,
        check=True,
    )


@pytest.fixture
def built(project):
    for header in headers.HEADERS:
        project.write(header, "LG_API int lg_count(void);\n")
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
