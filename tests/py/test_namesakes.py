"""leakgraph never takes a Python class for a C type of the same name."""

import pytest


def test_namesakes(isolated):
    done = isolated("namesakes.py", "decimal", "xml.etree.ElementTree", "ctypes")
    assert done.code == 0, done.err[-2000:]
    assert int(done.out.split()[0]) > 500


@pytest.mark.libraries
@pytest.mark.parametrize(
    "libraries", ["pandas numpy pyarrow matplotlib.pyplot PIL.Image", "torch jax.numpy"]
)
def test_namesakes_beside_the_libraries(warm, libraries):
    first, *others = libraries.split()
    done = warm(first).isolated("namesakes.py", first, *others)
    assert done.code == 0, done.err[-2000:]
