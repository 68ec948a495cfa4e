"""The sdist builds, and a wheel contains exactly the files that it should."""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import check_wheel
import pytest
import tracked

ROOT = Path(__file__).parents[2]
GOOD = [
    "leakgraph/__init__.py",
    "leakgraph/_core.cpython-311-x86_64-linux-gnu.so",
    "leakgraph/_core.pyi",
    "leakgraph/libleakgraph-igraph.so",
    "leakgraph/leakgraph-render",
    "leakgraph/py.typed",
    "leakgraph-0.1.0.data/scripts/leakgraph",
    "leakgraph-0.1.0.data/data/share/man/man1/leakgraph.1",
    "leakgraph-0.1.0.dist-info/METADATA",
    "leakgraph-0.1.0.dist-info/licenses/LICENSE",
]
LIBRARIES = ["libgvc.so.6", "libgvplugin_dot_layout.so.6", "libgvplugin_pango.so.6"]
FONTS = ["fonts/DejaVuSans.ttf", "fonts/DejaVuSansMono.ttf"]
PARTS = [f"leakgraph-render.libs/{name}" for name in LIBRARIES + FONTS]
GRAPHVIZ = "leakgraph-0.1.0.dist-info/licenses/bundled/graphviz.txt"
ALONE = [
    *GOOD,
    "leakgraph/libmicrohttpd.so.12",
    "leakgraph/leakgraph-render.libs/fonts.conf",
    *(f"leakgraph/{name}" for name in PARTS),
    "leakgraph-0.1.0.dist-info/licenses/BUNDLED.md",
    GRAPHVIZ,
    "leakgraph-0.1.0.dist-info/licenses/bundled/igraph.txt",
    "leakgraph-0.1.0.dist-info/licenses/bundled/libmicrohttpd.txt",
]
ROWS = [f"| {name} | graphviz | 2.42 |" for name in PARTS]
BUNDLED = "\n".join(["| file | package | version |", "| --- | --- | --- |", *ROWS])


@pytest.fixture(scope="module")
def sdist(tmp_path_factory, checkout):
    """Return the folder to which an sdist unpacks.

    Its tree has no .venv, which takes the backend half a minute to look through.
    """
    folder = tmp_path_factory.mktemp("sdist")
    tree = folder / "tree"
    for path in tracked.files(ROOT):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tree / path)
    backend = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"
    command = [sys.executable, "-c", backend, str(folder)]
    subprocess.run(command, cwd=tree, check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder)
    return folder / archive.name[: -len(".tar.gz")]


# CMake reads each source list and each folder that a CMakeLists.txt adds.
def test_an_sdist_has_all_that_its_build_reads(sdist, tmp_path):
    command = ["cmake", "-S", str(sdist), "-B", str(tmp_path), "-G", "Ninja"]
    subprocess.run(command, check=True)
    built = (tmp_path / "build.ninja").read_text()
    assert "bench_analysis" in built and "c_tests" in built


def test_a_wheel_builds_neither_tests_nor_benchmarks(sdist, tmp_path):
    config = (sdist / "pyproject.toml").read_text()
    (defines,) = re.findall(r"cmake\.define\]\n((?:\w+ = .*\n)*)", config)
    defines = re.findall(r'(\w+) = "(\w+)"', defines)
    command = ["cmake", "-S", str(sdist), "-B", str(tmp_path), "-G", "Ninja"]
    command += [f"-D{name}={value}" for name, value in defines]
    subprocess.run(command, check=True)
    built = (tmp_path / "build.ninja").read_text()
    assert "leakgraph_core" in built
    assert "bench_analysis" not in built and "c_tests" not in built


def test_a_good_wheel():
    assert not list(check_wheel.check(GOOD))


@pytest.mark.parametrize(
    "name",
    [
        "bench/bench_analysis",
        "leakgraph-0.1.0.data/scripts/c_tests",
        "leakgraph/tests/test_why.py",
        "lib/libleakgraph.so",
    ],
)
def test_what_does_not_belong_in_a_wheel(name):
    (problem,) = check_wheel.check([*GOOD, name])
    assert problem.startswith(name)


@pytest.mark.parametrize("name", [name for name in GOOD if name[-4:] != ".pyi"])
def test_what_a_wheel_must_have(name):
    (problem,) = check_wheel.check(set(GOOD) - {name})
    assert "install it" in problem


def test_a_good_wheel_for_machines_with_nothing_but_python():
    assert not list(check_wheel.check(ALONE, alone=True))
    assert not list(check_wheel.check_licences(ALONE, BUNDLED))


@pytest.mark.parametrize("name", sorted({*ALONE} - {*GOOD, GRAPHVIZ}))
def test_what_such_a_wheel_must_have(name):
    names = set(ALONE) - {name}
    (problem,) = check_wheel.check(names, alone=True)
    assert "install it" in problem
    # Others must not have it.
    assert list(check_wheel.check(ALONE))


def test_each_part_is_named_and_licensed():
    library = "leakgraph/leakgraph-render.libs/libnew.so.1"
    (problem,) = check_wheel.check_licences([*ALONE, library], BUNDLED)
    assert problem.startswith(library)
    other = BUNDLED + "\n| leakgraph-render.libs/libnew.so.1 | new | 1 |"
    (problem,) = check_wheel.check_licences([*ALONE, library], other)
    assert problem.startswith("new has no licence")


def test_igraph_is_in_the_bridge_alone():
    linked = b"\x7fELF" + check_wheel.IGRAPH
    good = [(check_wheel.BRIDGE, linked), ("leakgraph/leakgraph-render", b"\x7fELF")]
    assert not list(check_wheel.check_igraph(good))
    (problem,) = check_wheel.check_igraph([*good, ("leakgraph/_core.so", linked)])
    assert problem.startswith("leakgraph/_core.so has igraph inside")
    (problem,) = check_wheel.check_igraph([(check_wheel.BRIDGE, b"\x7fELF")])
    assert problem.startswith(f"{check_wheel.BRIDGE} has no igraph")
