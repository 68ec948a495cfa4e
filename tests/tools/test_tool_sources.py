import check_sources
import pytest

LISTS = {
    "libgraph/CMakeLists.txt": "add_executable(tool tool/main.c)\n",
    "pyext/CMakeLists.txt": "set(files\n  leakgraph/rows.py)\n",
    "tests/c/CMakeLists.txt": "set(suites\n  path\n  utf8)\nset(more runner.c)\n",
}


def problems(project, path):
    for name, text in LISTS.items():
        project.write(name, text)
    project.write(path, "\n")
    return list(check_sources.check(project.root))


@pytest.mark.parametrize(
    "path",
    [
        "libgraph/src/paths/path.c",
        "libgraph/src/paths/path.h",
        "pyext/leakgraph/rows.py",
        "tests/c/test_utf8.c",
        "tests/c/runner.c",
        "tests/py/preload/scarce.c",
        "tools/any.py",
    ],
)
def test_listed(project, path):
    assert problems(project, path) == []


@pytest.mark.parametrize(
    "path",
    [
        "libgraph/tool/help.c",
        "libgraph/tool/ain.c",
        "pyext/leakgraph/frames.py",
        "tests/c/test_path_deep.c",
        "bench/new.c",
    ],
)
def test_forgotten(project, path):
    (problem,) = problems(project, path)
    assert problem.startswith(f"{path}: ") and problem.endswith("to the list there")
