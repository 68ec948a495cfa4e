"""cmake/ccache.cmake lets folders share what is compiled, and only that."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

SETTINGS = Path(__file__).parents[2] / "cmake" / "ccache.cmake"
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(shared LANGUAGES C)
include({settings})
add_library(shared OBJECT shared.c)
target_include_directories(shared PRIVATE .)
target_precompile_headers(shared PRIVATE <outer.h>)
"""


class Checkout:
    """A project with a precompiled header, as one of several that share a cache."""

    def __init__(self, folder, cache):
        self.folder = folder
        self.environment = {**os.environ, "CCACHE_DIR": cache, "CCACHE_CONFIGPATH": "/"}
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(PROJECT.format(settings=SETTINGS))
        (folder / "outer.h").write_text('#pragma once\n#include "inner.h"\n')

    def build(self, inner, code):
        """Compile the code with these lines in the header within the header."""
        (self.folder / "inner.h").write_text("#pragma once\n" + inner)
        (self.folder / "shared.c").write_text('#include "outer.h"\n' + code)
        self.run("cmake", "-G", "Ninja", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug")
        self.run("ccache", "--zero-stats")
        self.run("ninja", "-C", "build")
        counts = dict(
            line.split("\t")
            for line in self.run("ccache", "--print-stats").splitlines()
        )
        return int(counts["cache_miss"])

    def run(self, *command):
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture
def checkouts(tmp_path):
    for tool in ("cmake", "ninja", "ccache", "gcc"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    return [Checkout(tmp_path / name, tmp_path / "cache") for name in ("one", "other")]


FIRST = ("#define SIZE 1\n", "char first[SIZE];\n")


def test_another_folder_has_nothing_to_compile(checkouts):
    one, other = checkouts
    assert one.build(*FIRST) == 2
    assert other.build(*FIRST) == 0


def test_each_folder_has_the_headers_that_it_has(checkouts):
    """All have made the same precompiled header before."""
    for checkout in checkouts:
        checkout.build(*FIRST)
    for number, checkout in enumerate(checkouts):
        lines = f"typedef int number_{number};\n"
        assert checkout.build(FIRST[0] + lines, f"number_{number} it;\n") == 2


def test_a_macro_of_a_header_counts(checkouts):
    one, other = checkouts
    one.build(*FIRST)
    size = '_Static_assert(SIZE == 2, "the header is an earlier one");\n'
    assert other.build("#define SIZE 2\n", size) == 2
