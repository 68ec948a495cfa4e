"""A snapshot changes nothing of PyTorch's, and calls no code of the user's."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

SCRIPT = Path(__file__).with_name("isolated") / "torch_observer.py"


@pytest.mark.parametrize(
    "case",
    [
        "state",
        "modes",
        "half",
        "again",
        "views",
        "scripts",
        "broken",
        "padding",
        "first",
        "held",
    ],
)
def test_observer(warm, case):
    # That case uses checkpoints, which import it.
    module = "torch._dynamo" if case == "state" else "torch"
    done = warm(module).run(SCRIPT, case)
    assert (done.code, done.out) == (0, "right\n"), done.err
