"""Each known mistake is named on a script that makes it, and on no other.

The scripts of examples/leaks show a mistake each, and its fix; those in leaks/ make
the same mistakes in other programs: other names, other containers, deeper down.
test_promises.py runs the first ones as they leak, but those whose fix it cannot try.
"""

import re
from pathlib import Path

import pytest
from fixes import FIXES

pytestmark = pytest.mark.libraries

EXAMPLES = Path(__file__).parents[2] / "examples" / "leaks"
OTHERS = Path(__file__).with_name("leaks")
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.fixture
def patterns(warm):
    """The patterns that a script's report names, each once: patterns(script, mode)."""

    def reported(script, mode=""):
        done = warm.run(script, *([mode] if mode else []))
        if done.code == 1 and done.err == "no CUDA device\n":
            pytest.skip("no CUDA device: the mistake is one of the GPU's memory")
        assert done.code == 0, done.out + done.err
        report = done.out
        if "No known mistake was recognised.\n" not in report:
            assert re.search(
                r"^\d+ findings?(, similar ones together)?$", report, re.MULTILINE
            ), report
        names = re.findall(r"^([a-z-]+): .* (?:x |block)", report, re.MULTILINE)
        return list(dict.fromkeys(names))

    return reported


def test_every_pattern_has_its_scripts():
    assert sorted(path.stem for path in OTHERS.glob("*.py")) == NAMES
    document = EXAMPLES.parents[1] / "docs" / "findings.md"
    reported = re.findall(r"^\| `([a-z-]+)` \|", document.read_text(), re.MULTILINE)
    assert sorted(reported) == [name.replace("_", "-") for name in NAMES]


@pytest.mark.parametrize("name", sorted({*NAMES} - {*FIXES}))
def test_named_right(patterns, name):
    assert patterns(EXAMPLES / f"{name}.py") == [name.replace("_", "-")]


@pytest.mark.parametrize("name", NAMES)
def test_fixed(patterns, name):
    assert patterns(EXAMPLES / f"{name}.py", "fixed") == []


@pytest.mark.parametrize("name", NAMES)
def test_named_elsewhere(patterns, name):
    assert patterns(OTHERS / f"{name}.py") == [name.replace("_", "-")]


@pytest.mark.parametrize("name", NAMES)
def test_fixed_elsewhere(patterns, name):
    assert patterns(OTHERS / f"{name}.py", "fixed") == []
