"""The sdist builds, and a wheel contains exactly the files that it should."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import check_wheel
import pytest

ROOT = Path(__file__).parents[2]
GOOD = [
    "leakgraph/__init__.py",
    "leakgraph/_core.cpython-311-x86_64-linux-gnu.so",
    "leakgraph/_core.pyi",
    "leakgraph/libleakgraph-igraph.so",
    "leakgraph/leakgraph-render",
    "leakgraph/py.typed",
    "leakgraph-0.1.0.data/scripts/leakgraph",
    "leakgraph-0.1.0.dist-info/METADATA",
    "leakgraph-0.1.0.dist-info/licenses/LICENSE",
]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Return the folder to which an sdist unpacks."""
    folder = tmp_path_factory.mktemp("sdist")
    backend = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"
    command = [sys.executable, "-c", backend, str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
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
