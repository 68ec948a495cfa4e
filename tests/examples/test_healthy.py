"""Programs without a mistake, which look like one: nothing is reported.

Each is what people write and mean; `healthy/` says why it is no leak.
"""

from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

SCRIPTS = sorted(Path(__file__).with_name("healthy").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_nothing_is_reported(warm, script):
    done = warm.run(script)
    assert done.code == 0, done.err
    assert done.out.startswith("No known mistake was recognised.\n"), done.out
