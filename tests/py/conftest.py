"""Fixtures that the tests of the Python package share."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import holding
import pytest
import small_process
from warm import Warm

import leakgraph

# A shell that starts the tests in the background makes them ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


pytest_fixture_setup = small_process.pytest_fixture_setup
pytest_pyfunc_call = small_process.pytest_pyfunc_call


@pytest.fixture(scope="session")
def held():
    """Make objects that stay where they are while the tests run."""
    return holding.trainer


@pytest.fixture(scope="session")
def snap(held):
    """Take one snapshot of this process for the tests that only read."""
    return leakgraph.snapshot()


@pytest.fixture
def python(tmp_path):
    """Run Python in an empty folder: python("-c", code) -> code, out, err."""

    def run(*arguments, timeout=120, **environment):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return SimpleNamespace(
            code=done.returncode, out=done.stdout, err=done.stderr, folder=tmp_path
        )

    return run


@pytest.fixture(scope="session")
def preload(tmp_path_factory):
    """Compile a library of preload/ and return its path, for LD_PRELOAD."""
    folder = tmp_path_factory.mktemp("preload")

    def build(name):
        library = folder / f"{name}.so"
        if not library.exists():
            source = Path(__file__).parent / "preload" / f"{name}.c"
            command = ["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source]
            subprocess.run(command, check=True)
        return str(library)

    return build


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compile an extension module of extensions/ and return its path."""
    folder = tmp_path_factory.mktemp("extensions")

    def build(source, *options):
        name, _, language = source.partition(".")
        library = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
        compiler = "c++" if language == "cpp" else "cc"
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed")
        if not library.exists():
            path = Path(__file__).parent / "extensions" / source
            headers = f"-I{sysconfig.get_path('include')}"
            command = [compiler, "-shared", "-fPIC", *options, headers]
            subprocess.run([*command, "-o", library, path], check=True)
        return library

    return build


@pytest.fixture(scope="session")
def extension(compiled):
    """Compile an extension module of extensions/ and import it by its name."""

    def load(name, *options):
        library = compiled(f"{name}.c", *options)
        spec = importlib.util.spec_from_file_location(name, library)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def isolated(tmp_path_factory):
    """Run a script of isolated/: isolated("name.py", argument) -> code, out, err."""

    def run(script, *arguments, timeout=600, **environment):
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("isolated") / script, *arguments],
            cwd=tmp_path_factory.mktemp(script.split(".")[0]),
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr)

    return run


@pytest.fixture(scope="session")
def native_leak(isolated, tmp_path_factory):
    """Return the paths of three snapshots of a process that leaks 2 MB before each."""
    folder = tmp_path_factory.mktemp("native")
    done = isolated("native_growth.py", folder)
    assert done.code == 0, done.err
    return sorted(folder.glob("*.lgs"))


@pytest.fixture(scope="session")
def warm():
    """Run scripts of isolated/ in forks of a process that has imported a module:
    warm("torch", KEY="value").isolated("name.py", argument) -> code, out, err.
    """
    processes = {}

    def start(module, **environment):
        key = (module, *sorted(environment.items()))
        if key not in processes:
            processes[key] = Warm(module, **environment)
        return processes[key]

    yield start
    for process in processes.values():
        process.end()
