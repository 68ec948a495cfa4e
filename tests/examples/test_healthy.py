"""Programs without a mistake, which look like one: nothing is reported.

Each is what people write and mean; `healthy/` says why it is no leak.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "py"))

from warm import WarmTorch

pytestmark = pytest.mark.libraries

SCRIPTS = sorted(Path(__file__).with_name("healthy").glob("*.py"))


@pytest.fixture(scope="module")
def torch():
    """A process that has imported torch, which forks for each script."""
    process = WarmTorch()
    yield process
    process.end()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_nothing_is_reported(torch, script):
    done = torch.run(script)
    assert done.code == 0, done.err
    assert done.out == "No known mistake was recognised.\n\n"
